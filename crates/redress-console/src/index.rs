//! `Index`: what ledgers say, in memory: counts by minute, and the newest failures one by one. It is derived, bounded, and can be built again.

mod buckets;
mod follow;
mod record;
mod symbols;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use redress_ledger::{Kind, LATENCY_MILLIS, Time};
use rustc_hash::FxHashMap;

pub(crate) use self::{
    buckets::{Buckets, Count, Minute},
    follow::{Follower, Shared},
    symbols::{EMPTY, Symbol, Symbols},
};

/// How many failures are kept one by one.
pub(crate) const MOST_ROWS: usize = 100_000;

/// How many more are tolerated before the oldest go.
const SLACK: usize = MOST_ROWS / 5;

/// The most groups that are kept apart; further ones are counted together.
const MOST_GROUPS: usize = 50_000;

/// How many problems are kept for the page.
const MOST_PROBLEMS: usize = 100;

/// What the texts of the failures may take. Beyond that further texts are cut to nothing.
const MOST_TEXT: usize = 48 << 20;

/// The properties of failures that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Group {
    pub server: Symbol,
    pub tool: Symbol,
    pub code: Symbol,
    pub class: Symbol,
    pub effect: Symbol,
    pub origin: Symbol,
    pub basis: Symbol,
    pub retry: Symbol,
    pub client: Symbol,
    /// `true`, `false`, or nothing where it is not known.
    pub flagged: Symbol,
}

/// One failure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub time: u64,
    pub seq: u64,
    pub offset: u64,
    pub length: u32,
    /// Its file, in [`Index::files`].
    pub file: u32,
    pub group: u32,
    pub session: Symbol,
    pub run: Symbol,
    pub arguments: Symbol,
    /// The number of its call in its run; 0 where the ledger does not tell of successes.
    pub call: u32,
    pub message: Symbol,
    pub hint: Symbol,
    pub said: Symbol,
}

/// A call that succeeded, as far as the ledger tells of single ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Success {
    pub time: u64,
    pub seq: u64,
    /// Its file, in [`Index::files`].
    pub file: u32,
    /// The number of its call in its run, where that is known.
    pub call: u32,
    pub server: Symbol,
    pub tool: Symbol,
    pub session: Symbol,
    pub run: Symbol,
}

/// The calls of a minute, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Outcomes {
    pub ok: u32,
    pub fault: u32,
    pub refused: u32,
    pub cancelled: u32,
    pub repeated: u32,
}

impl Outcomes {
    fn add(&mut self, other: Self) {
        self.ok.add(other.ok);
        self.fault.add(other.fault);
        self.refused.add(other.refused);
        self.cancelled.add(other.cancelled);
        self.repeated.add(other.repeated);
    }
}

/// Calls by duration.
pub(crate) type Latency = [u32; LATENCY_MILLIS.len() + 1];

/// The calls of a minute, by outcome and by duration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MinuteCalls {
    pub outcomes: Outcomes,
    pub latency: Latency,
}

impl Count for MinuteCalls {
    // One takes 92 bytes: as many as fit into 37 MB.
    const MOST: usize = if cfg!(test) { 20_000 } else { 400_000 };

    fn add(&mut self, other: Self) {
        self.outcomes.add(other.outcomes);
        self.latency.iter_mut().zip(other.latency).for_each(|(ours, theirs)| ours.add(theirs));
    }
}

/// A file that was read, as far as it was.
#[derive(Debug, Clone)]
pub(crate) struct FileState {
    pub ledger: PathBuf,
    pub chain: Arc<str>,
    pub path: PathBuf,
}

/// What is known of a chain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chain {
    pub ledger: PathBuf,
    pub records: u64,
    pub bytes: u64,
    pub by_kind: BTreeMap<Kind, u64>,
    pub first: Option<Time>,
    pub last: Option<Time>,
    /// Lines that are no records.
    pub bad: u64,
    /// How often a record was older than the one before.
    pub clock_back: u64,
    /// Failures that could not be recorded.
    pub missed: u64,
    pub checkpoints: u64,
    pub is_aside: bool,
}

/// A mark that a person has checked a failure.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub by: Arc<str>,
    pub note: Option<Arc<str>>,
    pub time: u64,
}

/// How far the ledgers were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that were read.
    pub read: u64,
    /// Bytes that were there when reading began.
    pub all: u64,
    /// Whether everything was read that was there.
    pub is_complete: bool,
}

/// What ledgers say.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) symbols: Symbols,
    pub(crate) groups: Vec<Group>,
    group_ids: FxHashMap<Group, u32>,
    pub(crate) rows: Vec<Row>,
    /// Failures by minute and group.
    pub(crate) faults: Buckets<u32>,
    /// Servers and tools whose calls were counted.
    pub(crate) tools: Vec<(Symbol, Symbol)>,
    tool_ids: FxHashMap<(Symbol, Symbol), u32>,
    /// Calls by minute and tool.
    pub(crate) calls: Buckets<MinuteCalls>,
    pub(crate) successes: Vec<Success>,
    pub(crate) checked: BTreeMap<(Arc<str>, u64), Mark>,
    pub(crate) files: Vec<FileState>,
    pub(crate) chains: BTreeMap<Arc<str>, Chain>,
    pub(crate) problems: Vec<String>,
    pub(crate) damaged: u64,
    pub(crate) records: u64,
    /// The time of the oldest failure that is kept, if there were more.
    pub(crate) rows_from: Option<u64>,
    /// The time of the newest record.
    pub(crate) newest: u64,
    /// How far it was built.
    pub progress: Progress,
    /// Grows with every change.
    pub generation: u64,
}

impl Index {
    /// Reads the whole of some ledgers once, in this thread and one more.
    pub fn of(ledgers: &[PathBuf]) -> Self {
        follow::build(ledgers)
    }

    /// What could not be read.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The number of a group, which is kept if it is new.
    pub(crate) fn group(&mut self, group: Group) -> u32 {
        if let Some(id) = self.group_ids.get(&group) {
            return *id;
        }
        if self.groups.len() >= MOST_GROUPS {
            let others = self.symbols.add("(others)");
            let rest = Group { tool: others, client: others, ..group };
            let last = u32::try_from(self.groups.len() - 1).unwrap_or_default();
            return self.group_ids.get(&rest).copied().unwrap_or(last);
        }
        let id = u32::try_from(self.groups.len()).unwrap_or_default();
        self.groups.push(group);
        self.group_ids.insert(group, id);
        id
    }

    /// The number of a tool whose calls are counted.
    pub(crate) fn tool(&mut self, tool: (Symbol, Symbol)) -> u32 {
        if let Some(id) = self.tool_ids.get(&tool) {
            return *id;
        }
        if self.tools.len() >= MOST_GROUPS {
            return u32::try_from(self.tools.len() - 1).unwrap_or_default();
        }
        let id = u32::try_from(self.tools.len()).unwrap_or_default();
        self.tools.push(tool);
        self.tool_ids.insert(tool, id);
        id
    }

    /// A text of a failure; beyond the bound a new one is left out.
    pub(crate) fn text(&mut self, text: &str) -> Symbol {
        if self.symbols.bytes() > MOST_TEXT {
            return self.symbols.find(text).unwrap_or(EMPTY);
        }
        self.symbols.add(text)
    }

    /// Notes a problem for the page.
    pub(crate) fn note(&mut self, problem: String) {
        if self.problems.len() < MOST_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Adds everything of another index, such as that of one segment.
    pub(crate) fn absorb(&mut self, other: Self) {
        let symbols: Vec<Symbol> = (0..other.symbols.len())
            .map(|it| {
                let text = other.symbols.text(u32::try_from(it).unwrap_or_default());
                self.text(text)
            })
            .collect();
        let symbol = |it: Symbol| symbols.get(it as usize).copied().unwrap_or(EMPTY);
        let map = |it: &Group| Group {
            server: symbol(it.server),
            tool: symbol(it.tool),
            code: symbol(it.code),
            class: symbol(it.class),
            effect: symbol(it.effect),
            origin: symbol(it.origin),
            basis: symbol(it.basis),
            retry: symbol(it.retry),
            client: symbol(it.client),
            flagged: symbol(it.flagged),
        };
        let groups: Vec<u32> = other.groups.iter().map(|it| self.group(map(it))).collect();
        let group = |it: u32| groups.get(it as usize).copied().unwrap_or_default();
        let tools: Vec<u32> =
            other.tools.iter().map(|it| self.tool((symbol(it.0), symbol(it.1)))).collect();
        let first_file = u32::try_from(self.files.len()).unwrap_or_default();
        let mut files = Vec::new();
        for file in other.files {
            let known = self.files.iter().position(|it| it.path == file.path);
            files.push(known.map_or_else(
                || {
                    self.files.push(file);
                    u32::try_from(self.files.len() - 1).unwrap_or(first_file)
                },
                |it| u32::try_from(it).unwrap_or_default(),
            ));
        }
        let file = |it: u32| files.get(it as usize).copied().unwrap_or_default();
        self.rows.extend(other.rows.iter().map(|it| Row {
            file: file(it.file),
            group: group(it.group),
            session: symbol(it.session),
            run: symbol(it.run),
            arguments: symbol(it.arguments),
            message: symbol(it.message),
            hint: symbol(it.hint),
            said: symbol(it.said),
            ..*it
        }));
        self.successes.extend(other.successes.iter().map(|it| Success {
            file: file(it.file),
            server: symbol(it.server),
            tool: symbol(it.tool),
            session: symbol(it.session),
            run: symbol(it.run),
            ..*it
        }));
        self.faults.absorb(other.faults, group);
        self.calls.absorb(other.calls, |it| tools.get(it as usize).copied().unwrap_or_default());
        self.checked.extend(other.checked);
        for (name, chain) in other.chains {
            self.chains.entry(name).or_default().add(chain);
        }
        other.problems.into_iter().for_each(|it| self.note(it));
        self.damaged += other.damaged;
        self.records += other.records;
        self.newest = self.newest.max(other.newest);
        self.rows_from = self.rows_from.max(other.rows_from);
        self.progress.read += other.progress.read;
        self.trim();
        self.generation += 1;
    }

    /// Forgets the oldest failures if there are too many.
    fn trim(&mut self) {
        if self.rows.len() > MOST_ROWS + SLACK {
            let keep = self.rows.len() - MOST_ROWS;
            self.rows.select_nth_unstable_by_key(keep, |it| it.time);
            self.rows.drain(..keep);
            let oldest = self.rows.iter().map(|it| it.time).min();
            self.rows_from = self.rows_from.max(oldest);
        }
        if self.successes.len() > MOST_ROWS + SLACK {
            let keep = self.successes.len() - MOST_ROWS;
            self.successes.select_nth_unstable_by_key(keep, |it| it.time);
            self.successes.drain(..keep);
        }
        if self.symbols.bytes() > MOST_TEXT {
            self.forget_texts();
        }
    }

    /// Forgets texts that no failure has any more.
    fn forget_texts(&mut self) {
        let mut symbols = Symbols::default();
        let old = std::mem::take(&mut self.symbols);
        let mut keep = |it: &mut Symbol| *it = symbols.add(old.text(*it));
        for group in &mut self.groups {
            let Group { server, tool, code, class, effect, origin, basis, retry, client, flagged } =
                group;
            for it in [server, tool, code, class, effect, origin, basis, retry, client, flagged] {
                keep(it);
            }
        }
        for (server, tool) in &mut self.tools {
            keep(server);
            keep(tool);
        }
        for row in &mut self.rows {
            let Row { session, run, arguments, message, hint, said, .. } = row;
            for it in [session, run, arguments, message, hint, said] {
                keep(it);
            }
        }
        for success in &mut self.successes {
            let Success { server, tool, session, run, .. } = success;
            for it in [server, tool, session, run] {
                keep(it);
            }
        }
        self.group_ids = ids(&self.groups);
        self.tool_ids = ids(&self.tools);
        self.symbols = symbols;
    }

    /// The failure with that place in a chain.
    pub(crate) fn row(&self, chain: &str, seq: u64) -> Option<&Row> {
        let is_it = |it: &&Row| it.seq == seq && *self.file(it).chain == *chain;
        self.rows.iter().find(is_it)
    }

    /// The file of a failure.
    pub(crate) fn file(&self, row: &Row) -> &FileState {
        static NONE: std::sync::LazyLock<FileState> = std::sync::LazyLock::new(|| FileState {
            ledger: PathBuf::new(),
            chain: "".into(),
            path: PathBuf::new(),
        });
        self.files.get(row.file as usize).unwrap_or(&NONE)
    }

    /// The chain of a file.
    pub(crate) fn chain_of(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |it| &it.chain)
    }

    /// The group of a failure.
    pub(crate) fn group_of(&self, row: &Row) -> Group {
        self.groups.get(row.group as usize).copied().unwrap_or_default()
    }
}

fn ids<K: Copy + Eq + std::hash::Hash>(keys: &[K]) -> FxHashMap<K, u32> {
    (0..).zip(keys).map(|(id, key)| (*key, id)).collect()
}

impl Chain {
    fn add(&mut self, other: Self) {
        if !other.ledger.as_os_str().is_empty() {
            self.ledger = other.ledger;
        }
        self.records += other.records;
        self.bytes += other.bytes;
        for (kind, count) in other.by_kind {
            *self.by_kind.entry(kind).or_default() += count;
        }
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        self.bad += other.bad;
        self.clock_back += other.clock_back;
        self.missed += other.missed;
        self.checkpoints += other.checkpoints;
        self.is_aside |= other.is_aside;
    }
}
