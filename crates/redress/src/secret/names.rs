//! Names that hold secrets: judged by their words, so that `author` and `max_tokens` stay.

/// What of a value a telling name hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Whatever it is.
    Strong,
    /// Texts; a number or a flag says nothing.
    Texts,
}

/// Words that always name a secret.
const STRONG: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "secretkey",
    "privatekey",
    "accesskey",
    "clientsecret",
    "authorization",
    "cookie",
    "cookies",
    "otp",
];

/// Words that name a secret when their value is a text.
const TEXTS: &[&str] = &[
    "token",
    "tokens",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "auth",
    "pass",
    "jwt",
    "bearer",
    "sig",
];

/// Words before `signature` that make it the proof of a request; alone it is that of a function.
const SIGNATURE_OF: &[&str] = &["x", "amz", "goog", "hub", "sas", "hmac", "webhook", "stripe"];

/// Words before `key` that make it a secret one.
const KEY_OF: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "encryption",
    "signing",
    "auth",
    "master",
    "account",
    "shared",
    "ssh",
    "service",
    "license",
    "client",
    "subscription",
    "storage",
    "hmac",
    "session",
    "app",
];

/// Last words that say something about a secret instead of holding it.
const ABOUT: &[&str] = &[
    "count",
    "length",
    "len",
    "size",
    "limit",
    "type",
    "name",
    "policy",
    "required",
    "expires",
    "expiry",
    "expiration",
    "expired",
    "ttl",
    "at",
    "in",
    "url",
    "uri",
    "endpoint",
    "path",
    "usage",
    "field",
    "budget",
    "valid",
    "error",
    "status",
    "format",
    "method",
    "scheme",
    "provider",
    "mode",
];

/// First words of things that are counted.
const COUNTED: &[&str] = &[
    "max",
    "min",
    "estimated",
    "input",
    "output",
    "prompt",
    "completion",
    "total",
    "num",
    "cached",
    "used",
    "reasoning",
    "remaining",
    "context",
];

/// What a name hides; `None` if nothing.
pub fn secrecy(name: &str) -> Option<Secrecy> {
    if !super::hints_at(name) {
        return None;
    }
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let last = *words.last()?;
    if words.len() > 1 && ABOUT.contains(&last) {
        return None;
    }
    let has_key =
        words.windows(2).any(|pair| matches!(pair, [of, "key" | "keys"] if KEY_OF.contains(of)));
    if has_key || words.iter().any(|it| STRONG.contains(it)) {
        return Some(Secrecy::Strong);
    }
    if words.first().is_some_and(|it| SIGNATURE_OF.contains(it)) && last == "signature" {
        return Some(Secrecy::Texts);
    }
    let is_counted = words.first().is_some_and(|it| COUNTED.contains(it));
    (TEXTS.contains(&last) && !is_counted).then_some(Secrecy::Texts)
}

/// Names of HTTP headers whose whole line is secret.
pub(super) fn is_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(&name.as_str())
}

/// The words of `snake_case`, `kebab-case`, `camelCase`, `SHOUTING_CASE` and `HTTPHeader`, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut chars = name.chars().take(super::MAX_NAME * 2).peekable();
    while let Some(it) = chars.next() {
        if it.is_alphanumeric() {
            let next_is_small = chars.peek().is_some_and(|it| it.is_lowercase());
            let starts = !before.is_alphanumeric()
                || it.is_uppercase() && (!before.is_uppercase() || next_is_small);
            if starts || words.is_empty() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(it.to_lowercase());
            }
        }
        before = it;
    }
    words
}
