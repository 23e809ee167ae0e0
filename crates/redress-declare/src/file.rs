//! A file of Rust: the types in it that say themselves what their codes are.

use std::{collections::VecDeque, thread};

use proc_macro2::{Delimiter, LineColumn, Span, TokenStream, TokenTree};
use redress_registry::edit::NewCode;
use syn::DeriveInput;

use crate::{
    Mistakes,
    declaration::{Home, read},
    inline::rows,
};

/// What the types of a file declare.
#[derive(Debug, Default, PartialEq)]
pub struct Declared {
    /// The name of the registry, where a type says it.
    pub name: Option<String>,
    /// Its version, where a type says it.
    pub version: Option<String>,
    /// What it takes in, where a type says it.
    pub extends: Option<Vec<String>>,
    /// The rows, in order. Where the attributes name no domain it is empty.
    pub codes: Vec<NewCode>,
}

/// What is wrong with a file, and where: line and column, both from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// What is wrong, one sentence.
    pub message: String,
}

/// Types of more tokens are refused: the parser needs stack for each.
const MAX_TOKENS: usize = 20_000;

/// Enough for a type of the most tokens, each nested in the one before.
const STACK_BYTES: usize = 512 << 20;

/// Why a file cannot be read that the parser of Rust panics on.
pub const GAVE_UP: &str = "the parser gave up";

/// What the types with `#[derive(Contract)]` in a file declare, in order. Those with a registry file declare nothing.
pub fn read_file(text: &str) -> Result<Declared, Vec<FileProblem>> {
    let reader = |text: String| move || declared(&text);
    let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn(reader(text.to_owned()));
    let unread = |why: &str| FileProblem {
        line: 1,
        column: 1,
        message: format!("The file cannot be read: {why}."),
    };
    match spawned.map(thread::JoinHandle::join) {
        Ok(Ok(declared)) => declared,
        Ok(Err(_)) => Err(vec![unread(GAVE_UP)]),
        Err(error) => Err(vec![unread(&error.to_string())]),
    }
}

fn declared(text: &str) -> Result<Declared, Vec<FileProblem>> {
    let tokens = text.parse().map_err(|it: proc_macro2::LexError| {
        vec![wrong(it.span(), "This is no Rust.".to_owned())]
    })?;
    let mut mistakes = Mistakes::default();
    let mut all = Declared::default();
    for item in types(tokens) {
        match parsed(item) {
            Ok(input) => add(&input, &mut all, &mut mistakes),
            Err(error) => mistakes.take(error),
        }
    }
    let mistakes: Vec<FileProblem> =
        mistakes.into_list().iter().map(|it| wrong(it.span(), it.to_string())).collect();
    if mistakes.is_empty() { Ok(all) } else { Err(mistakes) }
}

fn wrong(span: Span, message: String) -> FileProblem {
    let LineColumn { line, column } = span.start();
    FileProblem { line, column: column + 1, message }
}

fn parsed(item: Vec<TokenTree>) -> syn::Result<DeriveInput> {
    let first = item.first().map_or_else(Span::call_site, TokenTree::span);
    let tokens: TokenStream = item.into_iter().collect();
    if count(&tokens) > MAX_TOKENS {
        return Err(syn::Error::new(first, "This type is too large."));
    }
    syn::parse2(tokens)
}

fn add(input: &DeriveInput, all: &mut Declared, mistakes: &mut Mistakes) {
    let declaration = read(input, mistakes);
    let Home::Inline { name, version, extends } = &declaration.home else { return };
    let codes = rows(&declaration, "", mistakes);
    if codes.is_empty() {
        return;
    }
    all.name = all.name.take().or_else(|| name.as_ref().map(|it| it.value.clone()));
    all.version = all.version.take().or_else(|| version.as_ref().map(|it| it.value.clone()));
    all.extends = all.extends.take().or_else(|| extends.as_ref().map(|it| it.value.clone()));
    for code in codes {
        if all.codes.iter().any(|it| it.code == code.code) {
            let message = format!("Another type says what {} is already.", code.code);
            mistakes.add(declaration.ident.span(), message);
        } else {
            all.codes.push(code);
        }
    }
}

/// The tokens of every type that derives `Contract`, at any depth.
fn types(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut found = Vec::new();
    let mut bodies = VecDeque::from([tokens]);
    while let Some(body) = bodies.pop_front() {
        let mut item = Vec::new();
        let mut is_type = false;
        for token in body {
            is_type |= matches!(&token, TokenTree::Ident(it) if it == "enum" || it == "struct");
            let ends = ends_item(&token);
            let inside = match &token {
                TokenTree::Group(it) if it.delimiter() == Delimiter::Brace => Some(it.stream()),
                _ => None,
            };
            item.push(token);
            if ends {
                let item = std::mem::take(&mut item);
                if std::mem::take(&mut is_type) && derives(&item) {
                    found.push(without_inner_attributes(item));
                } else {
                    bodies.extend(inside);
                }
            }
        }
    }
    found.sort_by_key(|item| item.first().map(|it| it.span().start()));
    found
}

fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Group(it) => it.delimiter() == Delimiter::Brace,
        TokenTree::Punct(it) => it.as_char() == ';',
        _ => false,
    }
}

/// Whether one of the attributes is `derive(…, Contract, …)`.
fn derives(item: &[TokenTree]) -> bool {
    let groups = item.iter().filter_map(|it| match it {
        TokenTree::Group(it) if it.delimiter() == Delimiter::Bracket => Some(it.stream()),
        _ => None,
    });
    let is = |token: &TokenTree, name: &str| matches!(token, TokenTree::Ident(it) if it == name);
    groups.into_iter().any(|attribute| {
        let mut tokens = attribute.into_iter();
        tokens.next().is_some_and(|it| is(&it, "derive"))
            && tokens.any(|it| match it {
                TokenTree::Group(list) => list.stream().into_iter().any(|it| is(&it, "Contract")),
                _ => false,
            })
    })
}

/// `#![…]` and the doc comment of a file belong to the file, not to the first type in it.
fn without_inner_attributes(item: Vec<TokenTree>) -> Vec<TokenTree> {
    let is = |token: Option<&TokenTree>, sign: char| matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == sign);
    let mut from = 0;
    while is(item.get(from), '#') && is(item.get(from + 1), '!') {
        from += 3;
    }
    item.into_iter().skip(from).collect()
}

/// How many tokens there are, at any depth.
fn count(tokens: &TokenStream) -> usize {
    let mut count = 0;
    let mut left = vec![tokens.clone()];
    while let Some(tokens) = left.pop() {
        for token in tokens {
            count += 1;
            if let TokenTree::Group(it) = token {
                left.push(it.stream());
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::read_file;

    const FILE: &str = include_str!("../../../fuzz/corpus/rust/types.rs");

    #[test]
    fn every_type_that_says_what_its_codes_are_is_found() {
        let declared = read_file(FILE).unwrap();
        let codes: Vec<&str> = declared.codes.iter().map(|it| it.code.as_str()).collect();
        assert_eq!(codes, ["NOTE_NOT_FOUND", "NOTE_BROKEN"]);
        assert_eq!(declared.name.as_deref(), Some("notes"));
    }

    #[test]
    fn a_mistake_has_its_place() {
        let told = |from: &str, to: &str| {
            let wrong = read_file(&FILE.replace(from, to)).unwrap_err();
            wrong
                .iter()
                .map(|it| format!("{}:{} {}", it.line, it.column, it.message))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            told("hint = \"List", "hnt = \"List"),
            ["13:92 A variant has no `hnt`. Did you mean `hint`?"]
        );
        assert_eq!(
            told("retry = \"never\"", "retry = \"nver\""),
            [
                "28:40 `nver` is no `retry`. Did you mean `never`? It is one of now, after_delay, after_change, after_state, after_human, never."
            ]
        );
        assert_eq!(told("mod inner {", "mod inner {{"), ["8:11 This is no Rust."]);
    }

    #[test]
    fn deep_types_are_read_or_refused() {
        let field =
            |depth: usize| format!("#[derive(Contract)] struct X {{ f: {}u8 }}", "&".repeat(depth));
        assert!(read_file(&field(MANY)).is_ok());
        assert_eq!(read_file(&field(100_000)).unwrap_err()[0].message, "This type is too large.");
        let groups =
            format!("#[derive(Contract)] struct X({}u8{});", "(".repeat(MANY), ")".repeat(MANY));
        assert!(read_file(&groups).unwrap_err()[0].message.contains("needs a name"));
        assert!(read_file(&"{".repeat(1_000_000)).is_err());
    }

    const MANY: usize = 9_000;
}
