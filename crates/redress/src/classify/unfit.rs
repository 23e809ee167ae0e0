//! What a server does not support: whether it is a value that was given, which could be another one.

use super::request::Argument;

/// What stands in a sentence that says so, in lower case.
const WORDS: &str = "support";
/// The longest line that is such a sentence.
const LONGEST: usize = 400;
const SHORTEST: usize = 2;

/// Whether a sentence about support names an argument, or the kind of one: its scheme, its extension.
pub(super) fn is_of(text: &str, arguments: &[Argument<'_>]) -> bool {
    let lines = text.lines().filter(|it| it.len() <= LONGEST).map(str::to_ascii_lowercase);
    lines.filter(|it| it.contains(WORDS)).any(|line| {
        let is_sign = |it: char| it.is_whitespace() || "'\"`()[]{}<>,;".contains(it);
        let words = line.split(is_sign).map(|it| it.trim_matches(['.', ':', '/', '!']));
        words
            .filter(|it| it.len() >= SHORTEST)
            .any(|word| arguments.iter().any(|it| is_kind(&it.value.to_ascii_lowercase(), word)))
    })
}

fn is_kind(value: &str, word: &str) -> bool {
    let scheme = value.split_once(':').map(|it| it.0);
    let end = value.rsplit_once('.').map(|it| it.1);
    value == word || scheme == Some(word) || end == Some(word)
}

#[cfg(test)]
mod tests {
    use super::{Argument, is_of};

    #[test]
    fn what_is_not_supported_is_told_from_the_arguments() {
        for (value, text, expected) in [
            ("ftp://a/x", "Request URL has an unsupported protocol 'ftp://'.", true),
            ("ftp://a/x", "unsupported protocol scheme \"ftp\"", true),
            ("javascript:x()", "Protocol \"javascript:\" is not supported", true),
            ("a.xyz", "Unsupported file type: .xyz", true),
            ("brainfuck", "Language brainfuck is not supported.", true),
            ("http://a/x", "Not supported on this platform", false),
            ("a.xyz", "a.xyz is broken\nThis is not supported", false),
            ("x", "x is not supported", false),
        ] {
            let argument = Argument { key: "a".into(), place: "/a".into(), value: value.into() };
            assert_eq!(is_of(text, &[argument]), expected, "{text}");
        }
    }
}
