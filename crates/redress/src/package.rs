//! Packages: a registry as code and tests for people who write in other languages. One file below for each form.
//!
//! An export is typed codes and data. The code that uses them is a runtime package, hand-written in its own language in
//! `packages/`. The data comes from the registries and from our own dialects, so that no fact is written down a second time.

mod contract_tests;
mod facts;
pub mod lint;
mod literal;
mod own;
mod places;
mod python;
mod rust;
mod template;
mod typescript;
mod vectors;

use std::sync::Arc;

use redress_registry::Registry;

/// A form that a registry can be exported to, made of one file or more.
#[derive(Debug)]
pub struct Package {
    /// Its name on the command line.
    pub name: &'static str,
    /// What comes out, one sentence.
    pub about: &'static str,
    /// Its files, the main one first. Equal registries give equal bytes.
    pub files: fn(&Arc<Registry>, Runtime) -> Vec<File>,
}

/// Where the code that all exports of a language share comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Runtime {
    /// The export imports the runtime package of its language.
    #[default]
    Imported,
    /// The export holds a copy of the runtime package, and needs no other.
    Bundled,
}

/// One file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Where it is in the package.
    pub path: String,
    /// What is in it.
    pub text: String,
    /// Whether it is only a beginning: where there is one already, that stays.
    pub is_draft: bool,
}

impl File {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), is_draft: false }
    }
}

/// Every form.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "typescript",
        about: "A TypeScript module: the codes as types and data, on the runtime package redress-runtime.",
        files: typescript::files,
    },
    Package {
        name: "python",
        about: "A Python module that says the same, typed.",
        files: python::files,
    },
    Package {
        name: "vitest",
        about: "A test in TypeScript that a server really answers with each code it declares.",
        files: typescript::tests,
    },
    Package { name: "pytest", about: "The same test in Python.", files: python::tests },
    Package {
        name: "rust",
        about: "A Rust module: each code as a typed constant that can be raised.",
        files: rust::files,
    },
    Package {
        name: "vectors",
        about: "Each code's example in each dialect, byte-exact, one JSON object a line.",
        files: vectors::files,
    },
];

/// The generated files of the runtime packages, as paths from the root of the repository: what ships with the library, as data of
/// each language. The rest of these packages is written by hand.
pub fn runtime_files() -> Vec<File> {
    let mut files = typescript::facts_files();
    files.extend(python::facts_files());
    files
}

/// The form of that name.
pub fn package(name: &str) -> Option<&'static Package> {
    PACKAGES.iter().find(|it| it.name == name)
}
