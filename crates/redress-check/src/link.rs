//! `World`: the facts of all files joined, each file with its contract and with what its values mean.

use std::{path::PathBuf, sync::Arc};

use crate::{
    contract::Contract,
    facts::{Facts, Position},
    position::{is_code_key, is_error_name},
    sources::{SourceFile, Sources},
};

/// All that rules look at.
#[derive(Debug)]
pub struct World<'w> {
    /// What was read.
    pub sources: &'w Sources,
    /// The contracts.
    pub contracts: &'w [Contract],
    /// For each file the number of its contract.
    of: Vec<Option<usize>>,
    names: Vec<Arc<str>>,
}

/// A file that is under a contract, and judged.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'w> {
    /// Its number.
    pub file: usize,
    /// What it says.
    pub facts: &'w Facts,
    /// What it is compared with.
    pub contract: &'w Contract,
}

impl<'w> World<'w> {
    /// Joins what was read. `of` says which contract a file is under.
    pub fn new(
        sources: &'w Sources,
        contracts: &'w [Contract],
        of: impl Fn(&PathBuf) -> Option<usize>,
    ) -> Self {
        let of = sources.files.iter().map(|it| of(&it.path)).collect();
        let names = sources.files.iter().map(|it| it.path.to_string_lossy().into()).collect();
        Self { sources, contracts, of, names }
    }

    /// The name of a file in messages.
    pub fn name(&self, file: usize) -> Arc<str> {
        self.names.get(file).cloned().unwrap_or_default()
    }

    /// Every file with its number.
    pub fn files(&self) -> impl Iterator<Item = (usize, &'w SourceFile)> {
        self.sources.files.iter().enumerate()
    }

    /// The files that are under a contract and neither test nor generated.
    pub fn judged(&self) -> impl Iterator<Item = Judged<'w>> {
        self.files().filter_map(|(file, it)| {
            let contract = self.contract(file)?;
            let facts = &it.facts;
            (!facts.is_test && !facts.is_generated).then_some(Judged { file, facts, contract })
        })
    }

    /// The contract of a file.
    pub fn contract(&self, file: usize) -> Option<&'w Contract> {
        self.contracts.get(self.of.get(file).copied().flatten()?)
    }
}

/// Whether only a code can stand there.
pub(crate) fn is_code_place(position: &Position) -> bool {
    match position {
        Position::Member { key, of_error } => *of_error && is_code_key(key),
        Position::Argument { callee, index: 0, .. } => is_error_name(callee),
        _ => false,
    }
}
