//! Logins: `user:password@host` in a URL, and passwords behind the options of commands.

use std::ops::Range;

use memchr::memchr;

use super::{
    behind, near,
    score::{is_mixed, is_placeholder},
    value::quoted,
};

/// The longest login.
const MOST: usize = 1024;

/// How far before an option or a sign its start is looked for.
const MOST_BEFORE: usize = 256;

/// A name without a password is a token if it is so long.
const LONG_NAME: usize = 16;

/// What is secret of the URL whose authority follows.
pub(super) fn url(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let start = at.end;
    let near = near(text, start, MOST);
    memchr(b'@', near.as_bytes())?;
    let whole = near.split([' ', '\t', '\r', '\n', '"', '<', '>', '`']).next()?;
    let strict = whole.split(['/', '?', '#', '\'', '\\']).next()?;
    let range = match strict.rsplit_once('@') {
        Some((login, _)) => match login.split_once(':') {
            Some((user, password)) => {
                (!is_placeholder(password)).then_some(user.len() + 1..login.len())
            }
            None => (login.len() >= LONG_NAME && !is_placeholder(login) || is_mixed(login))
                .then_some(0..login.len()),
        },
        None => unescaped(whole, strict),
    }?;
    Some(start + range.start..start + range.end)
}

/// A password with signs that should be escaped: what is behind `host:` as a port would is no number.
fn unescaped(whole: &str, strict: &str) -> Option<Range<usize>> {
    const LONGEST_PORT: usize = 5;
    let (user, begin) = strict.split_once(':').filter(|it| !it.0.starts_with('['))?;
    let port = begin.split(',').next().unwrap_or_default();
    let is_number = port.len() <= LONGEST_PORT && port.bytes().all(|it| it.is_ascii_digit());
    // `c:/` is a drive.
    let is_port = is_number && (!port.is_empty() || user.len() == 1)
        || is_placeholder(port) && !port.is_empty();
    let (login, _) = whole.rsplit_once('@').filter(|_| !is_port)?;
    let password = login.get(user.len() + 1..).filter(|it| !is_placeholder(it))?;
    Some(login.len() - password.len()..login.len())
}

/// What is secret of `user:password@tcp(host)`, at its `@`.
pub(super) fn before(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let near = behind(text, at.start, MOST_BEFORE);
    let login = near.rsplit([' ', '\t', '\n', '"', '\'', '`', '=', '/']).next()?;
    let (_, password) = login.split_once(':').filter(|it| !is_placeholder(it.1))?;
    Some(at.start - password.len()..at.start)
}

/// What is secret of `user/password@host`, as Oracle writes it.
pub(super) fn oracle(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let login = near(text, at.end, MOST).split(char::is_whitespace).next()?;
    let (user, rest) = login.split_once('/').filter(|it| !it.0.contains(['@', ':']))?;
    let (password, _) = rest.split_once('@').filter(|it| !is_placeholder(it.0))?;
    let start = at.end + user.len() + 1;
    Some(start..start + password.len())
}

/// A command, its option, and whether the password may stand apart from it.
#[rustfmt::skip]
const COMMANDS: &[(&str, &str, bool)] = &[
    ("az login", "-p", true), ("docker login", "-p", true), ("helm login", "-p", true), ("nerdctl login", "-p", true),
    ("oras login", "-p", true), ("podman login", "-p", true), ("sshpass", "-p", true), ("mongosh", "-p", true),
    ("mongo", "-p", true), ("mongodump", "-p", true), ("redis-cli", "-a", true), ("mysql", "-p", false),
    ("mysqldump", "-p", false), ("mysqladmin", "-p", false), ("mariadb", "-p", false), ("7z", "-p", false),
];

/// Commands whose `-u` is no login: a user and a group, or lines that are not repeated.
const OTHERS: &[&str] =
    &["chroot", "docker", "git", "id", "nerdctl", "podman", "setpriv", "sort", "sudo"];

/// The words of the command that an option at `at` is one of.
fn command(text: &str, at: usize) -> Option<Vec<&str>> {
    let near = behind(text, at, MOST_BEFORE);
    let line = near.rsplit(['\n', '|', ';', '&']).next()?;
    Some(line.split([' ', '\'', '"', '`', '/']).filter(|it| !it.is_empty()).collect())
}

/// The argument behind an option, without its quotes.
fn argument(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = near(text, at, MOST);
    let word = rest.split(char::is_whitespace).next()?.trim_end_matches(['\'', '"', '`']);
    let range = quoted(rest, 0).filter(|_| rest.starts_with(['"', '\''])).unwrap_or(0..word.len());
    Some(at + range.start..at + range.end)
}

/// What is secret of `curl -u user:password`. Two numbers are those of a user and a group, and a path behind the name is no password.
pub(super) fn user_option(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    (!command(text, at.start)?.iter().any(|it| OTHERS.contains(it))).then_some(())?;
    let range = argument(text, at.end)?;
    let (user, password) = text.get(range.clone())?.split_once(':')?;
    let is_user =
        !user.is_empty() && user.chars().all(|it| it.is_alphanumeric() || ".-_@+".contains(it));
    let is_number = password.bytes().all(|it| it.is_ascii_digit());
    let is_login =
        is_user && !is_number && !password.starts_with(['/', '\\']) && !is_placeholder(password);
    is_login.then_some(range.end - password.len()..range.end)
}

/// The password behind an option of a command that has one.
pub(super) fn password_option(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let at = at.start + 1;
    let option = text.get(at..at + 2)?;
    let words = command(text, at)?;
    let is_called = |name: &str| match name.split_once(' ') {
        Some((first, second)) => words.windows(2).any(|it| *it == [first, second]),
        None => words.contains(&name),
    };
    let row = COMMANDS.iter().find(|it| it.1 == option && is_called(it.0))?;
    let is_apart = text.get(at + 2..)?.starts_with(' ');
    (!is_apart || row.2).then_some(())?;
    let range = argument(text, at + 2 + usize::from(is_apart))?;
    let password = text.get(range.clone())?;
    let is_port = password.len() <= 5 && password.bytes().all(|it| it.is_ascii_digit());
    (!password.starts_with('-') && !is_placeholder(password) && !is_port).then_some(range)
}
