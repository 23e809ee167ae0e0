//! The counters of the JSON-RPC taxonomy, as `sys/errorStats` answers them. They are the failures that are counted anyway, under
//! the numbers, domains and symbols that the dialect `rpc` writes.

use std::collections::BTreeMap;

use redress::{
    Fault,
    dialect::rpc,
    json::{Doc, Limits, Members, Value, write_str},
};
use redress_registry::Entry;

use super::Metrics;

/// The method that asks for the counters.
pub(crate) const METHOD: &str = "sys/errorStats";

/// The line that says on stderr that the gate is ready, and what it answers itself.
pub fn ready_line(server: &str, answers_stats: bool) -> String {
    let mut line = String::new();
    let mut members = Members::open(&mut line);
    members.str("type", "ready");
    let methods = members.key("methods");
    methods.push('[');
    if answers_stats {
        write_str(methods, METHOD);
    }
    methods.push(']');
    members.raw("schema", r#"{"errorCodes":1}"#).str("server", server);
    members.close();
    line.push('\n');
    line
}

#[derive(Debug, Default)]
struct Sums {
    total: u64,
    /// By number first, so that they stand in their order.
    by_code: BTreeMap<i64, u64>,
    by_domain: BTreeMap<String, u64>,
    by_symbol: BTreeMap<String, u64>,
}

impl Metrics {
    /// The counters as JSON. With `sample`, each symbol's every so many-th occurrence counts.
    pub(crate) fn stats(&self, sample: Option<u64>) -> String {
        let mut sums = Sums::default();
        for (row, counts) in self.faults.seen() {
            let count = counts.iter().sum::<u64>() / sample.unwrap_or(1).max(1);
            if count > 0 {
                sums.add(row, count);
            }
        }
        sums.write(sample)
    }
}

impl Sums {
    fn add(&mut self, row: &std::sync::Arc<Entry>, count: u64) {
        self.total += count;
        let written = rpc::error(&Fault::of(row));
        let Ok(doc) = Doc::parse(written.as_bytes(), Limits::DOCUMENT) else { return };
        if let Some(number) = doc.root().get("code").and_then(Value::as_i64) {
            *self.by_code.entry(number).or_default() += count;
        }
        let data = |key| doc.root().path(&["data", key]).and_then(Value::as_str);
        if let Some(domain) = data("domain") {
            *self.by_domain.entry(domain.into_owned()).or_default() += count;
        }
        if let Some(symbol) = data("symbol") {
            *self.by_symbol.entry(symbol.into_owned()).or_default() += count;
        }
    }

    fn write(&self, sample: Option<u64>) -> String {
        let mut text = String::new();
        let mut members = Members::open(&mut text);
        members.raw("total", &self.total.to_string());
        let by_code = self.by_code.iter().map(|(number, count)| (number.to_string(), *count));
        write_counts(members.key("byCode"), by_code);
        write_counts(members.key("byDomain"), self.by_domain.clone());
        write_counts(members.key("bySymbol"), self.by_symbol.clone());
        if let Some(sample) = sample {
            members.raw("sampled", &sample.to_string());
        }
        members.close();
        text
    }
}

fn write_counts(to: &mut String, counts: impl IntoIterator<Item = (String, u64)>) {
    let mut members = Members::open(to);
    for (name, count) in counts {
        members.raw(&name, &count.to_string());
    }
    members.close();
}
