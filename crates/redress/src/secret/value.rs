//! Where a value that stands behind a telling name ends, and whether it is one: placeholders, paths and prose hide nothing.

mod placeholder;
mod said;
mod source;

use super::{MAX_SECRET, floor_boundary, names::Secrecy};
pub(super) use placeholder::{is_masked, is_placeholder};
pub(super) use said::{has_value, is_failure};
use said::{is_remark, is_rules};
pub(super) use source::Given;

/// How much of a value tells whether it is one: no placeholder, path or expression is longer.
pub(super) const LOOKED_AT: usize = 256;

/// What stands between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// The value stands in quotes: certainly a value.
    Quoted,
    /// `=`: certainly a value.
    Tight,
    /// `: ` and a bare word: may be prose.
    Loose,
    /// `==`: may be a word that is looked for.
    Compared,
    /// `--name `: may be prose, too.
    Flag,
    /// `"name", "value"`: may be a list of names.
    Pair,
    /// A space: prose, unless what follows is no word.
    Spoken,
    /// A column of a table, or a gap: a value if it is made like a credential.
    Column,
    /// A space in a sentence: a value if only a machine can have made it.
    Told,
}

/// How a value in quotes starts, and therefore ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote {
    /// What closes it.
    pub close: char,
    /// How many backslashes stand before it: a text that quotes another one escapes its quotes.
    pub backslashes: usize,
}

impl Quote {
    /// The quote that a text starts with, and its length; a letter or two may say what kind of text it is, as in `b'…'`.
    pub(super) fn at(text: &str) -> Option<(Self, usize)> {
        let bare = text.trim_start_matches('\\');
        let backslashes = text.len() - bare.len();
        let close = |it: &str| {
            Some(match it.chars().next()? {
                it @ ('"' | '\'' | '`') => (it, 1),
                '“' | '„' => ('”', 3),
                '‘' => ('’', 3),
                '«' => ('»', 2),
                _ => return None,
            })
        };
        if let Some((close, length)) = close(bare) {
            return Some((Self { close, backslashes }, backslashes + length));
        }
        let kind = bare.bytes().take(2).take_while(|it| it.is_ascii_alphabetic() || *it == b'@');
        let kind = kind.count();
        let (close, length) = close(bare.get(kind..)?).filter(|_| kind > 0 && backslashes == 0)?;
        Some((Self { close, backslashes }, kind + length))
    }

    /// The length of what it encloses: to its own closing quote, else to the end of the line.
    pub(super) fn length(self, text: &str) -> usize {
        let near = text.get(..floor_boundary(text, MAX_SECRET)).unwrap_or(text);
        // Each text around it doubles the backslashes and adds one before the quote.
        let period = 2 * (self.backslashes + 1);
        let mut run = 0;
        for (at, it) in near.char_indices() {
            match it {
                '\n' | '\r' => return at,
                '\\' => {
                    run += 1;
                    continue;
                }
                it if it == self.close
                    && run % period == self.backslashes
                    && self.closes(near.get(at + it.len_utf8()..)) =>
                {
                    return at - self.backslashes;
                }
                _ => (),
            }
            run = 0;
        }
        near.len()
    }

    /// Whether it ends there; `rest` is what follows. An apostrophe stands within a word.
    fn closes(self, rest: Option<&str>) -> bool {
        let next = rest.and_then(|it| it.chars().next());
        !matches!(self.close, '\'' | '’') || !next.is_some_and(char::is_alphanumeric)
    }
}

/// How long a value without quotes is. One of a header goes to the end of the line.
pub(super) fn bare_length(text: &str, is_header: bool) -> usize {
    let near = text.get(..floor_boundary(text, MAX_SECRET)).unwrap_or(text);
    let from = opening(near);
    let rest = near.get(from..).unwrap_or_default();
    let (mut before, mut is_open) = (' ', false);
    for (at, it) in rest.char_indices() {
        let next = || rest.get(at + 1..).and_then(|it| it.chars().next());
        let ends = match it {
            '\n' | '\r' => true,
            // `response="…"`
            '"' if is_header && (is_open || before == '=') => {
                is_open = !is_open;
                false
            }
            // Something around it ends there; a quote or a backslash in the middle of a word is a part of it.
            '"' | '\'' | '`' => !next().is_some_and(char::is_alphanumeric),
            '\\' => matches!(next(), Some('n' | 'r' | 't' | 'u' | '"' | '\'' | '`' | '\\') | None),
            ' ' | '\t' | ',' | ';' | '&' | ')' | ']' | '}' | '<' | '>' | '|' => !is_header,
            _ => false,
        };
        if ends {
            return from + at;
        }
        before = it;
    }
    near.len()
}

/// How far a bracket is looked for.
const MOST_INSIDE: usize = 128;

/// The length of what a value starts with, if it starts with a bracket, which would end it elsewhere.
fn opening(text: &str) -> usize {
    let Some((open, close)) = placeholder::brackets(text) else { return 0 };
    let near = text.get(..floor_boundary(text, MOST_INSIDE)).unwrap_or(text);
    let line = near.lines().next().unwrap_or_default();
    let inside = line.get(open.len()..).and_then(|it| it.find(close));
    // A brace around several words is no part of a value.
    let is_one = |it: &usize| open != "{" || !line.get(..*it).is_some_and(|it| it.contains(' '));
    inside.filter(is_one).map_or(open.len(), |it| open.len() + it + close.len())
}

/// Names of how one logs in, beside names that may also hold what one logs in with.
const SCHEMES: &[&str] = &[
    "basic",
    "bearer",
    "digest",
    "ntlm",
    "kerberos",
    "negotiate",
    "oauth",
    "oauth2",
    "oidc",
    "saml",
    "jwt",
    "password",
    "token",
    "enabled",
    "disabled",
    "optional",
    "required",
    "anonymous",
    "scram-sha-1",
    "scram-sha-256",
];

/// First words of what is said about a value, instead of the value.
#[rustfmt::skip]
const SAYS: &[&str] = &[
    "a", "an", "and", "any", "are", "argument", "as", "at", "bad", "be", "been", "can", "cannot",
    "can't", "denied", "did", "disabled", "does", "doesn't", "empty", "enabled", "expected",
    "expired", "failed", "flag", "for", "from", "has", "if", "in", "incorrect", "invalid", "is",
    "isn't", "it", "may", "mismatch", "missing", "must", "needed", "no", "not", "of", "on", "option",
    "optional", "or", "parameter", "please", "provided", "rejected", "required", "revoked", "should",
    "the", "this", "to", "too", "unauthorized", "undefined", "unexpected", "unknown", "unset",
    "unsupported", "value", "was", "when", "which", "will", "with", "wrong", "you", "your",
];

/// What follows a name in a sentence is a word, a version or a number if it is shorter.
const SHORTEST_SPOKEN: usize = 6;

/// Placeholders and prose stay: `token: expired` says something, and hides nothing.
pub(super) fn worth_hiding(value: &str, secrecy: Secrecy, link: Link) -> bool {
    if is_placeholder(value) || is_path(value) || is_remark(value) || is_rules(value) {
        return false;
    }
    let is_prose = || is_prose(value);
    let is_strong = secrecy == Secrecy::Strong;
    match link {
        Link::Quoted | Link::Tight => is_strong || !is_number(value) && !is_scheme(value),
        Link::Flag => !value.starts_with('-') && !is_prose() && (is_strong || !is_number(value)),
        Link::Loose if is_plain_url(value) => false,
        Link::Loose if is_strong => !is_prose(),
        Link::Loose => {
            !is_prose()
                && !is_wordlike(value)
                && !is_number(value)
                && !is_scheme(value)
                && !is_file(value)
        }
        Link::Column => is_mixed(value) && !is_moment(value) && !is_file(value),
        Link::Told => is_random(value) && !is_moment(value) && !is_file(value),
        Link::Compared => is_strong || !is_wordlike(value) && !is_number(value),
        Link::Pair => !is_prose() && !is_wordlike(value) && !is_number(value) && !is_name(value),
        Link::Spoken => value.len() >= SHORTEST_SPOKEN && !is_wordlike(value) && !is_number(value),
    }
}

/// The same of a value of which this is only the start.
pub(super) fn start_worth_hiding(start: &str, _: Secrecy, link: Link) -> bool {
    match link {
        Link::Quoted | Link::Tight => true,
        Link::Column | Link::Told => is_mixed(start),
        _ => !is_prose(start),
    }
}

pub(super) fn is_prose(value: &str) -> bool {
    let word = value.split([' ', ',', ';', ':']).next().unwrap_or_default();
    let word = word.trim_end_matches(['.', '!']);
    SAYS.iter().any(|it| it.eq_ignore_ascii_case(word))
}

/// Whether a text beside a telling name is no secret, whatever that name says.
pub(super) fn is_harmless(value: &str, secrecy: Secrecy) -> bool {
    is_placeholder(value)
        || is_path(value)
        || is_remark(value)
        || is_rules(value)
        || is_failure(value)
        || secrecy == Secrecy::Texts && is_scheme(value)
}

/// Whether a text is one name of several words, as in a list of what may stand there: `client_credentials`.
fn is_name(value: &str) -> bool {
    value.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
}

/// Whether a text could be a word or a name: it is short, and has no digit.
pub fn is_wordlike(value: &str) -> bool {
    value.len() < 16 && !value.bytes().any(|it| it.is_ascii_digit())
}

/// Whether a text is made like a credential, and no word, name or version is.
pub(super) fn is_mixed(value: &str) -> bool {
    const SHORTEST: usize = 8;
    let count = |fits: fn(&u8) -> bool| value.bytes().filter(fits).count();
    value.len() >= SHORTEST
        && count(u8::is_ascii_digit) > 0
        && count(u8::is_ascii_alphabetic) > 0
        && !value.contains(char::is_whitespace)
}

/// Whether a text is made as only machines make them: letters and digits in turn.
pub(super) fn is_random(value: &str) -> bool {
    const SHORTEST: usize = 10;
    const LEAST_TURNS: usize = 3;
    let kinds = value.bytes().filter(u8::is_ascii_alphanumeric).map(|it| it.is_ascii_digit());
    let turns = kinds.clone().zip(kinds.skip(1)).filter(|it| it.0 != it.1).count();
    value.len() >= SHORTEST && turns >= LEAST_TURNS && is_mixed(value) && !value.contains('/')
}

/// Whether a text is a date with a time.
fn is_moment(value: &str) -> bool {
    value.bytes().filter(u8::is_ascii_alphabetic).count() < 3 && value.contains('-')
}

/// Endings of files that are named in the reports of tests and compilers.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "c", "cpp", "crt", "cs", "css", "go", "h", "html", "java", "js", "json", "jsx", "key", "kt",
    "md", "mjs", "pem", "php", "py", "rb", "rs", "scala", "sh", "sql", "swift", "toml", "ts", "tsx",
    "txt", "vue", "xml", "yaml", "yml",
];

fn is_file(value: &str) -> bool {
    let fits = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'/' | b'.' | b'_' | b'-');
    let ending = value.rsplit_once('.').map_or("", |it| it.1);
    ENDINGS.contains(&ending) && value.bytes().all(fits)
}

/// Whether a text is an address that anybody may open: no query, no login, no part that is made like a credential.
fn is_plain_url(value: &str) -> bool {
    let rest = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
    rest.is_some_and(|it| !it.contains(['?', '@', '#']) && !it.split('/').any(is_mixed))
}

fn is_number(value: &str) -> bool {
    let value = value.trim_matches(['[', ']']);
    value.bytes().all(|it| it.is_ascii_digit() || matches!(it, b',' | b' ' | b'.'))
}

pub(super) fn is_scheme(value: &str) -> bool {
    SCHEMES.iter().any(|it| it.eq_ignore_ascii_case(value))
}

/// Where absolute paths start. Few secrets start with a slash, and hardly one with these.
#[rustfmt::skip]
const ROOTS: &[&str] = &[
    "Library", "Users", "app", "builds", "data", "dev", "etc", "home", "mnt", "nix", "opt",
    "private", "proc", "root", "run", "secrets", "srv", "tmp", "usr", "var", "vault", "workspace",
    "workspaces",
];

/// Whether a text is a path: where a secret is kept is none.
fn is_path(value: &str) -> bool {
    let fits = |it: char| it.is_alphanumeric() || matches!(it, '/' | '\\' | '.' | '_' | '-' | ' ');
    match value.as_bytes() {
        [b'~', b'/', ..] => value.chars().skip(1).all(fits),
        [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic() => value.chars().skip(2).all(fits),
        [b'/', ..] => {
            let mut parts = value.split('/').filter(|it| !it.is_empty());
            let is_rooted = parts.next().is_some_and(|it| ROOTS.contains(&it));
            is_rooted && parts.next().is_some() && value.chars().all(fits)
        }
        // `./certs/server.key`
        _ => value.contains('/') && is_file(value),
    }
}
