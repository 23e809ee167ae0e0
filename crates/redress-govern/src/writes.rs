//! What may be written: rules about the text, the code and the stated intent of a change, as data.

use globset::GlobSet;
use redress::{
    Fault,
    codes::{self, CoreCode},
    fault::{ParamValue, Violation},
    text,
};
use tree_sitter::{Language, Parser};

use crate::role::{BadGlob, globs};

/// How much of a path and of what is forbidden is in a sentence.
const PATH_CHARS: usize = 80;
const WHAT_CHARS: usize = 40;

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
    /// What a caller is to do who breaks it; without, what is there is named.
    pub hint: Option<&'s str>,
}

/// A rule, ready to be applied.
#[derive(Debug, Clone)]
pub struct Rule {
    id: String,
    paths: Option<GlobSet>,
    forbid_text: Vec<String>,
    /// Each as it was written, and as words and signs.
    forbid_code: Vec<(String, Vec<String>)>,
    intent_chars: usize,
    hint: Option<String>,
}

/// A requested change.
#[derive(Debug, Clone, Copy)]
pub struct WriteRequest<'c> {
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
            forbid_code: statement
                .forbid_code
                .iter()
                .map(|&it| (it.to_owned(), owned(it)))
                .collect(),
            intent_chars: statement.intent_chars,
            hint: statement.hint.map(str::to_owned),
        })
    }

    /// Whether it looks at what is written.
    pub const fn reads(&self) -> bool {
        !(self.forbid_text.is_empty() && self.forbid_code.is_empty())
    }

    /// How many characters the intent of a change must have.
    pub const fn intent_chars(&self) -> usize {
        self.intent_chars
    }

    /// Whether it looks at what is written to a file.
    pub fn reads_at(&self, path: &str) -> bool {
        self.reads() && self.is_about(path)
    }

    fn is_about(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|it| it.is_match(path))
    }

    fn judge_intent(&self, change: WriteRequest<'_>) -> Result<(), Box<Fault>> {
        let intent = change.intent.unwrap_or_default().trim();
        if intent.chars().count() >= self.intent_chars {
            return Ok(());
        }
        let least = self.intent_chars;
        let hint = format!(
            "Say in the argument `intent`, in {least} characters or more, what the change is for."
        );
        let reason = format!("the intent has fewer than {least} characters");
        let place = ("reason", reason.as_str().into());
        let mut fault = self.broken(codes::POLICY_VIOLATION, change.path, place, hint);
        let (path, rule) = (text::quote(change.path, PATH_CHARS), &self.id);
        fault.message = format!("The change of {path} breaks the policy rule {rule}: {reason}.");
        fault.violations = vec![Violation::new("/intent", "not_allowed", None)];
        Err(fault)
    }

    fn judge_text(&self, path: &str, content: &str) -> Result<(), Box<Fault>> {
        let found = self.forbid_text.iter().find_map(|it| Some((it, content.find(it.as_str())?)));
        let Some((text, at)) = found else { return Ok(()) };
        Err(self.forbidden(codes::POLICY_VIOLATION, path, text, line(content, at)))
    }

    fn judge_code(
        &self,
        (path, content): (&str, &str),
        tokens: &[(usize, &str)],
    ) -> Result<(), Box<Fault>> {
        let found =
            self.forbid_code.iter().find_map(|(it, words)| Some((it, find(tokens, words)?)));
        let Some((code, at)) = found else { return Ok(()) };
        let is_rust = extension(path) == Some("rs");
        let kind = if is_rust { codes::RUST_POLICY_VIOLATION } else { codes::POLICY_VIOLATION };
        Err(self.forbidden(kind, path, code, line(content, at)))
    }

    /// Something is in a line that must not; it is described in the policy's own words, never in the caller's.
    fn forbidden(&self, code: CoreCode, path: &str, what: &str, line: usize) -> Box<Fault> {
        let what = text::cut(what, WHAT_CHARS);
        let hint = format!("Write line {line} without `{what}`, then repeat the call.");
        let place = ("line", u64::try_from(line).unwrap_or(u64::MAX).into());
        let mut fault = self.broken(code, path, place, hint);
        let (path, rule) = (text::quote(path, PATH_CHARS), &self.id);
        fault.message =
            format!("Line {line} of {path} has `{what}`, against the policy rule {rule}.");
        fault
    }

    fn broken(
        &self,
        code: CoreCode,
        path: &str,
        place: (&'static str, ParamValue),
        hint: String,
    ) -> Box<Fault> {
        let params = [("rule", self.id.as_str().into()), ("path", path.into()), place];
        let mut fault = code.raise(params);
        fault.hint = self.hint.clone().unwrap_or(hint);
        Box::new(fault)
    }
}

/// Whether a change follows all rules.
///
/// # Errors
/// `POLICY_VIOLATION`, or `RUST_POLICY_VIOLATION` for code of Rust, with the rule and the line.
pub fn judge(rules: &[Rule], change: WriteRequest<'_>) -> Result<(), Box<Fault>> {
    for rule in rules.iter().filter(|it| it.is_about(change.path)) {
        rule.judge_intent(change)?;
    }
    change.content.map_or(Ok(()), |it| judge_content(rules, change.path, it))
}

/// Whether the content of a file follows all rules.
///
/// # Errors
/// As [`judge`].
pub fn judge_content(rules: &[Rule], path: &str, content: &str) -> Result<(), Box<Fault>> {
    let mut tokens = None;
    for rule in rules.iter().filter(|it| it.is_about(path)) {
        rule.judge_text(path, content)?;
        if !rule.forbid_code.is_empty() {
            let tokens = tokens.get_or_insert_with(|| code_of(path, content));
            rule.judge_code((path, content), tokens)?;
        }
    }
    Ok(())
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
            let text = content.get(node.byte_range()).unwrap_or_default();
            // `r#unwrap` is the name `unwrap`.
            let text =
                text.strip_prefix("r#").filter(|_| kind.contains("identifier")).unwrap_or(text);
            tokens.extend(words(text).map(|it| (node.start_byte(), it)));
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

fn owned(code: &str) -> Vec<String> {
    words(code).map(str::to_owned).collect()
}

/// A piece of code as words and signs: `unwrap(` is two of them. What the grammar takes for one sign, as `::`, is cut as well.
fn words(code: &str) -> impl Iterator<Item = &str> {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut rest = code.trim_start();
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match rest.find(|it| !is_word(it)) {
            Some(0) => first.len_utf8(),
            end => end.unwrap_or(rest.len()),
        };
        let (word, left) = rest.split_at_checked(end)?;
        rest = left.trim_start();
        Some(word)
    })
}
