//! Names that hold secrets: judged by their words, so that `author` and `tokenizer` stay.

use super::hints_at;

/// How surely what a name is given is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// A word for a secret is a part of the name, but does not end it: `token_type`, `SECRETS_DIR`.
    Mention,
    /// The name ends with a word for a token: a number or a word in a sentence is none.
    Token,
    /// The name ends with a word for a secret.
    Secret,
    /// The name ends with a word for a password, which may be any word.
    Password,
}

/// Ends of words for passwords, in the languages in which servers ask for one.
#[rustfmt::skip]
const PASSWORDS: &[&str] = &[
    "password", "passwords", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "contraseña",
    "contrasena", "senha", "wachtwoord", "lösenord", "parola", "hasło", "heslo", "пароль", "密码", "密碼",
    "パスワード", "비밀번호",
];

/// Words for passwords that are parts of other words.
#[rustfmt::skip]
const PASSWORD_WORDS: &[&str] = &["pin", "otp", "totp", "passe"];

/// Ends of words for other secrets.
#[rustfmt::skip]
const SECRETS: &[&str] = &[
    "secret", "secrets", "credential", "credentials", "apikey", "apikeys", "secretkey", "privatekey", "accesskey",
];

/// Words for secrets that are parts of other words.
const SECRET_WORDS: &[&str] = &["cred", "creds", "authorization", "cookie"];

/// Words for tokens, besides all that end with `token`.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "tokens", "auth", "jwt", "bearer", "sig", "cookies", "pw", "pass", "dbpass", "sshpass", "userpass", "smtppass",
    "ftppass", "mypass", "rootpass", "sessionid", "jsessionid", "sessid", "phpsessid",
];

/// Words before `key` that make it a secret one.
#[rustfmt::skip]
const KEY_OF: &[&str] = &[
    "api", "access", "private", "secret", "encryption", "signing", "auth", "master", "account", "shared", "ssh",
    "service", "license", "client", "subscription", "storage", "hmac", "session", "app", "tls", "ssl",
];

/// Words before `signature` that make it the proof of a request.
const SIGNATURE_OF: &[&str] = &["amz", "goog", "hub", "sas", "hmac", "webhook", "stripe"];

/// The longest name that is looked at; of a longer one, its end.
const MOST_BYTES: usize = 128;

/// What a name holds; `None` if it has nothing to do with secrets.
pub fn strength(name: &str) -> Option<Strength> {
    if !hints_at(name) {
        return None;
    }
    let name = name.get(super::floor_boundary(name, name.len().saturating_sub(MOST_BYTES))..)?;
    // The folder of a shell.
    if matches!(name, "PWD" | "OLDPWD") {
        return Some(Strength::Mention);
    }
    let words = words(name);
    let of = |end: usize| strength_of(words.get(..end).unwrap_or_default());
    let is_variable = !name.bytes().any(|it| it.is_ascii_lowercase());
    let is_any_key = is_variable
        && words.len() > 1
        && words.last().is_some_and(|it| matches!(&**it, "key" | "keys"));
    of(words.len()).or_else(|| {
        let is_mentioned = is_any_key || (1..words.len()).any(|it| of(it).is_some());
        is_mentioned.then_some(Strength::Mention)
    })
}

/// Whether a name is that of a secret.
pub fn is_secret_name(name: &str) -> bool {
    strength(name) > Some(Strength::Mention)
}

/// What a name holds by its last words.
fn strength_of(words: &[String]) -> Option<Strength> {
    let (last, before) = words.split_last()?;
    let of = before.last().map_or("", String::as_str);
    let ends = |ends: &[&str]| ends.iter().any(|it| last.ends_with(it));
    let is_one_of = |all: &[&str]| all.contains(&&**last);
    Some(match &**last {
        _ if ends(PASSWORDS) || is_one_of(PASSWORD_WORDS) => Strength::Password,
        _ if ends(SECRETS) || is_one_of(SECRET_WORDS) => Strength::Secret,
        "key" | "keys" if KEY_OF.contains(&of) => Strength::Secret,
        "signature" if SIGNATURE_OF.contains(&of) => Strength::Token,
        "signature" => Strength::Mention,
        "pat" if !of.is_empty() => Strength::Token,
        _ if last.ends_with("token") || is_one_of(TOKENS) => Strength::Token,
        _ => return None,
    })
}

/// Whether a name is that of an HTTP header whose whole line is secret.
pub(super) fn is_header(name: &str) -> bool {
    const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
    HEADERS.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// The words of `snake_case`, `kebab-case`, `camelCase`, `SHOUTING_CASE` and `HTTPHeader`, in small letters and without the numbers at
/// their ends: `TOKEN2` is a token.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut word, mut before) = (Vec::new(), String::new(), ' ');
    let mut chars = name.chars().peekable();
    let mut push = |word: &mut String| {
        word.truncate(word.trim_end_matches(|it: char| it.is_ascii_digit()).len());
        if !word.is_empty() {
            words.push(std::mem::take(word));
        }
    };
    while let Some(it) = chars.next() {
        let next_is_small = chars.peek().is_some_and(|it| it.is_lowercase());
        let is_new = it.is_uppercase() && (!before.is_uppercase() || next_is_small);
        if !it.is_alphanumeric() || is_new {
            push(&mut word);
        }
        word.extend(it.to_lowercase().filter(|it| it.is_alphanumeric()));
        before = it;
    }
    push(&mut word);
    words
}
