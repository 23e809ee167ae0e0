//! `Project`: the facts of all files linked, each file with its contract and with what its values mean.

use std::{path::PathBuf, sync::Arc};

use crate::{
    contract::Contract,
    error_flow::{ErrorFlow, ErrorSite, Handling, Promise, Within},
    exposure::Exposure,
    facts::Facts,
    language::Language,
    manifest::{self, Manifest},
    named::{Named, families, named},
    resolve::{Index, Target},
    sources::{SourceFile, Sources},
};

/// What rules look at: all files, their contracts, and what links them.
#[derive(Debug)]
pub struct Project<'w> {
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
    manifests: Vec<Manifest<'w>>,
}

/// A file that is under a contract, and judged.
#[derive(Debug, Clone, Copy)]
pub struct JudgedFile<'w> {
    /// Its number.
    pub file: usize,
    /// What it says.
    pub facts: &'w Facts,
    /// What it is compared with.
    pub contract: &'w Contract,
}

impl<'w> Project<'w> {
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
        let manifests = manifest::manifests(sources);
        Self { sources, contracts, of, names, index, exposure, named, manifests }
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
    pub fn judged(&self) -> impl Iterator<Item = JudgedFile<'w>> {
        self.files().filter_map(|(file, it)| {
            let contract = self.contract(file)?;
            let facts = &it.facts;
            (!facts.is_test && !facts.is_generated).then_some(JudgedFile { file, facts, contract })
        })
    }

    /// Where a file names codes, in its order.
    pub fn named(&self, file: usize) -> &[Named<'w>] {
        self.named.get(file).map(Vec::as_slice).unwrap_or_default()
    }

    /// The codes that the package of a file declares in its sources.
    pub(crate) fn manifest(&self, file: usize) -> Option<&Manifest<'w>> {
        manifest::of(&self.manifests, &self.sources.files.get(file)?.path)
    }

    /// The contract of a file.
    pub fn contract(&self, file: usize) -> Option<&'w Contract> {
        self.contracts.get(self.of.get(file).copied().flatten()?)
    }

    /// The error flow of every file that is judged.
    pub(crate) fn error_flows(&self) -> impl Iterator<Item = (usize, &'w ErrorFlow)> {
        let files = self.files().filter(|(file, _)| self.exposure.is_judged(*file));
        files.map(|(file, it)| (file, &it.facts.error_flow))
    }

    /// The error sites of every file that is judged.
    pub(crate) fn error_sites(
        &self,
    ) -> impl Iterator<Item = (usize, &'w ErrorFlow, &'w ErrorSite)> {
        self.error_flows().flat_map(|(file, it)| it.sites.iter().map(move |site| (file, it, site)))
    }

    /// What a file is written in.
    pub(crate) fn language(&self, file: usize) -> Language {
        self.sources.files.get(file).map(|it| it.facts.language).unwrap_or_default()
    }

    /// Whether the function around something is there to find out whether something works.
    pub(crate) fn is_question(&self, file: usize, within: &Within) -> bool {
        const HEADS: [&str; 12] = [
            "is", "has", "can", "exists", "try", "safe", "maybe", "check", "detect", "probe",
            "should", "optional",
        ];
        let is_question = |name: &str| {
            let name = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_');
            let rest = HEADS.iter().find_map(|head| name.strip_prefix(head));
            rest.is_some_and(|rest| !rest.starts_with(|it: char| it.is_ascii_lowercase()))
                || name.to_ascii_lowercase().contains("exists")
        };
        let Some(source) = self.sources.files.get(file) else { return false };
        let from = within.function.unwrap_or(u32::MAX);
        source.facts.functions_around(from).any(|it| is_question(&it.name))
    }

    /// Whether a call whose result is not looked at can fail: it is known to, or its signature says so.
    pub(crate) fn can_fail(&self, file: usize, within: &Within, callee: &str) -> bool {
        if callee.starts_with('.') || is_fallible(callee) {
            return true;
        }
        let own = callee.strip_prefix("self.").or_else(|| callee.strip_prefix("Self."));
        let around = self.sources.files.get(file).zip(within.function);
        let class = around.and_then(|(source, from)| source.facts.class_around(from));
        let path = match own.zip(class) {
            Some((name, class)) => format!("{class}.{name}"),
            None => callee.to_owned(),
        };
        let Target::Function(home, function) = self.index.target(file, &path) else { return false };
        let facts = self.sources.files.get(home).map(|it| &it.facts);
        let promise = facts.and_then(|it| it.error_flow.promise(function.span.start));
        promise.is_some_and(|it| it != Promise::Text)
    }

    /// Whether a call gives back a failure as a plain value: a function of the exported packages, or one of these sources
    /// that returns an envelope.
    pub(crate) fn makes_value(&self, file: usize, callee: &str) -> bool {
        let last = callee.rsplit('.').next().unwrap_or(callee);
        if matches!(last, "makeFault" | "make_fault") {
            return true;
        }
        let Target::Function(home, function) = self.index.target(file, callee) else {
            return false;
        };
        let Some(source) = self.sources.files.get(home) else { return false };
        source.facts.error_flow.sites.iter().any(|it| {
            matches!(it.what, Handling::Envelope(_))
                && it.within.function == Some(function.span.start)
        })
    }

    /// Whether a function of this name is declared in these sources.
    pub(crate) fn is_ours(&self, file: usize, callee: &str) -> bool {
        matches!(self.index.target(file, callee), Target::Function(..))
    }
}

/// Whether a function of the standard library, or one that everybody knows, can fail.
fn is_fallible(callee: &str) -> bool {
    let (of, name) = callee.rsplit_once('.').unwrap_or(("", callee));
    of.ends_with("fs")
        || matches!(
            name,
            "write_all"
                | "flush"
                | "sync_all"
                | "save"
                | "persist"
                | "commit"
                | "set_permissions"
                | "execute"
        )
}
