//! Cards that misled a new user once.

use redress::{
    Fault, card,
    classify::{Verdict, classify},
    cuts_server_text,
    outcome::{Asked, Outcome, What},
};
use redress_registry::shipped;
use redress_wire::json::{Doc, Limits};
use serde_json::{Value, json};

use super::answered;

fn told(tool: &str, arguments: &Value, text: &str) -> (String, String, String) {
    let got = answered(tool, arguments, text, true);
    let text =
        |place: &str| got.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned();
    let said = format!("{} {}", text("/fault/message"), text("/fault/hint"));
    (text("/code"), text("/retry/kind"), said)
}

#[test]
fn git_with_nothing_staged_or_dirty_waits_for_a_state() {
    let commit = json!({"repo_path": "/w", "message": "x"});
    for text in [
        "On branch main\nnothing to commit, working tree clean",
        "no changes added to commit",
        "error: Your local changes to the following files would be overwritten by checkout:\n\ta.txt\nPlease commit your changes or stash them before you switch branches.",
    ] {
        let (code, retry, _) = told("git_commit", &commit, text);
        assert_eq!((&*code, &*retry), ("CONFLICT", "after_state"), "{text}");
    }
}

#[test]
fn a_relative_path_is_not_asked_for_again() {
    let text = "Repository path 'relative/path' is outside the allowed repository '/w/repo'";
    let (code, _, said) = told("git_status", &json!({"repo_path": "relative/path"}), text);
    assert_eq!(code, "OUTSIDE_WORKSPACE");
    assert!(said.contains("absolute path") && !said.contains("Give a path relative"), "{said}");
}

#[test]
fn a_page_that_fails_is_another_service() {
    let url = json!({"url": "https://a.example/x"});
    for (text, retry, words) in [
        ("Failed to fetch https://a.example/x - status code 500", "after_delay", "not this server"),
        (
            "Failed to fetch https://a.example/x - status code 403",
            "after_change",
            "another address",
        ),
        (
            "Failed to fetch https://a.example/x: Exceeded maximum allowed redirects, too many redirects",
            "after_change",
            "value",
        ),
    ] {
        let (code, kind, said) = told("fetch", &url, text);
        assert_eq!(kind, retry, "{text}: {code}");
        assert!(said.contains(words), "{text}: {said}");
        assert!(!said.contains("operator"), "{text}: {said}");
    }
}

#[test]
fn why_a_private_address_is_refused_is_quoted() {
    let url = json!({"url": "http://127.0.0.1:9/x"});
    let text = "Error executing tool fetch: Refused to fetch http://127.0.0.1:9/robots.txt: 127.0.0.1 resolves to 127.0.0.1, \
        which is not a public address. Start the server with --allow-private-ips to allow private, loopback and link-local addresses.";
    let (code, _, _) = told("fetch", &url, text);
    assert_eq!(code, "UNAUTHORIZED_ACTION");
    let card = shown("fetch", &url, text);
    assert!(card.contains("Server said: \"Refused to fetch "), "{card}");
    // The gate has all of it in a second block then.
    assert!(card.contains("not a public address") || cut("fetch", &url, text), "{card}");
}

#[test]
fn the_folder_is_missing_and_not_the_file() {
    let arguments = json!({"path": "/w/none/f.txt", "content": "x"});
    for text in [
        "Parent directory does not exist: /w/none",
        "ENOENT: no such file or directory, open '/w/none/f.txt'",
    ] {
        let (code, _, said) = told("write_file", &arguments, text);
        assert_eq!(code, "PATH_NOT_FOUND", "{text}");
        assert!(said.starts_with("Nothing exists at \"/w/none\"."), "{text}: {said}");
    }
}

#[test]
fn what_a_shop_or_a_bank_refuses_is_not_cancelled_or_full() {
    let order = json!({"order": "1234"});
    let shipped = "Order #1234 has already been shipped and cannot be cancelled";
    let (code, retry, _) = told("cancel_order", &order, shipped);
    assert_eq!((&*code, &*retry), ("CONFLICT", "after_state"));
    let (_, retry, _) = told("pay", &order, "Your card was declined. (insufficient_funds)");
    assert_eq!(retry, "after_human");
}

#[test]
fn what_needs_a_confirmation_is_asked_of_the_user() {
    let text = "This operation is destructive. Pass confirm=true to proceed.";
    let (_, retry, said) = told("drop_table", &json!({"table": "a"}), text);
    assert_eq!(retry, "after_human");
    assert!(said.contains("Ask the user"), "{said}");
}

#[test]
fn the_operators_configuration_comes_before_arguments() {
    for (text, code) in [
        ("SEARXNG_URL not set", "CONFIG_INVALID"),
        ("BRAVE_API_KEY environment variable is required", "AUTH_REQUIRED"),
    ] {
        let (got, retry, _) = told("search", &json!({"q": "x"}), text);
        assert_eq!((&*got, &*retry), (code, "after_human"), "{text}");
    }
}

/// The card of a flagged failure.
fn shown(tool: &str, arguments: &Value, text: &str) -> String {
    card(&raised(tool, arguments, text))
}

/// Whether the card of a flagged failure had to cut the server's words.
fn cut(tool: &str, arguments: &Value, text: &str) -> bool {
    cuts_server_text(&raised(tool, arguments, text))
}

fn raised(tool: &str, arguments: &Value, text: &str) -> Fault {
    let params = json!({"name": tool, "arguments": arguments});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let (request, answer) = (request.to_string(), answer.to_string());
    let request = Doc::parse(request.as_bytes(), Limits::DOCUMENT).unwrap();
    let answer = Doc::parse(answer.as_bytes(), Limits::DOCUMENT).unwrap();
    let asked = Asked {
        request: Some(request.root()),
        method: Some("tools/call".into()),
        tool: Some(tool.into()),
        ..Asked::default()
    };
    let outcome = Outcome::of(What::Answer(answer.root()));
    let Verdict::Failure(it) = classify(&asked, &outcome, shipped::core()) else {
        unreachable!("a flagged answer passed: {text}")
    };
    it.fault
}

/// The tokens of a card, as the envelope estimates them.
fn tokens(tool: &str, arguments: &Value, text: &str) -> f64 {
    let chars = u32::try_from(shown(tool, arguments, text).chars().count()).unwrap();
    f64::from(chars) / 3.2
}

#[test]
fn cards_are_short() {
    let mut sizes = Vec::new();
    for line in include_str!("../../words/flagged.txt").lines().filter(|it| !it.starts_with('#')) {
        let columns: Vec<&str> = line.splitn(4, '\t').collect();
        let [_, tool, arguments, text] = columns[..] else { panic!("{line}") };
        sizes.push(tokens(tool, &serde_json::from_str(arguments).unwrap(), text));
    }
    sizes.sort_unstable_by(f64::total_cmp);
    let part = |percent: usize| sizes[sizes.len() * percent / 100];
    assert!(part(50) <= 70.0 && part(90) <= 100.0, "median {}, p90 {}", part(50), part(90));
}
