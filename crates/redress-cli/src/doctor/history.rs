//! What the ledger of a wrapped server says of the last days.

use std::{fmt, path::PathBuf};

use clap::Parser;
use redress_ledger::{Kind, Query, Reader, Time};
use redress_wire::json::Value as JsonValue;
use serde_json::{Value, json};

use crate::{clock, config::GateOptions, failure::Failure, run::ledger_dir};

/// How far back it looks: seven days, in milliseconds.
const SINCE: u64 = 7 * 24 * 60 * 60 * 1_000;

/// The failures in a ledger.
pub(super) struct History {
    pub(super) ledger: PathBuf,
    /// How many there were.
    pub(super) failures: usize,
    last: Option<Last>,
    /// Some of the ledger is no record.
    has_damage: bool,
}

/// The newest failure.
struct Last {
    code: String,
    tool: String,
    time: Time,
}

/// The command line of a wrapped server, behind the program.
#[derive(Debug, Parser)]
struct Gate {
    #[command(flatten)]
    options: GateOptions,
}

impl History {
    /// What the ledger of that command line says.
    pub(super) fn of(words: &[&str]) -> Result<Self, Failure> {
        let gate = Gate::try_parse_from(words.iter().skip(1)).map_err(|it| {
            let first = it.to_string();
            let first = first.lines().next().unwrap_or_default();
            Failure::option(&format!("The gate does not take these options: {first}"))
                .fix("Correct the entry, or unwrap it and wrap it again.")
        })?;
        let (name, ledger) = gate.options.ledger()?;
        let Some(dir) = ledger_dir(&ledger, &name)? else {
            return Err(Failure::option("It records nothing")
                .fix("Take `--no-ledger` out of the entry to have its failures recorded."));
        };
        Ok(Self::read(dir))
    }

    fn read(ledger: PathBuf) -> Self {
        let from = Time::from_millis(clock::millis().saturating_sub(SINCE));
        let query = Query { from: Some(from), kind: Some(Kind::Fault), ..Query::default() };
        let mut history = Self { ledger, failures: 0, last: None, has_damage: false };
        // Before its first failure or tally a server has no ledger.
        if !history.ledger.exists() {
            return history;
        }
        for entry in Reader::open_all(std::slice::from_ref(&history.ledger)).since(from) {
            let Ok(entry) = entry else {
                history.has_damage = true;
                continue;
            };
            if query.matches(&entry) {
                history.failures += 1;
                let word = |it: JsonValue<'_>, path: &[&str]| {
                    it.path(path).and_then(JsonValue::as_str).unwrap_or_default().into_owned()
                };
                let read =
                    |it: JsonValue<'_>| (word(it, &["code"]), word(it, &["context", "tool"]));
                let (code, tool) = entry.with(read).unwrap_or_default();
                history.last = Some(Last { code, tool, time: entry.time });
            }
        }
        history
    }

    pub(super) fn to_json(&self) -> Value {
        let last = self
            .last
            .as_ref()
            .map(|it| json!({ "code": it.code, "tool": it.tool, "time": it.time.to_string() }));
        json!({
            "directory": self.ledger.to_string_lossy(),
            "failures_in_7_days": self.failures,
            "last": last,
            "damaged": self.has_damage,
        })
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.failures, &self.last) {
            (1, _) => f.write_str("1 failure in 7 days")?,
            (many, _) => write!(f, "{many} failures in 7 days")?,
        }
        if let Some(last) = &self.last {
            write!(f, " (last {}", last.code)?;
            if !last.tool.is_empty() {
                write!(f, " of {}", redress::text::visible(&last.tool))?;
            }
            write!(f, ", {} ago)", ago(clock::millis().saturating_sub(last.time.millis())))?;
        }
        if self.has_damage { f.write_str(", its ledger is damaged") } else { Ok(()) }
    }
}

/// A time that passed, in its largest unit.
fn ago(millis: u64) -> String {
    let minutes = millis / 60_000;
    match (minutes / 60 / 24, minutes / 60) {
        (days @ 1.., _) => format!("{days} d"),
        (_, hours @ 1..) => format!("{hours} h"),
        _ => format!("{minutes} min"),
    }
}
