//! The grammar of names: codes, namespaces, parameters.

/// The longest code, without its namespace.
pub const MAX_CODE: usize = 63;

/// Namespaces that no plugin may take. Stagewright keeps `electron` for its own tools.
pub const RESERVED_NAMESPACES: &[&str] = &["core", "electron", "mcp", "rpc", "test", "x"];

/// Whether `text` is `SCREAMING_SNAKE`: words of capitals and digits, the first starting with a letter, 3 to 63 long.
pub fn is_code(text: &str) -> bool {
    (3..=MAX_CODE).contains(&text.len()) && is_screaming_snake(text)
}

/// Whether `text` has the shape of a code, whatever its length.
pub fn is_screaming_snake(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_uppercase())
        && text.split('_').all(|word| {
            !word.is_empty()
                && word.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit())
        })
}

/// Whether `text` can be a plugin's namespace: lower case, digits, dashes, at most 32 long, not reserved.
pub fn is_namespace(text: &str) -> bool {
    text.len() <= 32 && is_kebab(text) && !RESERVED_NAMESPACES.contains(&text)
}

/// Whether `text` can name a registry: lower case, digits, dashes, at most 64 long.
pub fn is_registry(text: &str) -> bool {
    text.len() <= 64 && is_kebab(text)
}

fn is_kebab(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
}

/// Splits `namespace.CODE`; a core code has no namespace.
pub fn split(full: &str) -> (Option<&str>, &str) {
    match full.split_once('.') {
        Some((namespace, code)) => (Some(namespace), code),
        None => (None, full),
    }
}

/// Whether `full` is a code, or a code in a plugin's namespace.
pub fn is_full_code(full: &str) -> bool {
    match split(full) {
        (None, code) => is_code(code),
        (Some(namespace), code) => is_namespace(namespace) && is_code(code),
    }
}

/// Whether `text` can name a parameter.
pub fn is_param(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
}

/// A title for a code that has none: `NOTE_NOT_FOUND` is `Note not found`.
pub fn title(full: &str) -> String {
    let words = split(full).1.replace('_', " ").to_lowercase();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
