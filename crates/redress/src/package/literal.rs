//! Texts as literals of other languages. Whatever a registry says, it cannot end its literal.

use std::fmt::Write as _;

use serde_json::Value;

/// A text as a literal in double quotes, which means the same in JSON, TypeScript and Python.
///
/// What a reader of the code could not see is escaped. Beyond U+FFFF the languages escape differently, so that stays.
pub(super) fn text(text: &str) -> String {
    seen(&Value::from(text).to_string())
}

/// JSON with every character escaped that a reader could not see.
pub(super) fn seen(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for it in json.chars() {
        if is_hidden(it) {
            _ = write!(out, "\\u{:04x}", u32::from(it));
        } else {
            out.push(it);
        }
    }
    out
}

/// Characters up to U+FFFF that are not seen, or that some readers take for the end of a line.
fn is_hidden(it: char) -> bool {
    matches!(it,
        '\u{7f}'..='\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}')
}
