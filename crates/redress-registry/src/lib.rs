//! The registry of a Redress contract: its model, its TOML file, its lint, its diff.
//!
//! # Modules
//!
//! - `class.rs`, `retry.rs` the closed sets: 16 classes, six retry kinds, effect, severity, stability, operation.
//! - `name.rs` the grammar of codes, namespaces and parameters. `dialects.rs` the names of dialects, generated.
//!   `template.rs` messages with parameters.
//! - `draft.rs` a file as it was written, every value at its place. `read.rs` TOML to draft, all problems at once.
//! - `model.rs` what a file means. `resolve.rs` draft to registry. `load.rs` a file with all that it extends.
//! - `taught.rs` the `[[match]]` rows of a contract, compiled so that their number costs nothing.
//! - `range.rs` the versions of core that a plugin was written for.
//! - `place.rs` file, line, column, and what is wrong there. `problems.rs` the words of it. `nearest.rs` did-you-mean.
//! - `embedded.rs` the six files of `registries/`. `shipped.rs` the registries in them. `find.rs` a code by any of its
//!   names.
//! - `canonical.rs` a registry as canonical JSON. `export.rs` its other forms, one file each.
//! - `schema.rs` JSON Schemas of the file and of the lock, for editors.
//! - `edit.rs` add, deprecate and retire in the file, by cut and paste at the parser's places. `plugin.rs` codes that
//!   come and go at run time, all or none.
//! - `rule.rs` what a rule says of itself. `finding.rs` what a rule found. `mirror.rs` the rules that the derive shares
//!   with the scan of sources. `lint.rs` the rules about one file, a group in each module.
//! - `diff.rs` the rules about two versions; `diff/fields.rs` says which rule judges which member of a row. `lock.rs` a
//!   registry as it was released, the old side of a diff.
//!
//! # Invariants
//!
//! - No I/O, no clock, no environment. Reading is total: any bytes give a draft or problems with their places.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod canonical;
pub mod class;
pub mod dialects;
pub mod diff;
pub mod draft;
pub mod edit;
mod embedded;
pub mod export;
pub mod find;
pub mod finding;
pub mod lint;
pub mod load;
pub mod lock;
pub mod mirror;
pub mod model;
pub mod name;
pub mod nearest;
pub mod place;
pub mod plugin;
pub mod problems;
mod range;
pub mod read;
pub mod resolve;
pub mod retry;
pub mod rule;
pub mod schema;
pub mod shipped;
pub mod taught;
pub mod template;

pub use canonical::canonical;
pub use class::Class;
pub use find::{FoundCode, find};
pub use finding::Finding;
pub use lint::lint;
pub use load::load;
pub use model::{
    Alias, Allow, Deprecated, Domain, Entry, NextStep, Param, ParamType, Registry, Retired, Tool,
};
pub use place::{Place, Problem, Source, Spanned};
pub use plugin::{PluginCode, PluginError, Plugins, Registration};
pub use read::read;
pub use resolve::resolve;
pub use retry::{Effect, Operation, Retry, RetryKind, Severity, Stability};
pub use rule::{Level, Rule};
