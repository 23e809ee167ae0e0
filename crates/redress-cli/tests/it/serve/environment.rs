//! Which variables of its own `redress serve` hands on.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

use serde_json::json;

use crate::{
    gate::http::post,
    redress::{Ran, run},
};

/// Answers with the names of its variables.
const SERVER: &str = r#"names=$(tr '\0' '\n' < /proc/$$/environ | sed 's/=.*//' | tr '\n' ' ')
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$names"
done"#;

/// What the gate has beside what is usual.
const SECRET: &str = "s3cret-of-the-gate";

/// A stateless request, for which no session is opened.
fn call() -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "_meta": meta}})
        .to_string()
}

/// The variables that a server has with these settings, and what the gate said before it listened.
fn served(settings: &str) -> (BTreeSet<String>, String) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("server.sh"), SERVER).unwrap();
    let config =
        format!("[ledger]\nenabled = false\n[server.a]\ncommand = ['sh', 'server.sh']\n{settings}");
    fs::write(dir.path().join("redress.toml"), config).unwrap();
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
    gate.args(["serve", "--no-token", "--listen", "127.0.0.1:0", "--config", "redress.toml"]);
    let mut gate =
        with_variables(&mut gate).current_dir(dir.path()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(gate.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut said = String::new();
    let at = loop {
        let line = lines.next().expect("the gate listens");
        if line.contains("listening on http://") {
            break line;
        }
        said += &(line + "\n");
    };
    let address = at.split('/').nth(2).unwrap();
    let headers =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "a")];
    let answer = post(address, "/a/mcp", &headers, call().as_bytes()).head().json();
    Command::new("kill").arg(gate.id().to_string()).status().unwrap();
    gate.wait().unwrap();
    let names =
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (names.split_whitespace().map(str::to_owned).collect(), said)
}

fn with_variables(command: &mut Command) -> &mut Command {
    for name in ["HTTPS_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "LC_TIME", "XDG_DATA_HOME"] {
        command.env(name, "/x");
    }
    command.env("SECRET_A", SECRET).env("SECRET_B", SECRET).env("USER", "somebody")
}

fn has(names: &BTreeSet<String>, wanted: &[&str]) -> bool {
    wanted.iter().all(|it| names.contains(*it))
}

const USUAL: &[&str] =
    &["PATH", "USER", "HTTPS_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "LC_TIME", "XDG_DATA_HOME"];

#[test]
fn serve_hands_on_what_programs_need_and_says_what_it_keeps() {
    let (names, said) = served("env = { OWN = 'x', SECRET_B = 'another' }\n");
    assert!(has(&names, USUAL) && has(&names, &["OWN", "SECRET_B"]), "{names:?}");
    assert!(!names.contains("SECRET_A"), "{names:?}");
    let line = said.lines().find(|it| it.starts_with("redress: a: withheld")).unwrap();
    assert!(line.contains("SECRET_A") && !line.contains("SECRET_B"), "{line}");
    assert!(!line.contains("HTTPS_PROXY") && !said.contains(SECRET), "{said}");
}

#[test]
fn a_server_inherits_the_variables_that_its_file_names() {
    let (names, said) = served("inherit_env = ['SECRET_B']\n");
    assert!(has(&names, &["SECRET_B", "PATH"]) && !names.contains("SECRET_A"), "{names:?}");
    assert!(said.contains("SECRET_A") && !said.contains("SECRET_B"), "{said}");
    let (names, said) = served("inherit_env = 'all'\n");
    assert!(has(&names, &["SECRET_A", "SECRET_B"]) && has(&names, USUAL), "{names:?}");
    assert!(!said.contains("withheld"), "{said}");
}

#[test]
fn run_hands_on_all_of_its_environment() {
    let mut gate = Command::new(env!("CARGO_BIN_EXE_redress"));
    gate.args(["run", "--no-ledger", "--", "sh", "-c", SERVER]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}});
    let Ran { out, err, .. } = run(with_variables(&mut gate), format!("{call}\n").as_bytes());
    assert!(out.contains("SECRET_A") && !err.contains("withheld"), "{out} {err}");
}
