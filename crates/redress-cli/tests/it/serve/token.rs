//! The token that `redress serve` makes: nobody is let in without it.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    process::{Command, Stdio},
    thread,
};

use serde_json::{Value, json};

use super::home::{Gate, Home, mode};
use crate::gate::{
    client::{Client, Via, bad_server, fault},
    http::request,
};

#[test]
fn a_first_start_makes_a_token_without_which_nobody_is_let_in() {
    let home = Home::new();
    let gate = home.gate(&[]);
    let token = home.token();
    let digits = token.strip_prefix("redress_").unwrap();
    assert!(digits.len() == 64 && digits.bytes().all(|it| it.is_ascii_hexdigit()), "{token}");
    assert_eq!(mode(&home.token_file()), 0o600);
    assert_eq!(mode(home.token_file().parent().unwrap()), 0o700);
    let beside = fs::read_dir(home.token_file().parent().unwrap()).unwrap().flatten();
    let beside: Vec<_> = beside.map(|it| it.file_name().into_string().unwrap()).collect();
    assert!(!beside.iter().any(|it| it.starts_with('.')), "a draft is left: {beside:?}");

    let missing = gate.initialize(&[]);
    assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
    assert_eq!(missing.status, 401);
    let body = missing.json();
    assert_eq!(fault(&body)["code"], "AUTH_REQUIRED");
    assert!(fault(&body)["hint"].as_str().unwrap().contains("Authorization: Bearer"), "{body}");
    for (token, status) in [
        (None, 401),
        (Some("wrong"), 401),
        (Some(&token[..token.len() - 1]), 401),
        (Some(&*token.to_uppercase()), 401),
        (Some(&*token), 200),
    ] {
        assert_eq!(gate.status(token), status, "{token:?}");
    }
    for path in ["/metrics", "/healthz", "/nowhere"] {
        assert_eq!(gate.get(path, &[]).status, 401, "{path}");
    }
    gate.end();
}

#[test]
fn what_is_said_at_the_start_is_what_a_client_needs() {
    let home = Home::new();
    let gate = home.gate(&[]);
    let bearer = format!("Bearer {}", home.token());
    let url = format!("http://{}/mcp", gate.address);
    let server = json!({"type": "http", "url": url, "headers": {"Authorization": bearer}});
    assert_eq!(gate.told("for your client: "), json!({"mcpServers": {"bad": server}}));
    assert_eq!(gate.told("for VS Code: "), json!({"servers": {"bad": server}}));
    let add = format!("claude mcp add --transport http bad {url}");
    let line = format!("for Claude Code: {add} --header \"Authorization: {bearer}\"\n");
    assert!(gate.said.contains(&line), "{}", gate.said);
    let file = format!("clients need the token in {}\n", home.token_file().display());
    assert!(gate.said.contains(&file), "{}", gate.said);
    gate.end();
}

#[test]
fn a_second_start_reuses_the_token_of_the_first() {
    let home = Home::new();
    home.gate(&[]).end();
    let (token, file) = (home.token(), fs::metadata(home.token_file()).unwrap().ino());
    let gate = home.gate(&["--no-ledger"]);
    assert_eq!((home.token(), fs::metadata(home.token_file()).unwrap().ino()), (token, file));
    assert_eq!(gate.status(Some(&home.token())), 200);
    gate.end();
    let other = Home::new();
    other.gate(&[]).end();
    assert_ne!(home.token(), other.token());
}

#[test]
fn first_starts_at_once_agree_on_one_token() {
    let home = Home::new();
    let gates: Vec<Gate> = thread::scope(|scope| {
        let starts: Vec<_> = (0..6).map(|_| scope.spawn(|| home.gate(&["--no-ledger"]))).collect();
        starts.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for gate in &gates {
        assert_eq!(gate.status(Some(&home.token())), 200, "{}", gate.said);
    }
}

#[test]
fn a_token_that_others_may_know_is_refused() {
    let home = Home::new();
    home.gate(&[]).end();
    let (file, token) = (home.token_file(), home.token());
    let refused = |words: &str| {
        let ran = home.refused(&["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(ran.exit, 3, "{}", ran.err);
        let place = format!("CONFIG_INVALID: {}: {words}", file.display());
        assert!(
            ran.err.contains(&place) && ran.err.contains("Fix: Remove this file"),
            "{}",
            ran.err
        );
        assert!(!ran.err.contains(&token), "{}", ran.err);
    };
    for open in [0o640, 0o604, 0o660] {
        fs::set_permissions(&file, Permissions::from_mode(open)).unwrap();
        refused(&format!("Other users can read it (mode {open:04o})."));
    }
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    for bad in ["", "short", "two words of which none is a token at all, however long\n"] {
        fs::write(&file, bad).unwrap();
        refused("It holds no token.");
    }
    fs::remove_file(&file).unwrap();
    home.write("elsewhere", &token);
    symlink(home.at("elsewhere"), &file).unwrap();
    refused("It is a symbolic link.");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused("It is no regular file.");
}

#[test]
fn a_place_where_no_token_can_be_kept_is_told_with_a_way_out() {
    let home = Home::new();
    home.write(".local", "a file");
    let ran = home.refused(&["serve", "--no-ledger", "--listen", "127.0.0.1:0"]);
    assert_eq!(ran.exit, 3, "{}", ran.err);
    for words in ["FILE_WRITE_FAILED", "serve-token", "[auth]", "--no-token"] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
}

#[test]
fn no_page_of_a_browser_is_let_in_unless_it_is_listed() {
    let home = Home::new();
    let gate =
        home.configured("[listen]\nallowed_origins = ['http://localhost:6274']\nSERVER", &[]);
    let bearer = format!("Bearer {}", home.token());
    let bearer = ("Authorization", &*bearer);
    let own = format!("http://{}", gate.address);
    for origin in [
        "http://localhost:9999",
        "https://localhost",
        "http://[::1]:5",
        "http://127.0.0.1",
        "http://localhost",
        "http://localhost:62740",
        "https://localhost:6274",
        &*own,
        "https://evil.example",
        "null",
    ] {
        let page = ("Origin", origin);
        let preflight = [page, ("Access-Control-Request-Method", "POST")];
        let asked = request(&gate.address, &format!("OPTIONS {}", gate.path), &preflight, b"");
        for answer in
            [asked.head(), gate.initialize(&[page, bearer]), gate.get("/metrics", &[page, bearer])]
        {
            assert_eq!(answer.status, 403, "{origin}");
            assert!(
                !answer.headers.iter().any(|it| it.0.starts_with("access-control-")),
                "{origin}"
            );
        }
    }
    let listed = [("Origin", "http://localhost:6274"), bearer];
    let answer = gate.initialize(&listed);
    assert_eq!(answer.header("access-control-allow-origin"), Some("http://localhost:6274"));
    assert_eq!(answer.status, 200);
    assert_eq!(gate.initialize(&listed[..1]).status, 401, "it needs the token, too");
    gate.end();
}

#[test]
fn without_a_token_the_start_says_what_is_open() {
    let home = Home::new();
    let gate = home.gate(&["--no-token"]);
    let words = format!(
        "--no-token: every user and every program of this machine can call these servers at {} with your rights, and read the metrics; no web page can\n",
        gate.address
    );
    assert!(gate.said.contains(&words), "{}", gate.said);
    assert!(!gate.said.contains("Bearer"), "{}", gate.said);
    assert_eq!(gate.status(None), 200);
    assert!(!home.token_file().exists());
    gate.end();
    let config = "[listen]\nallowed_origins = ['https://app.example']\nSERVER";
    let gate = home.configured(config, &["--no-token"]);
    let words = "and read the metrics; so can web pages from https://app.example, and no others\n";
    assert!(gate.said.contains(words), "{}", gate.said);
    gate.end();
}

#[test]
fn tokens_of_the_file_count_instead() {
    let home = Home::new();
    home.write("tokens", "the-token-of-the-file");
    let config = "[auth]\ntoken_files = ['tokens']\nSERVER";
    for (options, words) in
        [(&[][..], "for your client: "), (&["--no-token"], "--no-token changes nothing")]
    {
        let gate = home.configured(config, options);
        assert!(gate.said.contains(words), "{}", gate.said);
        assert!(!gate.said.contains("the-token-of-the-file"), "{}", gate.said);
        let server = &gate.told("for your client: ")["mcpServers"]["bad"];
        assert_eq!(server["headers"]["Authorization"], "Bearer TOKEN");
        assert_eq!((gate.status(None), gate.status(Some("the-token-of-the-file"))), (401, 200));
        assert!(!home.token_file().exists());
        gate.end();
    }
}

#[test]
fn a_log_that_others_can_read_has_no_token() {
    let home = Home::new();
    home.gate(&[]).end();
    home.write("log", "");
    fs::set_permissions(home.at("log"), Permissions::from_mode(0o644)).unwrap();
    let log = fs::OpenOptions::new().append(true).open(home.at("log")).unwrap();
    let server = bad_server().display().to_string();
    let args = ["serve", "--listen", "127.0.0.1:0", "--name", "bad", "--", &server];
    let mut gate = home.redress(&args).stderr(log).spawn().unwrap();
    let said = loop {
        let said = fs::read_to_string(home.at("log")).unwrap();
        if said.contains("listening on ") {
            break said;
        }
        assert!(gate.try_wait().unwrap().is_none(), "{said}");
        crate::gate::client::pause();
    };
    assert!(!said.contains(&home.token()), "{said}");
    // What is to be pasted into a shell takes it from its file.
    let add = said.lines().find_map(|it| it.strip_prefix("redress: for Claude Code: ")).unwrap();
    let script = format!("claude() {{ printf '%s\\n' \"$@\"; }}\n{add}");
    let pasted =
        Command::new("sh").args(["-c", &script]).stderr(Stdio::inherit()).output().unwrap();
    let pasted = String::from_utf8(pasted.stdout).unwrap();
    let header = format!("--header\nAuthorization: Bearer {}\n", home.token());
    assert!(pasted.starts_with("mcp\nadd\n") && pasted.ends_with(&header), "{pasted}");
    gate.kill().unwrap();
    gate.wait().unwrap();
}

#[test]
fn a_header_for_a_server_has_no_room_for_the_token() {
    let home = Home::new();
    let config = "[server.far]\nurl = 'http://127.0.0.1:1/mcp'\nforward_authorization = true\n";
    home.configure(config);
    let serve = ["serve", "--listen", "127.0.0.1:0", "--config", "redress.toml"];
    let ran = home.refused(&serve);
    assert_eq!(ran.exit, 2, "{}", ran.err);
    for words in ["CONFIG_INVALID: server.far.forward_authorization", "--no-token", "`headers`"] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    home.configured(config, &["--no-token"]).end();
}

#[test]
fn a_token_is_taken_out_of_what_a_server_writes() {
    let token = "words that make no pattern".replace(' ', "-");
    let config = format!(
        "[auth]\ntokens = ['${{GATE}}']\n[server.bad]\ncommand = ['{}']\nenv = {{ SEEN = '{token}' }}\n",
        bad_server().display()
    );
    let client = Client::with_config(Via::Serve, &config, "bad", &[], &[("GATE", &token)]);
    let http = client.http();
    let bearer = format!("Bearer {token}");
    let bearer = ("Authorization", &*bearer);
    let opened = super::say(&http, &[bearer], super::INITIALIZE);
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    let line = json!({"jsonrpc": "2.0", "id": "ID", "result": {"content": [{"type": "text", "text": format!("denied for {token}!")}], "isError": true}});
    let line = line.to_string().replace("\"ID\"", "ID");
    let call = super::call(&json!(7), "say", &json!({"lines": [line]}));
    let answer = super::say(&http, &[bearer, ("Mcp-Session-Id", &id)], &call).json();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(!answer.to_string().contains(&token), "{answer}");
    let (_, recorded) = client.end();
    assert!(!Value::from(recorded).to_string().contains(&token));
}

#[test]
fn metrics_and_health_are_there_for_the_token() {
    let home = Home::new();
    let gate = home.gate(&[]);
    let bearer = format!("Bearer {}", home.token());
    let bearer = [("Authorization", &*bearer)];
    assert_eq!(gate.get("/healthz", &bearer).body(), "ok\n");
    let page = gate.get("/metrics", &bearer).body();
    assert!(
        page.contains("redress_failed_tokens_total{server=\"bad\",reason=\"missing\"} 0"),
        "{page}"
    );
    assert_eq!(gate.get("/healthz", &[]).status, 401);
    let page = gate.get("/metrics", &bearer).body();
    assert!(
        page.contains("redress_failed_tokens_total{server=\"bad\",reason=\"missing\"} 1"),
        "{page}"
    );
    gate.end();
}
