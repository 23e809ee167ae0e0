//! The counters of the JSON-RPC taxonomy, as `sys/errorStats` answers them. They are the failures that are counted anyway, under
//! the numbers, domains and symbols that the dialect `rpc` writes.

use std::{collections::BTreeMap, fmt, sync::Arc};

use redress_registry::Entry;

use super::Tally;
use crate::{Fault, dialect::rpc};
use redress_wire::json::{Doc, Limits, Members, Value, write_str};

/// How the counters count, where they are asked for at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErrorStats {
    /// Of each symbol only every so many-th failure counts.
    pub sample: Option<u64>,
}

/// A sample that is no number above zero.
#[derive(Clone, PartialEq, Eq)]
pub struct BadSample(
    /// What was given.
    pub String,
);

/// The same words: a `main` that returns it prints this one.
impl fmt::Debug for BadSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", ErrorStats::SAMPLE)
    }
}

impl fmt::Display for BadSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no number above zero.", self.0)
    }
}

impl std::error::Error for BadSample {}

impl ErrorStats {
    /// The method that asks for the counters.
    pub const METHOD: &'static str = "sys/errorStats";
    /// The variable that turns them on.
    pub const SWITCH: &'static str = "MCP_ERROR_METRICS";
    /// The variable that makes only every so many-th failure of a symbol count.
    pub const SAMPLE: &'static str = "MCP_ERROR_METRICS_SAMPLE";

    /// From the values of [`Self::SWITCH`] and [`Self::SAMPLE`].
    pub fn from_switches(
        switch: Option<&str>,
        sample: Option<&str>,
    ) -> Result<Option<Self>, BadSample> {
        if !switch.is_some_and(is_truthy) {
            return Ok(None);
        }
        let given = sample.map(str::trim).filter(|it| !it.is_empty());
        let read = |it: &str| it.parse().ok().filter(|it| *it > 0).ok_or(BadSample(it.to_owned()));
        Ok(Some(Self { sample: given.map(read).transpose()? }))
    }
}

fn is_truthy(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    !matches!(&*value, "" | "0" | "false" | "no" | "off")
}

/// The line that says on stderr that a server is ready, and what it answers itself.
pub fn ready_line(server: &str, answers_stats: bool) -> String {
    let mut line = String::new();
    let mut members = Members::open(&mut line);
    members.str("type", "ready");
    let methods = members.key("methods");
    methods.push('[');
    if answers_stats {
        write_str(methods, ErrorStats::METHOD);
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

impl<const N: usize> Tally<N> {
    /// The counters as JSON.
    pub fn stats(&self, how: ErrorStats) -> String {
        let mut sums = Sums::default();
        for (row, counts) in self.seen() {
            let sample = how.sample.unwrap_or(1).max(1);
            let count = counts.iter().sum::<u64>() / sample;
            let elsewhere = self.elsewhere(&row.code).map(|(domain, it)| (domain, it / sample));
            if count > 0 {
                sums.add(row, count, elsewhere);
            }
        }
        sums.write(how.sample)
    }
}

impl Sums {
    /// Adds the failures of a row; those of other domains count under these, all others under the row's own.
    fn add<'d>(
        &mut self,
        row: &Arc<Entry>,
        count: u64,
        elsewhere: impl Iterator<Item = (&'d str, u64)>,
    ) {
        self.total += count;
        let mut rest = count;
        for (domain, moved) in elsewhere.filter(|it| it.1 > 0) {
            let moved = moved.min(rest);
            rest -= moved;
            *self.by_domain.entry(domain.to_owned()).or_default() += moved;
        }
        let written = rpc::error(&Fault::of(row));
        let Ok(doc) = Doc::parse(written.as_bytes(), Limits::DOCUMENT) else { return };
        if let Some(number) = doc.root().get("code").and_then(Value::as_i64) {
            *self.by_code.entry(number).or_default() += count;
        }
        // An error of JSON-RPC itself is written without domain and symbol; the row has both.
        let data = |key| doc.root().path(&["data", key]).and_then(Value::as_str);
        let domain = data("domain").unwrap_or_else(|| (&*row.domain).into());
        let symbol = data("symbol").unwrap_or_else(|| (&*row.code).into());
        if rest > 0 {
            *self.by_domain.entry(domain.into_owned()).or_default() += rest;
        }
        *self.by_symbol.entry(symbol.into_owned()).or_default() += count;
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

#[cfg(test)]
mod tests {
    use redress_registry::shipped;

    use super::{ErrorStats, Tally};
    use crate::codes;
    use redress_wire::json::{Doc, Limits, Value};

    #[test]
    fn every_failure_is_in_each_sum_once() {
        let tally = Tally::<1>::new(shipped::core());
        for code in [codes::INVALID_REQUEST, codes::PARSE_FAILED, codes::TIMEOUT, codes::TIMEOUT] {
            tally.count(code.name(), 0);
        }
        let stats = tally.stats(ErrorStats::default());
        let doc = Doc::parse(stats.as_bytes(), Limits::DOCUMENT).unwrap();
        for by in ["byCode", "byDomain", "bySymbol"] {
            let counts = doc.root().get(by).unwrap().members();
            assert_eq!(counts.filter_map(|it| it.1.as_u64()).sum::<u64>(), 4, "{by}: {stats}");
        }
        assert_eq!(doc.root().get("total").and_then(Value::as_u64), Some(4));
    }

    const ON: Option<ErrorStats> = Some(ErrorStats { sample: None });

    fn read(switch: Option<&str>, sample: Option<&str>) -> Result<Option<ErrorStats>, ()> {
        ErrorStats::from_switches(switch, sample).map_err(drop)
    }

    #[test]
    fn any_value_that_means_yes_turns_the_counters_on() {
        for value in ["1", "true", "yes", "on", "2", " x "] {
            assert_eq!(read(Some(value), None), Ok(ON), "{value}");
        }
        for value in ["", " ", "0", "false", "FALSE", "no", "Off"] {
            assert_eq!(read(Some(value), Some("nonsense")), Ok(None), "{value}");
        }
        assert_eq!(read(None, Some("5")), Ok(None));
    }

    #[test]
    fn a_sample_is_a_number_above_zero() {
        assert_eq!(read(Some("1"), Some("100")), Ok(Some(ErrorStats { sample: Some(100) })));
        assert_eq!(read(Some("1"), Some("")), Ok(ON));
        for value in ["0", "-1", "1.5", "many"] {
            assert_eq!(read(Some("1"), Some(value)), Err(()), "{value}");
        }
    }
}
