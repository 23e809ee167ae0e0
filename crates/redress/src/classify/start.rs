//! How a message starts: a few words, `*ing` for any word with that end, `…` for anything up to the next words, `… ¶` up to the end of
//! the line.

use super::{normal::normal, phrase::is_word};

/// How far `…` reaches.
const GAP: usize = 120;
/// How far it reaches at the very start: a name, not a sentence.
const FIRST_GAP: usize = 24;
/// How far it reaches to the end of a line: a command that was run, with its arguments.
const LINE_GAP: usize = 600;
/// Stands for the end of a line.
const LINE_END: &str = "¶";

/// The start of a message, as a rule writes it.
#[derive(Debug)]
pub(crate) struct Start(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    /// These words, with a word boundary after them.
    Words(String),
    /// Any word that ends so.
    Ending(String),
    /// Anything on the same line, up to so many bytes, and these signs or words.
    Through(String, usize),
}

impl Start {
    pub(crate) fn read(written: &str) -> Self {
        let mut pieces = Vec::new();
        for (at, part) in written.split('…').enumerate() {
            let mut gap = at > 0;
            let mut words = Vec::new();
            for word in part.split_whitespace() {
                match word.strip_prefix('*') {
                    Some(ending) if !ending.is_empty() => {
                        flush(&mut pieces, &mut words, &mut gap);
                        pieces.push(Piece::Ending(ending.to_owned()));
                    }
                    _ => words.push(word),
                }
            }
            flush(&mut pieces, &mut words, &mut gap);
        }
        Self(pieces)
    }

    /// How much of the text it covers, if the text starts so.
    pub(crate) fn length(&self, text: &str) -> Option<usize> {
        self.0.iter().try_fold(0, |at, piece| {
            let rest = text.get(at..)?;
            let from = at + rest.len() - rest.trim_start_matches(' ').len();
            Some(from + piece.length(text.get(from..)?)?)
        })
    }
}

impl Piece {
    fn length(&self, text: &str) -> Option<usize> {
        match self {
            Self::Words(words) => {
                let rest = text.strip_prefix(words.as_str())?;
                let ends_word = words.bytes().next_back().is_some_and(is_word);
                (!ends_word || !rest.bytes().next().is_some_and(is_word)).then_some(words.len())
            }
            Self::Ending(ending) => {
                let word = text.split(|it: char| !it.is_ascii_alphanumeric()).next()?;
                (word.len() > ending.len() && word.ends_with(ending.as_str())).then_some(word.len())
            }
            Self::Through(words, gap) => {
                // A colon inside an address or a time ends nothing.
                let ends = |at: &usize| {
                    !words.ends_with(':')
                        || text.as_bytes().get(at + words.len()).is_none_or(u8::is_ascii_whitespace)
                };
                let at = text
                    .match_indices(words.as_str())
                    .map(|(at, _)| at)
                    .take_while(|at| at <= gap)
                    .find(ends)?;
                (!text.get(..at)?.contains('\n')).then_some(at + words.len())
            }
        }
    }
}

fn flush(pieces: &mut Vec<Piece>, words: &mut Vec<&str>, gap: &mut bool) {
    if words.is_empty() {
        return;
    }
    let is_line_end = words.as_slice() == [LINE_END];
    let text = if is_line_end { "\n".to_owned() } else { normal(&words.join(" ")) };
    words.clear();
    let after_gap = std::mem::take(gap);
    let gap = match pieces.is_empty() {
        _ if is_line_end => LINE_GAP,
        true => FIRST_GAP,
        false => GAP,
    };
    pieces.push(if after_gap { Piece::Through(text, gap) } else { Piece::Words(text) });
}

#[cfg(test)]
mod tests {
    use super::Start;

    #[test]
    fn a_start_covers_words_endings_and_gaps() {
        let length = |written: &str, text: &str| Start::read(written).length(text);
        assert_eq!(length("error *ing … :", "error getting key a: boom"), Some(20));
        assert_eq!(length("error *ing … :", "error boundaries: a"), None);
        assert_eq!(length("error", "errors happen"), None);
        assert_eq!(length("error:", "error: x"), Some(6));
        assert_eq!(length("invalid", "invalid"), Some(7));
        assert_eq!(length("command failed: … ¶", "command failed: ls -l x: y\nls: no x"), Some(27));
        assert_eq!(length("command failed: … ¶", "command failed: boom"), None);
    }
}
