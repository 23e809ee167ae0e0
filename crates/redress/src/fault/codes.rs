//! Typed handles to codes: those of `core`, and those of a registry that was exported as Rust. An unregistered code does
//! not compile.

mod embedded;
mod list;

use std::sync::Arc;

pub use embedded::{Code, locked};
pub use list::*;
use redress_registry::{Entry, shipped};

use super::{Fault, ParamValue};

/// A code of the embedded `core` registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CoreCode {
    name: &'static str,
    row: usize,
}

/// A handle to a row by its place in the file.
const fn row(name: &'static str, row: usize) -> CoreCode {
    CoreCode { name, row }
}

impl CoreCode {
    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Its row.
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "a test compares the list with `core`, row by row"
    )]
    pub fn entry(self) -> &'static Arc<Entry> {
        let (_, entry) =
            shipped::core().codes.get_index(self.row).expect("the list is generated from `core`");
        entry
    }

    /// An occurrence with its parameters: they fill the message and become `details`.
    pub fn raise<K, V>(self, params: impl IntoIterator<Item = (K, V)>) -> Fault
    where
        K: AsRef<str>,
        V: Into<ParamValue>,
    {
        Fault::raise(self.entry(), params)
    }
}
