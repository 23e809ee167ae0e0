//! `Language`: what a file is written in, by its name, and how it is read.

use std::{ops::ControlFlow, path::Path, sync::LazyLock};

use tree_sitter::{ParseOptions, Parser};

use crate::{
    conduct,
    facts::Facts,
    markdown, python, rust,
    scan::Scan,
    tree::{Grammar, walk},
    typescript,
};

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Language {
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, with JSX or without.
    JavaScript,
    /// Python.
    Python,
    /// Markdown: texts for people, in which codes are named.
    #[default]
    Markdown,
}

/// The grammars, each built when it is first needed.
static GRAMMARS: [LazyLock<Grammar>; 5] = [
    LazyLock::new(|| Grammar::new(tree_sitter_rust::LANGUAGE.into(), rust::KINDS, conduct::RUST)),
    LazyLock::new(|| {
        Grammar::new(
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            typescript::KINDS,
            conduct::ECMA,
        )
    }),
    LazyLock::new(|| {
        Grammar::new(tree_sitter_typescript::LANGUAGE_TSX.into(), typescript::KINDS, conduct::ECMA)
    }),
    LazyLock::new(|| {
        Grammar::new(tree_sitter_javascript::LANGUAGE.into(), typescript::KINDS, conduct::ECMA)
    }),
    LazyLock::new(|| {
        Grammar::new(tree_sitter_python::LANGUAGE.into(), python::KINDS, conduct::PYTHON)
    }),
];

impl Language {
    /// What a file of this name is written in.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Some(match extension {
            "rs" => Self::Rust,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "py" | "pyi" => Self::Python,
            "md" | "mdx" | "markdown" => Self::Markdown,
            _ => return None,
        })
    }

    /// The name of its family on pages and in lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::TypeScript | Self::Tsx | Self::JavaScript => "typescript",
            Self::Python => "python",
            Self::Markdown => "markdown",
        }
    }

    pub(crate) fn grammar(self) -> Option<&'static Grammar> {
        GRAMMARS.get(self as usize).map(|it| &**it)
    }
}

/// Reads files of all languages, one after the other.
#[derive(Default)]
pub struct Reader {
    parser: Parser,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reader")
    }
}

impl Reader {
    /// What a file says. Total: whatever is no syntax is skipped and told in `broken`.
    pub fn read(&mut self, language: Language, path: &Path, text: &str) -> Facts {
        let grammar = language.grammar();
        let tree = grammar.and_then(|it| self.parse(it, text));
        let mut scan = Scan::new(language, path, text);
        match (grammar, &tree) {
            (None, _) => markdown::read(&mut scan),
            (Some(grammar), Some(tree)) => walk(tree, grammar, &mut scan),
            (Some(_), None) => scan.give_up(),
        }
        scan.finish()
    }

    /// The tree of a text. `None` if that takes more steps than any text that somebody wrote.
    fn parse(&mut self, grammar: &Grammar, text: &str) -> Option<tree_sitter::Tree> {
        self.parser.set_language(&grammar.language).ok()?;
        self.parser.reset();
        let bytes = text.as_bytes();
        let mut steps = MIN_STEPS.max(bytes.len());
        let mut count = |_: &tree_sitter::ParseState| {
            steps = steps.saturating_sub(1);
            if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut count);
        let mut piece = |at: usize, _| bytes.get(at..).unwrap_or_default();
        self.parser.parse_with_options(&mut piece, None, Some(options))
    }
}

/// The parser reports every hundred operations; a sound text needs a few operations for each byte.
const MIN_STEPS: usize = 10_000;
