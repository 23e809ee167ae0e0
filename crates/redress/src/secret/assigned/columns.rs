//! Values of columns: `(name, password) VALUES ('bob', '…')`, `Key (token)=(…)`.

use std::ops::Range;

use super::super::floor_boundary;

/// How much is looked at on either side of a name.
const MOST: usize = 256;

/// What joins the names of columns and their values.
const JOINTS: [&str; 4] = [KEY, " VALUES (", " values (", " VALUES("];
const KEY: &str = "=(";

/// The value at the place in its list that the name has among the columns.
pub(super) fn value(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(name.end..).filter(|it| it.starts_with([')', ',', ' ', '"', '`']))?;
    let near = rest.get(..floor_boundary(rest, MOST))?;
    let names = near.find(')').filter(|it| near.get(..*it).is_some_and(is_list))?;
    let joint = near.get(names + 1..)?;
    let (sign, values) = JOINTS.iter().find_map(|it| Some((*it, joint.strip_prefix(it)?)))?;
    let start = floor_boundary(text, name.start.saturating_sub(MOST));
    let before = text.get(start..name.start)?;
    let columns = before.get(before.rfind('(')? + 1..).filter(|it| is_list(it))?;
    let at = columns.matches(',').count();
    let value = elements(values).nth(at)?;
    // What is inserted without quotes is computed.
    let is_literal = values.get(..value.start).is_some_and(|it| it.ends_with(['\'', '"']));
    (is_literal || sign == KEY).then_some(())?;
    let from = name.end + near.len() - values.len();
    Some(from + value.start..from + value.end)
}

fn is_list(text: &str) -> bool {
    let fits = |it: char| it.is_alphanumeric() || matches!(it, '_' | ',' | ' ' | '"' | '`' | '.');
    text.chars().all(fits)
}

/// Where the elements of a list of values stand, without their quotes.
fn elements(values: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut quote, mut start, mut is_over) = (None, 0, false);
    let ends = values.char_indices().filter_map(move |(at, it)| {
        match (quote, it) {
            _ if is_over => return None,
            (Some(open), it) if it == open => quote = None,
            (None, '\'' | '"') => quote = Some(it),
            (None, ',' | ')') => {
                is_over = it == ')';
                let element = start..at;
                start = at + 1;
                return Some(element);
            }
            _ => (),
        }
        None
    });
    ends.map(move |it| {
        let is_edge = |it: char| matches!(it, ' ' | '\'' | '"');
        let element = values.get(it.clone()).unwrap_or_default();
        let bare = element.trim_start_matches(is_edge);
        let from = it.start + element.len() - bare.len();
        from..from + bare.trim_end_matches(is_edge).len()
    })
}
