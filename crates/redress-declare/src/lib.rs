//! Error types of Rust as declarations of codes: what their attributes say, and the registry that they make.
//!
//! The derive reads a type with this while it compiles, and `redress registry add --from-rust` reads the same from a file.

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
pub use declaration::{Declaration, Home, Kind, Variant, read};
pub use field::{Field, Role};
#[cfg(feature = "file")]
pub use file::{Declared, GAVE_UP, Wrong, read_file};
pub use inline::{Made, Package, make, rows};
pub use mistakes::Mistakes;
pub use row::Row;
