//! `Language`: what a file is written in, by its name.

use std::path::Path;

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
}
