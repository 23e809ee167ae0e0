//! `Contract`: a registry as sources see it, every spelling of every code at hand.

use std::{ops::Range, sync::Arc};

use redress_registry::{Entry, Registry, Retired, Source, name, read};
use rustc_hash::FxHashMap;

/// A registry and the files that it is for.
#[derive(Debug)]
pub struct Contract {
    /// The registry.
    pub registry: Arc<Registry>,
    /// Its file, or its name and text if it is built in.
    pub source: Source,
    spellings: FxHashMap<Box<str>, Arc<Entry>>,
}

/// What a contract says of a text.
#[derive(Debug, Clone)]
pub enum Meaning<'a> {
    /// A code that it has, by its name or by a dialect's spelling.
    Code(&'a Arc<Entry>),
    /// A code that it had.
    Retired(&'a str, &'a Retired),
}

impl Contract {
    /// A registry for the sources beside it.
    pub fn new(registry: Arc<Registry>, source: Source) -> Self {
        let mut spellings: FxHashMap<Box<str>, Arc<Entry>> = FxHashMap::default();
        for entry in registry.codes.values() {
            for spelling in entry.alias.iter().flat_map(|it| &it.spellings) {
                spellings.entry(spelling.as_str().into()).or_insert_with(|| Arc::clone(entry));
            }
            if registry.namespace.is_some() && entry.registry == registry.name {
                let bare = name::split(&entry.code).1;
                spellings.entry(bare.into()).or_insert_with(|| Arc::clone(entry));
            }
        }
        // A name counts more than another code's spelling.
        for (code, entry) in &registry.codes {
            spellings.insert(code.clone(), Arc::clone(entry));
        }
        Self { registry, source, spellings }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.source.file
    }

    /// Where it declares a code, a tool or a tombstone itself.
    pub fn place(&self, of: &str) -> Option<Range<usize>> {
        let draft = read(&self.source).ok()?;
        let bare = name::split(of).1;
        let codes = draft.codes.iter().map(|it| &it.value.name);
        let tools = draft.tools.iter().map(|it| &it.value.name);
        let mut names = codes.chain(tools);
        names.find(|it| it.value == of || it.value == bare).map(|it| it.span.clone())
    }

    /// What a text means, if it is a code or was one.
    pub fn meaning(&self, text: &str) -> Option<Meaning<'_>> {
        if let Some(entry) = self.spellings.get(text) {
            return Some(Meaning::Code(entry));
        }
        let (name, retired) = self.registry.retired.get_key_value(text)?;
        Some(Meaning::Retired(name, retired))
    }

    /// The code that a text means, if it is one.
    pub fn code(&self, text: &str) -> Option<&Arc<Entry>> {
        self.spellings.get(text)
    }
}
