//! Whether the packages work where they are installed: from an empty folder, before a public server, with signals and exit codes.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{Dist, done, files, hash, make, output, read, text};
use crate::peers::Peers;

/// How long an answer of a gate may take whose server starts.
const PATIENCE: Duration = Duration::from_secs(120);

/// Tries every package. Gives how many things were tried.
pub(super) fn run(dist: &Dist) -> Result<usize, String> {
    let servers = Peers::servers(&dist.root)?;
    let folder = tempfile::tempdir().map_err(|it| it.to_string())?;
    let server = Server {
        node: Peers::install(&dist.root)?.node(),
        script: servers.module("@modelcontextprotocol/server-filesystem/dist/index.js"),
        files: folder.path().join("files"),
    };
    make(&server.files)?;
    let node = from_npm(dist, &folder.path().join("npm"))?;
    gate(Command::new("npx").arg("--no-install").arg("redress").current_dir(&node), &server)?;
    let launcher = node.join("node_modules/.bin/redress");
    let mut tried = 2 + codes(&[launcher.as_os_str()])? + ends(dist, &launcher, &server)?;
    named(&launcher)?;
    let python = from_pypi(dist, &folder.path().join("pypi"))?;
    gate(Command::new(&python).args(["-m", "redress_cli"]), &server)?;
    tried += 2 + codes(&[python.as_os_str(), "-m".as_ref(), "redress_cli".as_ref()])?;
    tried += ends(dist, &python.with_file_name("redress"), &server)?;
    runtimes(dist, &node, &python)?;
    tried += 1 + archive(dist, &folder.path().join("archive"))?;
    tried += debian(dist, &folder.path().join("debian"))?;
    Ok(tried)
}

/// A public server, and a folder for it.
struct Server {
    node: PathBuf,
    script: PathBuf,
    files: PathBuf,
}

impl Server {
    fn add(&self, command: &mut Command) {
        command
            .args(["run", "--no-ledger", "--"])
            .arg(&self.node)
            .arg(&self.script)
            .arg(&self.files);
    }
}

/// A package of the folder, by how its name begins.
fn package(dist: &Dist, begins: &str) -> Result<PathBuf, String> {
    let is_it = |it: &PathBuf| {
        let name = it.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(begins)
    };
    let mut found = files(&dist.folder)?.into_iter().filter(is_it);
    found.next().ok_or_else(|| format!("there is no package {begins}…"))
}

/// Installs the packages of npm into an empty folder, from nowhere else.
fn from_npm(dist: &Dist, folder: &Path) -> Result<PathBuf, String> {
    make(folder)?;
    super::write(&folder.join("package.json"), "{\"private\": true}\n")?;
    let mut npm = Command::new("npm");
    npm.args([
        "install",
        "--offline",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]);
    let version = &dist.version;
    for name in [
        format!("redress-{}-{version}.tgz", dist.platform.npm),
        format!("redress-{version}.tgz"),
        format!("redress-runtime-{version}.tgz"),
    ] {
        npm.arg(package(dist, &name)?);
    }
    done(npm.current_dir(folder))?;
    Ok(folder.to_owned())
}

/// Installs the wheels into an empty environment, from nowhere else. Gives its Python.
fn from_pypi(dist: &Dist, folder: &Path) -> Result<PathBuf, String> {
    done(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let python = folder.join("bin/python");
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]);
    for begins in ["redress_cli-", "redress_runtime-"] {
        pip.arg(package(dist, begins)?);
    }
    done(&mut pip)?;
    Ok(python)
}

/// The gate starts, passes what succeeds on, and answers a failure by the contract.
fn gate(command: &mut Command, server: &Server) -> Result<(), String> {
    server.add(command);
    let mut gate = Gate::start(command)?;
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "trial", "version": "1"}});
    let hello = gate.ask(1, "initialize", &hello)?;
    let name = hello.pointer("/result/serverInfo/name");
    if name.and_then(Value::as_str).is_none() {
        return Err(format!("the greeting of the server did not pass: {hello}"));
    }
    gate.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let missing = server.files.join("missing.txt");
    let call = json!({"name": "read_text_file", "arguments": {"path": missing}});
    let answer = gate.ask(2, "tools/call", &call)?;
    let code = answer.pointer("/result/_meta/dev.redress~1fault/code").and_then(Value::as_str);
    if code != Some("FILE_NOT_FOUND") {
        return Err(format!("the gate did not answer by the contract: {answer}"));
    }
    match gate.end()? {
        Some(0) => Ok(()),
        other => Err(format!("the gate ended with {other:?} and not 0")),
    }
}

/// Exit codes pass.
fn codes(command: &[&std::ffi::OsStr]) -> Result<usize, String> {
    let ran = |args: &[&str]| {
        let (program, before) = command.split_first().ok_or("there is no command")?;
        Ok::<_, String>(output(Command::new(program).args(before).args(args))?.status.code())
    };
    for (args, code) in [
        (&["--version"][..], 0),
        (&["explain", "NO_SUCH_CODE_AT_ALL"][..], 2),
        (&["run", "--no-ledger", "--", "/no/such/program"][..], 3),
    ] {
        let found = ran(args)?;
        if found != Some(code) {
            return Err(format!(
                "`redress {}` ended with {found:?} and not {code}",
                args.join(" ")
            ));
        }
    }
    Ok(1)
}

/// A signal reaches the program, which ends its server; the launcher ends as the program itself does.
fn ends(dist: &Dist, launcher: &Path, server: &Server) -> Result<usize, String> {
    let (own, through) = (terminated(&dist.program, server)?, terminated(launcher, server)?);
    if own == through {
        return Ok(1);
    }
    let launcher = launcher.display();
    Err(format!("after SIGTERM the program ends with {own}, and {launcher} with {through}"))
}

/// How a gate ends that gets a SIGTERM.
fn terminated(program: &Path, server: &Server) -> Result<ExitStatus, String> {
    let mut command = Command::new(program);
    server.add(&mut command);
    let mut gate = Gate::start(&mut command)?;
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "trial", "version": "1"}});
    gate.ask(1, "initialize", &hello)?;
    done(Command::new("kill").args(["-TERM", &gate.child.id().to_string()]))?;
    // The pipe closes when the last process that holds it has ended.
    loop {
        match gate.lines.recv_timeout(PATIENCE) {
            Ok(_) => (),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return Err(format!("after SIGTERM {} goes on", program.display()));
            }
        }
    }
    gate.child.wait().map_err(|it| it.to_string())
}

/// `REDRESS_BINARY` names another program.
fn named(launcher: &Path) -> Result<(), String> {
    let said = text(Command::new(launcher).arg("it is another one").env("REDRESS_BINARY", "echo"))?;
    if said.trim() != "it is another one" {
        return Err(format!("REDRESS_BINARY was not started: {said}"));
    }
    let gone = output(Command::new(launcher).env("REDRESS_BINARY", "/no/such/program"))?;
    let error = String::from_utf8_lossy(&gone.stderr).into_owned();
    if gone.status.code() == Some(3) && error.contains("NOT_INSTALLED") {
        return Ok(());
    }
    Err(format!("a program that is not there gave {} and {error}", gone.status))
}

/// The runtimes load where they were installed.
fn runtimes(dist: &Dist, node: &Path, python: &Path) -> Result<(), String> {
    let peers = Peers::install(&dist.root)?;
    let script =
        "const r = require('redress-runtime'); console.log(typeof r.fault, typeof r.wrapHandler)";
    let said = text(Command::new(peers.node()).args(["-e", script]).current_dir(node))?;
    if said.trim() != "function function" {
        return Err(format!("the runtime from npm has no `fault` or no `wrapHandler`: {said}"));
    }
    done(Command::new(python).args(["-c", "import redress_runtime"]))
}

fn archive(dist: &Dist, folder: &Path) -> Result<usize, String> {
    make(folder)?;
    let name = format!("redress-{}-{}", dist.version, dist.platform.triple);
    let packed = package(dist, &format!("{name}.tar.gz"))?;
    done(Command::new("tar").arg("-xzf").arg(&packed).arg("-C").arg(folder))?;
    let unpacked = folder.join(&name);
    done(Command::new(unpacked.join("redress")).arg("--version"))?;
    let pages = files(&unpacked.join("man"))?.len();
    if pages < 10 {
        return Err(format!("the archive has {pages} manual pages"));
    }
    done(Command::new("bash").arg("-n").arg(unpacked.join("completions/redress")))?;
    let sums = read(&dist.folder.join("SHA256SUMS"))?;
    if !sums.contains(&hash(&packed)?) {
        return Err("SHA256SUMS has not the archive".to_owned());
    }
    done(
        Command::new("sha256sum")
            .args(["--check", "--quiet", "SHA256SUMS"])
            .current_dir(&dist.folder),
    )?;
    let bill = package(dist, &format!("{name}.cdx.json"))?;
    let bill: Value = serde_json::from_str(&read(&bill)?).map_err(|it| it.to_string())?;
    let parts = bill.get("components").and_then(Value::as_array).map_or(0, Vec::len);
    if parts < 100 {
        return Err(format!("the bill of materials names {parts} packages"));
    }
    Ok(1)
}

fn debian(dist: &Dist, folder: &Path) -> Result<usize, String> {
    if dist.platform.debian.is_none() {
        return Ok(0);
    }
    make(folder)?;
    let packed = package(dist, "redress_")?;
    done(Command::new("dpkg-deb").arg("--extract").arg(&packed).arg(folder))?;
    done(Command::new(folder.join("usr/bin/redress")).arg("--version"))?;
    let about = text(Command::new("dpkg-deb").arg("--info").arg(&packed))?;
    if about.contains('{') || !about.contains("Package: redress") {
        return Err(format!("the package says of itself:\n{about}"));
    }
    Ok(1)
}

/// A gate that runs.
struct Gate {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Gate {
    fn start(command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(|it| format!("{it}: {command:?}"))?;
        let out = child.stdout.take().ok_or("there is no output")?;
        let (say, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if say.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, lines })
    }

    fn say(&mut self, message: &Value) -> Result<(), String> {
        let input = self.child.stdin.as_mut().ok_or("there is no input")?;
        input.write_all(format!("{message}\n").as_bytes()).map_err(|it| it.to_string())
    }

    fn ask(&mut self, id: u32, method: &str, params: &Value) -> Result<Value, String> {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.map_err(|it| format!("{method} has no answer: {it}"))?;
            let message: Value =
                serde_json::from_str(&line).map_err(|it| format!("{it}: {line}"))?;
            if message.get("id") == Some(&json!(id)) {
                return Ok(message);
            }
        }
    }

    fn end(mut self) -> Result<Option<i32>, String> {
        drop(self.child.stdin.take());
        self.child.wait().map(|it| it.code()).map_err(|it| it.to_string())
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
