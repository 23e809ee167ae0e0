//! Names that hold secrets: judged by their words, so that `author` and `max_tokens` stay.

mod tables;
mod words;

use tables::{
    ABOUT, COUNTED, KEY_OF, NO_PASS, PLACE_TOKEN_OF, PLAIN_KEY_OF, QUALIFIERS, SIGNATURE_OF,
    STRONG, STRONG_ENDS, TEXTS,
};
use words::{MOST_BYTES, Words};

/// What of a value a telling name hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Whatever it is.
    Strong,
    /// Texts; a number or a flag says nothing.
    Texts,
}

/// What a name hides; `None` if nothing.
pub fn secrecy(name: &str) -> Option<Secrecy> {
    if !super::hints_at(name) {
        return None;
    }
    let mut small = [0; MOST_BYTES];
    let words = Words::of(name, &mut small);
    let is_variable = !name.bytes().any(|it| it.is_ascii_lowercase());
    let judged = judge(words.all(), is_variable)?;
    // Mostly they are flags.
    let is_flag = matches!(words.all(), ["is" | "has", _, ..]);
    Some(if is_flag { Secrecy::Texts } else { judged })
}

fn judge(words: &[&str], is_variable: bool) -> Option<Secrecy> {
    let (last, before) = words.split_last()?;
    if !before.is_empty() && ABOUT.contains(last) {
        return None;
    }
    // The id of a key says which one it is; that of a secret may be half of a login.
    if matches!(words, [.., "key" | "keys", "id" | "ids"]) {
        return None;
    }
    let has_key =
        words.windows(2).any(|pair| matches!(pair, [of, "key" | "keys"] if KEY_OF.contains(of)));
    if has_key || words.iter().any(|it| is_strong(it)) {
        return Some(Secrecy::Strong);
    }
    if words.first().is_some_and(|it| SIGNATURE_OF.contains(it)) && *last == "signature" {
        return Some(Secrecy::Texts);
    }
    let is_place = matches!(words, [.., of, "token"] if PLACE_TOKEN_OF.contains(of));
    if is_place || words.first().is_some_and(|it| COUNTED.contains(it)) {
        return None;
    }
    let is_qualifier = |it: &&str| it.is_empty() || QUALIFIERS.contains(it);
    let qualifiers = words.iter().rev().take_while(|it| is_qualifier(it)).count();
    let (last, before) = words.get(..words.len() - qualifiers)?.split_last()?;
    let is_text = TEXTS.contains(last)
        || last.ends_with("token")
        || last.ends_with("pass") && !NO_PASS.contains(last)
        || *last == "pat" && !before.is_empty()
        || is_variable && is_secret_key(last, before);
    is_text.then_some(Secrecy::Texts)
}

fn is_strong(word: &str) -> bool {
    STRONG.contains(&word) || STRONG_ENDS.iter().any(|it| word.ends_with(it))
}

/// Whether a variable is the key to something, such as `OPENAI_KEY`.
fn is_secret_key(last: &str, before: &[&str]) -> bool {
    matches!(last, "key" | "keys") && before.last().is_some_and(|it| !PLAIN_KEY_OF.contains(it))
}

/// Names of HTTP headers whose whole line is secret.
pub(super) fn is_header(name: &str) -> bool {
    const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
    HEADERS.iter().any(|it| it.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests;
