//! The name of a server, from its command.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    os::unix::ffi::OsStrExt as _,
    path::Path,
};

use redress_ledger::is_chain;
use sha2::{Digest as _, Sha256};

/// Words of a command that start the server but are not it.
const LAUNCHERS: &[&str] = &[
    "npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "deno", "node", "tsx", "ts-node", "uvx",
    "uv", "pipx", "python", "python3", "py", "docker", "podman", "cargo", "dotnet", "java", "ruby",
    "php", "perl", "go", "env", "sh", "bash", "zsh", "sudo", "nice", "exec", "run", "dlx", "start",
    "x", "tool", "wsl",
];

/// The longest name of a server, and the longest part of a given one that its ledger is called by.
const MOST_CHARS: usize = 40;
const MOST_GIVEN: usize = 100;

/// The server's name for people.
pub(crate) fn short(command: &[OsString]) -> String {
    let word = command.iter().find(|it| !is_flag(it) && !is_launcher(it) && !is_script(it));
    let name = word.or_else(|| command.first()).map_or_else(String::new, |it| base(it));
    let clean: String = name.chars().filter(|it| is_fine(*it)).take(MOST_CHARS).collect();
    if clean.trim_matches('.').is_empty() { "server".to_owned() } else { clean }
}

/// A given name of a server, if its ledger can be called so: it is a directory beside the others.
pub(crate) fn checked(given: &str) -> Result<String, &'static str> {
    if given.trim().is_empty() {
        Err("a name has at least one character")
    } else if given.contains('/') || given.chars().any(char::is_control) {
        Err("a name has no `/` and no control characters")
    } else if given.trim_matches('.').is_empty() {
        Err("a name is more than dots")
    } else {
        Ok(given.to_owned())
    }
}

/// The server's name for its ledger: no two commands and no two names share one, unless one is made to look like another with its
/// hash.
pub(crate) fn unique(given: Option<&str>, command: &[OsString]) -> String {
    let name = match given {
        None => with_hash(&short(command), command),
        Some(given) => {
            let clean = given.chars().map(|it| if is_fine(it) { it } else { '-' });
            let clean: String = clean.take(MOST_GIVEN).collect();
            let is_ordinary = clean == given && !is_chain(given);
            if is_ordinary { clean } else { with_hash(&clean, &[given.into()]) }
        }
    };
    // The reader of a chain looks for records in it.
    if is_chain(&name) { format!("_{name}") } else { name }
}

fn with_hash(name: &str, of: &[OsString]) -> String {
    let mut hash = Sha256::new();
    for word in of {
        hash.update(word.as_bytes());
        hash.update([0]);
    }
    let mut name = format!("{name}-");
    for byte in hash.finalize().iter().take(4) {
        write!(name, "{byte:02x}").unwrap_or_default();
    }
    name
}

fn is_flag(word: &OsStr) -> bool {
    word.as_bytes().starts_with(b"-") || word.as_bytes().contains(&b'=')
}

/// Whether a word is a program of its own, as after `sh -c`.
fn is_script(word: &OsStr) -> bool {
    word.as_bytes().iter().any(|it| it.is_ascii_whitespace() || b";|&<>$`(){}\"'".contains(it))
}

fn is_launcher(word: &OsStr) -> bool {
    let base = base(word);
    let base = base.strip_suffix(".exe").unwrap_or(&base);
    let plain = base.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    LAUNCHERS.contains(&base) || LAUNCHERS.contains(&plain)
}

/// The last part of a path or package, without its version.
fn base(word: &OsStr) -> String {
    let name = Path::new(word).file_name().unwrap_or(word).to_string_lossy();
    let name = name.split_once('@').map_or(&*name, |(name, _)| name);
    name.split([':', ' ']).next().unwrap_or_default().to_owned()
}

fn is_fine(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{checked, short, unique};

    fn words(command: &str) -> Vec<OsString> {
        command.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_server_is_named_after_its_command() {
        for (command, name) in [
            ("npx -y @modelcontextprotocol/server-filesystem@1.2 /srv", "server-filesystem"),
            ("uv run --with mcp server.py", "mcp"),
            ("python3.12 -m mcp_server_git", "mcp_server_git"),
            ("/usr/bin/node dist/index.js", "index.js"),
            ("docker run -i --rm mcp/github:latest", "github"),
            ("/opt/bin/server --stdio", "server"),
            ("npx", "npx"),
            ("./..", "server"),
        ] {
            assert_eq!(short(&words(command)), name, "{command}");
        }
        let script = ["sh", "-c", "cat /tmp/a >&2; exit 3"].map(OsString::from);
        assert_eq!(short(&script), "sh", "a script is no name");
    }

    #[test]
    fn no_name_leads_out_of_the_directory_of_ledgers() {
        for bad in ["", " ", ".", "..", "a/b", "../a", "/", "a\nb", "a\0b", "\u{7f}"] {
            assert!(checked(bad).is_err(), "{bad:?}");
        }
        for good in ["files", "my files", "a.b", "..a", "Dateien-ä"] {
            assert_eq!(checked(good).as_deref(), Ok(good));
        }
    }

    #[test]
    fn two_commands_have_two_ledgers() {
        let (one, two) = (unique(None, &words("server /a")), unique(None, &words("server /b")));
        assert_ne!(one, two);
        assert_eq!(one.len(), "server-".len() + 8);
        assert_eq!(unique(Some("my-files"), &words("server /a")), "my-files");
    }

    #[test]
    fn two_names_have_two_ledgers_whatever_characters_they_have() {
        let long = "n".repeat(300);
        let chains =
            ["20260101T000000000Z-1-0a", "_20260101T000000000Z-1-0a", "20260101T000000000Z é"];
        let names = ["a b", "a-b", "é", "ж", "-", &long, &long[1..]].into_iter().chain(chains);
        let names: Vec<_> = names.collect();
        let mut ledgers: Vec<_> = names.iter().map(|it| unique(Some(it), &[])).collect();
        for ledger in &ledgers {
            assert!(ledger.len() < 200 && !redress_ledger::is_chain(ledger), "{ledger}");
        }
        ledgers.sort();
        ledgers.dedup();
        assert_eq!(ledgers.len(), names.len(), "{ledgers:?}");
    }

    #[test]
    fn an_ordinary_name_is_its_ledgers() {
        for name in ["a-b", "my.files_2", "_20260101T000000000Z-1-0a", &"n".repeat(100)] {
            assert_eq!(unique(Some(name), &[]), name);
        }
    }

    #[test]
    fn no_command_has_a_ledger_that_is_taken_for_a_chain() {
        let ledger = unique(None, &words("20260101T000000000Z-1"));
        assert!(!redress_ledger::is_chain(&ledger), "{ledger}");
    }
}
