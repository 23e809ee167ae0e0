//! One spelling for every text: lower case, words apart, so that `NotFoundError`, `not_found` and `Not Found` are one phrase.

/// The longest text that is looked at; what is after it is not needed to name a failure.
const MOST: usize = 8 << 10;

/// The text in our spelling: ASCII lower case, one space between words, `_` `-` and a change of case part words,
/// lines stay apart, typographic quotes are plain.
pub(crate) fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MOST) + 16);
    push_normal(&mut out, text);
    out
}

/// Appends the text in our spelling.
pub(crate) fn push_normal(out: &mut String, text: &str) {
    let mut before = ' ';
    let mut chars = text.chars().take(MOST).peekable();
    while let Some(it) = chars.next() {
        match it {
            '\n' => {
                trim_space(out);
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
            }
            '_' | '-' => space(out),
            '\u{2018}' | '\u{2019}' | '`' => out.push('\''),
            '\u{201c}' | '\u{201d}' => out.push('"'),
            _ if it.is_whitespace() || it.is_control() => space(out),
            'A'..='Z' => {
                let next_is_lower = chars.peek().is_some_and(char::is_ascii_lowercase);
                if before.is_ascii_lowercase() || before.is_ascii_uppercase() && next_is_lower {
                    space(out);
                }
                out.push(it.to_ascii_lowercase());
            }
            _ => out.push(it),
        }
        before = it;
    }
    trim_space(out);
}

fn space(out: &mut String) {
    if !out.is_empty() && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
}

fn trim_space(out: &mut String) {
    if out.ends_with(' ') {
        out.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn one_phrase_has_one_spelling() {
        for text in ["NotFoundError", "not_found_error", "Not Found  Error", "not-found-error"] {
            assert_eq!(normal(text), "not found error");
        }
        assert_eq!(
            normal("HTTPSConnectionPool ECONNREFUSED"),
            "https connection pool econnrefused"
        );
        assert_eq!(normal("a \n\n\t b\u{2019}s"), "a\nb's");
    }
}
