//! The rows that would name groups of failures: as few as possible, none that takes another one's failures or a success.

use std::collections::{BTreeMap, BTreeSet};

use redress_registry::taught::{Sample as Answer, Taught, Teachings};

use super::Cluster;
use crate::{classify, codes};

/// How many unflagged failures of a tool must begin alike before a row takes all that begins so.
const LEAST_ALIKE: usize = 2;
/// How many letters and digits such a start has at least.
const LEAST_LABEL: usize = 5;
/// How many groups a start of texts must be common to before one row names them all.
const LEAST_SHARED: usize = 3;
/// How many letters and digits such a start has at least.
const LEAST_HEAD: usize = 12;

/// A successful answer, which no row may take for a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The tool that was called.
    pub tool: String,
    /// All that the answer says.
    pub text: String,
}

/// A row, and the groups that it names, by their places.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The row.
    pub row: Taught,
    /// The groups.
    pub clusters: Vec<usize>,
}

/// Why a group gets no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dropped {
    /// Its row would call a success a failure.
    Success,
    /// An earlier row takes its text.
    Earlier,
    /// It says too little to be told from others.
    Little,
}

impl Dropped {
    /// The reason as the end of a sentence.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Success => "its row would call a success a failure",
            Self::Earlier => "an earlier row takes its text",
            Self::Little => "it says too little to be told from others",
        }
    }
}

/// Drafts rows for groups. `codes` names the code of each group, `standing` are the rows that come before, `successes` the
/// answers that no row may take. The reasons why groups get none come beside.
pub fn draft(
    clusters: &[Cluster],
    codes: &[String],
    standing: &Teachings,
    successes: &[Sample],
) -> (Vec<Draft>, BTreeMap<usize, Dropped>) {
    let mut dropped = BTreeMap::new();
    let groups: Vec<(usize, &Cluster, &str)> = clusters
        .iter()
        .zip(codes)
        .enumerate()
        .map(|(at, (cluster, code))| (at, cluster, code.as_str()))
        .collect();
    let mut drafts = merged(&groups);
    let single = |at: usize| {
        let (cluster, code) = (clusters.get(at)?, codes.get(at)?);
        Some(Draft { row: cluster.row(code)?, clusters: vec![at] })
    };
    let covered: BTreeSet<usize> =
        drafts.iter().flat_map(|it| it.clusters.iter().copied()).collect();
    for (at, ..) in &groups {
        if covered.contains(at) {
            continue;
        }
        match single(*at) {
            Some(draft) => drafts.push(draft),
            None => drop(dropped.insert(*at, Dropped::Little)),
        }
    }
    drafts.extend(labelled(clusters));
    // What is refused is taken out, and a row of several groups is taken apart first. Each round takes one out at least.
    loop {
        // The row that says most comes first, so that a wider one does not take its texts.
        drafts.sort_by_key(|it| std::cmp::Reverse(fixed(&it.row)));
        let bad = refused(&drafts, standing, successes);
        if bad.is_empty() {
            return (drafts, dropped);
        }
        let mut kept = Vec::new();
        for (place, draft) in drafts.into_iter().enumerate() {
            match bad.get(&place) {
                None => kept.push(draft),
                Some(_) if draft.clusters.len() > 1 => {
                    kept.extend(draft.clusters.iter().filter_map(|it| single(*it)));
                }
                Some(why) => dropped.extend(draft.clusters.iter().map(|it| (*it, *why))),
            }
        }
        drafts = kept;
    }
}

/// How many letters and digits a row fixes.
fn fixed(row: &Taught) -> usize {
    row.text.iter().flat_map(|it| it.chars()).filter(|it| it.is_alphanumeric()).count()
}

/// The rows that cannot stay, by their places.
fn refused(
    drafts: &[Draft],
    standing: &Teachings,
    successes: &[Sample],
) -> BTreeMap<usize, Dropped> {
    let before = standing.rows().len();
    let own = match Teachings::new(drafts.iter().map(|it| it.row.clone()).collect(), |_| true) {
        Ok(own) => own,
        Err(refusals) => {
            return refusals.iter().map(|it| (it.row, Dropped::Earlier)).collect();
        }
    };
    let all = standing.before(&own);
    let taken_by = |tool: &str, text: &str, rpc_code, is_silent| {
        let has = |_: &str, _: &serde_json::Value| false;
        let answer = Answer { tool, text, rpc_code, status: None, has: &has };
        all.find(&answer, is_silent).map(|it| it.number - 1)
    };
    let mut bad = BTreeMap::new();
    for (place, Draft { row, .. }) in drafts.iter().enumerate() {
        let tool = row.tool.as_deref().unwrap_or("x");
        let example = row.example.as_deref().unwrap_or_default();
        if taken_by(tool, example, row.rpc_code, row.silent) != Some(before + place) {
            bad.insert(place, Dropped::Earlier);
        }
    }
    for success in successes {
        let taken = taken_by(&success.tool, &success.text, None, true);
        if let Some(place) = taken.and_then(|it| it.checked_sub(before)) {
            bad.insert(place, Dropped::Success);
        }
    }
    bad
}

/// Rows for groups with one code that begin alike: what a program says of one mistake begins with the same words.
fn merged(groups: &[(usize, &Cluster, &str)]) -> Vec<Draft> {
    let mut by_head = BTreeMap::<(&str, Option<&str>, &str), Vec<usize>>::new();
    for (at, (_, cluster, code)) in groups.iter().enumerate() {
        let silent = cluster.is_silent.then(|| cluster.only_tool().unwrap_or_default());
        for head in heads(&cluster.glob, LEAST_HEAD) {
            by_head.entry((head, silent, code)).or_default().push(at);
        }
    }
    let mut heads: Vec<_> = by_head.into_iter().filter(|it| it.1.len() >= LEAST_SHARED).collect();
    // The widest first, and of those the one that says most.
    heads.sort_by_key(|((head, ..), members)| std::cmp::Reverse((members.len(), head.len())));
    let (mut drafts, mut taken) = (Vec::new(), BTreeSet::new());
    for ((head, silent, code), members) in heads {
        // The members have all the same code, so that they are not meant here.
        let is_shared = groups.iter().any(|(_, it, of)| {
            it.glob.starts_with(head) && (*of != code || it.is_silent != silent.is_some())
        });
        if is_shared || members.iter().any(|it| taken.contains(it)) {
            continue;
        }
        let all: Vec<_> = members.iter().filter_map(|it| groups.get(*it)).collect();
        let Some((_, first, _)) = all.first() else { continue };
        let mut whole = Cluster::clone(first);
        whole.tools.extend(all.iter().flat_map(|it| it.1.tools.clone()));
        let glob = format!("{head}*");
        if let Some(row) = whole.row_with(&glob, code) {
            taken.extend(members.iter().copied());
            drafts.push(Draft { row, clusters: all.iter().map(|it| it.0).collect() });
        }
    }
    drafts
}

/// Rows for tools that do not give back what others wrote: where several unflagged failures have one label, so have others, of
/// which nothing more is known.
fn labelled(clusters: &[Cluster]) -> Vec<Draft> {
    let mut by_tool = BTreeMap::<&str, Vec<&str>>::new();
    for cluster in clusters.iter().filter(|it| it.is_silent) {
        let tool = cluster.only_tool().filter(|it| !classify::gives_back(it));
        by_tool.entry(tool.unwrap_or_default()).or_default().push(&cluster.glob);
    }
    by_tool.remove("");
    let row = |(tool, globs): (&str, Vec<&str>)| {
        let mut labels = BTreeMap::<&str, usize>::new();
        let ends = |it: &&str| it.ends_with(':');
        for label in globs.iter().flat_map(|it| heads(it, LEAST_LABEL).filter(ends)) {
            *labels.entry(label).or_default() += 1;
        }
        // The widest, and of those the one that says most.
        let (label, count) = labels.into_iter().max_by_key(|it| (it.1, it.0.len()))?;
        let row = Taught {
            tool: Some(tool.to_owned()),
            text: Some(format!("{label}*")),
            code: codes::UNKNOWN_TOOL_FAILURE.name().to_owned(),
            silent: true,
            example: Some(format!("{}…", label.replace(['*', '?'], " "))),
            ..Taught::default()
        };
        (count >= LEAST_ALIKE).then(|| Draft { row, clusters: Vec::new() })
    };
    by_tool.into_iter().filter_map(row).collect()
}

/// The starts of a glob that end where a value or another part of the sentence begins, with so many letters and digits at least.
fn heads(glob: &str, least: usize) -> impl Iterator<Item = &str> {
    let ends = glob.char_indices().filter(|(_, it)| matches!(it, '*' | ':' | '[' | '{' | '?'));
    ends.filter_map(|(at, it)| {
        let end = if it == '*' { at } else { at + it.len_utf8() };
        glob.get(..end)
    })
    .filter(move |it| it.chars().filter(|it| it.is_alphanumeric()).count() >= least)
}
