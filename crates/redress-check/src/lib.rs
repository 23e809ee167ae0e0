//! The contract in the sources: finds codes, tools and failures by syntax tree, and compares them with the registry.
//!
//! Files are read on all cores ([`sources`]), each in one walk over its tree, and leave their [`facts`]; [`project`] joins
//! the facts of all files, and each rule of [`rules`] is a function over them.
//!
//! # Modules
//!
//! - `walk.rs` which files. `language.rs` what each is written in. `reader.rs` reads one to its facts, `sources.rs` all
//!   of them on all cores.
//! - `tree.rs` one walk over a tree, its nodes as language-neutral kinds. `scan.rs` a file on its way to its facts, which
//!   everything below fills. `mentions.rs` values that stand where a code can stand: `position.rs` says where that is.
//!   `functions.rs` functions and their calls. `rust.rs`, `typescript.rs`, `python.rs`, `markdown.rs` what each language
//!   has of its own. `table.rs` tables of codes, `tools.rs` tools, `imports.rs` names from other files, as each language
//!   writes them. `words.rs` code-shaped words in texts, `card.rs` codes that the texts of errors begin with. `span.rs`
//!   bytes of a file.
//! - `error_flow.rs` how functions handle errors, and where calls of tools come in; below it a file for each language.
//! - `facts.rs` what is kept of a file. `contract.rs` a registry as sources see it. `project.rs` the facts of all files
//!   joined: `resolve.rs` names to what they stand for, `named.rs` places that name a code, `reach.rs` what a tool
//!   reaches, `exposure.rs` which functions stand behind a tool, and whether what they throw comes through.
//! - `rule.rs` what a rule is, `rules.rs` all of them, a group in each module; `pages/` a page for each, whose examples
//!   are its test.
//! - `manifest.rs` the codes that a plugin declares in its sources. `subject.rs` what a rule looks at, so that one with
//!   nothing to look at is not called held.
//! - `suppress.rs` comments that allow a rule to be broken. `report.rs` what is left then, each thing at its line.
//!   `audit.rs` the report as Markdown documents. `fix.rs` corrects what a program can correct. `infer.rs` drafts a
//!   registry for sources that have none.
//!
//! # Invariants
//!
//! - Of a file only its facts stay in memory. Reading is total, without recursion, and needs no clock.
//! - A word is a code by its position, never by its letters. Calling something else a code is the worst bug.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod audit;
mod card;
mod contract;
pub mod error_flow;
mod exposure;
pub mod facts;
pub mod fix;
mod functions;
mod imports;
mod infer;
pub mod language;
mod manifest;
mod markdown;
mod mentions;
mod named;
mod position;
pub mod project;
mod python;
mod reach;
mod reader;
pub mod report;
mod resolve;
pub mod rule;
mod rules;
mod rust;
mod scan;
pub mod sources;
mod span;
mod subject;
pub mod suppress;
mod table;
mod tools;
mod tree;
mod typescript;
pub mod walk;
mod words;

pub use contract::{Contract, Meaning};
pub use infer::infer;
pub use named::{Named, Role};
pub use project::Project;
pub use report::{CheckReport, Verdict, check};
pub use rule::{Check, Edit, Hit};
pub use rules::{checks, page, rules};
pub use sources::{Sources, read};
pub use subject::Subject;
pub use suppress::Day;
