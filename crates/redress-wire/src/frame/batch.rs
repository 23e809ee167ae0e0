//! `Batch`: the messages that stand in one array, each as bytes of its own.

use super::{behind_mark, peek::skip};

/// The members of an array, in order and without copies.
#[derive(Debug, Clone)]
pub struct Batch<'l> {
    rest: &'l [u8],
}

impl<'l> Batch<'l> {
    /// The members of a line that was read as JSON; what is no array has none.
    pub fn of(line: &'l [u8]) -> Self {
        Self { rest: unmarked(line).strip_prefix(b"[").unwrap_or_default() }
    }
}

impl<'l> Iterator for Batch<'l> {
    type Item = &'l [u8];

    fn next(&mut self) -> Option<&'l [u8]> {
        let (member, rest) = self.rest.split_at_checked(skip(self.rest)?)?;
        // Behind a comma, or behind the end of the array.
        self.rest = rest.get(1..).unwrap_or_default();
        Some(member.trim_ascii()).filter(|it| !it.is_empty())
    }
}

/// Whether a line that is no JSON is an array of objects; some of them may be.
pub fn is_broken_batch(line: &[u8]) -> bool {
    let inside = unmarked(line).strip_prefix(b"[");
    inside.is_some_and(|it| it.trim_ascii_start().starts_with(b"{"))
}

fn unmarked(line: &[u8]) -> &[u8] {
    behind_mark(line).unwrap_or(line).trim_ascii_start()
}

/// The messages of a line: itself, or the members of the array that it is.
pub fn messages(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_array = unmarked(line).starts_with(b"[");
    Some(line).filter(|_| !is_array).into_iter().chain(Batch::of(line))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::Batch;
    use crate::frame::limits;
    use crate::json::Doc;

    #[test]
    fn the_members_of_an_array_are_told_apart() {
        for (line, members) in [
            ("[]", &[][..]),
            (" [ ] ", &[]),
            ("{\"a\":[1,2]}", &[]),
            ("[1]", &["1"]),
            ("\u{feff}[1,2]", &["1", "2"]),
            (
                "\t[ {\"a\":\"],[\\\"\"} , [1,[2]],\"x\" ]\r",
                &["{\"a\":\"],[\\\"\"}", "[1,[2]]", "\"x\""],
            ),
        ] {
            let found: Vec<_> =
                Batch::of(line.as_bytes()).map(|it| std::str::from_utf8(it).unwrap()).collect();
            assert_eq!(found, members, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_apart(bytes in any::<Vec<u8>>()) {
            Batch::of(&bytes).count();
        }

        #[test]
        fn members_are_those_that_the_document_has(
            values in proptest::collection::vec(r#"[0-9]|"[a\[\],{}]{0,4}"|\[1,\{"a":\[\]\}\]|\{ "b" : "\\"" \}"#, 0..8),
            between in "[ \t\r\n]{0,2}",
        ) {
            let line = format!("{between}[{}]{between}", values.join(&format!("{between},{between}")));
            let doc = Doc::parse(line.as_bytes(), limits(line.len())).unwrap();
            let read: Vec<_> = doc.root().elements().map(|it| it.raw().as_bytes()).collect();
            assert_eq!(Batch::of(line.as_bytes()).collect::<Vec<_>>(), read);
        }
    }
}
