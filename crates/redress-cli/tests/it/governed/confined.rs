//! Servers under the system's own confinement: a real process that writes where it may and where it may not.

use std::fs;

use serde_json::{Value, json};

use super::{client::Gate, place::Place};
use crate::{
    gate::client::hello,
    redress::{not_run, run},
};

/// A server whose one tool writes wherever it is told to.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *initialize\"*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *tools/list*) result='{"tools":[{"name":"put","inputSchema":{"type":"object"}}]}' ;;
    *tools/call*) to=$(printf '%s' "$line" | sed 's/.*"to":"\([^"]*\)".*/\1/')
      if said=$(sh -c "echo x > $to" 2>&1); then result='{"content":[{"type":"text","text":"fine"}]}'
      else result='{"content":[{"type":"text","text":"EACCES: permission denied, open '"'$to'"'"}],"isError":true}'; fi ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

const CONTRACT: &str = "format = 'redress-registry/1'\nextends = ['core']\n[registry]\nname = 'own'\nversion = '0.1.0'\n\
     [tool.put]\noperation = 'command'\n";

/// Has the tool write to each of these under a policy; gives the code of each call, and what the gate said.
fn write_to(place: &Place, policy: &str, targets: &[&str]) -> (Vec<String>, String) {
    fs::create_dir_all(place.at("more")).unwrap();
    place.write("server.sh", SERVER);
    place.write("errors.toml", CONTRACT);
    place.configure(
        &format!("locks = []\n{policy}"),
        "command = ['sh', 'server.sh']\ncontract = 'errors.toml'",
    );
    let call = |id: usize, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let hello = json!({"jsonrpc": "2.0", "id": 100, "method": "initialize", "params": hello()});
    let begin = call(101, "begin_session", json!({"workspace_root": place.at("root")}));
    let mut lines = vec![hello.to_string(), begin];
    lines.extend(targets.iter().enumerate().map(|(id, to)| call(id, "put", json!({"to": to}))));
    let mut command = place.redress(&["run", "--config", "redress.toml"]);
    let ran = run(&mut command, (lines.join("\n") + "\n").as_bytes());
    let mut codes = vec![String::new(); targets.len()];
    for line in ran.out.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let at = answer["id"].as_u64().and_then(|it| usize::try_from(it).ok());
        if let Some(code) = at.and_then(|it| codes.get_mut(it)) {
            let fault = &answer["result"]["_meta"]["dev.redress/fault"]["code"];
            fault.as_str().unwrap_or("fine").clone_into(code);
        }
    }
    (codes, ran.err)
}

#[test]
fn a_server_writes_in_the_workspace_and_nowhere_else() {
    let place = Place::new();
    let targets = ["root/a", "outside", "config/redress/ledger.key", "ledger/x", "more/a"];
    let (codes, said) = write_to(&place, "root = 'root'", &targets);
    if said.contains("this kernel has no Landlock") {
        return not_run("this kernel has no Landlock");
    }
    let root = place.at("root").canonicalize().unwrap();
    let told = format!("files: the system lets it write below {}, ", root.display());
    assert!(said.contains(&told), "{said}");
    let refused = "INSUFFICIENT_PERMISSIONS";
    assert_eq!(codes, ["fine", refused, refused, refused, refused], "{said}");
    assert!(!place.at("outside").exists());
    let key = fs::read_to_string(place.at("config/redress/ledger.key")).unwrap();
    assert!(key.starts_with("redress-key/2 "), "the server did not write it: {key}");
    let (codes, said) =
        write_to(&place, "root = 'root'\nwritable = ['more']", &["more/a", "outside"]);
    assert_eq!(codes, ["fine", refused], "{said}");
}

#[test]
fn attack_c2_an_ungoverned_server_reads_no_keys_or_ledgers() {
    let place = Place::new();
    fs::create_dir_all(place.at("more")).unwrap();
    place.write("server.sh", SERVER);
    let write = |confine: &str| {
        let governance = format!("[governance]\nenabled = false\nconfine = {confine}\n");
        let rest = "[ledger]\ndir = 'ledger'\n[server.files]\ncommand = ['sh', 'server.sh']\n";
        place.write("redress.toml", &(governance + rest));
        let targets = ["more/a", "config/redress/ledger.pub", "ledger/x", "state/redress/x"];
        let calls = targets.iter().enumerate().map(|(id, to)| {
            let params = json!({"name": "put", "arguments": {"to": to}});
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        });
        let lines: String = calls.map(|it| it.to_string() + "\n").collect();
        let ran = run(&mut place.redress(&["run", "--config", "redress.toml"]), lines.as_bytes());
        let mut answers: Vec<Value> =
            ran.out.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        answers.sort_by_key(|it| it["id"].as_u64());
        let is_fine = |it: &Value| it["result"]["isError"] != json!(true);
        (answers.iter().map(is_fine).collect::<Vec<_>>(), ran.err)
    };
    let (fine, said) = write("\"state\"");
    if said.contains("this kernel has no Landlock") {
        return not_run("this kernel has no Landlock");
    }
    assert!(
        said.contains("files: the system keeps it from the keys, and from writing ledgers"),
        "{said}"
    );
    assert_eq!(fine, [true, false, false, false], "{said}");
    let (fine, said) = write("false");
    assert_eq!(fine, [true; 4], "without it the server can do all of that: {said}");
    place.write("redress.toml", "[governance]\nconfine = 'stat'\n[server.a]\ncommand = ['a']\n");
    let ran = run(&mut place.redress(&["config", "check", "redress.toml"]), b"");
    assert!(ran.exit == 2 && ran.err.contains("is one of state, not `stat`"), "{}", ran.err);
}

#[test]
fn a_gate_that_does_not_confine_says_so() {
    let place = Place::new();
    for (policy, why) in [
        ("", "no workspace is named"),
        ("root = 'root'\nconfine = false", "`governance.confine` is off"),
    ] {
        let (codes, said) = write_to(&place, policy, &["root/a", "outside"]);
        assert_eq!(codes, ["fine", "fine"], "{said}");
        assert!(said.contains(&format!("does not confine what it writes: {why}")), "{said}");
    }
}

#[test]
fn a_relative_path_is_judged_where_the_server_finds_it() {
    let place = Place::new();
    place.write("server.sh", SERVER);
    place.write("errors.toml", &format!("{CONTRACT}paths = ['/to']\n"));
    let absolute = place.at("server.sh");
    let absolute = absolute.to_str().unwrap();
    let start = |ledger: &str, root: &[&str], server: &str| {
        let all = ["--governed", "--ledger", ledger, "--contract", "errors.toml"];
        let mut gate = Gate::over(&place, &[&all, root, &["--", "sh", server]].concat());
        assert_eq!(gate.begin(), "fine");
        gate
    };
    let to = |path: &str| json!({"to": path});
    let in_root = |name: &str| place.at("root").join(name).exists();

    let mut gate = start("ledger-a", &["--root", "root"], absolute);
    assert_eq!(gate.code("put", &to("a")), "fine");
    assert!(in_root("a"), "it starts in the workspace");
    gate.kill();

    // Without a root, or with a command that means something only here, it starts where the gate did.
    for (root, server, name) in [(&[][..], absolute, "b"), (&["--root", "root"], "server.sh", "c")]
    {
        let mut gate = start(&format!("ledger-{name}"), root, server);
        assert_eq!(gate.code("put", &to(&format!("root/{name}"))), "fine");
        assert!(in_root(name));
        let (code, result) = gate.call("put", &to(name));
        assert_eq!(code, "OUTSIDE_WORKSPACE", "{result}");
        let hint = result["_meta"]["dev.redress/fault"]["hint"].as_str().unwrap();
        let way_out =
            "This locks the session: report it with submit_failure_report to write again. ";
        let own = hint.strip_prefix(way_out).unwrap();
        assert!(own.starts_with("Give an absolute path below /"), "{hint}");
        assert!(!place.at(name).exists(), "nothing was written beside the workspace");
        gate.kill();
    }
}
