//! Mistakes that a program can correct: new text for the bytes of a file.

use crate::rule::Edit;

/// A text with all edits made; nothing if it is no longer the text that they were made for.
pub fn apply(text: &str, edits: &[&Edit]) -> Option<String> {
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|it| it.span.start);
    sorted.dedup();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in sorted {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        if text.get(start..end)? != edit.was {
            return None;
        }
        // Of two edits of the same bytes the first is made; the next run makes the other one.
        if start < at {
            continue;
        }
        out.push_str(text.get(at..start)?);
        out.push_str(&edit.text);
        at = end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::apply;
    use crate::rule::Edit;

    fn edit(start: u32, was: &str, text: &str) -> Edit {
        let end = start + u32::try_from(was.len()).unwrap();
        Edit { span: start..end, was: was.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn all_edits_are_made_or_none() {
        let (first, second) = (edit(1, "b", "BB"), edit(3, "d", ""));
        assert_eq!(apply("abcde", &[&second, &first]).as_deref(), Some("aBBce"));
        assert_eq!(apply("axcde", &[&second, &first]), None);
        assert_eq!(apply("a", &[&second]), None);
        assert_eq!(apply("abcde", &[]).as_deref(), Some("abcde"));
    }

    #[test]
    fn of_two_edits_of_the_same_bytes_one_is_made() {
        let (first, second) = (edit(1, "bc", "X"), edit(2, "cd", "Y"));
        assert_eq!(apply("abcde", &[&first, &second]).as_deref(), Some("aXde"));
    }
}
