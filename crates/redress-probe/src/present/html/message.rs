//! A message as it was sent or received, on lines of its own: only white space between its tokens is added.

use super::markup::Markup;

/// Levels that get lines of their own; deeper ones stay on one line, so that no message becomes a mountain.
const MOST_LEVELS: usize = 8;

/// Writes a message, names of members apart from values. What is no JSON is written as it is.
pub(super) fn write(markup: &mut Markup, text: &str) {
    let mut rest = text;
    let mut level = 0_usize;
    if !text.starts_with(['{', '[']) {
        return markup.text(text);
    }
    while let Some(first) = rest.chars().next() {
        let token = token(rest);
        let after = rest.get(token.len()..).unwrap_or_default();
        match first {
            '{' | '[' if after.starts_with(['}', ']']) => markup.text(token),
            '{' | '[' => {
                level += 1;
                markup.text(token);
                new_line(markup, level);
            }
            '}' | ']' => {
                if !rest_before(text, rest).ends_with(['{', '[']) {
                    new_line(markup, level.saturating_sub(1));
                    level = level.saturating_sub(1);
                }
                markup.text(token);
            }
            ',' => {
                markup.text(token);
                new_line(markup, level);
            }
            ':' => markup.text(": "),
            '"' if after.starts_with(':') => markup.leaf("i", &[], token),
            _ => markup.text(token),
        }
        rest = after;
    }
}

fn rest_before<'a>(text: &'a str, rest: &str) -> &'a str {
    text.get(..text.len() - rest.len()).unwrap_or_default()
}

fn new_line(markup: &mut Markup, level: usize) {
    if level <= MOST_LEVELS {
        markup.text("\n");
        for _ in 0..level {
            markup.text("  ");
        }
    }
}

/// The next token: a whole string, one mark, or everything up to the next of both.
fn token(text: &str) -> &str {
    let is_mark = |it: char| "{}[],:\"".contains(it);
    let end = match text.chars().next() {
        Some('"') => string_end(text),
        Some(it) if is_mark(it) => it.len_utf8(),
        _ => text.find(is_mark).unwrap_or(text.len()),
    };
    text.get(..end).unwrap_or(text)
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        match it {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => (),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{Markup, write};

    fn written(text: &str) -> String {
        let mut markup = Markup::default();
        write(&mut markup, text);
        markup.finish().replace("<i>", "").replace("</i>", "").replace("&quot;", "\"")
    }

    #[test]
    fn only_white_space_is_added() {
        let text = r#"{"id":1e2,"a":[],"o":{},"s":"a\"{,","n":[1,{"x":null}]}"#;
        let shown = written(text);
        assert_eq!(shown.split_whitespace().collect::<String>(), text);
        assert!(shown.contains("\n  \"n\": [\n    1,\n    {\n      \"x\": null\n    }\n  ]\n}"));
    }

    #[test]
    fn what_is_cut_or_no_json_is_shown_as_it_is() {
        assert_eq!(written("Traceback: {oops"), "Traceback: {oops");
        assert_eq!(written("{\"a\":\"cut off"), "{\n  \"a\": \"cut off");
        assert_eq!(written(""), "");
    }

    #[test]
    fn deep_nesting_does_not_grow_the_text() {
        let deep = "[".repeat(2_000);
        assert!(written(&deep).len() < 2_000 + 200);
    }
}
