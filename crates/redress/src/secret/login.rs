//! `user:password@host` in a URL, and `user:password` behind an option of a command.

use std::ops::Range;

use super::value::is_placeholder;

/// The longest login.
const MOST: usize = 1024;

/// A name without a password is a token if it is so long.
const LONG_NAME: usize = 16;

/// A number up to this length behind a host is its port.
const LONGEST_PORT: usize = 5;

/// Finds logins in one text, from its start to its end. Where the next sign stands is kept, so that no part is searched twice.
#[derive(Debug, Default)]
pub(super) struct Logins {
    ends: Option<usize>,
    signs: Option<usize>,
}

impl Logins {
    /// What is secret of the URL whose authority starts at `start`.
    pub(super) fn find(&mut self, text: &str, start: usize) -> Option<Range<usize>> {
        let is_end = |it: u8| it.is_ascii_whitespace() || matches!(it, b'"' | b'<' | b'>' | b'`');
        let end = next(&mut self.ends, text, start, is_end);
        let sign = next(&mut self.signs, text, start, |it| it == b'@');
        if sign >= end.min(start + MOST) {
            return None;
        }
        let whole = text.get(start..end.min(super::floor_boundary(text, start + MOST)))?;
        let strict = whole.split(['/', '?', '#', '\'', '\\']).next()?;
        let range = match strict.rsplit_once('@') {
            Some((login, _)) => secret_of(login),
            None => unescaped(whole, strict),
        }?;
        Some(start + range.start..start + range.end)
    }
}

/// Where the next such byte stands, or the end.
fn next(kept: &mut Option<usize>, text: &str, from: usize, fits: impl Fn(u8) -> bool) -> usize {
    match *kept {
        Some(at) if at >= from => at,
        _ => {
            let rest = text.as_bytes().get(from..).unwrap_or_default();
            let at = from + rest.iter().position(|it| fits(*it)).unwrap_or(rest.len());
            *kept = Some(at);
            at
        }
    }
}

fn secret_of(login: &str) -> Option<Range<usize>> {
    match login.split_once(':') {
        Some((_, password)) if is_placeholder(password) => None,
        Some((user, _)) => Some(user.len() + 1..login.len()),
        None => (login.len() >= LONG_NAME && !is_placeholder(login)).then_some(0..login.len()),
    }
}

/// A password with signs that should be escaped: what stands behind `host:` as a port would is no number.
fn unescaped(whole: &str, strict: &str) -> Option<Range<usize>> {
    let (user, begin) = strict.split_once(':').filter(|it| !it.0.starts_with('['))?;
    let port = begin.split(',').next().unwrap_or_default();
    let is_number = port.len() <= LONGEST_PORT && port.bytes().all(|it| it.is_ascii_digit());
    // `c:/` is a drive.
    let is_port = is_number && (!port.is_empty() || user.len() == 1)
        || is_placeholder(port) && !port.is_empty();
    let (login, _) = whole.rsplit_once('@').filter(|_| !is_port)?;
    let password = login.get(user.len() + 1..)?;
    (!is_placeholder(password)).then_some(user.len() + 1..login.len())
}

/// What is secret of the argument that a text starts with, as in `curl -u user:password`. Two numbers are those of a user and a
/// group, and a path or an address behind the name is no password.
pub(super) fn option(text: &str) -> Option<Range<usize>> {
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''));
    let start = quote.map_or(0, char::len_utf8);
    let near = text.get(start..super::floor_boundary(text, MOST))?;
    let is_end = |it: char| quote.map_or(it.is_whitespace(), |quote| it == quote || it == '\n');
    let argument = near.split(is_end).next()?;
    let (user, password) = argument.split_once(':')?;
    let is_user = !user.is_empty()
        && user.chars().all(|it| it.is_alphanumeric() || matches!(it, '.' | '_' | '-' | '@' | '+'));
    let is_number = password.bytes().all(|it| it.is_ascii_digit());
    let is_place = password.starts_with(['/', '\\']);
    let is_login = is_user && !is_number && !is_place && !is_placeholder(password);
    is_login.then_some(start + user.len() + 1..start + argument.len())
}

/// What is secret of `user:password@tcp(host)`, whose sign is at `at`.
pub(super) fn before(text: &str, at: usize) -> Option<Range<usize>> {
    const LONGEST: usize = 256;
    let start = super::floor_boundary(text, at.saturating_sub(LONGEST));
    let near = text.get(start..at)?;
    let login = near.rsplit([' ', '\t', '\n', '"', '\'', '`', '=', '/']).next()?;
    let (_, password) = login.split_once(':').filter(|it| !is_placeholder(it.1))?;
    Some(at - password.len()..at)
}

/// Commands of which `-u` is no login: a user and a group, or lines that are not repeated.
const OTHERS: &[&str] =
    &["chroot", "docker", "git", "id", "nerdctl", "podman", "setpriv", "sort", "sudo"];

/// Whether the option behind a text is one of such a command.
pub(super) fn is_other_user(before: &str) -> bool {
    const LONGEST: usize = 128;
    let start = super::floor_boundary(before, before.len().saturating_sub(LONGEST));
    let near = before.get(start..).unwrap_or_default();
    let command = near.rsplit(['\n', '|', ';', '&']).next().unwrap_or_default();
    command.split_whitespace().any(|it| OTHERS.contains(&it))
}

/// What is secret of `user/password@host`, as Oracle writes it.
pub(super) fn oracle(text: &str) -> Option<Range<usize>> {
    let near = text.get(..super::floor_boundary(text, MOST))?;
    let login = near.split(char::is_whitespace).next()?;
    let (user, rest) = login.split_once('/').filter(|it| !it.0.contains(['@', ':']))?;
    let (password, _) = rest.split_once('@')?;
    let start = user.len() + 1;
    (!is_placeholder(password)).then_some(start..start + password.len())
}
