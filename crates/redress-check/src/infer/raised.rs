//! Codes for errors that leave tools without one: a name and a message from the text that they are raised with.

use redress_registry::{Class, name::is_code};

use crate::{error_flow::Handling, exposure::Exposure, resolve::Index, sources::Sources};

/// An error without a code that leaves a tool.
#[derive(Debug, Clone)]
pub(super) struct Raised {
    pub(super) file: usize,
    pub(super) at: u32,
    pub(super) place: String,
    /// Its type.
    pub(super) kind: String,
    pub(super) code: String,
    /// Its text as a template.
    pub(super) message: String,
    pub(super) params: Vec<String>,
    pub(super) class: Class,
}

/// The errors of all tools whose text says something.
pub(super) fn find<'w>(sources: &'w Sources, index: &Index<'w>) -> Vec<Raised> {
    let exposure = Exposure::new(sources, index);
    let mut list = Vec::new();
    for (file, source) in sources.files.iter().enumerate().filter(|it| exposure.is_judged(it.0)) {
        let error_flow = &source.facts.error_flow;
        let sites = error_flow.sites.iter().filter_map(|site| match &site.what {
            Handling::Raise { kind } => Some((site, &**kind)),
            _ => None,
        });
        let mut sites = sites
            .filter(|(site, kind)| {
                error_flow.lets_out(site.within.function)
                    && exposure.through((file, error_flow), site, kind).is_some()
            })
            .peekable();
        let Some(text) = sites.peek().and_then(|_| source.text()) else { continue };
        for (site, kind) in sites {
            let raised = text.get(site.span.start as usize..site.span.end as usize);
            let Some((message, params)) = raised.and_then(template) else { continue };
            let Some(code) = code(&message) else { continue };
            let place = source.path.to_string_lossy().replace(char::is_control, " ");
            let class = class(kind);
            let kind = kind.to_owned();
            list.push(Raised {
                file,
                at: site.span.start,
                place,
                kind,
                code,
                message,
                params,
                class,
            });
        }
    }
    list
}

/// The first literal of a statement as a template, and the names in its braces.
fn template(statement: &str) -> Option<(String, Vec<String>)> {
    const LONGEST: usize = 180;
    let start = statement.find(['"', '\'', '`'])?;
    let (before, quoted) = statement.split_at_checked(start)?;
    let quote = quoted.chars().next()?;
    let inner = quoted.get(1..)?.split(quote).next().filter(|it| it.len() <= LONGEST)?;
    if inner.contains(['\\', '\n', '"']) {
        return None;
    }
    // Braces are holes in these, and letters elsewhere.
    let has_holes = quote == '`' || before.ends_with(['f', 'F']) || before.contains('!');
    let (mut text, mut params, mut rest) = (String::new(), Vec::new(), inner);
    while let Some((head, tail)) = rest.split_once('{').filter(|_| has_holes) {
        let (hole, after) = tail.split_once('}')?;
        let name = param(hole);
        text.push_str(head.strip_suffix('$').unwrap_or(head));
        text.extend(["{", &name, "}"]);
        if !params.contains(&name) {
            params.push(name);
        }
        rest = after;
    }
    text.push_str(rest);
    if !has_holes {
        text = text.replace('{', "{{").replace('}', "}}");
    }
    let text = text.trim().to_owned();
    Some((if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }, params))
}

/// The name of what is in braces: the last one of its path.
fn param(hole: &str) -> String {
    let path = hole.split([':', '!', '(', '[']).next().unwrap_or_default();
    let last = path.rsplit('.').next().unwrap_or_default().trim();
    let mut name = String::new();
    for letter in last.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '_') {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    if redress_registry::name::is_param(&name) { name } else { "value".to_owned() }
}

/// A name from the words of a text: `Book {id} is on loan.` is `BOOK_ON_LOAN`.
fn code(message: &str) -> Option<String> {
    const MOST: usize = 5;
    const SMALL: [&str; 12] =
        ["THE", "A", "AN", "IS", "ARE", "WAS", "WERE", "THIS", "THAT", "OF", "WITH", "HAS"];
    const ENDS: [&str; 9] = ["UNTIL", "IN", "FOR", "TO", "AT", "BY", "FROM", "AND", "BECAUSE"];
    let mut plain = String::new();
    let mut is_hole = false;
    for letter in message.chars() {
        match letter {
            '{' => is_hole = true,
            '}' => is_hole = false,
            it if is_hole || matches!(it, '\'' | '`') => (),
            it if it.is_ascii_alphanumeric() => plain.push(it.to_ascii_uppercase()),
            _ => plain.push(' '),
        }
    }
    let words = plain.split_whitespace().filter(|it| !SMALL.contains(it));
    let mut words: Vec<&str> = words.take(MOST).collect();
    while words.last().is_some_and(|it| ENDS.contains(it)) {
        words.pop();
    }
    let code = words.join("_");
    (words.len() > 1 && is_code(&code)).then_some(code)
}

/// The class that a type of errors speaks for.
fn class(kind: &str) -> Class {
    match kind {
        "ValueError" | "TypeError" => Class::InvalidArgument,
        "KeyError" | "LookupError" | "FileNotFoundError" => Class::NotFound,
        "FileExistsError" => Class::AlreadyExists,
        "PermissionError" => Class::PermissionDenied,
        "TimeoutError" => Class::DeadlineExceeded,
        "ConnectionError" => Class::Unavailable,
        "NotImplementedError" => Class::Unimplemented,
        "RangeError" | "IndexError" => Class::OutOfRange,
        _ => Class::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::{code, template};

    #[test]
    fn a_text_gives_a_name_and_a_template() {
        let (message, params) =
            template("raise ValueError(f\"Book {book.id} is on loan until {due:%d}\")").unwrap();
        assert_eq!(message, "Book {id} is on loan until {due}.");
        assert_eq!(
            (code(&message).as_deref(), params),
            (Some("BOOK_ON_LOAN"), vec!["id".to_owned(), "due".to_owned()])
        );
        let (message, params) = template("throw new Error(`No note ${noteId}.`)").unwrap();
        assert_eq!((message.as_str(), params), ("No note {note_id}.", vec!["note_id".to_owned()]));
        assert_eq!(template("raise ValueError('a {b}')").unwrap().0, "a {{b}}.");
        assert_eq!(code("No."), None);
        assert!(template("raise ValueError(x)").is_none());
    }
}
