//! `cargo xtask probe-servers`: probes public servers as they are and through the gate, and writes the table of `docs/guides/probe.md`.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    cargo::cargo,
    peers::{Peers, target},
};

/// Where the table is in the page.
const START: &str = "<!-- probe-servers: start -->\n";
const END: &str = "<!-- probe-servers: end -->\n";

/// What is around the day of the run, before the table.
const DATE: &str = "Run on ";
const DATE_END: &str = ".\n\n";

/// A port without a listener: what a server wants to reach is refused at once, and nothing leaves the machine.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A public server: its package, and the arguments after its program. Paths are below a folder of its own.
struct Public {
    package: &'static str,
    is_npm: bool,
    args: &'static [&'static str],
}

const SERVERS: [Public; 8] = [
    npm("@modelcontextprotocol/server-everything", &[]),
    npm("@modelcontextprotocol/server-filesystem", &["files"]),
    npm("@modelcontextprotocol/server-memory", &[]),
    npm("@modelcontextprotocol/server-postgres", &["postgresql://127.0.0.1:9/none"]),
    npm("@modelcontextprotocol/server-sequential-thinking", &[]),
    pypi("mcp-server-fetch", &["--ignore-robots-txt", "--proxy-url", NOWHERE]),
    pypi("mcp-server-git", &["--repository", "repository"]),
    pypi("mcp-server-time", &["--local-timezone", "UTC"]),
];

const fn npm(package: &'static str, args: &'static [&'static str]) -> Public {
    Public { package, is_npm: true, args }
}

const fn pypi(package: &'static str, args: &'static [&'static str]) -> Public {
    Public { package, is_npm: false, args }
}

/// Probes every server. A server that cannot be probed, or that the gate makes worse, is a problem; with `check` so is a
/// table that says something else by more than chance.
pub(crate) fn run(root: &Path, check: bool, pages: bool) -> Vec<String> {
    let mut problems = Vec::new();
    match probed(root, &mut problems) {
        Ok(table) => problems.extend(kept(&root.join("docs/guides/probe.md"), &table, check).err()),
        Err(problem) => problems.push(problem),
    }
    if pages && problems.is_empty() {
        problems.extend(used(root).err());
    }
    problems
}

/// Where distributions put the browser.
const BROWSERS: [&str; 3] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Uses the page of every report in a browser.
fn used(root: &Path) -> Result<(), String> {
    let installed = Peers::servers(root)?;
    let browser = BROWSERS.into_iter().find(|it| Path::new(it).exists());
    let browser = browser.ok_or("no browser for the pages: install the package `chromium`")?;
    // The script is where Node finds what it imports.
    let script = installed.folder("page.mjs");
    fs::copy(root.join("tests/servers/page.mjs"), &script)
        .map_err(|it| format!("{}: {it}", script.display()))?;
    let pages =
        SERVERS.iter().map(|it| installed.folder("reports").join(format!("{}.html", it.name())));
    let ran = Command::new(installed.node())
        .arg(&script)
        .arg(browser)
        .args(pages)
        .stdin(Stdio::null())
        .output()
        .map_err(|it| format!("the pages were not opened: {it}"))?;
    if ran.status.success() {
        println!("ran: {} pages", SERVERS.len());
        return Ok(());
    }
    let said = [ran.stdout, ran.stderr].concat();
    Err(format!("in a browser: {}", String::from_utf8_lossy(&said)))
}

fn probed(root: &Path, problems: &mut Vec<String>) -> Result<String, String> {
    let installed = Peers::servers(root)?;
    build(root)?;
    let mut table = String::from(
        "| server | version | tools | calls | score | its tools alone | through the gate | its tools alone |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for server in &SERVERS {
        let version = server.version(root)?;
        let report = server.probe(&installed)?;
        let (before, after) = (points(&report, "direct"), points(&report, "gated"));
        if after < before {
            problems.push(format!(
                "{}: {before:?} and through the gate only {after:?}",
                server.package
            ));
        }
        let row = [
            format!("`{}`", server.package),
            version,
            count(&report, "/direct/tools"),
            count(&report, "/direct/exchanges"),
            score(&report, "direct"),
            mean(&report, "direct"),
            score(&report, "gated"),
            mean(&report, "gated"),
        ];
        println!("{}\nran: 1 servers", row.join("  "));
        writeln!(table, "| {} |", row.join(" | ")).unwrap_or_default();
    }
    Ok(table)
}

/// Builds the command alone: nothing else of the workspace is needed here.
fn build(root: &Path) -> Result<(), String> {
    let ran = cargo()
        .args(["build", "--quiet", "--locked", "--package", "redress-cli", "--bin", "redress"])
        .current_dir(root)
        .status();
    match ran {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the build ended with {status}")),
        Err(error) => Err(format!("cargo did not start: {error}")),
    }
}

impl Public {
    /// The package without its owner.
    fn name(&self) -> &'static str {
        self.package.rsplit('/').next().unwrap_or(self.package)
    }

    /// The version that the lock file names.
    fn version(&self, root: &Path) -> Result<String, String> {
        let (file, found) = if self.is_npm {
            let text = read(&root.join("tests/servers/package.json"))?;
            let json: Value = serde_json::from_str(&text).map_err(|it| it.to_string())?;
            let version = json.get("dependencies").and_then(|it| it.get(self.package)?.as_str());
            ("package.json", version.map(str::to_owned))
        } else {
            let text = read(&root.join("tests/servers/requirements.txt"))?;
            let version =
                text.lines().find_map(|it| it.strip_prefix(self.package)?.strip_prefix("=="));
            // Behind the version, a backslash continues the line with the hashes.
            let version = version.map(|it| it.trim_end_matches([' ', '\\']).to_owned());
            ("requirements.txt", version)
        };
        found.ok_or_else(|| format!("tests/servers/{file} does not name {}", self.package))
    }

    fn command(&self, installed: &Peers) -> Vec<PathBuf> {
        let mut command = if self.is_npm {
            let script = installed.module(&format!("{}/dist/index.js", self.package));
            vec![installed.node(), script]
        } else {
            vec![installed.folder("python/bin").join(self.package)]
        };
        command.extend(self.args.iter().map(PathBuf::from));
        command
    }

    /// Probes it in a fresh folder and keeps the report, as JSON and as a page.
    fn probe(&self, installed: &Peers) -> Result<Value, String> {
        let name = self.name();
        let reports = installed.folder("reports");
        let work = installed.folder("work").join(name);
        furnish(&work)?;
        fs::create_dir_all(&reports).map_err(|it| format!("{}: {it}", reports.display()))?;
        let redress = target()?.join("debug/redress");
        let ran = Command::new(&redress)
            .args(["probe", "--through-gate", "--format", "json", "--"])
            .args(self.command(installed))
            .current_dir(&work)
            .env("MEMORY_FILE_PATH", work.join("memory.jsonl"))
            .envs(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].map(|it| (it, NOWHERE)))
            .stdin(Stdio::null())
            .output()
            .map_err(|it| format!("{} did not start: {it}", redress.display()))?;
        let report: Value = serde_json::from_slice(&ran.stdout).map_err(|_no_report| {
            format!("{}: not probed: {}", self.package, String::from_utf8_lossy(&ran.stderr))
        })?;
        let json = reports.join(format!("{name}.json"));
        fs::write(&json, &ran.stdout).map_err(|it| format!("{}: {it}", json.display()))?;
        let page = Command::new(&redress)
            .args(["probe", "--format", "html", "--report"])
            .arg(&json)
            .output()
            .map_err(|it| it.to_string())?;
        let html = reports.join(format!("{name}.html"));
        fs::write(&html, page.stdout).map_err(|it| format!("{}: {it}", html.display()))?;
        Ok(report)
    }
}

/// A folder with what the servers are given: a few files, and a repository with one commit.
fn furnish(work: &Path) -> Result<(), String> {
    drop(fs::remove_dir_all(work));
    let repository = work.join("repository");
    for (dir, text) in [(work.join("files"), "one\n"), (repository.clone(), "two\n")] {
        let write = || fs::create_dir_all(&dir).and_then(|()| fs::write(dir.join("a.txt"), text));
        write().map_err(|it| format!("{}: {it}", dir.display()))?;
    }
    for args in [
        "init --quiet",
        "add a.txt",
        "-c user.name=probe -c user.email=probe@example.invalid commit --quiet --message first",
    ] {
        let ran = Command::new("git").args(args.split(' ')).current_dir(&repository).status();
        if !ran.is_ok_and(|it| it.success()) {
            return Err(format!("`git {args}` failed in {}", repository.display()));
        }
    }
    Ok(())
}

fn points(report: &Value, run: &str) -> Option<u64> {
    report.pointer(&format!("/{run}/score/points"))?.as_u64()
}

fn score(report: &Value, run: &str) -> String {
    let letter =
        report.pointer(&format!("/{run}/score/letter")).and_then(Value::as_str).unwrap_or("–");
    points(report, run).map_or_else(|| "–".to_owned(), |it| format!("{it} {letter}"))
}

/// The mean of the tools that were graded.
fn mean(report: &Value, run: &str) -> String {
    let tools = report.pointer(&format!("/{run}/tools")).and_then(Value::as_array);
    let points = tools.into_iter().flatten().filter_map(|it| it.pointer("/score/points")?.as_u64());
    let (sum, count) = points.fold((0, 0), |(sum, count), it| (sum + it, count + 1));
    u64::checked_div(sum, count).map_or_else(|| "–".to_owned(), |it| it.to_string())
}

fn count(report: &Value, pointer: &str) -> String {
    report.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len).to_string()
}

/// Puts the table into the page, or with `check` only says that it is not what the page has.
fn kept(page: &Path, table: &str, check: bool) -> Result<(), String> {
    let text = read(page)?;
    let shown = page.display();
    let parts = text
        .split_once(START)
        .and_then(|(head, rest)| rest.split_once(END).map(|(old, tail)| (head, old, tail)));
    let Some((head, old, tail)) = parts else {
        return Err(format!("{shown}: the marks around the table are gone"));
    };
    let old = old.split_once(DATE_END).map_or(old, |(_, it)| it);
    if check && is_near(old, table) {
        return Ok(());
    }
    if check {
        return Err(format!(
            "{shown}: the table is stale: run `cargo xtask probe-servers`\n{table}"
        ));
    }
    let text = [head, START, DATE, &today()?, DATE_END, table, END, tail].concat();
    fs::write(page, text).map_err(|it| format!("{shown}: {it}"))
}

/// The day of the run.
fn today() -> Result<String, String> {
    let ran = Command::new("date").args(["-u", "+%Y-%m-%d"]).output();
    let ran = ran.map_err(|it| format!("`date` did not start: {it}"))?;
    Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
}

/// Whether two tables say the same. On a busy machine an answer comes late now and then, so that points may differ a little.
fn is_near(old: &str, new: &str) -> bool {
    const MOST: u64 = 5;
    let number = |cell: &str| cell.split_whitespace().next()?.parse::<u64>().ok();
    let near = |(one, other): (&str, &str)| match (number(one), number(other)) {
        (Some(one), Some(other)) => one.abs_diff(other) <= MOST,
        _ => one == other,
    };
    let cells = |text: &str| text.matches('|').count();
    cells(old) == cells(new) && old.split('|').zip(new.split('|')).all(near)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|it| format!("{}: {it}", path.display()))
}
