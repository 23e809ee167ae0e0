//! Handles to the codes of a registry inside a program: what `redress registry export --format rust` writes uses these.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use redress_registry::{Entry, Registry, Source, lock::read_lock, shipped};

use super::INTERNAL_ERROR;
use crate::fault::{Fault, ParamValue};

/// The registry of a lock. An edited lock is none; then it is `core`, so that failures still have codes.
pub fn locked(lock: &str) -> Arc<Registry> {
    let read = read_lock(&Source::new("embedded.lock", lock));
    read.map_or_else(|_| Arc::clone(shipped::core()), Arc::new)
}

/// A code of a registry inside the program.
#[derive(Clone, Copy)]
pub struct Code {
    name: &'static str,
    registry: fn() -> &'static Arc<Registry>,
}

impl Code {
    /// The code of that name.
    pub const fn new(name: &'static str, registry: fn() -> &'static Arc<Registry>) -> Self {
        Self { name, registry }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Its row; that of an internal error if the registry has none.
    pub fn entry(self) -> &'static Arc<Entry> {
        (self.registry)().get(self.name).unwrap_or_else(|| INTERNAL_ERROR.entry())
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

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
