//! Characters that a reader of a text does not see.

use std::borrow::Cow;

/// Bytes without NULs, other control characters and invisible characters; white space stays.
pub fn without_unseen(bytes: &[u8]) -> Cow<'_, [u8]> {
    let hides = |text: &str| text.chars().any(is_unseen);
    if !bytes.utf8_chunks().any(|it| hides(it.valid())) {
        return Cow::Borrowed(bytes);
    }
    let mut seen = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let chars = chunk.valid().chars().filter(|it| !is_unseen(*it));
        seen.extend_from_slice(chars.collect::<String>().as_bytes());
        seen.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(seen)
}

/// Whether a character is unseen: it is a control character or invisible, and no white space.
pub fn is_unseen(it: char) -> bool {
    if it.is_ascii() {
        return it.is_ascii_control() && !it.is_whitespace();
    }
    !it.is_whitespace() && (it.is_control() || is_invisible(it))
}

/// Characters that change how text reads without being seen: bidi controls, zero widths, fillers, tags, variation selectors. They are
/// those that Unicode calls ignorable by default, and the marks of annotations.
pub const fn is_invisible(it: char) -> bool {
    matches!(it,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::without_unseen;

    #[test]
    fn bytes_that_nobody_sees_are_taken_out() {
        assert_eq!(&*without_unseen("\0{\u{200b}\u{7}}\n\t \u{1b}".as_bytes()), b"{}\n\t ");
        assert_eq!(&*without_unseen(b"\xff\0\xfe"), b"\xff\xfe");
        assert!(matches!(without_unseen(b"{}\r\n"), std::borrow::Cow::Borrowed(_)));
    }
}
