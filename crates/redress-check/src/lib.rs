//! The contract in the sources: finds codes, tools and failures by syntax tree, and compares them with the registry.
//!
//! Files are read on all cores ([`sources`]), each in one walk over its tree, and leave their [`facts`]; [`link`] joins
//! the facts of all files, and each rule of [`rules`] is a function over them.

mod card;
pub mod conduct;
mod contract;
mod exposure;
pub mod facts;
pub mod fix;
mod imports;
mod infer;
pub mod language;
pub mod link;
mod markdown;
mod named;
mod position;
mod python;
mod reach;
pub mod report;
mod resolve;
pub mod rule;
mod rules;
mod rust;
mod scan;
pub mod sources;
pub mod suppress;
mod table;
mod tools;
mod tree;
mod typescript;
pub mod walk;
mod words;

pub use contract::{Contract, Meaning};
pub use infer::infer;
pub use link::World;
pub use named::{Named, Role};
pub use report::{Report, check};
pub use rule::{Check, Edit, Hit};
pub use rules::{checks, page, rules};
pub use sources::{Sources, read};
pub use suppress::Day;
