//! `redress.toml`: checked, shown without secrets, run.

use std::{fs, path::Path};

use crate::redress::shell;

/// Runs a line where this file is `redress.toml`. Nothing is written outside of the directory.
fn with(config: &str, line: &str) -> crate::redress::Ran {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("redress.toml"), config).unwrap();
    shell(&format!("export HOME=$PWD TOKEN=s3cr3t-s3cr3t-s3cr3t\n{line}"), dir.path())
}

/// Answers each request with a variable of its environment and its folder.
const SERVER: &str = r#"
[server.echo]
command = ["sh", "-c", '''while read -r line; do printf '{"jsonrpc":"2.0","id":%s,"result":{"said":"%s","in":"%s"}}\n' "$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')" "$SAID" "$PWD"; done''']
env = { SAID = "hello ${TOKEN}" }
cwd = "/"
"#;

const CALL: &str = r#"echo '{"jsonrpc":"2.0","id":7,"method":"ping"}' | "#;

#[test]
fn a_server_runs_with_its_variables_and_in_its_folder() {
    let ran = with(SERVER, &format!("{CALL} redress run --config redress.toml --no-ledger"));
    assert_eq!(
        ran.out,
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"said\":\"hello s3cr3t-s3cr3t-s3cr3t\",\"in\":\"/\"}}\n",
        "{}",
        ran.err
    );
}

#[test]
fn a_program_of_the_file_is_found_beside_it() {
    let config = "[server.echo]\ncommand = ['./srv.sh']\ncwd = '/'\n";
    let server = "mkdir conf; mv redress.toml conf; printf '#!/bin/sh\\nread line; echo started in $PWD >&2' > conf/srv.sh; chmod +x conf/srv.sh;";
    let ran = with(
        config,
        &format!("{server} {CALL} redress run --no-ledger --config conf/redress.toml"),
    );
    assert!(ran.err.contains("started in /\n"), "{}", ran.err);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let config =
        "[server.echo]\ncommand = ['cat']\ncwd = 'nowhere'\n[server.files]\nworkspace = 'gone'\n";
    let ran = with(config, "redress config check redress.toml");
    assert_eq!(ran.exit, 2, "{}", ran.out);
    for words in [
        "`server.echo.cwd`: there is no directory nowhere.",
        "`server.files.workspace`: there is no directory gone.",
    ] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    let run = "redress run --no-ledger --config redress.toml --name echo";
    let ran = with(config, &format!("{CALL} {run}"));
    assert_eq!(ran.exit, 3, "{}", ran.err);
    assert!(ran.out.contains("CONFIG_INVALID") && ran.out.contains("nowhere"), "{}", ran.out);
    assert!(ran.err.contains("server.echo.cwd: There is no directory"), "{}", ran.err);
}

#[test]
fn a_program_that_cannot_be_started_is_told_with_its_reason() {
    let serve = "timeout 20 redress serve --no-ledger --listen 127.0.0.1:0 --";
    let run = format!("{CALL} redress run --no-ledger --");
    for (line, words) in [
        (format!("{serve} no-such-program"), "is in no directory of PATH"),
        (format!("{run} no-such-program"), "is in no directory of PATH"),
        (format!("mkdir data; {run} ./data"), "is a directory, and no program"),
        (format!("{run} 'npx -y pkg .'"), "Give each word of the command by itself"),
    ] {
        let ran = with("", &line);
        assert_eq!(ran.exit, 3, "{line}: {}", ran.err);
        assert!(ran.err.contains("NOT_INSTALLED") && ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn an_address_that_is_taken_is_no_mistake_of_the_file() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap();
    let ran = with("", &format!("timeout 20 redress serve --no-ledger --listen {at} -- cat"));
    assert!(ran.exit == 3 && ran.err.contains("Cannot listen on"), "{}: {}", ran.exit, ran.err);
    // A page of metrics is not worth a server.
    let ran = with("", &format!("redress run --no-ledger --metrics {at} -- cat < /dev/null"));
    assert!(ran.exit == 0 && ran.err.contains("no metrics: "), "{}: {}", ran.exit, ran.err);
}

#[test]
fn the_ledger_of_the_file_is_written_beside_it() {
    let config = "[ledger]\ndir = 'audit'\n[server.gone]\ncommand = ['./no-such-program']\n";
    let line = format!("{CALL} redress run --config redress.toml > out; cat audit/*/*.jsonl");
    let ran = with(config, &line);
    assert!(
        ran.out.contains("\"kind\":\"fault\"") && ran.out.contains("\"server\":\"gone\""),
        "{}{}",
        ran.out,
        ran.err
    );
    let ran = with(&config.replace("dir", "enabled = false\ndir"), &line);
    assert!(!ran.out.contains("fault"), "{}", ran.out);
    let ran = with(
        "[server.gone]\ncommand = ['./no']",
        &format!("{CALL} redress run --config redress.toml; ls .local/state/redress"),
    );
    assert!(ran.out.ends_with("\ngone\n"), "{}", ran.out);
}

#[test]
fn options_win_over_the_file() {
    let config = "[server.gone]\ncommand = ['sh', '-c', 'exit 3']\ndialect = 'mailvault'\ndeadline_ms = 1000\n";
    let call = r#"echo '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}' | "#;
    let ran = with(config, &format!("{call} redress run --no-ledger --config redress.toml"));
    assert!(!ran.out.contains("Retry: "), "{}", ran.out);
    let ran = with(
        config,
        &format!("{call} redress run --no-ledger --config redress.toml --dialect native"),
    );
    assert!(ran.out.contains("Retry: "), "{}", ran.out);
}

#[test]
fn a_tool_has_a_deadline_of_its_own() {
    let config = "[server.slow]\ncommand = ['sleep', '60']\ntool.search.deadline_ms = 50\n";
    let call = r#"(echo '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search"}}'; sleep 2) | "#;
    let ran =
        with(config, &format!("{call} timeout 20 redress run --no-ledger --config redress.toml"));
    assert!(ran.out.contains("TIMEOUT"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_cannot_be_run_is_told_with_a_way_out() {
    let two = format!("{SERVER}[server.far]\nurl = 'http://127.0.0.1:1/mcp'\n");
    for (args, said) in [
        ("--config redress.toml", "more than one server"),
        ("--config redress.toml --name eco", "Did you mean `echo`?"),
        ("--config redress.toml -- sh", "it must be one of them"),
        ("--config none.toml", "FILE_NOT_FOUND"),
        ("--root nowhere", "FILE_NOT_FOUND"),
        ("--root . -- sh", "--root is for the built-in server"),
    ] {
        let ran = with(&two, &format!("redress run {args} < /dev/null"));
        assert!(
            ran.exit == 2 && ran.err.contains(said) && ran.err.contains("Fix: "),
            "{args}: {}",
            ran.err
        );
        assert_eq!(ran.out, "");
    }
}

#[test]
fn an_empty_token_file_serves_nobody() {
    let config = "[auth]\ntoken_files = ['tokens']\n[server.echo]\ncommand = ['cat']\n";
    let ran = with(
        config,
        "touch tokens; timeout 20 redress serve --no-ledger --config redress.toml --listen 127.0.0.1:0",
    );
    assert_eq!(ran.exit, 2, "{}", ran.err);
    assert!(ran.err.contains("redress.toml:2:16: `auth.token_files`"), "{}", ran.err);
}

#[test]
fn check_shows_what_would_run_and_no_secret() {
    let ran = with(SERVER, "redress config check redress.toml");
    assert_eq!(ran.exit, 0, "{}", ran.err);
    assert!(
        ran.out.contains("env = { SAID = \"…${TOKEN}\" }") && !ran.out.contains("s3cr3t"),
        "{}",
        ran.out
    );
    let ran = with(
        "[server.a]\ncommand = ['a']\nenv = { A = 's3cr3t${B}' }",
        "redress config check redress.toml",
    );
    assert!(
        ran.exit == 2 && ran.err.contains("redress.toml:3:13: ") && !ran.err.contains("s3cr3t"),
        "{}",
        ran.err
    );
}

#[test]
fn check_names_the_server_whose_program_is_not_there() {
    let fine = "[server.a]\ncommand = ['sh']\n[server.b]\ncommand = ['/bin/sh', '-c', 'exit']\n";
    assert_eq!(with(fine, "redress config check redress.toml").exit, 0);
    for (more, place) in [
        ("[server.gone]\ncommand = ['no-such-program-here']\n", "server.gone.command"),
        ("[server.gone]\ncommand = ['./no/such']\n", "server.gone.command"),
    ] {
        let ran = with(&format!("{fine}{more}"), "redress config check redress.toml");
        assert_eq!(ran.exit, 2, "{}", ran.out);
        assert!(ran.err.contains(place) && ran.err.contains("no program"), "{}", ran.err);
    }
}

#[test]
fn what_holds_for_all_servers_is_told_once() {
    let servers: String = ["a", "b", "c"]
        .map(|it| {
            format!("[server.{it}]\ncommand = ['sh']\nretry.attempts = 3\nlimits.concurrency = 9\n")
        })
        .concat();
    let bad = format!("[retry]\nbase_ms = 5000\nmax_ms = 100\n[limits]\nburst = 3\n{servers}");
    let ran = with(&bad, "redress config check redress.toml");
    assert_eq!(ran.exit, 2, "{}", ran.out);
    for problem in ["is more than `max_ms`", "has no meaning without"] {
        assert_eq!(ran.err.matches(problem).count(), 1, "{}", ran.err);
    }
    let own = format!("{servers}[server.d]\ncommand = ['x']\nretry.base_ms = 60000\n");
    let ran = with(&own, "redress config check redress.toml");
    assert!(ran.err.contains("redress.toml:15:7: `base_ms` (60000)"), "{}", ran.err);

    let ran = with(&servers, "redress config check redress.toml");
    assert_eq!(ran.out.matches("details_bytes").count(), 1, "{}", ran.out);
    assert_eq!(ran.out.matches("attempts = 3").count(), 3, "{}", ran.out);
}

#[test]
fn a_contract_is_found_beside_the_file() {
    let page = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/registry.md"),
    )
    .unwrap();
    let (_, rest) = page.split_once("```toml errors.toml\n").unwrap();
    let errors = rest.split_once("```").unwrap().0;
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("conf")).unwrap();
    fs::write(dir.path().join("conf/errors.toml"), errors).unwrap();
    let config = |contract: &str| {
        fs::write(
            dir.path().join("conf/redress.toml"),
            format!("[server.a]\ncommand = ['sh']\ncontract = '{contract}'"),
        )
        .unwrap();
        shell("redress config check conf/redress.toml", dir.path())
    };
    assert_eq!(config("errors.toml").exit, 0, "{}", config("errors.toml").err);
    assert!(
        config("other.toml").err.contains("conf/redress.toml:3:12: "),
        "{}",
        config("other.toml").err
    );
    fs::write(dir.path().join("conf/errors.toml"), "format = 1").unwrap();
    assert!(
        config("errors.toml").err.contains("errors.toml:1:10"),
        "{}",
        config("errors.toml").err
    );
}

#[test]
fn what_governs_nobody_is_told_by_the_check() {
    let hash = "0".repeat(64);
    let policy = format!(
        "[governance]\nrole = 'raeder'\nroot = 'gone'\nlocks = ['PLAN_*', 'TIMEOUTT']\n\
         [governance.roles.reader]\nallow = ['*']\n\
         [governance.preflight.x]\ncommand = ['no-such-program']\n\
         [auth.caller.a]\nsha256 = '{hash}'\nrole = 'reeder'\n\
         [ledger]\nenabled = false\n[server.echo]\ncommand = ['cat']\n"
    );
    let ran = with(&policy, "redress config check redress.toml");
    assert_eq!(ran.exit, 2, "{}", ran.err);
    for words in [
        "`governance.role`: the policy has no role `raeder`. Did you mean `reader`?",
        "`auth.caller.a.role`: the policy has no role `reeder`",
        "`governance.locks`: no code matches `TIMEOUTT`. Did you mean `TIMEOUT`?",
        "`ledger.enabled`: it is false",
        "`governance.root`: there is no directory ",
        "`governance.preflight.x.command`: there is no program `no-such-program`.",
    ] {
        assert!(ran.err.contains(words), "{words}\n{}", ran.err);
    }
    let more = format!(
        "[governance]\nreports = '../x'\n[governance.role.x]\nallow = ['*']\n[auth.caller.a]\nsha256 = '{hash}'\n\
         [auth.caller.b]\nsha256 = '{hash}'\n[server.echo]\ncommand = ['cat']\n"
    );
    let ran = with(&more, "redress config check redress.toml");
    assert!(
        ran.err.contains("`governance.reports` must be a folder below the workspace, such as `docs/reports`, not `../x`."),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("what a role may call stands in `[governance.roles.NAME]`"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("`auth.caller.a` and `auth.caller.b` have the same token"),
        "{}",
        ran.err
    );
}

#[test]
fn a_file_with_a_policy_governs_unless_it_says_that_it_does_not() {
    for (policy, is_on) in [
        ("", false),
        ("[governance]\n", true),
        ("[governance.write_rules.x]\nforbid_text = ['FIXME']\n", true),
        ("[governance]\nlocks = []\nenabled = false\n", false),
    ] {
        let config = format!("{policy}[server.echo]\ncommand = ['cat']\n");
        let ran = with(&config, "redress config check redress.toml | grep -A1 '^\\[governance\\]'");
        let on = format!("enabled = {is_on}");
        assert!(ran.out.contains(&on), "{policy}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn seed_003_40_an_unreadable_plugin_is_reported_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = crate::gate::plugins::PLUGIN;
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    put("signing.toml", plugin);
    put("same.toml", plugin);
    put("other.toml", &plugin.replace("Sign the build", "Build it"));
    put(
        "plain.toml",
        &plugin.replace("[plugin]\nnamespace = \"signing\"\n", "").replace("signing.N", "N"),
    );
    put("broken.toml", &plugin.replace("class = \"failed_precondition\"", "class = 7"));
    let check = |plugins: &str| {
        put("redress.toml", &format!("[server.a]\ncommand = ['sh']\nplugins = {plugins}\n"));
        shell("redress config check redress.toml", dir.path())
    };
    for fine in ["[]", "['signing.toml']", "['signing.toml', 'same.toml']"] {
        let ran = check(fine);
        assert_eq!(ran.exit, 0, "{fine}: {}", ran.err);
    }
    for (plugins, place, why) in [
        ("['broken.toml']", "redress.toml:3:12: ", "broken.toml:15:9: "),
        ("['gone.toml']", "redress.toml:3:12: ", "gone.toml"),
        ("['plain.toml']", "redress.toml:3:1: ", "has no plugin namespace"),
        ("['signing.toml', 'other.toml']", "redress.toml:3:1: ", "Duplicate error code"),
        ("'signing.toml'", "redress.toml:3:11: ", "must be a list"),
        ("[7]", "redress.toml:3:12: ", "must be a string"),
    ] {
        let ran = check(plugins);
        assert_eq!(ran.exit, 2, "{plugins}: {}", ran.out);
        assert!(ran.err.contains(place) && ran.err.contains(why), "{plugins}: {}", ran.err);
    }
}

#[test]
fn a_check_shows_no_secret_of_an_address() {
    let config = "[server.far]\nurl = 'https://host/s/Zx81secretQ/${TOKEN}/mcp?key=Kq7RtYp9'\n";
    let ran = with(config, "redress config check redress.toml");
    assert_eq!(ran.exit, 0, "{}", ran.err);
    let shown = format!("{}{}", ran.out, ran.err);
    assert!(shown.contains("https://host/s/…/${TOKEN}/mcp?…"), "{shown}");
    for secret in ["Zx81", "s3cr3t", "Kq7R"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    let missing = with(
        "[server.far]\nurl = 'https://host/s/Zx81secretQ/${NONE}'\n",
        "redress config check redress.toml",
    );
    assert!(
        missing.exit == 2 && missing.err.contains("needs the variable NONE"),
        "{}",
        missing.err
    );
    assert!(!missing.err.contains("Zx81"), "{}", missing.err);
}
