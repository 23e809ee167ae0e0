//! `Lesson`: what was learnt, and the code that each group of failures gets.

use std::collections::{BTreeMap, BTreeSet};

use redress::{
    classify::Tier,
    classify::cluster::{Cluster, Dropped, draft},
    codes,
};
use redress_registry::{
    Class, Effect, Registry, Retry, RetryKind,
    edit::{Drafted, NewCode},
    name, shipped,
};

use super::{Observations, file::RowFile};

/// The longest name that is made from the name of a tool.
const LONGEST_NAME: usize = 40;

/// What was learnt.
#[derive(Debug)]
pub(super) struct Lesson {
    /// The groups of failures, the most frequent first.
    pub(super) clusters: Vec<Cluster>,
    /// The code that is proposed for each.
    pub(super) codes: Vec<String>,
    /// The rows, in the order in which they are asked.
    pub(super) rows: Vec<Drafted>,
    /// The row of each group that has one.
    pub(super) row_of: BTreeMap<usize, usize>,
    /// Why the others have none.
    pub(super) dropped: BTreeMap<usize, &'static str>,
    /// Codes that the contract does not have yet.
    pub(super) new: Vec<NewCode>,
    /// How many answers are no failures.
    pub(super) succeeded: u64,
    /// Failures that need no row.
    pub(super) named: u64,
    /// Answers to calls that must fail which say nothing of a failure.
    pub(super) accepted: u64,
    /// How many answers or records were looked at.
    pub(super) looked_at: u64,
    /// Failures that fit in no group.
    pub(super) left_out: u64,
}

/// Drafts rows, and codes where the contract has none that fits.
pub(super) fn lesson(seen: Observations, registry: &Registry, target: Option<&RowFile>) -> Lesson {
    let Observations { clusters, successes, succeeded, named, accepted, looked_at } = seen;
    let left_out = clusters.left_out();
    let clusters = clusters.into_sorted();
    // Where the rows go to a file that has no codes, a failure that is not understood stays what it is.
    let domain = match target {
        Some(target) => target.domain(),
        None => Some("DOMAIN".to_owned()),
    };
    let mut coder = Coder { registry, domain, new: Vec::new(), named: BTreeMap::new() };
    let codes: Vec<String> = clusters.iter().map(|it| coder.code_of(it)).collect();
    let (drafts, reasons) = draft(&clusters, &codes, &registry.matches, &successes);
    let mut dropped: BTreeMap<usize, &'static str> =
        reasons.into_iter().map(|(at, why): (usize, Dropped)| (at, why.reason())).collect();
    let (mut rows, mut row_of) = (Vec::new(), BTreeMap::new());
    for mut it in drafts {
        let says_nothing = it.row.code == codes::UNKNOWN_TOOL_FAILURE.name() && !it.row.silent;
        let is_known = registry.get(&it.row.code).is_some()
            || coder.new.iter().any(|new| new.code == it.row.code);
        if says_nothing || !is_known {
            let why = "the contract has no code for it";
            dropped.extend(it.clusters.into_iter().map(|at| (at, why)));
            continue;
        }
        let known = registry.get(&it.row.code).map(|it| it.effect);
        let of_code = known.unwrap_or(Effect::Unknown);
        let named: Vec<&Cluster> = it.clusters.iter().filter_map(|at| clusters.get(*at)).collect();
        it.row.effect = Cluster::effect(&named, of_code);
        let is_harmless = of_code == Effect::None && it.row.effect.is_none();
        row_of.extend(it.clusters.into_iter().map(|at| (at, rows.len())));
        rows.push(Drafted { row: it.row, is_harmless });
    }
    let used: BTreeSet<&str> = rows.iter().map(|it| it.row.code.as_str()).collect();
    let mut new = coder.new;
    new.retain(|it| used.contains(it.code.as_str()));
    Lesson {
        clusters,
        codes,
        rows,
        row_of,
        dropped,
        new,
        succeeded,
        named,
        accepted,
        looked_at,
        left_out,
    }
}

/// Finds codes for groups of failures.
struct Coder<'r> {
    registry: &'r Registry,
    /// The domain of new codes; none, where there can be no new ones.
    domain: Option<String>,
    new: Vec<NewCode>,
    /// The new code for each tool and class.
    named: BTreeMap<(String, Class), String>,
}

impl Coder<'_> {
    /// The code of the contract that fits, else one of core, else a new one.
    fn code_of(&mut self, cluster: &Cluster) -> String {
        let class = shipped::core().get(&cluster.code).map_or(Class::Unknown, |it| it.class);
        // Words tell a class, and a contract may have a code of its own for it.
        let mut own = self.registry.own().filter(|it| it.class == class);
        let only = own.next().filter(|_| own.next().is_none());
        let is_vague =
            matches!(cluster.tier, Tier::Prose | Tier::Unknown) && class != Class::Unknown;
        if let Some(own) = only.filter(|it| is_vague && it.params.iter().all(|it| !it.required)) {
            return own.code.to_string();
        }
        let is_known = self.registry.get(&cluster.code).is_some();
        if is_known && class != Class::Unknown || self.domain.is_none() {
            return cluster.code.clone();
        }
        self.new_code(cluster, class)
    }

    /// A code that is named after the tool: the words of a server have no place in it.
    fn new_code(&mut self, cluster: &Cluster, class: Class) -> String {
        let mut tools = cluster.tools.keys();
        let tool = tools.next().filter(|_| cluster.tools.len() == 1);
        let tool = tool.map(|it| upper(it)).filter(|it| !it.is_empty());
        let tool = tool.unwrap_or_else(|| "SERVER".to_owned());
        if let Some(known) = self.named.get(&(tool.clone(), class)) {
            return known.clone();
        }
        let kind = match class {
            Class::Unknown => "FAILED".to_owned(),
            class => upper(class.name()),
        };
        let code = format!("{tool}_{kind}");
        if self.registry.get(&code).is_some() || self.registry.retired.contains_key(code.as_str()) {
            return cluster.code.clone();
        }
        let base = shipped::core().get(&cluster.code);
        let retry = base.map_or(Retry::of(RetryKind::Never), |it| it.retry);
        self.named.insert((tool, class), code.clone());
        self.new.push(NewCode {
            title: name::title(&code),
            number: None,
            domain: self.domain.clone().unwrap_or_default(),
            class,
            http: None,
            retry,
            effect: Some(Effect::Unknown),
            severity: None,
            message: "The tool failed in a way that only this server has.".to_owned(),
            hint: "Read what the server said before you call it again.".to_owned(),
            next: Vec::new(),
            similar: None,
            params: Vec::new(),
            explain: Some(
                "Drafted by `redress learn`. Say what leads to this failure, and what helps."
                    .to_owned(),
            ),
            example: Vec::new(),
            since: None,
            stability: None,
            code: code.clone(),
        });
        code
    }
}

/// A name in capitals: what is no letter or digit becomes `_`.
fn upper(name: &str) -> String {
    let mut out = String::new();
    for it in name.chars().take(LONGEST_NAME) {
        if it.is_ascii_alphanumeric() {
            out.push(it.to_ascii_uppercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    let out = out.trim_end_matches('_');
    out.trim_start_matches(|it: char| !it.is_ascii_uppercase()).to_owned()
}
