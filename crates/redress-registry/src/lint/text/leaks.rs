//! Texts hold nothing of the machine that they were written on.

use std::ops::Range;

use serde_json::Value;

use crate::{
    draft::DraftCode,
    finding::part,
    lint::scope::{Hits, Scope},
};

/// CK208.
pub(super) fn leaks(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        for (field, text, span) in texts(code) {
            for leak in LEAKS.iter().filter(|it| it.fields.contains(&field)) {
                if let Some(found) = (leak.find)(&text) {
                    let context =
                        [part("field", field), part("what", leak.what), part("found", found)];
                    hits.on(code, span, "The {field} holds {what}: {found}.", context);
                }
            }
        }
    }
}

/// A kind of thing that must not be in a text.
struct LeakKind {
    what: &'static str,
    /// Where it must not be: a page may name a path, an example may be one.
    fields: &'static [&'static str],
    find: fn(&str) -> Option<String>,
}

const WIRE: &[&str] = &["title", "message", "hint", "next"];
const PROSE: &[&str] = &["title", "message", "hint", "next", "explain"];
const ALL: &[&str] = &["title", "message", "hint", "next", "explain", "example"];

const LEAKS: &[LeakKind] = &[
    LeakKind { what: "an absolute path", fields: WIRE, find: absolute_path },
    LeakKind { what: "a stack frame", fields: PROSE, find: stack_frame },
    LeakKind { what: "an internal host", fields: PROSE, find: internal_host },
    LeakKind { what: "a credential", fields: ALL, find: credential },
];

fn texts(code: &DraftCode) -> Vec<(&'static str, String, &Range<usize>)> {
    let fields = [
        ("title", &code.title),
        ("message", &code.message),
        ("hint", &code.hint),
        ("explain", &code.explain),
    ];
    let own = fields
        .into_iter()
        .filter_map(|(field, text)| text.as_ref().map(|it| (field, it.value.clone(), &it.span)));
    let next = code.next.iter().filter_map(|it| it.value.args.as_ref());
    let inside = next.map(|it| ("next", it)).chain(code.example.iter().map(|it| ("example", it)));
    let inside = inside.flat_map(|(field, it)| {
        let strings = it.value.values().filter_map(Value::as_str);
        strings.map(move |text| (field, text.to_owned(), &it.span))
    });
    own.chain(inside).collect()
}

/// Directories at the root of a Unix system: `/metrics` or `/a/b` is no path of a machine, unless
/// it ends with a file.
const ROOTS: &[&str] = &[
    "Applications",
    "Library",
    "Users",
    "Volumes",
    "app",
    "bin",
    "boot",
    "data",
    "dev",
    "etc",
    "home",
    "lib",
    "media",
    "mnt",
    "nix",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "snap",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
    "workspace",
];

fn absolute_path(text: &str) -> Option<String> {
    words(text).find(|word| is_unix_path(word) || is_windows_path(word)).map(str::to_owned)
}

fn is_unix_path(word: &str) -> bool {
    let word = word.strip_prefix("file://").unwrap_or(word);
    let Some((root, rest)) = word.strip_prefix('/').and_then(|it| it.split_once('/')) else {
        return false;
    };
    let extension = rest.rsplit('/').next().and_then(|it| it.rsplit_once('.')).map(|it| it.1);
    let is_file = extension.is_some_and(|it| {
        (1..=5).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_alphanumeric())
    });
    is_file || (ROOTS.contains(&root) && !rest.is_empty())
}

fn is_windows_path(word: &str) -> bool {
    let mut chars = word.chars();
    let drive =
        chars.next().is_some_and(|it| it.is_ascii_alphabetic()) && chars.next() == Some(':');
    let rest = chars.as_str();
    let after_drive = rest.starts_with('\\') || (rest.starts_with('/') && !rest.starts_with("//"));
    (drive && after_drive) || (word.starts_with(r"\\") && word.len() > 3)
}

/// What the traces of common runtimes have and prose has not.
const FRAMES: &[&str] = &[
    "Traceback (most recent call last)",
    "Exception in thread",
    "goroutine 1 [",
    "node:internal/",
    "panicked at ",
    "stack backtrace:",
    "Caused by: java.",
    "<module>",
];

/// What comes before the line number in a frame.
const SOURCES: &[&str] = &[
    ".js:", ".mjs:", ".cjs:", ".ts:", ".tsx:", ".jsx:", ".py:", ".rs:", ".go:", ".java:", ".rb:",
    ".php:", ".cs:", ".c:", ".cc:", ".cpp:", ".kt:", ".swift:",
];

fn stack_frame(text: &str) -> Option<String> {
    let trace = FRAMES.iter().find(|it| text.contains(**it)).map(|it| it.trim().to_owned());
    let frame = || words(text).find(|word| SOURCES.iter().any(|it| number_follows(word, it)));
    trace.or_else(|| frame().map(str::to_owned)).or_else(|| python_frame(text))
}

/// `File "x.py", line 3`.
fn python_frame(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    rest.starts_with(|it: char| it.is_ascii_digit()).then(|| file.to_owned())
}

fn number_follows(word: &str, mark: &str) -> bool {
    let after = word.split_once(mark).map(|it| it.1);
    after.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

/// Endings of names that only a private network resolves.
const PRIVATE_ZONES: &[&str] =
    &[".internal", ".corp", ".lan", ".intranet", ".local", ".localdomain"];

/// The own machine is no secret, so `localhost` passes.
fn internal_host(text: &str) -> Option<String> {
    words(text)
        .map(host)
        .find(|it| is_private_address(it) || is_private_name(it))
        .map(str::to_owned)
}

/// The host of a URL, or of `host:port/path`.
fn host(word: &str) -> &str {
    let word = word.split_once("://").map_or(word, |it| it.1);
    let word = word.split(['/', '?', '#']).next().unwrap_or(word);
    let word = word.rsplit_once('@').map_or(word, |it| it.1);
    word.split(':').next().unwrap_or(word)
}

fn is_private_address(host: &str) -> bool {
    let address = host.parse::<std::net::Ipv4Addr>();
    address.is_ok_and(|it| it.is_private() || it.is_link_local())
}

fn is_private_name(host: &str) -> bool {
    let is_name = |it: &str| {
        !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"-.".contains(&it))
    };
    PRIVATE_ZONES.iter().any(|zone| host.strip_suffix(zone).is_some_and(is_name))
}

/// How known tokens begin, and how long they are at least.
const TOKENS: &[(&str, usize)] = &[
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 35),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("github_pat_", 30),
    ("glpat-", 20),
    ("npm_", 30),
    ("sk-", 20),
    ("sk_live_", 20),
    ("rk_live_", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("eyJ", 40),
    ("hf_", 30),
    ("ya29.", 20),
];

/// Names whose value is a secret when one is given.
const SECRET_KEYS: &[&str] = &["password=", "passwd=", "secret=", "token=", "api_key=", "apikey="];

fn credential(text: &str) -> Option<String> {
    if text.contains("PRIVATE KEY-----") {
        return Some("PRIVATE KEY".into());
    }
    let mut after_bearer = false;
    for word in words(text) {
        let is_token =
            TOKENS.iter().any(|(start, len)| word.starts_with(start) && word.len() >= *len);
        let small = word.to_ascii_lowercase();
        let given = SECRET_KEYS
            .iter()
            .filter_map(|key| small.split_once(key))
            .any(|(_, it)| it.len() >= 4 && !it.starts_with(['{', '<', '$', '*', '.']));
        let login = word.split_once("://").and_then(|it| it.1.split_once('@'));
        let has_password = login.is_some_and(|(it, _)| it.contains(':') && !it.contains('/'));
        if is_token || given || has_password || (after_bearer && word.len() >= 16) {
            return Some(word.chars().take(8).chain(['…']).collect());
        }
        after_bearer = small == "bearer";
    }
    None
}

/// The words of a text without the punctuation around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| it.is_whitespace() || "\"'`()<>[],;".contains(it))
        .map(|it| it.trim_end_matches(['.', '!', '?', ':']))
        .filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{absolute_path, credential, internal_host, stack_frame};

    #[test]
    fn paths_of_a_machine_are_found_and_other_slashes_are_not() {
        for path in [
            "/home/ann/x.rs",
            "/projects/x/main.go",
            "C:\\Temp\\x",
            "d:/x/y",
            "\\\\srv\\share",
            "file:///tmp/x",
        ] {
            assert_eq!(absolute_path(&format!("See \"{path}\".")).as_deref(), Some(path));
        }
        for text in [
            "and/or",
            "tools/call",
            "at /metrics",
            "docs/reports/",
            "/path",
            "a: b",
            "http://x/tmp/y",
            "n/a",
        ] {
            assert_eq!(absolute_path(text), None, "{text}");
        }
    }

    #[test]
    fn frames_are_found_and_prose_about_them_is_not() {
        for text in [
            "at run (app.js:10:5)",
            "Traceback (most recent call last):",
            "File \"x.py\", line 3",
            "thread 'main' panicked at src/main.rs",
            "src/lib.rs:12",
        ] {
            assert!(stack_frame(text).is_some(), "{text}");
        }
        for text in ["Look at the stack.", "in main.rs: a typo", "File \"x\" is gone", "At line 3"]
        {
            assert_eq!(stack_frame(text), None, "{text}");
        }
    }

    #[test]
    fn private_hosts_are_found_and_public_ones_are_not() {
        for host in ["10.1.2.3", "192.168.0.9", "172.20.0.1", "db.prod.internal", "build.corp"] {
            assert_eq!(internal_host(&format!("at https://{host}:80/x.")).as_deref(), Some(host));
        }
        for text in [
            "localhost",
            "127.0.0.1",
            "8.8.8.8",
            "example.com",
            "1.2.3",
            "settings.local.json",
            ".local",
        ] {
            assert_eq!(internal_host(text), None, "{text}");
        }
    }

    #[test]
    fn credentials_are_found_and_never_told_whole() {
        for text in [
            "use ghp_0123456789abcdef0123456789abcdef0123",
            "Authorization: Bearer 0123456789abcdef",
            "postgres://ann:hunter2@db/x",
            "password=hunter2",
            "-----BEGIN RSA PRIVATE KEY-----",
        ] {
            let found = credential(text).unwrap();
            assert!(found.len() <= 12, "{found}");
        }
        for text in
            ["password={password}", "a bearer token", "https://x/@y", "sk-short", "token=<yours>"]
        {
            assert_eq!(credential(text), None, "{text}");
        }
    }
}
