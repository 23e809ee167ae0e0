//! Paths in code, read from its tokens, so that those in macros count, too.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree, token_stream::IntoIter};
use quote::ToTokens as _;
use syn::Attribute;

use super::tree::Segments;

/// Collects every path of the code, and every single name. Code below `#[cfg(test)]` is left out.
pub(super) fn paths(code: TokenStream, found: &mut Vec<Segments>) {
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(it) if it.as_char() == '#' => attribute(&mut tokens),
            TokenTree::Group(it) => paths(it.stream(), found),
            TokenTree::Ident(it) => path(vec![it.to_string()], &mut tokens, found),
            _ => (),
        }
    }
}

/// Whether the attribute keeps what it is on out of the product.
pub(super) fn is_test_code(attribute: &Attribute) -> bool {
    is_test_cfg(&attribute.meta.to_token_stream().to_string())
}

fn is_test_cfg(text: &str) -> bool {
    let plain: String = text.chars().filter(|it| !it.is_whitespace()).collect();
    ["cfg(test)", "cfg(doctest)"].contains(&plain.as_str()) || plain.starts_with("cfg(all(test,")
}

/// Goes past an attribute, and past what it is on where that is test code.
fn attribute(tokens: &mut Peekable<IntoIter>) {
    let Some(group) = tokens.next_if(|it| is_group(it, Delimiter::Bracket)) else { return };
    let TokenTree::Group(group) = group else { return };
    if !is_test_cfg(&group.stream().to_string()) {
        return;
    }
    let (mut open_angles, mut before) = (0_usize, ' ');
    for token in tokens.by_ref() {
        match token {
            TokenTree::Group(it) if it.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(it) => {
                match it.as_char() {
                    ';' => return,
                    ',' if open_angles == 0 => return,
                    '<' => open_angles += 1,
                    '>' if before != '-' => open_angles = open_angles.saturating_sub(1),
                    _ => (),
                }
                before = it.as_char();
            }
            _ => (),
        }
    }
}

fn path(mut start: Segments, tokens: &mut Peekable<IntoIter>, found: &mut Vec<Segments>) {
    while next_is(tokens, ':') {
        tokens.next();
        if !next_is(tokens, ':') {
            break;
        }
        tokens.next();
        match tokens.peek() {
            Some(TokenTree::Ident(it)) => {
                start.push(it.to_string());
                tokens.next();
            }
            Some(TokenTree::Group(it)) if it.delimiter() == Delimiter::Brace => {
                imported(&start, it, found);
                tokens.next();
                return;
            }
            _ => break,
        }
    }
    found.push(start);
}

/// The group of an import within a function.
fn imported(prefix: &[String], group: &Group, found: &mut Vec<Segments>) {
    let mut inner = Vec::new();
    paths(group.stream(), &mut inner);
    found.extend(inner.into_iter().map(|it| prefix.iter().cloned().chain(it).collect()));
}

fn next_is(tokens: &mut Peekable<IntoIter>, wanted: char) -> bool {
    matches!(tokens.peek(), Some(TokenTree::Punct(it)) if it.as_char() == wanted)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(it) if it.delimiter() == delimiter)
}
