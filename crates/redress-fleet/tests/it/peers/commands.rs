//! The commands, as a user runs them.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use super::with_runtime;
use crate::cluster::{Cluster, Rules};

const SERVER: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *tools/list*) result='{"tools":[{"name":"read_file","inputSchema":{"type":"object"}}]}' ;;
    *) result='{"content":[{"type":"text","text":"ENOENT: no such file or directory, open src/mian.rs"}],"isError":true}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"read_file\",\"arguments\":{\"path\":\"src/mian.rs\"}}}\n";

/// What a command printed, and how it ended.
struct Ran {
    exit: i32,
    out: String,
    err: String,
}

/// Runs the program as a user whose files are in a directory.
fn redress(home: &Path, args: &[&str], input: &str) -> Ran {
    let own = std::env::current_exe().unwrap();
    let program = own.ancestors().nth(2).unwrap().join("redress");
    assert!(program.exists(), "{}: cargo build --workspace --bins", program.display());
    let mut command = Command::new(program);
    command.args(args).current_dir(home).env("HOME", home);
    for (name, place) in [("STATE", "state"), ("CONFIG", "config"), ("CACHE", "cache")] {
        command.env(format!("XDG_{name}_HOME"), home.join(place));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    // A command that does not read its input may be gone.
    drop(process.stdin.take().unwrap().write_all(input.as_bytes()));
    let ran = process.wait_with_output().unwrap();
    let text = |it: Vec<u8>| String::from_utf8(it).unwrap();
    Ran { exit: ran.status.code().unwrap(), out: text(ran.stdout), err: text(ran.stderr) }
}

#[test]
#[ignore = "needs nats-server: cargo xtask peers"]
fn a_gate_ships_what_fails_and_every_command_reads_and_verifies_it() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let cluster = Cluster::start(3, &Rules::default());
    // Until the servers have found each other, nothing can be made.
    with_runtime(async { drop(cluster.with_fleet(3).await) });
    let url = cluster.url();
    let made = redress(home, &["fleet", "init", "--url", &url], "");
    assert_eq!(made.exit, 0, "{}{}", made.out, made.err);
    assert!(made.out.contains("redress.ledger.NODE.*"), "{}", made.out);
    assert!(made.out.contains("sync_interval"), "{}", made.out);
    fs::write(home.join("server.sh"), SERVER).unwrap();
    let config = |more: &str| {
        let text = format!(
            "[fleet]\nurl = \"{url}\"\nnode = \"a\"\n{more}[server.files]\ncommand = [\"sh\", \"server.sh\"]\n"
        );
        fs::write(home.join("redress.toml"), text).unwrap();
    };
    config("");
    for _ in 0..3 {
        let ran = redress(home, &["run", "--config", "redress.toml"], CALL);
        assert!(ran.out.contains("FILE_NOT_FOUND"), "{}{}", ran.out, ran.err);
        assert!(!ran.err.contains("fleet:"), "{}", ran.err);
    }
    let shipped = redress(home, &["fleet", "ship", "--config", "redress.toml"], "");
    assert_eq!(shipped.exit, 0, "{}{}", shipped.out, shipped.err);
    assert!(shipped.out.contains("all of it is in the stream"), "{}", shipped.out);
    // All readers see it.
    let query = ["ledger", "query", "--fleet", &url, "--kind", "fault", "--format", "json"];
    let found = redress(home, &query, "");
    assert_eq!((found.exit, found.out.lines().count()), (0, 3), "{}{}", found.out, found.err);
    let stats = redress(home, &["ledger", "stats", "--fleet", &url, "--node", "a"], "");
    assert!(stats.out.contains("3  FILE_NOT_FOUND"), "{}{}", stats.out, stats.err);
    let other = redress(home, &["ledger", "stats", "--fleet", &url, "--node", "b"], "");
    assert!(other.exit == 2 && other.err.contains("no node of the name b"), "{}", other.err);
    let status = redress(home, &["fleet", "status", "--url", &url], "");
    assert_eq!(status.exit, 0, "{}{}", status.out, status.err);
    assert!(status.out.starts_with("a: ") && status.out.contains("ended"), "{}", status.out);
    // The stream proves itself, and witnesses for the node.
    let verify = |more: &[&str]| {
        let args = [&["ledger", "verify", "--fleet", &url], more].concat();
        redress(home, &args, "")
    };
    let alone = verify(&[]);
    assert!(alone.exit == 0 && alone.out.contains("sound"), "{}{}", alone.out, alone.err);
    let both = verify(&["state/redress", "--node", "a"]);
    assert!(both.exit == 0 && both.out.contains("sound"), "{}{}", both.out, both.err);
    let chains = fs::read_dir(home.join("state/redress")).unwrap().flatten();
    let chains = chains.flat_map(|it| fs::read_dir(it.path()).into_iter().flatten().flatten());
    let chain = chains.map(|it| it.path()).find(|it| it.join("00000001.jsonl").exists()).unwrap();
    let file = chain.join("00000001.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, whole.replace("mian.rs", "main.rs")).unwrap();
    let changed = verify(&["state/redress", "--node", "a"]);
    assert!(changed.exit == 1 && changed.out.contains("WRONG"), "{}{}", changed.out, changed.err);
    fs::write(&file, whole).unwrap();
    // A contract goes to all nodes once it is clean and locked.
    let contract =
        "format = \"redress-registry/1\"\n[registry]\nname = \"notes\"\nversion = \"1.0.0\"\n";
    fs::write(home.join("errors.toml"), contract).unwrap();
    let push = ["fleet", "push", "errors.toml", "--url", &url];
    let unlocked = redress(home, &push, "");
    assert!(unlocked.exit == 2 && unlocked.err.contains("not locked"), "{}", unlocked.err);
    let locked = redress(home, &["registry", "lock", "errors.toml"], "");
    assert_eq!(locked.exit, 0, "{}", locked.err);
    let pushed = redress(home, &push, "");
    assert!(pushed.exit == 0 && pushed.out.contains("notes 1.0.0: pushed"), "{}", pushed.err);
    let pulled = redress(home, &["fleet", "pull", "contracts", "--url", &url], "");
    assert!(pulled.exit == 0 && pulled.out.contains("taken"), "{}{}", pulled.out, pulled.err);
    assert_eq!(fs::read_to_string(home.join("contracts/notes.toml")).unwrap(), contract);
    // What is refused has a code, a place and a way out.
    let gone = redress(home, &["fleet", "status", "--url", "nats://127.0.0.1:1"], "");
    assert!(gone.exit == 3 && gone.err.contains("UPSTREAM_UNAVAILABLE"), "{}", gone.err);
    let weak = ["fleet", "init", "--url", &url, "--stream", "weak", "--replicas", "1"];
    let weak = redress(home, &weak, "");
    assert!(weak.exit == 1 && weak.out.contains("`num_replicas` is 1"), "{}{}", weak.out, weak.err);
    config("stream = \"weak\"\n");
    let refused = redress(home, &["serve", "--config", "redress.toml"], "");
    assert_eq!(refused.exit, 2, "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("accept_weak = true"), "{}", refused.err);
    config("strem = \"x\"\n");
    let typo = redress(home, &["serve", "--config", "redress.toml"], "");
    assert!(typo.exit == 2 && typo.err.contains("redress.toml:4"), "{}", typo.err);
}
