//! Error types of Rust as declarations of codes: what their attributes say, and the registry that they make.
//!
//! The derive reads a type with this while it compiles, and `redress registry add --from-rust` reads the same from a file.
//!
//! # Modules
//!
//! - `declaration.rs` a type and its variants as written. `field.rs` what a field is to the fault. `row.rs` what a
//!   variant says of its code.
//! - `attributes.rs` `#[contract(…)]` as keys and values. `names.rs` names of Rust as names of a registry.
//! - `inline.rs` the registry that a type makes by itself, under the lint; a finding is reported at the attribute.
//! - `file.rs` the types of a whole file, for the command line; with the feature `file`. `mistakes.rs` what is wrong,
//!   each at its place.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![expect(missing_debug_implementations, reason = "the trees of syn have none")]

mod attributes;
mod declaration;
mod field;
#[cfg(feature = "file")]
mod file;
mod inline;
mod mistakes;
mod names;
mod row;

pub use attributes::At;
pub use declaration::{Declaration, DeclarationKind, Home, Variant, read};
pub use field::{ErrorField, FieldRole};
#[cfg(feature = "file")]
pub use file::{Declared, FileProblem, GAVE_UP, read_file};
pub use inline::{Made, Package, make, rows};
pub use mistakes::Mistakes;
pub use row::DeclaredRow;
