//! The self-audit of a governed gate: what does not hold is told, each thing with its invariant, its place and its fix; and then nothing is served.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::place::Place;

/// Starts and ends a gate; gives its exit code and what it said.
pub(super) fn start(place: &Place, args: &[&str]) -> (i32, String) {
    let ran = place.ran(args);
    assert!(ran.out.is_empty(), "{}", ran.out);
    (ran.exit, ran.err)
}

/// The same before the built-in server.
fn run(place: &Place) -> (i32, String) {
    start(place, &["run", "--governed", "--root", "root", "--ledger", "ledger"])
}

pub(super) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The only segment of the only chain.
fn segment(ledger: &Path) -> PathBuf {
    let mut entries = fs::read_dir(ledger).unwrap().map(|it| it.unwrap().path());
    // The log of epochs lies beside the chains.
    let chain = entries.find(|it| it.is_dir()).unwrap();
    chain.join("00000001.jsonl")
}

#[test]
fn a_gate_in_good_order_says_so_in_one_line() {
    let place = Place::new();
    let (exit, said) = run(&place);
    assert_eq!(exit, 0, "{said}");
    let audit = said.lines().find(|it| it.starts_with("redress: self-audit: ")).unwrap();
    assert!(audit.contains("12 of 12 checks hold; ledger: 2 records of 1 chain"), "{said}");
    let (exit, said) = start(&place, &["run", "--root", "root", "--ledger", "ledger"]);
    assert_eq!((exit, said.as_str()), (0, ""), "only a governed gate audits itself");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let place = Place::new();
    assert_eq!(run(&place).0, 0);
    let key = place.at("config/redress/ledger.key");
    set_mode(&key, 0o644);
    set_mode(&place.at("ledger"), 0o777);
    set_mode(&place.at("root"), 0o777);
    set_mode(&segment(&place.at("ledger")), 0o666);
    let file = segment(&place.at("ledger"));
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("genesis", "genesiz")).unwrap();
    let (exit, said) = run(&place);
    assert_eq!(exit, 3, "{said}");
    assert!(
        said.starts_with("SELF_AUDIT_FAILURE: 6 of 12 checks failed, so nothing is served."),
        "{said}"
    );
    let (ledger, root) = (place.at("ledger"), place.at("root"));
    for line in [
        format!(
            "INV_FILES_OWN: {0}: others can write it (mode 0777). Fix: chmod go-w {0}",
            ledger.display()
        ),
        format!(
            "INV_KEY_PRIVATE: {0}: others can read it (mode 0644). Fix: chmod 600 {0}",
            key.display()
        ),
        format!(
            "INV_WORKSPACE: {0}: everybody can write there (mode 0777). Fix: chmod o-w {0}",
            root.display()
        ),
        format!(
            "INV_FILES_OWN: ledger/{}: others can write it (mode 0666). Fix: chmod go-w ",
            file.strip_prefix(&ledger).unwrap().display()
        ),
        format!("INV_LEDGER_CHAIN: {}:1: record 0: changed: ", file.display()),
        " out of the ledger and remove its witness ".to_owned(),
        "INV_LEDGER_OPEN: ledger: ".to_owned(),
    ] {
        assert!(said.contains(&line), "{line}\n{said}");
    }
    let open = said.lines().find(|it| it.contains("INV_LEDGER_OPEN")).unwrap();
    assert!(open.ends_with(&format!("Fix: chmod 600 {}", key.display())), "{open}");
    assert_eq!(said.lines().count(), 8, "a headline, the six, and what to do: {said}");
}

#[test]
fn what_the_gate_relies_on_lies_outside_of_the_workspace() {
    let place = Place::new();
    place.write(
        "root/redress.toml",
        "[governance]\nenabled = true\nroot = '.'\n[ledger]\ndir = 'ledger'\n[server.files]\nworkspace = '.'\n",
    );
    let begin = || start(&place, &["run", "--config", "root/redress.toml"]);
    let (exit, said) = begin();
    assert_eq!(exit, 0, "the built-in server is guarded: {said}");
    let config = place.text("redress.toml");
    place.write("root/redress.toml", &config.replace("workspace = '.'", "command = ['cat']"));
    let (exit, said) = begin();
    assert_eq!(exit, 3, "{said}");
    for name in ["root/redress.toml", "root/ledger"] {
        let line =
            format!("INV_WORKSPACE_APART: {}: it lies in the workspace", place.at(name).display());
        assert!(said.contains(&line), "{line}\n{said}");
    }
}

#[test]
fn contracts_and_policies_are_audited() {
    let place = Place::new();
    place.write(
        "errors.toml",
        "format = 'redress-registry/1'\nextends = ['core']\n[registry]\nname = 'own'\nversion = '0.1.0'\n\
         [domain.own]\ntitle = 'Own'\nrange = [6100, 6199]\n[code.BROKEN]\nnumber = 6100\ndomain = 'own'\nclass = 'internal'\n\
         retry = 'never'\ntitle = 'Broken'\nmessage = 'It broke.'\nhint = 'Error'\n",
    );
    place.write(
        "redress.toml",
        &format!(
            "[governance]\nenabled = true\nroot = 'root'\nallow_eval = ['evaluate']\n[governance.roles.reader]\nallow = ['*']\n\
             [auth.caller.ci]\nsha256 = '{}'\nrole = 'raeder'\n[ledger]\ndir = 'ledger'\n\
             [server.own]\ncommand = ['true']\ncontract = 'errors.toml'\n",
            "0".repeat(64)
        ),
    );
    let (exit, said) =
        start(&place, &["serve", "--listen", "127.0.0.1:0", "--config", "redress.toml"]);
    assert_eq!(exit, 3, "{said}");
    for words in [
        "INV_CONTRACT: errors.toml:",
        "INV_POLICY: auth.caller.ci.role: the policy has no role `raeder`. Fix: Did you mean `reader`?",
        "INV_MANIFEST: governance.allow_eval: `evaluate` means no tool whose operation is eval.",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let (exit, said) = start(&place, &["run", "--config", "redress.toml"]);
    assert_eq!(exit, 3, "{said}");
    assert!(
        said.contains("INV_POLICY: governance.role: the client on stdio has no role"),
        "{said}"
    );
    let config = fs::read_to_string(place.at("redress.toml")).unwrap();
    place.write("token", "a-token-that-nobody-knows");
    for (from, to, line) in [
        ("role = 'raeder'\n", "", "auth.caller.ci: the caller has no role"),
        (
            "[auth.caller.ci]",
            "[auth]\ntoken_files = ['token']\n[auth.caller.ci]",
            "auth.tokens: who",
        ),
    ] {
        place.write("redress.toml", &config.replace(from, to));
        let (exit, said) =
            start(&place, &["serve", "--listen", "127.0.0.1:0", "--config", "redress.toml"]);
        assert_eq!(exit, 3, "{said}");
        assert!(said.contains(&format!("INV_POLICY: {line}")), "{said}");
    }
}

#[test]
fn why_a_gate_did_not_start_is_on_record() {
    let place = Place::new();
    set_mode(&place.at("root"), 0o777);
    assert_eq!(run(&place).0, 3);
    let text = fs::read_to_string(segment(&place.at("ledger"))).unwrap();
    assert!(text.contains("\"code\":\"SELF_AUDIT_FAILURE\""), "{text}");
    assert!(text.contains("INV_WORKSPACE"), "{text}");
}

/// A server in a shell: two pages of tools, a question of its own, and a word that is no message.
const SERVER: &str = r#"
echo 'not a message'
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *initialize\"*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
      echo '{"jsonrpc":"2.0","id":"r","method":"roots/list"}' ;;
    *cursor*) result='{"tools":[{"name":"run_it","inputSchema":{"type":"object"}}]}' ;;
    *tools/list*) result='{"nextCursor":"2","tools":[{"name":"look","inputSchema":{"type":"object"}},{"name":"read file","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"erase","inputSchema":{"type":"object"}},{"name":"read_ledger","inputSchema":{"type":"object"}}]}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

pub(super) const HEAD: &str = "format = 'redress-registry/1'\nextends = ['core']\n[registry]\nname = 'own'\nversion = '0.1.0'\n";

#[test]
fn every_unserved_tool_is_listed_with_lines_to_paste() {
    let place = Place::new();
    place.write("server.sh", SERVER);
    let tools = "[tool.look]\noperation = 'query'\n[tool.run_it]\noperation = 'eval'\n";
    place.write("errors.toml", &format!("{HEAD}{tools}"));
    place.write(
        "redress.toml",
        "[governance]\nenabled = true\nroot = 'root'\n[ledger]\ndir = 'ledger'\n\
         [server.own]\ncommand = ['sh', 'server.sh']\ncontract = 'errors.toml'\n",
    );
    let (exit, said) = start(&place, &["run", "--config", "redress.toml"]);
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("own: 2 of its 5 tools are not served"), "{said}");
    assert!(said.contains("Lines to add to errors.toml:\n"), "{said}");
    let from = said.find("[tool.\"read file\"]").unwrap();
    let lines = &said[from..said.find("own: not served").unwrap()];
    assert!(lines.contains("paths     = [\"/path\"]"), "{lines}");
    assert!(lines.contains("\n\n[tool.erase]\noperation = \"command\""), "{lines}");
    assert!(said.contains("allow_eval = [\"run_it\"]"), "{said}");
    assert!(said.contains("the gate has tools of these names: read_ledger"), "{said}");
    // What was pasted as it is makes them served.
    place.write("errors.toml", &format!("{HEAD}{tools}{lines}"));
    let (exit, said) = start(&place, &["run", "--config", "redress.toml"]);
    assert_eq!(exit, 0, "{said}");
    assert!(!said.contains("does not say what they do"), "{said}");
}

#[test]
fn without_a_contract_the_lines_are_a_whole_one() {
    let place = Place::new();
    place.write("server.sh", SERVER);
    let governed = ["run", "--governed", "--ledger", "ledger"];
    let (exit, said) = start(&place, &[&governed[..], &["--", "sh", "server.sh"]].concat());
    assert_eq!(exit, 0, "{said}");
    let from = said.find("format = ").unwrap();
    let to = said.find(": not served").map_or(said.len(), |it| said[..it].rfind('\n').unwrap());
    place.write("errors.toml", &said[from..to]);
    let with = ["--contract", "errors.toml", "--", "sh", "server.sh"];
    let (exit, said) = start(&place, &[&governed[..], &with].concat());
    assert_eq!(exit, 0, "{said}");
    assert!(!said.contains("does not say what they do"), "{said}");
}

#[test]
fn a_server_that_cannot_be_asked_is_told_and_not_fatal() {
    let place = Place::new();
    let args = ["run", "--governed", "--ledger", "ledger", "--", "sh", "-c", "exit 3"];
    let (_, said) = start(&place, &args);
    assert!(said.contains("it could not be asked for its tools (it ended before"), "{said}");
    let args = ["run", "--governed", "--ledger", "ledger", "--", "./no-such-program"];
    let (exit, said) = start(&place, &args);
    assert!(said.contains("it could not be asked for its tools (No such file"), "{said}");
    assert_eq!(exit, 3, "{said}");
}

#[test]
fn all_chains_that_are_gone_are_told_at_once() {
    let place = Place::new();
    for _ in 0..3 {
        assert_eq!(run(&place).0, 0);
    }
    fs::remove_dir_all(place.at("ledger")).unwrap();
    let (exit, said) = run(&place);
    assert_eq!(exit, 3, "{said}");
    assert_eq!(said.matches(" is gone, of which there is a witness").count(), 3, "{said}");
    let (key, config) = (place.at("config/redress/ledger.key"), place.at("config"));
    fs::remove_dir_all(config.join("redress/ledger.heads")).unwrap();
    fs::write(&key, "no key").unwrap();
    let (exit, said) = run(&place);
    assert_eq!(exit, 3, "{said}");
    let fix = format!("move {} away: the next start makes a new one", key.display());
    assert!(said.contains("INV_LEDGER_OPEN: ") && said.contains(&fix), "{said}");
}

#[test]
fn tools_that_run_code_are_served_with_the_stated_options() {
    let place = Place::new();
    place.write("server.sh", SERVER);
    place.write("errors.toml", &format!("{HEAD}[tool.run_it]\noperation = 'eval'\n"));
    let governed =
        ["run", "--governed", "--root", "root", "--ledger", "ledger", "--contract", "errors.toml"];
    let server = ["--", "sh", "server.sh"];
    let (exit, said) = start(&place, &[&governed[..], &server].concat());
    assert_eq!(exit, 0, "{said}");
    let told =
        "run code of their callers: run_it. To serve them, start it with: --allow-eval run_it\n";
    assert!(said.contains(told), "{said}");
    let here = place.at("").canonicalize().unwrap();
    let runs_in = format!(": it runs in {}, where its relative paths start", here.display());
    assert!(said.contains(&runs_in), "{said}");
    let (exit, said) =
        start(&place, &[&governed[..], &["--allow-eval", "run_it"], &server].concat());
    assert_eq!(exit, 0, "{said}");
    assert!(!said.contains("run code of their callers"), "{said}");
}
