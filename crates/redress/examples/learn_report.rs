//! How many unflagged failures are found once `redress learn` has seen three of each tool: on labelled records, none of which
//! is both learnt from and measured.
//!
//! `cargo run -p redress --example learn_report -- FILE.jsonl…`

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "it prints for people, stops at a record that it cannot read, and counts to a few thousand"
)]

use std::{collections::BTreeMap, env, fs, process::ExitCode, sync::Arc};

use redress::{
    classify,
    classify::cluster::{Cluster, Clusters, Sample, Sighting, draft},
};
use redress_registry::{
    Effect, Registry, shipped,
    taught::{Taught, Teachings},
};
use serde_json::Value;

/// How many failures of a tool are learnt from.
const EXAMPLES: usize = 3;

fn main() -> ExitCode {
    let files: Vec<String> = env::args().skip(1).collect();
    if files.is_empty() {
        println!("usage: learn_report FILE.jsonl…");
        return ExitCode::from(2);
    }
    let mut servers = BTreeMap::<String, Vec<Record>>::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("the file can be read");
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).expect("a record is JSON");
            if let Some(it) = Record::read(&record) {
                servers.entry(text_of(&record["server"])).or_default().push(it);
            }
        }
    }
    println!(
        "server                    rows  unflagged: before   after    successes: before  after, certain"
    );
    let mut all = Counts::default();
    for (name, records) in &servers {
        let counts = Counts::of(records);
        if counts.failures > 0 {
            println!("{name:<24} {counts}");
        }
        all.add(&counts);
    }
    println!("{:<24} {all}", "ALL");
    ExitCode::SUCCESS
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// An answer that flags nothing.
struct Record {
    input: Value,
    tool: String,
    /// All that it says.
    text: String,
    is_failure: bool,
}

impl Record {
    /// An unambiguous answer that flags nothing; nothing of any other.
    fn read(record: &Value) -> Option<Self> {
        let (input, label) = (&record["input"], &record["label"]);
        let is_failure = label["is_failure"] == true;
        if label["ambiguous"] == true || is_failure && label["silent_failure"] != true {
            return None;
        }
        let answer: Value = serde_json::from_str(input["raw"].as_str()?).ok()?;
        let blocks = answer["result"]["content"].as_array()?;
        let texts: Vec<&str> = blocks.iter().filter_map(|it| it["text"].as_str()).collect();
        let tool = text_of(&input["tool"]["name"]);
        Some(Self { input: input.clone(), tool, text: texts.join("\n"), is_failure })
    }

    fn judge(&self, registry: &Registry) -> Value {
        let mut out = Vec::new();
        classify::line(self.input.to_string().as_bytes(), registry, &mut out)
            .expect("an input is judged");
        serde_json::from_slice(&out).expect("a verdict is JSON")
    }

    /// What the answer would be if the server had flagged it.
    fn flagged(&self) -> Value {
        let mut answer: Value =
            serde_json::from_str(&text_of(&self.input["raw"])).expect("an answer is JSON");
        answer["result"]["isError"] = true.into();
        let mut input = self.input.clone();
        input["raw"] = answer.to_string().into();
        Self { input, tool: String::new(), text: String::new(), is_failure: true }
            .judge(shipped::core())
    }
}

/// The rows that are drafted from failures, held against successes.
fn learn(failures: &[&Record], successes: &[&Record]) -> Vec<Taught> {
    let mut clusters = Clusters::default();
    for record in failures {
        let got = record.flagged();
        let arguments = &record.input["request"]["params"]["arguments"];
        let given: Vec<&str> =
            arguments.as_object().into_iter().flatten().filter_map(|it| it.1.as_str()).collect();
        clusters.add(&Sighting {
            tool: &record.tool,
            text: &record.text,
            rpc_code: None,
            given: &given,
            code: got["code"].as_str().unwrap_or_default(),
            tier: classify::Tier::Prose,
            is_silent: true,
            is_harmless: got["effect"] == Effect::None.name(),
            time: "",
        });
    }
    let clusters: Vec<Cluster> = clusters.into_sorted();
    let codes: Vec<String> = clusters.iter().map(|it| it.code.clone()).collect();
    let seen = |it: &&Record| Sample { tool: it.tool.clone(), text: it.text.clone() };
    let seen: Vec<Sample> = successes.iter().map(seen).collect();
    let (drafts, _) = draft(&clusters, &codes, &Teachings::default(), &seen);
    drafts.into_iter().map(|it| it.row).collect()
}

#[derive(Default)]
struct Counts {
    rows: usize,
    failures: usize,
    before: usize,
    after: usize,
    successes: usize,
    doubted_before: usize,
    doubted: usize,
    certain: usize,
}

impl Counts {
    /// Learns from the first failures of each tool and every second success, and measures on the rest.
    fn of(records: &[Record]) -> Self {
        let mut seen = BTreeMap::<(&str, bool), usize>::new();
        let (mut learnt, mut measured) = (Vec::new(), Vec::new());
        for record in records {
            let count = seen.entry((&record.tool, record.is_failure)).or_default();
            *count += 1;
            let is_learnt = if record.is_failure { *count <= EXAMPLES } else { *count % 2 == 1 };
            if is_learnt { learnt.push(record) } else { measured.push(record) }
        }
        let (failures, successes): (Vec<_>, Vec<_>) = learnt.iter().partition(|it| it.is_failure);
        let rows = learn(&failures, &successes);
        let core = shipped::core();
        let mut counts = Self { rows: rows.len(), ..Self::default() };
        let matches = Teachings::new(rows, |_| true).expect("drafted rows can be taken");
        let registry = Registry { matches: Arc::new(matches), ..Registry::clone(core) };
        for record in measured {
            let (before, after) = (record.judge(core), record.judge(&registry));
            let is = |it: &Value| usize::from(it["failure"] == true);
            if record.is_failure {
                counts.failures += 1;
                counts.before += is(&before);
                counts.after += is(&after);
                if after["failure"] != true && env::var_os("MISSES").is_some() {
                    println!("    not found: {} {:.150?}", record.tool, record.text);
                }
            } else {
                counts.successes += 1;
                counts.doubted_before += is(&before);
                counts.doubted += is(&after);
                counts.certain += usize::from(after["certain"] == true);
            }
        }
        counts
    }

    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.failures += other.failures;
        self.before += other.before;
        self.after += other.after;
        self.successes += other.successes;
        self.doubted_before += other.doubted_before;
        self.doubted += other.doubted;
        self.certain += other.certain;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rows, failures, before, after, successes, doubted_before, doubted, certain } =
            self;
        write!(
            f,
            "{rows:>4}   {before:>4} of {failures:<4}    {after:>4} of {failures:<4}   {doubted_before:>4} of {successes:<4}   {doubted:>4} of {successes:<4}, {certain}"
        )
    }
}
