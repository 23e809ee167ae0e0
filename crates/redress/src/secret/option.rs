//! Passwords behind an option of one letter, which other commands have for something else: `sshpass -p …`, `mysql -p…`, `redis-cli -a …`.

use std::ops::Range;

use super::{floor_boundary, value::is_placeholder};

/// A command, its option, and whether the password may stand apart from it.
const COMMANDS: &[(&str, &str, bool)] = &[
    ("login", "-p", true),
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

/// How far before an option its command stands.
const MOST_BEFORE: usize = 128;

/// The longest password.
const LONGEST: usize = 256;

/// The password behind the option that starts at `at`.
pub(super) fn password(text: &str, at: usize) -> Option<Range<usize>> {
    let option = text.get(at..at + 2)?;
    let near = text.get(floor_boundary(text, at.saturating_sub(MOST_BEFORE))..at)?;
    let line = near.rsplit(['\n', '|', ';', '&']).next()?;
    let mut words = line.split([' ', '\'', '"', '`', '/']);
    let command =
        words.find_map(|word| COMMANDS.iter().find(|it| it.0 == word && it.1 == option))?;
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
    let is_password = !password.starts_with('-') && !is_placeholder(password);
    is_password.then_some(start..start + password.len())
}
