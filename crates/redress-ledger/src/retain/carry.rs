//! What is written once more when its segment goes: a pruning that still explains why something is not there.
//!
//! Signatures of prunings do not name the chain that holds them. So a record is carried on as it is, and no key has to answer for what another one signed.

use std::{collections::BTreeMap, io};

use super::{Victim, vouch::PruneRecord};
use crate::{
    epochs::KeySet,
    layout::{self, ChainDir},
    record::{Head, Kind, Record},
};

/// The prunings on which the start of a chain depends that stays. Of chains that this key pruned and that are gone, the one that was longest: a receipt names no chain, so that
/// this one explains whatever the others do. There are never more of them than chains, and one.
pub(super) fn carried(victims: &[Victim], chains: &[ChainDir], own: &KeySet) -> Vec<Record> {
    let mut starts = BTreeMap::new();
    let mut carried = BTreeMap::new();
    let mut longest: Option<&PruneRecord> = None;
    for told in victims.iter().flat_map(|it| &it.told) {
        let name = told.pruned.chain.as_str();
        let starts = starts.entry(name).or_insert_with(|| starts_of(name, victims, chains));
        if starts.iter().any(|it| it.may_need(told)) {
            carried.insert((name, told.pruned.next_seq), told);
        } else if starts.is_empty()
            && own.contains(&told.pruned.by)
            && longest.is_none_or(|it| it.pruned.next_seq < told.pruned.next_seq)
        {
            longest = Some(told);
        }
    }
    let now = victims.iter().map(|it| it.head.next).max();
    let longest = longest.filter(|it| now.is_none_or(|now| now < it.pruned.next_seq));
    let all = carried.into_values().chain(longest);
    all.map(|it| Record::of_json(Kind::Prune, &it.object)).collect()
}

/// Where what stays of the chains of a name goes on.
fn starts_of(name: &str, victims: &[Victim], chains: &[ChainDir]) -> Vec<Start> {
    let named = chains.iter().enumerate().filter(|it| it.1.name == name);
    let starts = named.map(|(at, chain)| start(at, chain, victims).unwrap_or(Start::Unknown));
    starts.filter(|it| *it != Start::Nowhere).collect()
}

/// Where a chain goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Behind(Head),
    /// It cannot be read, so that any pruning may be the one.
    Unknown,
    /// Nothing stays of it.
    Nowhere,
}

impl Start {
    fn may_need(self, told: &PruneRecord) -> bool {
        match self {
            Self::Behind(end) => end == told.pruned.end(),
            Self::Unknown => true,
            Self::Nowhere => false,
        }
    }
}

fn start(at: usize, chain: &ChainDir, victims: &[Victim]) -> io::Result<Start> {
    let goes = |number| {
        let is_it = |it: &Victim| (it.candidate.chain, it.candidate.piece.number) == (at, number);
        victims.iter().any(is_it)
    };
    let mut pieces = layout::pieces(&chain.path)?.into_iter();
    let Some(first) = pieces.find(|it| !goes(it.number)) else { return Ok(Start::Nowhere) };
    Ok(layout::end_before(&first)?.map_or(Start::Unknown, Start::Behind))
}
