//! What a failing text gives away that a model need not see: stacks, paths of the machine, secrets, the environment.

use super::request::is_among;
use crate::{redact, text};

/// Something that should not have left the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leak {
    /// Frames of a stack.
    StackTrace,
    /// A path of the machine that the caller did not name.
    AbsolutePath,
    /// A credential.
    Secret,
    /// A part of the environment.
    Env,
}

impl Leak {
    /// Every kind, in the order in which they are written.
    pub const ALL: [Self; 4] = [Self::StackTrace, Self::AbsolutePath, Self::Secret, Self::Env];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StackTrace => "stack_trace",
            Self::AbsolutePath => "absolute_path",
            Self::Secret => "secret",
            Self::Env => "env",
        }
    }
}

/// Where paths of a machine start.
const ROOTS: &str = " home srv usr opt tmp var etc root mnt media private Users app workspace workspaces data nix snap proc sys dev run lib \
    bin sbin build code Library Applications Volumes ";
/// Longer texts are looked at up to here.
const MOST: usize = 64 << 10;
const MOST_PATHS: usize = 32;

/// What the text gives away; `given` is what the caller said itself.
pub(crate) fn find(text: &str, given: &str) -> Vec<Leak> {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    let tests: [fn(&str, &str) -> bool; 4] = [has_stack, has_path, has_secret, has_env];
    Leak::ALL
        .into_iter()
        .zip(tests)
        .filter(|(_, test)| test(text, given))
        .map(|(leak, _)| leak)
        .collect()
}

fn has_stack(text: &str, _: &str) -> bool {
    text.contains(text::TRACEBACK)
        || text.contains("stack backtrace:")
        || text.contains("goroutine ") && text.contains("[running]")
        || text::has_frames(text)
}

fn has_path(text: &str, given: &str) -> bool {
    let is_foreign = |path: &str| !given.contains(path.trim_end_matches(['/', '.', ',']));
    let unix = text.match_indices('/').filter(|(at, _)| starts_path(text, *at)).take(MOST_PATHS);
    let mut unix = unix.filter_map(|(at, _)| text.get(at..)).map(path_token);
    let windows = text
        .match_indices(":\\")
        .take(MOST_PATHS)
        .filter_map(|(at, _)| text.get(at.checked_sub(1)?..));
    let mut windows =
        windows.filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic())).map(path_token);
    unix.any(|it| is_machine_path(text, it) && is_foreign(it))
        || windows.any(|it| is_foreign(it) && it.len() > 4 && !is_example(text, it))
}

fn starts_path(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.is_empty()
        || before.ends_with(|it: char| {
            it.is_whitespace() || matches!(it, '\'' | '"' | '`' | '(' | '=' | '\\')
        })
        || before.ends_with("file://")
}

fn path_token(text: &str) -> &str {
    let is_end = |it: char| {
        it.is_whitespace()
            || matches!(it, '\'' | '"' | '`' | ')' | '(' | ',' | ';' | '?' | '*' | '|' | '>' | '<')
    };
    let token = text.split(is_end).next().unwrap_or_default();
    token.trim_end_matches(['.', ':', '\\'])
}

fn is_machine_path(text: &str, path: &str) -> bool {
    let mut parts = path.split('/').filter(|it| !it.is_empty());
    let (Some(first), Some(_)) = (parts.next(), parts.next()) else { return false };
    let named = text.split_once(path).is_some_and(|(before, _)| before.ends_with(" at "));
    (is_among(first, ROOTS) || named) && !is_example(text, path)
}

/// A path that only shows how paths look.
fn is_example(text: &str, path: &str) -> bool {
    let Some((before, _)) = text.split_once(path) else { return false };
    let near = before.get(before.len().saturating_sub(40)..).unwrap_or(before);
    ["e.g.", "such as", "for example", "like "].iter().any(|it| near.contains(it))
}

fn has_secret(text: &str, given: &str) -> bool {
    let found = redact::find(text);
    found.into_iter().filter_map(|it| text.get(it)).any(|it| !given.contains(it))
}

/// `NAME=value` for a name that looks like a variable of the environment.
fn has_env(text: &str, given: &str) -> bool {
    let mut found = text.split_whitespace().filter(|word| {
        let Some((name, value)) = word.split_once('=') else { return false };
        let name = name.trim_start_matches(['\'', '"', '{', '(', '`']);
        name.len() >= 4
            && name.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
            && name.contains('_')
            && value.len() >= 3
            && !given.contains(*word)
    });
    found.next().is_some() && found.next().is_some()
        || text.contains("process.env {")
        || text.contains("environ({")
}

#[cfg(test)]
mod tests {
    use super::{Leak, find};

    #[test]
    fn a_leak_is_what_the_caller_did_not_say() {
        let check = |text: &str, given: &str, leaks: &[Leak]| {
            assert_eq!(find(text, given), leaks, "{text}");
        };
        check("ENOENT: open '/srv/x/a.md'", "a.md", &[Leak::AbsolutePath]);
        check("ENOENT: open '/srv/x/a.md'", "/srv/x/a.md", &[]);
        check("e.g. '/home/me/q1.xlsx'", "", &[]);
        check("GET http://a.example/v1/x and /watch?v=1", "", &[]);
        check("boom\n    at eval (<anonymous>:1:1)", "", &[Leak::StackTrace]);
        check("mongodb://u:hunter2@db/x failed", "", &[Leak::Secret]);
        check("AWS_REGION=eu-west-1 AWS_PROFILE=prod not set", "", &[Leak::Env]);
    }
}
