//! Python: a text as a module.

mod judge;
mod lists;

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Parsed, parse_module};
use ruff_text_size::Ranged;

use super::{
    Refusal, constructs,
    keywords::{Keywords, plain},
    place::mistake,
};
pub(super) use lists::LIST;

pub(super) fn prepare() {
    lists::has("", "");
}

/// Parses and judges.
pub(super) fn inspect(code: &str) -> Result<(), Refusal> {
    let parsed =
        parse_module(code).map_err(|error| mistake(code, error.location.start().to_usize()))?;
    keywords(code, &parsed)?;
    if declares_encoding(code) {
        return Err(Refusal::Construct(constructs::ENCODING.to_owned()));
    }
    judge::judge(code, parsed.suite())
}

/// The keyword list in words and signs; texts and comments are left out.
fn keywords<T>(code: &str, parsed: &Parsed<T>) -> Result<(), Refusal> {
    let mut keywords = Keywords::new(lists::KEYWORDS);
    for token in parsed.tokens() {
        let is_word = match token.kind() {
            TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::Newline
            | TokenKind::Indent
            | TokenKind::Dedent => continue,
            TokenKind::String | TokenKind::FStringMiddle | TokenKind::TStringMiddle => false,
            _ => true,
        };
        let spelled = code.get(token.range().to_std_range()).unwrap_or_default();
        keywords.push(if is_word { plain(spelled) } else { "\"".into() })?;
    }
    Ok(())
}
/// A file whose first lines name an encoding is not the text that was read, unless they name this one.
fn declares_encoding(code: &str) -> bool {
    let comments = code.split(['\n', '\r']).take(3).filter(|it| it.trim_start().starts_with('#'));
    let mut names = comments.filter_map(|it| it.split_once("coding")).map(|(_, after)| {
        let name = after.strip_prefix([':', '=']).unwrap_or_default().trim_start();
        name.split(|it: char| !it.is_ascii_alphanumeric() && it != '-' && it != '_').next()
    });
    names.any(|name| {
        let name = name.unwrap_or_default().to_ascii_lowercase().replace('_', "-");
        !matches!(name.as_str(), "" | "utf-8" | "utf8" | "ascii" | "us-ascii")
    })
}
