//! A changed file lets nobody in more by itself, and less at once.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::json;

use super::{Editor, Gate, PLUGIN, TOKEN, initialize, policy, said, server, told_of_plugin};
use crate::gate::{
    client::pause,
    http::{Answer, connect, post},
    plugins::ENVELOPE,
};

const OTHER: &str = "the-token-of-another";

/// What asks for a token.
const AUTH: &str = "[auth]\ntoken_files = ['tokens']\n";

/// A gate whose callers need a token.
fn guarded(rest: &str) -> Gate {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("server.sh"), super::SERVER).unwrap();
    fs::write(dir.path().join("tokens"), format!("{TOKEN}\n{OTHER}\n")).unwrap();
    fs::write(dir.path().join("redress.toml"), server("files", "one") + AUTH + rest).unwrap();
    let mut gate = Gate::spawn_in(dir, &["--no-ledger"]);
    gate.listens();
    gate
}

/// The status for who brings a token, or none.
fn status(gate: &Gate, token: Option<&str>) -> u16 {
    opened(&gate.address, token).status
}

fn opened(address: &str, token: Option<&str>) -> Answer {
    let bearer = token.map(|it| format!("Bearer {it}"));
    let headers: Vec<_> = bearer.iter().map(|it| ("Authorization", it.as_str())).collect();
    post(address, "/files/mcp", &headers, initialize().to_string().as_bytes()).head()
}

/// Somebody without a token who tries to come in all the time.
struct Stranger {
    is_over: Arc<AtomicBool>,
    tries: JoinHandle<Vec<u16>>,
}

impl Stranger {
    fn at(gate: &Gate) -> Self {
        let (address, is_over) = (gate.address.clone(), Arc::new(AtomicBool::new(false)));
        let stop = Arc::clone(&is_over);
        let tries = thread::spawn(move || {
            let mut seen = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                seen.push(opened(&address, None).status);
                pause();
            }
            seen
        });
        Self { is_over, tries }
    }

    /// Ends it, after it was refused whenever it tried.
    fn was_kept_out(self) {
        self.is_over.store(true, Ordering::Relaxed);
        let seen = self.tries.join().unwrap();
        assert!(!seen.is_empty() && seen.iter().all(|it| *it == 401), "{seen:?}");
    }
}

#[test]
fn a_file_written_in_two_halves_lets_no_stranger_in() {
    let gate = guarded("");
    let stranger = Stranger::at(&gate);
    fs::write(gate.file(), server("files", "one")).unwrap();
    gate.said("the file was read again");
    for _ in 0..20 {
        assert_eq!(status(&gate, None), 401, "the second half is not there");
        assert_eq!(status(&gate, Some(TOKEN)), 200);
    }
    let waits = gate.said("would let more in, and waits for");
    assert!(
        waits.ends_with(
            "`redress config apply redress.toml` or a restart: auth (no token would be needed)"
        ),
        "{waits}"
    );
    let mut file = OpenOptions::new().append(true).open(gate.file()).unwrap();
    file.write_all(AUTH.as_bytes()).unwrap();
    drop(file);
    gate.said("the file was read again");
    assert_eq!(status(&gate, Some(TOKEN)), 200);
    stranger.was_kept_out();
}

#[test]
fn a_file_that_is_still_open_is_not_read_not_even_on_sighup() {
    let gate = guarded("");
    let stranger = Stranger::at(&gate);
    let mut file = File::create(gate.file()).unwrap();
    // Valid, and tighter than what runs: it would be served if it were read.
    file.write_all((server("files", "two") + "[listen]\nmax_connections = 5\n").as_bytes())
        .unwrap();
    gate.hang_up();
    let said_of = gate.said("is open for writing in process");
    assert!(said_of.contains("redress.toml"), "{said_of}");
    for _ in 0..3 {
        gate.hang_up();
        let told = said(&gate, None, &initialize()).json();
        assert_eq!(told["result"]["serverInfo"]["name"], "one");
    }
    file.write_all(AUTH.as_bytes()).unwrap();
    drop(file);
    let said_of = gate.said("the file was read again");
    assert!(said_of.ends_with("new or changed: files"), "nothing was read before: {said_of}");
    gate.said("lets less in from now on: listen.max_connections (from 10000 to 5)");
    let told = said(&gate, None, &initialize()).json();
    assert_eq!(told["result"]["serverInfo"]["name"], "two");
    stranger.was_kept_out();
}

#[test]
fn sighup_with_half_a_file_lets_no_stranger_in() {
    let gate = guarded("");
    let stranger = Stranger::at(&gate);
    for half in [server("files", "one"), server("files", "one") + "[auth]\ntoken_fi", String::new()]
    {
        fs::write(gate.file(), &half).unwrap();
        gate.hang_up();
        let is_valid = half == server("files", "one");
        let words =
            if is_valid { "would let more in" } else { "what was valid before is still served" };
        gate.said(words);
        assert_eq!((status(&gate, None), status(&gate, Some(TOKEN))), (401, 200), "{half}");
    }
    stranger.was_kept_out();
}

#[test]
fn a_gate_does_not_start_with_a_file_that_is_being_written() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("server.sh"), super::SERVER).unwrap();
    fs::write(dir.path().join("tokens"), format!("{TOKEN}\n")).unwrap();
    let mut file = File::create(dir.path().join("redress.toml")).unwrap();
    file.write_all(server("files", "one").as_bytes()).unwrap();
    let mut gate = Gate::spawn_in(dir, &["--no-ledger"]);
    gate.said("is open for writing in process");
    file.write_all(AUTH.as_bytes()).unwrap();
    drop(file);
    gate.listens();
    assert_eq!((status(&gate, None), status(&gate, Some(TOKEN))), (401, 200));
}

#[test]
fn a_token_that_is_gone_counts_at_once_and_a_new_one_waits() {
    let gate = guarded("");
    let tokens = |text: &str| {
        let new = gate.dir.path().join("new-tokens");
        fs::write(&new, text).unwrap();
        fs::rename(&new, gate.dir.path().join("tokens")).unwrap();
    };
    tokens(&format!("{OTHER}\nthe-token-of-a-third\n"));
    gate.said("lets less in from now on: auth.token_files (1 removed)");
    gate.said("a restart: auth.token_files (1 added)");
    let seen =
        |gate: &Gate| [TOKEN, OTHER, "the-token-of-a-third"].map(|it| status(gate, Some(it)));
    assert_eq!(seen(&gate), [401, 200, 401]);
    // One that comes back is as new as any.
    tokens(&format!("{TOKEN}\n"));
    gate.said("a restart: auth.token_files (1 added)");
    assert_eq!(
        (seen(&gate), status(&gate, None)),
        ([401, 401, 401], 401),
        "no token is left, and one is needed"
    );
    gate.apply();
    assert_eq!((seen(&gate), status(&gate, None)), ([200, 401, 401], 401));
}

#[test]
fn origins_that_are_gone_count_at_once_and_new_ones_wait() {
    let listen =
        |origins: &str| server("files", "one") + "[listen]\nallowed_origins = [" + origins + "]\n";
    let gate = Gate::start(&listen("'https://a.example', 'https://b.example'"));
    let seen = || {
        ["https://a.example", "https://b.example", "https://c.example"].map(|it| {
            let message = initialize().to_string();
            post(&gate.address, "/files/mcp", &[("Origin", it)], message.as_bytes()).head().status
        })
    };
    assert_eq!(seen(), [200, 200, 403]);
    gate.change(&listen("'https://b.example', 'https://c.example'"));
    gate.said("lets less in from now on: listen.allowed_origins (1 removed)");
    gate.said("a restart: listen.allowed_origins (1 added)");
    assert_eq!(seen(), [403, 200, 403]);
    gate.apply();
    assert_eq!(seen(), [403, 200, 200]);
}

#[test]
fn a_lower_limit_on_connections_counts_at_once() {
    let listen =
        |most: u64| server("files", "one") + &format!("[listen]\nmax_connections = {most}\n");
    let gate = Gate::start(&listen(2));
    let ask = |stream: &mut TcpStream| {
        let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", gate.address);
        stream.write_all(request.as_bytes()).unwrap();
    };
    let is_answered = |stream: &mut TcpStream| stream.read(&mut [0; 64]).is_ok_and(|it| it > 0);
    let mut first = connect(&gate.address);
    ask(&mut first);
    assert!(is_answered(&mut first));
    gate.change(&listen(1));
    gate.said("lets less in from now on: listen.max_connections (from 2 to 1)");
    let mut second = connect(&gate.address);
    ask(&mut second);
    // One connection may have been waited for before the limit was lower.
    let mut third = connect(&gate.address);
    ask(&mut third);
    third.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(!is_answered(&mut third), "there is one too many");
    third.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    drop((first, second));
    assert!(is_answered(&mut third), "it comes in when another one ends");
}

#[test]
fn governance_is_turned_on_at_once_and_off_only_by_apply() {
    let governed = policy("", "editor", "");
    let free = governed.replace("[governance]\n", "[governance]\nenabled = false\n");
    let mut gate = Gate::spawn(&free, &[]);
    gate.listens();
    let session = said(&gate, None, &initialize()).header("mcp-session-id").unwrap().to_owned();
    let open = Editor { gate: &gate, session };
    assert_eq!(open.write("1"), "fine", "nobody needs to begin");
    gate.change(&governed);
    gate.said("lets less in from now on: governance.enabled (from false to true)");
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert_eq!(said(&gate, Some(&open.session), &ping).status, 404, "its session has ended");
    let session = said(&gate, None, &initialize()).header("mcp-session-id").unwrap().to_owned();
    let new = Editor { gate: &gate, session };
    assert_eq!(new.write("2"), "SESSION_NOT_INITIALIZED");
    gate.change(&free);
    gate.said("a restart: governance.enabled (from true to false)");
    assert_eq!(new.write("3"), "SESSION_NOT_INITIALIZED");
    assert_eq!(Editor::begun(&gate).write("3"), "fine");
    gate.apply();
    let session = said(&gate, None, &initialize()).header("mcp-session-id").unwrap().to_owned();
    assert_eq!(Editor { gate: &gate, session }.write("4"), "fine");
}

#[test]
fn trust_is_withdrawn_at_once_and_given_only_by_apply() {
    let config = |trust: bool| {
        format!(
            "[server.a]\ncommand = ['sh', 'signing.sh']\nplugins = ['signing.toml']\ntrust = {trust}\n"
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    let text = json!(ENVELOPE);
    put(
        "answer.json",
        &format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"isError\":true}}}}\n"
        ),
    );
    put("signing.sh", super::SIGNING);
    put("signing.toml", PLUGIN);
    put("redress.toml", &config(true));
    let mut gate = Gate::spawn_in(dir, &["--no-ledger"]);
    gate.listens();
    let (own, ours) = (json!("Apple refused it"), json!("The build was not notarized."));
    assert_eq!(told_of_plugin(&gate)["message"], own);
    let (open, _) = gate.open("a");
    gate.change(&config(false));
    gate.said("lets less in from now on: server.a.trust (from true to false)");
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert_eq!(gate.ask("a", Some(&open), &ping).0, 404, "it was opened with trust");
    assert_eq!(told_of_plugin(&gate)["message"], ours);
    gate.change(&config(true));
    gate.said("a restart: server.a.trust (from false to true)");
    assert_eq!(told_of_plugin(&gate)["message"], ours);
    gate.apply();
    assert_eq!(told_of_plugin(&gate)["message"], own);
}

#[test]
fn a_call_in_progress_is_answered_when_its_session_ends() {
    let config = |mode: &str| format!("{}mode = '{mode}'\n", server("a", "one"));
    let gate = Gate::start(&config("observe"));
    let (session, _) = gate.open("a");
    let (address, of_call) = (gate.address.clone(), session.clone());
    let call = thread::spawn(move || {
        let call =
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "x"}});
        super::ask(&address, "a", Some(&of_call), &call)
    });
    while super::running(gate.dir.path()) == 0 {
        pause();
    }
    gate.change(&config("enforce"));
    gate.said("lets less in from now on: server.a.mode");
    let (status, _, body) = call.join().unwrap();
    // It may have come after the change on a busy machine: then it was not taken.
    assert!(status == 404 || (status, super::name(&body)) == (200, "one".to_owned()), "{body}");
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert_eq!(gate.ask("a", Some(&session), &ping).0, 404);
}

#[test]
fn servers_are_confined_at_once_and_let_go_only_by_apply() {
    let config = |confine: &str| {
        format!("{}[governance]\nenabled = false\nconfine = {confine}\n", server("a", "one"))
    };
    let gate = Gate::start(&config("false"));
    let (open, _) = gate.open("a");
    gate.change(&config("'state'"));
    gate.said("it from the keys");
    gate.said("lets less in from now on: governance.confine");
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert_eq!(gate.ask("a", Some(&open), &ping).0, 404, "its process is not confined");
    gate.change(&config("false"));
    gate.said("a restart: governance.confine");
    gate.apply();
}

#[test]
fn a_file_that_is_not_valid_tightens_nothing_either() {
    let gate = guarded("");
    let tighter = server("files", "one") + AUTH + "[listen]\nmax_connections = 3\n";
    gate.change(&(tighter.clone() + "[limits]\nconcurrency = 0\n"));
    gate.said(
        "CONFIG_INVALID: redress.toml:8:15: `limits.concurrency` must be 1 to 1000000, not 0.",
    );
    gate.said("what was valid before is still served");
    gate.change(&tighter);
    gate.said("lets less in from now on: listen.max_connections (from 10000 to 3)");
}

#[test]
fn a_reload_names_the_keys_that_changed_and_no_secret() {
    let config = |token: &str, env: &str| {
        format!(
            "{}env = {{ KEY = '{env}' }}\n[auth]\ntokens = ['${{GATE}}{token}']\n",
            server("a", "one")
        )
    };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("server.sh"), super::SERVER).unwrap();
    fs::write(dir.path().join("redress.toml"), config("-first", "hunter2")).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_redress"));
    command.args(super::SERVE).arg("--no-ledger").env("GATE", "s3cr3t-s3cr3t");
    let mut gate = Gate::of(&mut command, dir);
    gate.listens();
    gate.change(&config("-second", "hunter3"));
    let mut log = String::new();
    loop {
        let line = gate.said("");
        log += &(line.clone() + "\n");
        if line.starts_with("redress: would let more in") {
            break;
        }
    }
    for line in [
        "new or changed: a",
        "lets less in from now on: auth.tokens (1 removed)",
        "changed: server.a.env\n",
        "auth.tokens (1 added)",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    for secret in ["s3cr3t", "hunter", "-first", "-second"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}
