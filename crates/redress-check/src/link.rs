//! `World`: the facts of all files joined, each file with its contract and with what its values mean.

use std::{path::PathBuf, sync::Arc};

use crate::{
    contract::Contract,
    exposure::Exposure,
    facts::Facts,
    named::{Named, families, named},
    resolve::Index,
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
    pub(crate) index: Index<'w>,
    pub(crate) exposure: Exposure<'w>,
    /// For each file where it names codes.
    named: Vec<Vec<Named<'w>>>,
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
        let of: Vec<_> = sources.files.iter().map(|it| of(&it.path)).collect();
        let names = sources.files.iter().map(|it| it.path.to_string_lossy().into()).collect();
        let index = Index::new(sources);
        let families: Vec<_> = contracts
            .iter()
            .enumerate()
            .map(|(number, contract)| {
                let its = sources.files.iter().zip(&of).filter(|it| *it.1 == Some(number));
                families(its.map(|it| &it.0.facts), contract)
            })
            .collect();
        let named = sources.files.iter().zip(&of).enumerate().map(|(number, (file, of))| {
            let with = of.and_then(|it| Some((contracts.get(it)?, &index, families.get(it)?)));
            with.map(|it| named(number, &file.facts, it)).unwrap_or_default()
        });
        let named = named.collect();
        let exposure = Exposure::new(sources, &index);
        Self { sources, contracts, of, names, index, exposure, named }
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

    /// Where a file names codes, in its order.
    pub fn named(&self, file: usize) -> &[Named<'w>] {
        self.named.get(file).map(Vec::as_slice).unwrap_or_default()
    }

    /// The contract of a file.
    pub fn contract(&self, file: usize) -> Option<&'w Contract> {
        self.contracts.get(self.of.get(file).copied().flatten()?)
    }
}
