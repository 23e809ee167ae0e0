//! What may be written: rules about the text, the code and the stated intent of a change, as data.

use globset::GlobSet;
use redress::{Fault, codes, fault::ParamValue};
use tree_sitter::{Language, Parser};

use crate::role::{BadGlob, globs};

/// A rule as a policy states it.
#[derive(Debug, Clone, Default)]
pub struct Statement<'s> {
    /// Its name, which a fault tells.
    pub id: &'s str,
    /// Patterns of the files that it is about; none means all.
    pub paths: Vec<&'s str>,
    /// Texts that must not stand anywhere.
    pub forbid_text: Vec<&'s str>,
    /// Code that must not stand in Rust, JavaScript, TypeScript or Python; comments and texts are no code.
    pub forbid_code: Vec<&'s str>,
    /// How many characters the intent of the change must have.
    pub intent_chars: usize,
}

/// A rule, ready to be applied.
#[derive(Debug, Clone)]
pub struct Rule {
    id: String,
    paths: Option<GlobSet>,
    forbid_text: Vec<String>,
    forbid_code: Vec<Vec<String>>,
    intent_chars: usize,
}

/// A change that somebody wants to make.
#[derive(Debug, Clone, Copy)]
pub struct Change<'c> {
    /// The file, relative to the workspace.
    pub path: &'c str,
    /// What it would hold then, where that is known.
    pub content: Option<&'c str>,
    /// Why, in the caller's words.
    pub intent: Option<&'c str>,
}

impl Rule {
    /// A rule from its statement.
    ///
    /// # Errors
    /// The first pattern of a path that is none.
    pub fn new(statement: &Statement<'_>) -> Result<Self, BadGlob> {
        let paths = match statement.paths.as_slice() {
            [] => None,
            paths => Some(globs(paths)?),
        };
        Ok(Self {
            id: statement.id.to_owned(),
            paths,
            forbid_text: statement.forbid_text.iter().map(|&it| it.to_owned()).collect(),
            forbid_code: statement.forbid_code.iter().map(|it| words(it)).collect(),
            intent_chars: statement.intent_chars,
        })
    }

    fn is_about(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|it| it.is_match(path))
    }
}

/// Whether a change follows all rules.
///
/// # Errors
/// `POLICY_VIOLATION`, or `RUST_POLICY_VIOLATION` for code of Rust, with the rule and the line.
pub fn judge(rules: &[Rule], change: Change<'_>) -> Result<(), Box<Fault>> {
    let mut tokens = None;
    for rule in rules.iter().filter(|it| it.is_about(change.path)) {
        let intent = change.intent.unwrap_or_default().trim();
        if intent.chars().count() < rule.intent_chars {
            let reason = format!("the intent has fewer than {} characters", rule.intent_chars);
            return Err(violation(rule, change.path, reason));
        }
        let Some(content) = change.content else { continue };
        if let Some(at) = rule.forbid_text.iter().find_map(|it| content.find(it.as_str())) {
            return Err(violation(rule, change.path, format!("line {}", line(content, at))));
        }
        if rule.forbid_code.is_empty() {
            continue;
        }
        let tokens = tokens.get_or_insert_with(|| code_of(change.path, content));
        if let Some(at) = rule.forbid_code.iter().find_map(|it| find(tokens, it)) {
            return Err(broken_code(rule, change.path, line(content, at)));
        }
    }
    Ok(())
}

fn violation(rule: &Rule, path: &str, reason: String) -> Box<Fault> {
    let params = [("rule", rule.id.clone()), ("path", path.to_owned()), ("reason", reason)];
    Box::new(codes::POLICY_VIOLATION.raise(params))
}

fn broken_code(rule: &Rule, path: &str, line: usize) -> Box<Fault> {
    if extension(path) != Some("rs") {
        return violation(rule, path, format!("line {line}"));
    }
    let params: [(_, ParamValue); 3] = [
        ("rule", rule.id.as_str().into()),
        ("path", path.into()),
        ("line", u64::try_from(line).unwrap_or(u64::MAX).into()),
    ];
    Box::new(codes::RUST_POLICY_VIOLATION.raise(params))
}

fn line(content: &str, at: usize) -> usize {
    content.bytes().take(at).filter(|&it| it == b'\n').count() + 1
}

/// The words and signs of code, each with its place; nothing for a file of another kind.
fn code_of<'c>(path: &str, content: &'c str) -> Vec<(usize, &'c str)> {
    let Some(tree) = grammar(path).and_then(|it| {
        let mut parser = Parser::new();
        parser.set_language(&it).ok()?;
        parser.parse(content, None)
    }) else {
        return Vec::new();
    };
    let mut tokens = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let kind = node.kind();
        let is_prose =
            kind.contains("comment") || kind.contains("string") || kind == "char_literal";
        // A text with values in it has code inside.
        let is_whole = is_prose && !matches!(kind, "template_string" | "string");
        if node.child_count() == 0 && !is_prose {
            tokens.extend(content.get(node.byte_range()).map(|it| (node.start_byte(), it)));
        }
        if !is_whole && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return tokens;
            }
        }
    }
}

fn grammar(path: &str) -> Option<Language> {
    match extension(path)? {
        "rs" => Some(tree_sitter_rust::LANGUAGE.into()),
        "js" | "mjs" | "cjs" | "jsx" => Some(tree_sitter_javascript::LANGUAGE.into()),
        "ts" | "mts" | "cts" => Some(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        "tsx" => Some(tree_sitter_typescript::LANGUAGE_TSX.into()),
        "py" => Some(tree_sitter_python::LANGUAGE.into()),
        _ => None,
    }
}

fn extension(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|it| it.1)
}

/// Where a row of words and signs begins.
fn find(tokens: &[(usize, &str)], wanted: &[String]) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let mut rows = tokens.windows(wanted.len());
    let row = rows.find(|row| row.iter().zip(wanted).all(|(have, want)| have.1 == want))?;
    row.first().map(|it| it.0)
}

/// A piece of code as words and signs: `unwrap(` is two of them.
fn words(code: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in code.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match words.last_mut() {
            Some(word) if is_word && in_word => word.push(c),
            _ if c.is_whitespace() => {}
            _ => words.push(c.to_string()),
        }
        in_word = is_word;
    }
    words
}
