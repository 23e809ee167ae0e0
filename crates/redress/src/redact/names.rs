//! Names that hold secrets: judged by their words, so that `author` and `tokenizer` stay.

use std::borrow::Cow;

use super::{behind, hints_at};

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

/// How the last words of a name and a word of the table fit.
#[derive(Debug, Clone, Copy)]
enum Fit {
    /// The last one ends with it.
    End,
    /// The last one is it.
    Whole,
    /// It is before this one.
    Before(&'static str),
}

/// Words for secrets, in the languages in which servers ask for one. The first row that fits counts.
#[rustfmt::skip]
const WORDS: &[(Strength, Fit, &[&str])] = &[
    (Strength::Password, Fit::End, &[
        "password", "passwords", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "contraseña",
        "contrasena", "senha", "wachtwoord", "lösenord", "parola", "hasło", "heslo", "пароль", "密码", "密碼",
        "パスワード", "비밀번호",
    ]),
    (Strength::Password, Fit::Whole, &["pin", "otp", "totp", "passe"]),
    (Strength::Secret, Fit::End, &[
        "secret", "secrets", "credential", "credentials", "apikey", "apikeys", "secretkey", "privatekey", "accesskey",
    ]),
    (Strength::Secret, Fit::Whole, &["cred", "creds", "authorization", "cookie"]),
    (Strength::Secret, Fit::Before("key"), &[
        "api", "access", "private", "secret", "encryption", "signing", "auth", "master", "account", "shared", "ssh",
        "service", "license", "client", "subscription", "storage", "hmac", "session", "app", "tls", "ssl",
    ]),
    // The proof of a request.
    (Strength::Token, Fit::Before("signature"), &["amz", "goog", "hub", "sas", "hmac", "webhook", "stripe"]),
    (Strength::Mention, Fit::Whole, &["signature"]),
    (Strength::Token, Fit::End, &["token"]),
    (Strength::Token, Fit::Whole, &[
        "tokens", "auth", "jwt", "bearer", "sig", "cookies", "pw", "pass", "dbpass", "sshpass", "userpass", "smtppass",
        "ftppass", "mypass", "rootpass", "sessionid", "jsessionid", "sessid", "phpsessid",
    ]),
];

/// Each telling name holds one of these, and none of these another.
pub(super) fn hints() -> Vec<&'static str> {
    let rows = WORDS.iter().filter(|it| !matches!(it.1, Fit::Before(_)));
    let all: Vec<&str> = rows.flat_map(|it| it.2).copied().chain(["key", "_pat"]).collect();
    let is_least = |it: &&str| !all.iter().any(|part| part != it && it.contains(part));
    all.iter().copied().filter(is_least).collect()
}

/// The longest name that is looked at; of a longer one, its end.
const MOST_BYTES: usize = 128;

/// What a name holds; `None` if it has nothing to do with secrets.
pub fn strength(name: &str) -> Option<Strength> {
    hints_at(name).then_some(())?;
    let name = behind(name, name.len(), MOST_BYTES);
    // The folder of a shell.
    if matches!(name, "PWD" | "OLDPWD") {
        return Some(Strength::Mention);
    }
    let words = words(name);
    let words = words.split(' ').map(|it| it.trim_end_matches(|it: char| it.is_ascii_digit()));
    let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
    let is_variable = words.len() > 1 && !name.bytes().any(|it| it.is_ascii_lowercase());
    let is_any_key = || is_variable && matches!(words.last(), Some(&("key" | "keys")));
    let mentions = || (1..words.len()).any(|it| of_last(words.get(..it)).is_some());
    let mention = || (is_any_key() || mentions()).then_some(Strength::Mention);
    of_last(Some(&words)).or_else(mention)
}

/// Whether a name is that of a secret.
pub fn is_secret_name(name: &str) -> bool {
    strength(name) > Some(Strength::Mention)
}

/// What a name holds by its last words.
fn of_last(words: Option<&[&str]>) -> Option<Strength> {
    let (last, before) = words?.split_last()?;
    let before = before.last().copied();
    let one = last.strip_suffix('s').unwrap_or(last);
    let row = WORDS.iter().find(|(_, fit, words)| match fit {
        Fit::End => {
            words.iter().any(|it| it.bytes().last() == last.bytes().last() && last.ends_with(it))
        }
        Fit::Whole => words.contains(last),
        Fit::Before(word) => one == *word && before.is_some_and(|it| words.contains(&it)),
    });
    let is_token = || *last == "pat" && before.is_some();
    row.map(|it| it.0).or_else(|| is_token().then_some(Strength::Token))
}

/// Whether a name is that of an HTTP header whose whole line is secret.
pub(super) fn is_header(name: &str) -> bool {
    const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
    HEADERS.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// The words of `snake_case`, `kebab-case`, `camelCase`, `SHOUTING_CASE` and `HTTPHeader`, in small letters, with spaces between.
fn words(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|it| it.is_ascii_lowercase()) {
        return name.into();
    }
    let (mut words, mut before) = (String::with_capacity(2 * name.len()), ' ');
    let mut chars = name.chars().peekable();
    while let Some(it) = chars.next() {
        let next_is_small = chars.peek().is_some_and(|it| it.is_lowercase());
        let is_new = it.is_uppercase() && (!before.is_uppercase() || next_is_small);
        words.extend((is_new || !it.is_alphanumeric()).then_some(' '));
        match it {
            _ if it.is_ascii_alphanumeric() => words.push(it.to_ascii_lowercase()),
            _ if it.is_alphanumeric() => words.extend(it.to_lowercase()),
            _ => (),
        }
        before = it;
    }
    words.into()
}
