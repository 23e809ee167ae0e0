//! Compares the ledger of a node with what the stream has of it: what was shipped, the node cannot change unseen.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    sync::Arc,
};

use redress_ledger::{Chain, ChainCursor, Entry, Hash, Kind, Next, Reader};

use crate::error::FleetError;

/// A record of a node that is not as the stream has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// It is another one.
    Changed {
        /// The chain.
        chain: Arc<str>,
        /// The number of the first that differs.
        seq: u64,
    },
    /// It is not there.
    Cut {
        /// The chain.
        chain: Arc<str>,
        /// The numbers of the first and the last.
        records: (u64, u64),
    },
    /// A line of the chain is no record.
    Damaged {
        /// The chain.
        chain: Arc<str>,
        /// Behind which record.
        after: u64,
        /// What is wrong with it.
        why: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { chain, seq } => {
                write!(f, "record {seq} of {chain} is another one than the stream has")
            }
            Self::Cut { chain, records: (first, last) } => {
                write!(f, "records {first} to {last} of {chain} are in the stream and not here")
            }
            Self::Damaged { chain, after, why } => {
                write!(f, "behind record {after} of {chain} is no record: {why}")
            }
        }
    }
}

/// How a node's ledgers compare with the stream.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// What differs.
    pub differences: Vec<Difference>,
    /// Records that are the same in both.
    pub same: u64,
    /// Records here that the stream does not have yet.
    pub unshipped: u64,
}

/// Compares the ledgers of a node with the mirror's copy of them.
///
/// # Errors
/// One of them cannot be read.
pub fn compare(copy: &Path, ledgers: &[impl AsRef<Path>]) -> Result<Comparison, FleetError> {
    let mut comparison = Comparison::default();
    let pruned = prunings(copy)?;
    let mut here: BTreeMap<Arc<str>, Chain> = BTreeMap::new();
    for ledger in ledgers {
        here.extend(Chain::all(ledger.as_ref())?.into_iter().map(|it| (Arc::clone(&it.name), it)));
    }
    let mut shipped = BTreeSet::new();
    for chain in Chain::all(copy)? {
        let told = hashes(&chain, &mut None)?;
        shipped.insert(Arc::clone(&chain.name));
        let mut damage = None;
        let found = match here.get(&chain.name) {
            Some(chain) => hashes(chain, &mut damage)?,
            None => BTreeMap::new(),
        };
        if let Some((after, why)) = damage {
            let chain = Arc::clone(&chain.name);
            comparison.differences.push(Difference::Damaged { chain, after, why });
        }
        let up_to = pruned.get(&*chain.name).copied().unwrap_or_default();
        one(&chain.name, (&told, &found), up_to, &mut comparison);
    }
    for (_, chain) in here.into_iter().filter(|it| !shipped.contains(&it.0)) {
        comparison.unshipped += hashes(&chain, &mut None)?.len() as u64;
    }
    Ok(comparison)
}

fn one(
    chain: &Arc<str>,
    (told, found): (&BTreeMap<u64, Hash>, &BTreeMap<u64, Hash>),
    pruned: u64,
    comparison: &mut Comparison,
) {
    let mut cut: Option<(u64, u64)> = None;
    let mut changed = None;
    for (seq, hash) in told {
        match found.get(seq) {
            Some(here) if here == hash => comparison.same += 1,
            Some(_) => changed = changed.or(Some(*seq)),
            None if *seq < pruned => (),
            None => cut = Some((cut.map_or(*seq, |it| it.0), *seq)),
        }
    }
    let chain = || Arc::clone(chain);
    let differences = &mut comparison.differences;
    differences.extend(changed.map(|seq| Difference::Changed { chain: chain(), seq }));
    differences.extend(cut.map(|records| Difference::Cut { chain: chain(), records }));
    let last = told.keys().next_back();
    comparison.unshipped +=
        found.keys().filter(|it| last.is_none_or(|last| *it > last)).count() as u64;
}

/// The hashes of the records of a chain, as far as they can be read; and where that ends too early.
fn hashes(
    chain: &Chain,
    damage: &mut Option<(u64, String)>,
) -> Result<BTreeMap<u64, Hash>, FleetError> {
    let mut found = BTreeMap::new();
    let mut cursor = ChainCursor::start(chain);
    loop {
        match cursor.read(u64::MAX, 1 << 20)? {
            Next::Portion(portion) => {
                for line in portion.lines.split(|it| *it == b'\n').filter(|it| !it.is_empty()) {
                    let head = redress_ledger::read_line(line, &chain.path)?;
                    found.insert(head.seq, head.hash);
                }
            }
            Next::Skipped(_) => (),
            Next::Nothing => return Ok(found),
            Next::Diverged(seq) => {
                *damage = Some((seq, "the record does not follow the one before".to_owned()));
                return Ok(found);
            }
            Next::Damaged(why) => {
                *damage = Some((cursor.next().saturating_sub(1), why.to_string()));
                return Ok(found);
            }
        }
    }
}

/// Up to which number each chain was pruned, as the node told the stream.
fn prunings(copy: &Path) -> Result<BTreeMap<String, u64>, FleetError> {
    let mut pruned = BTreeMap::new();
    for entry in Reader::open(copy)?.flatten().filter(|it| it.kind == Kind::Prune) {
        if let Some((chain, next)) = pruning(&entry) {
            let known = pruned.entry(chain).or_insert(0);
            *known = next.max(*known);
        }
    }
    Ok(pruned)
}

fn pruning(entry: &Entry) -> Option<(String, u64)> {
    let record: serde_json::Value = serde_json::from_str(&entry.text).ok()?;
    let prune = record.get("prune")?;
    Some((prune.get("chain")?.as_str()?.to_owned(), prune.get("next_seq")?.as_u64()?))
}
