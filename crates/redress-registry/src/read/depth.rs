//! The depth guard: finds nesting that would exhaust the stack before the parser builds it.
//!
//! The parser bounds brackets and dotted keys each by themselves, but not their product: eighty
//! inline tables in one another, each under a key of eighty parts, are a tree of 6,400 levels.

use toml_parser::{Source, lexer::TokenKind};

/// No registry needs more: brackets and dots on the way to one value.
pub(super) const MAX_DEPTH: usize = 128;

/// The byte where a value is nested deeper than [`MAX_DEPTH`]. Counts too much rather than too
/// little where the brackets do not match.
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut dots = 0;
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::LeftSquareBracket => open.push(OpenBracket { close: ']', dots }),
            TokenKind::LeftCurlyBracket => open.push(OpenBracket { close: '}', dots }),
            TokenKind::RightSquareBracket => dots = closed(&mut open, ']', dots),
            TokenKind::RightCurlyBracket => dots = closed(&mut open, '}', dots),
            TokenKind::Comma => dots = open.last().map_or(dots, |it| it.dots),
            TokenKind::Newline if open.is_empty() => dots = 0,
            _ => {}
        }
        if open.len() + dots > MAX_DEPTH {
            return Some(token.span().start());
        }
    }
    None
}

/// An open bracket, and how many dots stood on the way to it.
struct OpenBracket {
    close: char,
    dots: usize,
}

fn closed(open: &mut Vec<OpenBracket>, close: char, dots: usize) -> usize {
    open.pop_if(|it| it.close == close).map_or(dots, |it| it.dots)
}
