//! The contract in the sources: finds codes, tools and failures by syntax tree, and compares them with the registry.
//!
//! Files are read on all cores ([`sources`]), each in one walk over its tree, and leave their [`facts`]; [`project`] joins
//! the facts of all files, and each rule of [`rules`] is a function over them.

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
pub use report::{Report, Verdict, check};
pub use rule::{Check, Edit, Hit};
pub use rules::{checks, page, rules};
pub use sources::{Sources, read};
pub use subject::Subject;
pub use suppress::Day;
