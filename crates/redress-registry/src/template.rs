//! Message templates: `{name}` is a parameter, `{{` and `}}` are braces, all else is text.
//!
//! This is the only place that knows the syntax; the reader, the lint and the renderer iterate [`parts`].

use std::fmt;

/// A piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// Text to copy.
    Text(&'a str),
    /// The parameter to put here.
    Param(&'a str),
}

/// Why a template cannot be read, and at which byte of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplateError {
    /// Byte offset into the template.
    pub offset: usize,
    kind: TemplateFault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplateFault {
    Unclosed,
    Unopened,
    NoName,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            TemplateFault::Unclosed => "`{` is never closed; write `{{` for a brace",
            TemplateFault::Unopened => "`}` closes nothing; write `}}` for a brace",
            TemplateFault::NoName => "the braces hold no parameter name; write `{{` for a brace",
        })
    }
}

impl std::error::Error for TemplateError {}

/// The pieces of a template, in order. After an error come no more.
pub const fn parts(template: &str) -> Parts<'_> {
    Parts { template, at: 0 }
}

/// The parameters that a template names, in order, up to the first error.
pub fn params(template: &str) -> impl Iterator<Item = &str> {
    parts(template).map_while(Result::ok).filter_map(|it| match it {
        Part::Param(name) => Some(name),
        Part::Text(_) => None,
    })
}

/// The template that says exactly `text`.
pub fn literal(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The iterator of [`parts`].
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    template: &'a str,
    at: usize,
}

impl<'a> Iterator for Parts<'a> {
    type Item = Result<Part<'a>, TemplateError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.template.get(self.at..).filter(|it| !it.is_empty())?;
        match next_part(rest) {
            Ok((part, len)) => {
                self.at += len;
                Some(Ok(part))
            }
            Err(kind) => {
                let offset = self.at;
                self.at = self.template.len();
                Some(Err(TemplateError { offset, kind }))
            }
        }
    }
}

/// The first part of a text that is not empty, and how many bytes it takes.
fn next_part(rest: &str) -> Result<(Part<'_>, usize), TemplateFault> {
    if rest.starts_with("{{") || rest.starts_with("}}") {
        return Ok((Part::Text(rest.get(..1).unwrap_or_default()), 2));
    }
    if rest.starts_with('}') {
        return Err(TemplateFault::Unopened);
    }
    if let Some(inside) = rest.strip_prefix('{') {
        let (name, _) = inside.split_once('}').ok_or(TemplateFault::Unclosed)?;
        if !crate::name::is_param(name) {
            return Err(TemplateFault::NoName);
        }
        return Ok((Part::Param(name), name.len() + 2));
    }
    let text = rest.split(['{', '}']).next().unwrap_or_default();
    Ok((Part::Text(text), text.len()))
}

#[cfg(test)]
mod tests {
    use super::{Part, params, parts};

    fn shown(template: &str) -> String {
        parts(template)
            .map(|it| match it {
                Ok(Part::Text(text)) => format!("[{text}]"),
                Ok(Part::Param(name)) => format!("<{name}>"),
                Err(error) => format!("!{}: {error}", error.offset),
            })
            .collect()
    }

    #[test]
    fn text_and_parameters_come_in_order() {
        assert_eq!(shown(""), "");
        assert_eq!(shown("No file at {path}."), "[No file at ]<path>[.]");
        assert_eq!(shown("{a}{b_2}"), "<a><b_2>");
        assert_eq!(shown("é{a}é"), "[é]<a>[é]");
        assert_eq!(params("{b} and {a}").collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn doubled_braces_are_braces() {
        assert_eq!(shown("{{x}} {{{a}}}"), "[{][x][}][ ][{]<a>[}]");
    }

    #[test]
    fn a_lonely_brace_is_refused_at_its_place() {
        assert_eq!(shown("ab{c"), "[ab]!2: `{` is never closed; write `{{` for a brace");
        assert_eq!(shown("a}b"), "[a]!1: `}` closes nothing; write `}}` for a brace");
        for no_name in ["{}", "{A}", "{ a }", "{a:b}"] {
            assert!(shown(no_name).starts_with("!0: the braces hold no parameter"), "{no_name}");
        }
    }
}
