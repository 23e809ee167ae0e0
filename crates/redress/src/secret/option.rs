//! Passwords behind an option of one letter, which other commands have for something else: `sshpass -p …`, `mysql -p…`, `redis-cli -a …`.

use std::{iter, ops::Range};

use super::{floor_boundary, value::is_placeholder};

/// A command, its option, and whether the password may stand apart from it.
const COMMANDS: &[(&str, &str, bool)] = &[
    (LOGIN, "-p", true),
    ("sshpass", "-p", true),
    ("mongosh", "-p", true),
    ("mongo", "-p", true),
    ("mongodump", "-p", true),
    ("mysql", "-p", false),
    ("mysqldump", "-p", false),
    ("mysqladmin", "-p", false),
    ("mariadb", "-p", false),
    ("7z", "-p", false),
    ("redis-cli", "-a", true),
];

/// A command of these, where it has a password.
const LOGIN: &str = "login";
const REGISTRIES: [&str; 6] = ["az", "docker", "helm", "nerdctl", "oras", "podman"];

/// How far before an option its command stands.
const MOST_BEFORE: usize = 128;

/// The longest password.
const LONGEST: usize = 256;

/// The password behind the option that starts at `at`.
pub(super) fn password(text: &str, at: usize) -> Option<Range<usize>> {
    let option = text.get(at..at + 2)?;
    let near = text.get(floor_boundary(text, at.saturating_sub(MOST_BEFORE))..at)?;
    let line = near.rsplit(['\n', '|', ';', '&']).next()?;
    let words = line.split([' ', '\'', '"', '`', '/']);
    let mut pairs = iter::once("").chain(words.clone()).zip(words);
    let command = pairs.find_map(|(before, word)| {
        let is_command = word != LOGIN || REGISTRIES.contains(&before);
        COMMANDS.iter().find(|it| it.0 == word && it.1 == option).filter(|_| is_command)
    })?;
    let rest = text.get(at + 2..)?;
    let value = rest.trim_start_matches(' ');
    let gap = rest.len() - value.len();
    (gap == 0 || gap == 1 && command.2).then_some(())?;
    let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''));
    let inside = quote.map_or(value, |it| value.strip_prefix(it).unwrap_or(value));
    let near = inside.get(..floor_boundary(inside, LONGEST))?;
    let is_end = |it: char| quote.map_or(it.is_whitespace(), |quote| it == quote || it == '\n');
    let password = near.split(is_end).next()?.trim_end_matches(['\'', '"', '`']);
    let start = at + 2 + gap + (value.len() - inside.len());
    // The number of a port.
    let is_port = password.len() <= 5 && password.bytes().all(|it| it.is_ascii_digit());
    let is_password = !password.starts_with('-') && !is_placeholder(password) && !is_port;
    is_password.then_some(start..start + password.len())
}
