//! How well `classify` does on labelled records: tables for tuned and held-out servers, and where it is wrong.
//!
//! `cargo run --release -p redress --example classify_report -- FILE.jsonl [--held a,b] [--only a,b] [--misses]`

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "it prints for people, stops at a record that it cannot read, and counts to a few thousand"
)]

use std::{collections::BTreeMap, env, fs, process::ExitCode};

use redress::{
    Dialect, Lookup, card,
    classify::{self, Tier},
    text::tokens::estimate,
};
use redress_registry::{Class, shipped};
use serde_json::Value;

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let (mut file, mut held, mut misses) = (None, Vec::new(), false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--held" => {
                held = args.next().unwrap_or_default().split(',').map(str::to_owned).collect();
            }
            "--misses" => misses = true,
            _ => file = Some(arg),
        }
    }
    let Some(text) = file.as_ref().and_then(|it| fs::read_to_string(it).ok()) else {
        println!("usage: classify_report FILE.jsonl [--held server,…] [--misses]");
        return ExitCode::from(2);
    };
    let records: Vec<Record> = text.lines().map(Record::judge).collect();
    let (apart, tuned): (Vec<_>, Vec<_>) = records.iter().partition(|it| held.contains(&it.server));
    table("tuned", &tuned);
    if !apart.is_empty() {
        table("held out", &apart);
    }
    confusions(&records);
    if misses {
        records.iter().filter(|it| !it.ambiguous).for_each(Record::explain);
    }
    ExitCode::SUCCESS
}

/// One labelled record with what was made of it.
struct Record {
    server: String,
    id: String,
    ambiguous: bool,
    is_failure: bool,
    is_silent: bool,
    code: String,
    acceptable: Vec<String>,
    retry: String,
    leaks: Vec<String>,
    /// The tokens of its card.
    card: u64,
    got: Value,
    text: String,
}

impl Record {
    fn judge(line: &str) -> Self {
        let record: Value = serde_json::from_str(line).expect("a record is JSON");
        let (input, label) = (&record["input"], &record["label"]);
        let mut out = Vec::new();
        classify::line(input.to_string().as_bytes(), shipped::core(), &mut out)
            .expect("an input is judged");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| value.as_array().into_iter().flatten().map(text).collect();
        let mut leaks: Vec<String> = list(&label["leaks"]);
        leaks.retain(|it| it != "none");
        let got: Value = serde_json::from_slice(&out).expect("a verdict is JSON");
        let fault = Dialect::Native.read(got["fault"].to_string().as_bytes(), &Lookup::shipped());
        Self {
            server: text(&record["server"]),
            id: text(&input["id"]),
            ambiguous: label["ambiguous"] == true,
            is_failure: label["is_failure"] == true,
            is_silent: label["silent_failure"] == true,
            code: text(&label["code"]),
            acceptable: list(&label["acceptable"]),
            retry: text(&label["retry"]),
            leaks,
            card: fault.map_or(0, |it| estimate(&card(&it))),
            got,
            text: input.get("raw").or(input.get("http")).map_or_else(String::new, Value::to_string),
        }
    }

    fn found(&self) -> bool {
        self.got["failure"] == true
    }

    fn got_code(&self) -> &str {
        self.got["code"].as_str().unwrap_or("-")
    }

    /// Whether the code is one of the label's; of words alone, whether the class is.
    fn code_is_right(&self) -> bool {
        let mut labels = self.acceptable.iter().chain([&self.code]);
        let class = |code: &str| shipped::core().get(code).map(|it| it.class);
        let is_it = |it: &String| {
            it == self.got_code()
                || self.tier() == "prose" && general(class(it)) == general(class(self.got_code()))
        };
        labels.any(is_it)
    }

    /// The tier that named it.
    fn tier(&self) -> &str {
        self.got["tier"].as_str().unwrap_or("-")
    }

    fn retry_is_right(&self) -> bool {
        let kind = self.got["retry"]["kind"].as_str().unwrap_or("-");
        match self.retry.as_str() {
            "after_fixing_input" => matches!(kind, "after_change" | "after_state"),
            "after_user_action" => matches!(kind, "after_human" | "after_state"),
            "after_delay" => matches!(kind, "after_delay" | "now"),
            other => kind == other,
        }
    }

    fn leaks_are_right(&self) -> bool {
        let got: Vec<&str> =
            self.got["leaks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        got.len() == self.leaks.len() && self.leaks.iter().all(|it| got.contains(&it.as_str()))
    }

    fn explain(&self) {
        let what = match (self.is_failure, self.found()) {
            (true, false) => "not found",
            (false, true) if self.got["certain"] == true => "FALSE CERTAIN",
            (false, true) => "false possible",
            (true, true) if !self.code_is_right() => "code",
            (true, true) if !self.retry_is_right() => "retry",
            (true, true) if !self.leaks_are_right() => "leaks",
            _ => return,
        };
        let text: String = self.text.chars().take(420).collect();
        println!(
            "{what:<14} {} {} {:?} {} | got {} {} {} {} | {text}",
            self.id,
            self.code,
            self.acceptable,
            self.retry,
            self.got_code(),
            self.got["retry"]["kind"],
            self.got["rule"],
            self.got["leaks"],
        );
    }
}

/// A class, with those that share its general code.
fn general(class: Option<Class>) -> Option<Class> {
    class.map(|it| match it {
        Class::Aborted => Class::FailedPrecondition,
        Class::OutOfRange => Class::InvalidArgument,
        it => it,
    })
}

/// Counts over unambiguous records: codes and retries where the server flagged the failure, and what was found where it did not.
#[derive(Default)]
struct Counts {
    failures: usize,
    codes: usize,
    retries: usize,
    leaks: usize,
    silent: usize,
    silent_found: usize,
    silent_certain: usize,
    successes: usize,
    certain: usize,
    possible: usize,
}

impl Counts {
    fn of<'r>(records: impl Iterator<Item = &'r Record>) -> Self {
        let mut it = Self::default();
        for record in records.filter(|it| !it.ambiguous) {
            if !record.is_failure {
                it.successes += 1;
                let certain = record.got["certain"] == true;
                it.certain += usize::from(record.found() && certain);
                it.possible += usize::from(record.found() && !certain);
                continue;
            }
            if record.is_silent {
                it.silent += 1;
                it.silent_found += usize::from(record.found());
                it.silent_certain += usize::from(record.got["certain"] == true);
                continue;
            }
            it.failures += 1;
            it.codes += usize::from(record.code_is_right());
            it.retries += usize::from(record.retry_is_right());
            it.leaks += usize::from(record.leaks_are_right());
        }
        it
    }

    fn row(&self, name: &str) {
        let share = |part: usize, of: usize| match of {
            0 => "      -     ".to_owned(),
            _ => format!("{part:>3}/{of:<3}{:>5.1}", 100.0 * part as f64 / of as f64),
        };
        println!(
            "{name:<12} {} {} {} {} {:>3}   {:>3} {:>3} of {:<3} ",
            share(self.codes, self.failures),
            share(self.retries, self.failures),
            share(self.leaks, self.failures),
            share(self.silent_found, self.silent),
            self.silent_certain,
            self.certain,
            self.possible,
            self.successes,
        );
    }
}

fn table(title: &str, records: &[&Record]) {
    println!("\n{title}");
    println!(
        "{:<12} code         retry        leaks        silent       certain  false certain, possible",
        "server"
    );
    let mut servers: Vec<&str> = records.iter().map(|it| it.server.as_str()).collect();
    servers.sort_unstable();
    servers.dedup();
    for server in servers {
        Counts::of(records.iter().copied().filter(|it| it.server == server)).row(server);
    }
    Counts::of(records.iter().copied()).row("ALL");
    cards(records);
    println!("by tier");
    for tier in Tier::ALL {
        Counts::of(records.iter().copied().filter(|it| it.tier() == tier.name())).row(tier.name());
    }
}

/// The lengths of the cards of flagged failures.
fn cards(records: &[&Record]) {
    let flagged = records.iter().filter(|it| it.is_failure && !it.is_silent && it.card > 0);
    let mut sizes: Vec<u64> = flagged.map(|it| it.card).collect();
    sizes.sort_unstable();
    let part = |percent: usize| sizes.get(sizes.len() * percent / 100).copied().unwrap_or_default();
    println!("cards        median {} tokens, p90 {}", part(50), part(90));
}

fn confusions(records: &[Record]) {
    let mut pairs: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for record in records
        .iter()
        .filter(|it| !it.ambiguous && it.is_failure && it.found() && !it.code_is_right())
    {
        pairs.entry((&record.code, record.got_code())).or_default().push(&record.id);
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    println!("\nconfusions: label, verdict, records");
    for ((label, got), ids) in pairs.iter().take(30) {
        let shown: Vec<&str> = ids.iter().take(6).copied().collect();
        println!("{:>4} {label} -> {got}: {}", ids.len(), shown.join(" "));
    }
}
