//! The control socket: who may use it, and what it takes.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::{Gate, initialize, server};
use crate::redress::{not_run, run};

/// A user that is not this one.
const NOBODY: &str = "65534";

fn control(home: &Path) -> PathBuf {
    home.join(".local/state/redress/control")
}

/// The one socket there is.
fn socket(home: &Path) -> PathBuf {
    let mut sockets = fs::read_dir(control(home)).unwrap();
    let socket = sockets.next().unwrap().unwrap().path();
    assert!(sockets.next().is_none());
    socket
}

fn auth() -> String {
    let hash = redress_govern::eval::sha256("aaaaaaaaaaaaaaaa");
    format!("[auth.caller.a]\nsha256 = '{hash}'\n")
}

/// What a gate says to some bytes; nothing if it says nothing.
fn told(socket: &Path, bytes: &[u8]) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(bytes).unwrap_or_default();
    stream.shutdown(std::net::Shutdown::Write).unwrap_or_default();
    let mut told = String::new();
    stream.read_to_string(&mut told).unwrap_or_default();
    told
}

/// The hash of a file that is text.
fn hash_of(file: &Path) -> String {
    redress_govern::eval::sha256(&fs::read_to_string(file).unwrap())
}

/// A request to apply the file of a gate, whose bytes have that hash.
fn request(gate: &Gate, sha256: &str) -> Vec<u8> {
    let file = gate.file().canonicalize().unwrap();
    let message = json!({ "format": "redress-control/1", "apply": file, "sha256": sha256 });
    (message.to_string() + "\n").into_bytes()
}

/// Whether who brings no token is let in.
fn is_open(gate: &Gate) -> bool {
    gate.ask("files", None, &initialize()).0 == 200
}

#[test]
fn only_its_own_user_can_open_the_socket() {
    let gate = Gate::start(&server("files", "one"));
    let home = gate.dir.path();
    let (dir, socket) = (fs::metadata(control(home)).unwrap(), fs::metadata(socket(home)).unwrap());
    assert!(socket.file_type().is_socket());
    assert_eq!((dir.mode() & 0o7777, socket.mode() & 0o7777), (0o700, 0o600));
    let own = rustix::process::geteuid().as_raw();
    assert_eq!((dir.uid(), socket.uid()), (own, own));
}

#[test]
fn another_user_cannot_reach_the_gate() {
    if !rustix::process::geteuid().is_root() {
        return not_run("only root can become another user");
    }
    let config = server("files", "one") + &auth();
    let gate = Gate::start(&config);
    fs::set_permissions(gate.dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for dir in [".local", ".local/state", ".local/state/redress"] {
        fs::set_permissions(gate.dir.path().join(dir), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let bin = gate.dir.path().join("redress");
    fs::copy(env!("CARGO_BIN_EXE_redress"), &bin).unwrap();
    gate.change(&server("files", "one"));
    gate.said("would let more in");
    let as_nobody = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&bin);
        command.args(["config", "apply", "redress.toml"]).env("HOME", gate.dir.path());
        run(command.current_dir(gate.dir.path()).env_remove("XDG_STATE_HOME"), b"")
    };
    // Neither where the system keeps it out of the directory …
    let ran = as_nobody();
    assert_eq!(ran.exit, 3, "{}{}", ran.out, ran.err);
    assert!(!is_open(&gate));
    // … nor where somebody has opened that, and the socket.
    fs::set_permissions(control(gate.dir.path()), fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(socket(gate.dir.path()), fs::Permissions::from_mode(0o777)).unwrap();
    let ran = as_nobody();
    assert_eq!(ran.exit, 3, "{}{}", ran.out, ran.err);
    assert!(!is_open(&gate));
}

#[test]
fn the_gate_asks_the_system_who_connects() {
    if !rustix::process::geteuid().is_root() {
        return not_run("only root can start a gate as another user");
    }
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    put("redress.toml", &(server("files", "one") + &auth()));
    put("server.sh", super::SERVER);
    let bin = dir.path().join("redress");
    fs::copy(env!("CARGO_BIN_EXE_redress"), &bin).unwrap();
    std::os::unix::fs::chown(dir.path(), Some(65_534), Some(65_534)).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&bin);
    let mut gate = Gate::of(command.args(super::SERVE).arg("--no-ledger"), dir);
    gate.listens();
    gate.change(&server("files", "one"));
    gate.said("would let more in");
    // No permission keeps this user, who is root, from connecting.
    let bytes = request(&gate, &hash_of(&gate.file()));
    let answer: Value = serde_json::from_str(&told(&socket(gate.dir.path()), &bytes)).unwrap();
    assert_eq!(answer["refused"]["code"], "UNAUTHORIZED_ACTION", "{answer}");
    assert_eq!(answer["refused"]["message"], "User 0 is not the user of the gate.");
    gate.said("refused on the control socket: User 0 is not the user of the gate");
    assert!(!is_open(&gate));
}

#[test]
fn a_server_of_the_gate_cannot_apply_a_file() {
    const ASKS: &str = r#"(setsid redress config apply redress.toml > applied 2>&1; echo "exit $?" >> applied; mv applied done) &
"#;
    let config = server("files", "one") + &auth();
    let gate = Gate::start(&server("files", "one"));
    drop(gate.open("files"));
    gate.change(&config);
    gate.said("a token is needed now");
    gate.change(&server("files", "one"));
    gate.said("would let more in");
    // The session that was opened before has no token, so that a new one starts the server that asks.
    let bin = Path::new(env!("CARGO_BIN_EXE_redress")).parent().unwrap().display();
    let script = format!("export PATH={bin}:$PATH HOME=$PWD\n{ASKS}{}", super::SERVER);
    fs::write(gate.dir.path().join("server.sh"), script).unwrap();
    let headers = [("Authorization", "Bearer aaaaaaaaaaaaaaaa")];
    let message = initialize().to_string();
    let opened = crate::gate::http::post(&gate.address, "/files/mcp", &headers, message.as_bytes());
    assert_eq!(opened.head().status, 200);
    let done = gate.dir.path().join("done");
    gate.said("refused on the control socket: Process ");
    while !done.exists() {
        crate::gate::client::pause();
    }
    let said = fs::read_to_string(done).unwrap();
    assert!(said.contains("UNAUTHORIZED_ACTION: Process ") && said.ends_with("exit 3\n"), "{said}");
    assert!(!is_open(&gate));
}

#[test]
fn hostile_bytes_change_nothing_and_keep_nobody_out() {
    let gate = Gate::start(&(server("files", "one") + &auth()));
    gate.change(&server("files", "one"));
    gate.said("would let more in");
    let socket = socket(gate.dir.path());
    let whole = request(&gate, &hash_of(&gate.file()));
    let text = String::from_utf8(whole.clone()).unwrap();
    let deep = "[".repeat(500_000) + "\n";
    let long = vec![b'a'; 3 << 20];
    let hostile: [&[u8]; 12] = [
        b"",
        b"\n",
        b"\0\xff\xfe\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"{}\n",
        b"null\n",
        deep.as_bytes(),
        &long,
        &text.replace("control/1", "control/9").into_bytes(),
        &text.replace("redress.toml", "redress.toml\\u0000").into_bytes(),
        &text.replace("\"apply\"", "\"apply\":\"/\",\"x\"").into_bytes(),
        &request(&gate, &redress_govern::eval::sha256("other bytes")),
    ];
    for bytes in hostile {
        let said = told(&socket, bytes);
        assert!(!said.contains("\"applied\""), "{said}");
    }
    let said = told(&socket, &request(&gate, &redress_govern::eval::sha256("other bytes")));
    assert!(said.contains("\"CONFLICT\"") && said.contains("nothing was confirmed"), "{said}");
    // Clients that say nothing take no place from others for ever, and one that leaves does not either.
    let silent: Vec<_> = (0..3).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    drop(UnixStream::connect(&socket).unwrap().write_all(&whole[..20]));
    assert!(!is_open(&gate));
    gate.apply();
    assert!(is_open(&gate));
    drop(silent);
}

#[test]
fn a_long_path_and_a_fifo_in_the_directory_do_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("a".repeat(100)).join("b".repeat(100));
    fs::create_dir_all(&home).unwrap();
    fs::write(dir.path().join("server.sh"), super::SERVER).unwrap();
    fs::write(dir.path().join("redress.toml"), server("files", "one") + &auth()).unwrap();
    fs::create_dir_all(control(&home)).unwrap();
    fs::set_permissions(control(&home), fs::Permissions::from_mode(0o700)).unwrap();
    let fifo = Command::new("mkfifo").arg(control(&home).join("1-0.sock")).status().unwrap();
    assert!(fifo.success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_redress"));
    command.args(super::SERVE).arg("--no-ledger");
    command.env("HOME", &home).current_dir(dir.path());
    let mut gate = Gate::launched(&mut command, dir);
    gate.listens();
    gate.change(&server("files", "one"));
    gate.said("would let more in");
    let line = format!("HOME={} redress config apply redress.toml", home.display());
    let ran = gate.shell(&line);
    assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
    assert!(is_open(&gate));
}
