//! Whether a value is worth hiding: how surely its name is that of a secret, how surely it is the value of that name, and how random it is.
//! In doubt it is hidden.

use super::{
    names::{Strength, strength},
    near,
};

/// How surely a text is the value of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// It is assigned: `name=value`, `"name": "value"`, `<name>value</name>`.
    Assigned,
    /// It is alone behind a colon or an option: `name: value`, `--name value`.
    Loose,
    /// It is in a list behind the name, or is compared with it.
    Beside,
    /// It follows the name in a sentence.
    Spoken,
}

/// How random a value is, by its length, its alphabet and how often letters and digits take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// It represents a value.
    Placeholder,
    /// A short number.
    Small,
    Number,
    /// It could be a word, a name, or several of them.
    Word,
    /// It has a digit or a sign in it, or is too long for a word.
    Odd,
    /// It has letters and digits, and a certain length.
    Mixed,
    /// Only a machine writes so.
    Random,
    /// No value reaches it.
    Never,
}

/// The least level that is hidden, by the link and the name: a mention, a token, a secret, a password.
const fn least(strength: Strength, link: Link) -> Level {
    let [mention, token, secret, password] = match link {
        Link::Assigned => [Level::Odd, Level::Word, Level::Small, Level::Small],
        Link::Loose => [Level::Random, Level::Odd, Level::Number, Level::Number],
        Link::Beside => [Level::Random, Level::Odd, Level::Odd, Level::Odd],
        Link::Spoken => [Level::Never, Level::Random, Level::Random, Level::Odd],
    };
    match strength {
        Strength::Mention => mention,
        Strength::Token => token,
        Strength::Secret => secret,
        Strength::Password => password,
    }
}

/// Whether a value of such a name is hidden.
pub(super) fn is_worth_hiding(value: &str, strength: Strength, link: Link) -> bool {
    level(value, strength, link) >= least(strength, link)
}

/// Whether a variable or a member of that name holds a secret: the name says so, and the value is not only the place of one, or a word for none.
pub fn holds_secret(name: &str, value: &str) -> bool {
    strength(name).is_some_and(|it| is_worth_hiding(value.trim(), it, Link::Assigned))
}

/// Whether a text could be a word or a name: it is short, and has no digit.
pub fn is_wordlike(value: &str) -> bool {
    value.len() < LONG && !value.bytes().any(|it| it.is_ascii_digit())
}

/// No word is longer.
const LONG: usize = 16;

/// How random a value is in its place.
fn level(value: &str, strength: Strength, link: Link) -> Level {
    let is_elsewhere = || link != Link::Assigned && is_plain_url(value);
    let is_said = || is_said(value, strength, link);
    if is_placeholder(value) || is_said() || is_path(value) || is_elsewhere() {
        return Level::Placeholder;
    }
    match form(value) {
        Level::Small | Level::Number if strength < Strength::Secret => Level::Placeholder,
        form => form,
    }
}

/// How random a value is by its form.
fn form(value: &str) -> Level {
    const SHORT: usize = 6;
    const SHORT_MIXED: usize = 8;
    const SHORT_RANDOM: usize = 10;
    // Base64 has slashes as paths do.
    const LONG_BASE64: usize = 30;
    let count = |fits: fn(&u8) -> bool| value.bytes().filter(fits).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    if digits + count(|it| b",. []".contains(it)) == value.len() {
        return if digits < 4 { Level::Small } else { Level::Number };
    }
    if value.contains(char::is_whitespace) {
        return Level::Word;
    }
    let kinds = value.bytes().filter(u8::is_ascii_alphanumeric).map(|it| it.is_ascii_digit());
    let turns = kinds.clone().zip(kinds.skip(1)).filter(|it| it.0 != it.1).count();
    let capitals = count(u8::is_ascii_uppercase);
    let is_of_three = (1..letters).contains(&capitals) && digits + letters == value.len();
    let is_path = || value.len() < LONG_BASE64 || turns <= 3 || value.contains(['.', ':']);
    let is_random = || {
        value.len() >= SHORT_RANDOM
            && (turns > 2 || turns > 1 && is_of_three)
            && !value.contains(['(', '[', '{'])
            && !(value.contains('/') && is_path())
    };
    let runs = || value.split(|it: char| !it.is_alphanumeric());
    let is_odd = || {
        value.len() >= LONG && self::capitals(value) > 1
            || runs().any(|it| it.len() >= LONG)
            || value.contains(|it| "!#$%&*+=^~@".contains(it))
    };
    let is_plain = digits > 0 && is_plain(value);
    match () {
        () if is_plain || digits == 0 || letters == 0 || value.len() < SHORT_MIXED => {
            let has_digit = value.len() >= SHORT && digits > 0 && !is_plain;
            let is_odd = has_digit || is_odd() && !is_plain_url(value);
            if is_odd { Level::Odd } else { Level::Word }
        }
        () if is_random() => Level::Random,
        () => Level::Mixed,
    }
}

/// How often a capital follows a small letter.
fn capitals(value: &str) -> usize {
    let pairs = value.bytes().zip(value.bytes().skip(1));
    pairs.filter(|it| it.0.is_ascii_lowercase() && it.1.is_ascii_uppercase()).count()
}

/// Whether a text has letters and digits, is long enough for a secret, and no date, file or address.
pub(super) fn is_mixed(value: &str) -> bool {
    form(value) >= Level::Mixed
}

/// Whether only a machine writes so: letters and digits take turns, or both cases and digits stand together.
pub(super) fn is_random(value: &str) -> bool {
    form(value) >= Level::Random
}

/// Whether a text is a date with a time, the name of a file, or an address.
fn is_plain(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    letters < 3 && value.contains('-') && value.contains(':')
        || is_file(value)
        || is_plain_url(value)
}

/// Whether a text is the name of a file.
fn is_file(value: &str) -> bool {
    let (stem, ending) = value.rsplit_once('.').unwrap_or_default();
    let is_ending =
        (1..=5).contains(&ending.len()) && ending.bytes().all(|it| it.is_ascii_lowercase());
    is_ending && stem.split(['/', '.', '_', '-']).all(is_plain_word)
}

/// Whether a text is a word or a name such as `GitHub`, a short number, or a version.
pub(super) fn is_plain_word(word: &str) -> bool {
    const LONGEST_NUMBER: usize = 4;
    const MOST_TURNS: usize = 2;
    let start = word.trim_end_matches(|it: char| it.is_ascii_digit());
    let is_name = start.bytes().all(|it| it.is_ascii_alphabetic()) && is_wordlike(start);
    is_name && word.len() - start.len() <= LONGEST_NUMBER && capitals(start) <= MOST_TURNS
}

/// Whether a text is an address that anybody may open: no query, no login, no part that is made like a secret.
fn is_plain_url(value: &str) -> bool {
    let rest = value.split_once("://").filter(|it| it.0.starts_with("http")).map(|it| it.1);
    rest.is_some_and(|it| !it.contains(['?', '@', '#']) && !it.split('/').any(is_random))
}

/// Whether a text is a path: where a secret is kept is none.
fn is_path(value: &str) -> bool {
    let parts = || value.split(['/', '\\']).filter(|it| !it.is_empty());
    let is_drive =
        matches!(value.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
    let is_absolute = value.starts_with(['/', '~']) && parts().count() > 1 || is_drive;
    let is_plain = |it: &str| it.split(['.', '_', '-', ' ', ':', '~']).all(is_plain_word);
    is_absolute && parts().all(is_plain)
        || value.contains('/') && !value.contains(':') && is_file(value)
}

/// What is in the place of a value: words for none, and types and words of programs.
#[rustfmt::skip]
const NONE: &[&str] = &[
    "null", "none", "nil", "undefined", "true", "false", "yes", "no", "?", "%s", "%d", "%v", "%q", "%r", "%u",
    "%i", "%w", "redacted", "[redacted]", "hidden", "filtered", "masked", "omitted", "sensitive", "unset",
    "any", "array", "await", "bool", "boolean", "bytes", "char", "cow", "dict", "function", "int", "integer",
    "list", "map", "new", "number", "object", "option", "optional", "promise", "record", "secretbox", "secretstr",
    "secretstring", "str", "string", "text", "u8", "u16", "u32", "u64", "uuid", "varchar", "vec",
];

/// The same where a token is asked for: how one logs in.
#[rustfmt::skip]
const LOGINS: &[&str] = &[
    "apikey", "basic", "bearer", "digest", "ntlm", "kerberos", "key", "negotiate", "oauth", "oauth2", "oidc", "saml",
    "jwt", "password", "token", "anonymous", "enabled", "disabled", "optional", "required",
];

/// The same where the value may as well be what is said of it: what is wrong with it.
#[rustfmt::skip]
const STATES: &[&str] = &[
    "absent", "denied", "disabled", "empty", "enabled", "expired", "failed", "incorrect", "invalid", "mismatch",
    "missing", "not", "rejected", "required", "revoked", "unauthorized", "unknown", "wrong",
];

/// How a validator begins what it says.
#[rustfmt::skip]
const REMARKS: &[&str] = &[
    "can't", "cannot", "does", "doesn't", "expected", "field", "has", "invalid", "is", "isn't", "may", "must",
    "needs", "not", "path", "should", "this", "was",
];

fn is_listed(word: &str, list: &[&str]) -> bool {
    list.iter().any(|it| it.eq_ignore_ascii_case(word))
}

type Form = (&'static str, &'static str, fn(&str) -> bool);

/// How placeholders start and end, and what may be between.
#[rustfmt::skip]
const FORMS: &[Form] = &[
    ("${", "}", |_| true), ("$(", ")", |_| true), ("$env:", "", |_| true), ("{{", "}}", |_| true),
    ("{%", "%}", |_| true), ("<%", "%>", |_| true), ("%{", "}", |_| true), ("#{", "}", |_| true),
    ("%(", ")s", |_| true), ("<", ">", is_text), ("[", "]", is_name), ("(", ")", is_name), ("{", "}", is_name),
    ("$", "", is_parameter), (":", "", is_parameter), ("@", "", is_parameter), ("$", "", is_variable),
    ("%", "%", is_variable),
];

fn is_text(text: &str) -> bool {
    text.chars().all(|it| it.is_alphabetic() || matches!(it, ' ' | '_' | '-' | '.'))
}

fn is_variable(text: &str) -> bool {
    let fits = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    !text.is_empty() && text.bytes().all(fits)
}

/// Whether a text names a secret or a position.
fn is_parameter(text: &str) -> bool {
    let joins = |it: u8| it.is_ascii_alphabetic() || b"_.-".contains(&it);
    text.len() <= 2 && text.bytes().all(|it| it.is_ascii_digit())
        || text.bytes().all(joins) && strength(text).is_some()
}

/// The same in brackets, where it may also be a format or say that there is no value.
fn is_name(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    matches!(text, ":?" | ":#?" | ":s" | "..." | "…")
        || is_parameter(text)
        || is_listed(first, NONE)
        || first == "known"
}

/// How far the end of a placeholder is looked for.
const LONGEST_PLACEHOLDER: usize = 128;

/// The length of the brackets, and of what is in them, that a value starts with. They would end it elsewhere.
pub(super) fn opening(text: &str) -> usize {
    let line = near(text, 0, LONGEST_PLACEHOLDER).lines().next().unwrap_or_default();
    let mut forms = FORMS.iter().filter(|it| it.0 != "%" && !it.1.is_empty());
    let Some((open, close, _)) = forms.find(|it| text.starts_with(it.0)) else { return 0 };
    let inside = line.get(open.len()..).and_then(|it| it.find(close));
    // A brace around several words is no part of a value.
    let is_one = |it: &usize| *open != "{" || !line.get(..*it).is_some_and(|it| it.contains(' '));
    inside.filter(is_one).map_or(open.len(), |it| open.len() + it + close.len())
}

/// Whether a value only represents another, or for none, or is a sign of a language.
pub(super) fn is_placeholder(value: &str) -> bool {
    let is_mask =
        |it: char| matches!(it, '*' | '.' | 'x' | 'X' | '-' | '_' | '•' | '●' | '…' | '#');
    let is_sign = || value.len() <= 3 && value.bytes().all(|it| it.is_ascii_punctuation());
    let is_long = value.len() > 2 || !value.contains(['x', 'X']);
    let is_form = |(open, close, fits): &Form| {
        let within = value.strip_prefix(open).and_then(|it| it.strip_suffix(close));
        within.is_some_and(|it| (close.is_empty() || !it.contains(close)) && fits(it))
    };
    is_long && value.chars().all(is_mask)
        || is_sign()
        || is_listed(value, NONE)
        || is_type(value)
        || value.len() <= LONGEST_PLACEHOLDER && FORMS.iter().any(is_form)
}

/// `string`, `VARCHAR(255`, `Optional[str`, `[u8; 32]`, `z.string()`
fn is_type(value: &str) -> bool {
    let bare = value.trim_start_matches(['&', '*', '[']);
    let length =
        bare.bytes().take_while(|it| it.is_ascii_alphanumeric() || b".:".contains(it)).count();
    let (path, after) = bare.split_at_checked(length).unwrap_or_default();
    let name = path.rsplit(['.', ':']).next().unwrap_or_default();
    let mut inside = after.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    let is_plain = |it: &str| it.bytes().all(|it| it.is_ascii_digit()) || is_plain_word(it);
    (after.is_empty() && path.len() == bare.len() || after.starts_with(['(', ';', '[', '?', '<']))
        && inside.all(is_plain)
        && (value.len() > name.len() && is_listed(name, NONE))
}

/// Whether a text tells something of the value instead of it.
fn is_said(value: &str, strength: Strength, link: Link) -> bool {
    let word = value.trim_end_matches(['.', '!', ':']);
    if !value.contains(' ') {
        return is_listed(word, LOGINS) && strength <= Strength::Token
            || is_listed(word, STATES) && link != Link::Assigned;
    }
    // What is behind a colon or in quotes may be the value.
    let is_quoting = value.contains([':', '`']) || value.contains(" '");
    let is_remark = |it: &str| {
        let first = it.trim_start().split(' ').next().unwrap_or_default();
        it.contains(' ') && is_listed(first, REMARKS)
    };
    let mut remarks = value.split('"').filter(|it| !it.trim_matches([',', ' ']).is_empty());
    !is_quoting && remarks.all(is_remark) && !has_value(value)
}

/// Whether a word of a sentence is made like a value.
pub(super) fn has_value(text: &str) -> bool {
    const SHORTEST: usize = 6;
    let has = |it: &str, fits: fn(&u8) -> bool| it.bytes().any(|it| fits(&it));
    let mut words =
        text.split_whitespace().map(|it| it.trim_matches(|it: char| it.is_ascii_punctuation()));
    words.any(|it| {
        it.len() >= SHORTEST && has(it, u8::is_ascii_digit) && has(it, u8::is_ascii_alphabetic)
    })
}
