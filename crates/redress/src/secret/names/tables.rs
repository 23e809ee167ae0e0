//! The words that names are judged by.

/// Words that always name a secret.
#[rustfmt::skip]
pub(super) const STRONG: &[&str] = &[
    "passwords", "passcode", "secrets", "credential", "credentials", "cred", "creds", "apikeys",
    "authorization", "cookie", "otp",
];

/// Ends of words that always name a secret: `PGPASSWORD`, `clientsecret`.
#[rustfmt::skip]
pub(super) const STRONG_ENDS: &[&str] = &[
    "password", "passwd", "passphrase", "pwd", "secret", "apikey", "secretkey", "privatekey",
    "accesskey",
];

/// Words that name a secret when their value is a text, besides all that end with `token` or `pass`.
#[rustfmt::skip]
pub(super) const TEXTS: &[&str] = &[
    "tokens", "auth", "jwt", "bearer", "sig", "cookies", "pw", "sessionid", "jsessionid", "sessid",
    "phpsessid",
];

/// Words that end with `pass` and are none.
#[rustfmt::skip]
pub(super) const NO_PASS: &[&str] = &[
    "bypass", "compass", "encompass", "impass", "multipass", "overpass", "surpass", "trespass",
    "underpass",
];

/// Words before `signature` that make it the proof of a request; alone it is that of a function.
pub(super) const SIGNATURE_OF: &[&str] =
    &["x", "amz", "goog", "hub", "sas", "hmac", "webhook", "stripe"];

/// Words before `key` that make it a secret one.
#[rustfmt::skip]
pub(super) const KEY_OF: &[&str] = &[
    "api", "access", "private", "secret", "encryption", "signing", "auth", "master", "account",
    "shared", "ssh", "service", "license", "client", "subscription", "storage", "hmac", "session",
    "app", "tls", "ssl",
];

/// Words before the `KEY` of a variable that make it a plain one, or the complaint about one.
#[rustfmt::skip]
pub(super) const PLAIN_KEY_OF: &[&str] = &[
    "public", "pub", "primary", "foreign", "sort", "cache", "partition", "index", "map", "registry",
    "row", "object", "group", "unique", "composite", "natural", "surrogate", "range", "routing",
    "idempotency", "lookup", "search", "dict", "json", "config", "column", "field", "bucket", "gpg",
    "pgp", "host", "hot", "arrow", "shortcut", "modifier", "any", "dedup", "message", "duplicate",
    "missing", "invalid", "unknown", "bad", "no", "wrong", "unexpected", "expected", "required",
    "reserved", "not", "empty",
];

/// Words before `token` that make it a place in a list or in a stream, from where a client goes on.
#[rustfmt::skip]
pub(super) const PLACE_TOKEN_OF: &[&str] = &[
    "page", "next", "continuation", "continue", "pagination", "paging", "cursor", "scroll", "sync", "resume",
    "resumption", "delta", "progress", "skip",
];

/// Last words that say something about a secret instead of holding it.
#[rustfmt::skip]
pub(super) const ABOUT: &[&str] = &[
    "count", "length", "len", "size", "limit", "type", "name", "policy", "required", "expires",
    "expiry", "expiration", "expired", "ttl", "at", "in", "url", "uri", "endpoint", "path", "paths",
    "usage", "field", "budget", "valid", "invalid", "missing", "error", "status", "format", "method",
    "scheme", "provider", "mode", "file", "files", "filename", "dir", "dirs", "directory", "folder",
    "socket", "sock", "domain", "helper", "store", "manager", "backend", "version", "rounds", "cost",
    "iterations", "algorithm", "strength", "age", "days", "hours", "minutes", "seconds", "ms",
    "timeout", "lifetime", "attempts", "retries", "enabled", "disabled", "region", "prefix",
    "username",
];

/// Last words that tell one secret from another.
#[rustfmt::skip]
pub(super) const QUALIFIERS: &[&str] = &[
    "ro", "rw", "read", "write", "readonly", "readwrite", "prod", "production", "dev", "development",
    "test", "testing", "stage", "staging", "live", "sandbox", "qa", "ci", "local", "main", "primary",
    "secondary", "backup", "fallback", "old", "new", "current", "previous", "default", "admin",
    "root", "personal", "global", "eu", "us", "a", "b", "v", "value", "text", "plain", "raw", "enc",
    "encrypted", "encoded", "base",
];

/// First words of things that are counted.
#[rustfmt::skip]
pub(super) const COUNTED: &[&str] = &[
    "max", "min", "estimated", "input", "output", "prompt", "completion", "total", "num", "cached",
    "used", "reasoning", "remaining", "context",
];
