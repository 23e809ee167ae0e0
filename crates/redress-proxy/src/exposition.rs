//! The metrics of all servers as `OpenMetrics` text, from one table.

use std::{fmt, sync::Arc};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, text},
    metrics::MetricType,
    registry::Registry,
};
use redress::fault::Origin;

use crate::{
    breaker::Circuit,
    metrics::{Completion, CountedEvent, HistogramSnapshot},
    server::Server,
};

/// The type of the text, for HTTP.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of servers as text.
pub fn render(servers: &[Arc<Server>]) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(All(servers.to_vec())));
    let mut out = String::new();
    // Only writing can fail, and a string takes everything.
    text::encode(&mut out, &registry).unwrap_or_default();
    out
}

/// One metric: its name without the suffix that its kind adds, what it tells, and its numbers for one server.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    help: &'static str,
    kind: MetricType,
    numbers: fn(&Server) -> Vec<LabelledNumber>,
}

/// A number with its labels, but for `server`.
struct LabelledNumber(Vec<(&'static str, String)>, Amount);

enum Amount {
    Count(u64),
    Level(i64),
    Times(HistogramSnapshot),
}

/// Every metric.
pub(crate) const FAMILIES: [Family; 20] = [
    Family {
        name: "redress_calls",
        help: "Requests of clients by how they ended",
        kind: MetricType::Counter,
        numbers: calls,
    },
    Family {
        name: "redress_faults",
        help: "Failures by code, class and who failed",
        kind: MetricType::Counter,
        numbers: faults,
    },
    Family {
        name: "redress_call_duration_seconds",
        help: "How long requests took until they were answered",
        kind: MetricType::Histogram,
        numbers: |it| times(it.metrics.durations.snapshot()),
    },
    Family {
        name: "redress_in_flight",
        help: "Requests in progress",
        kind: MetricType::Gauge,
        numbers: |it| level(it.limits.in_flight()),
    },
    Family {
        name: "redress_refused",
        help: "Requests that were refused before the server was asked",
        kind: MetricType::Counter,
        numbers: refused,
    },
    Family {
        name: "redress_breaker_state",
        help: "0 closed, 1 open for a session at least, 2 half open",
        kind: MetricType::Gauge,
        numbers: |it| level(phase(it.breakers.phase())),
    },
    Family {
        name: "redress_restarts",
        help: "Starts of the server's process after the first",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::Restart),
    },
    Family {
        name: "redress_retries",
        help: "Calls that the gate made again",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::Retry),
    },
    Family {
        name: "redress_retries_denied",
        help: "Calls that were not made again because the budget was spent",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::RetryDenied),
    },
    Family {
        name: "redress_loop_refused",
        help: "Calls that were answered without asking the server because they had failed in the same way before",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::LoopRefused),
    },
    Family {
        name: "redress_loop_trials",
        help: "Such calls that were let through after a pause",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::LoopTrial),
    },
    Family {
        name: "redress_loop_observed",
        help: "Calls that would have been answered without asking the server, in a mode that only observes",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::LoopObserved),
    },
    Family {
        name: "redress_silent_failures",
        help: "Failures that the server had not flagged as such",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::Silent),
    },
    Family {
        name: "redress_useless_lines",
        help: "Lines of the server that belong to no request",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::Useless),
    },
    Family {
        name: "redress_unheard_messages",
        help: "Messages of the server that a client over HTTP did not read or fetch",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::Unheard),
    },
    Family {
        name: "redress_failed_tokens",
        help: "Requests over HTTP without a valid token",
        kind: MetricType::Counter,
        numbers: failed_tokens,
    },
    Family {
        name: "redress_ledger_waiting",
        help: "Records that are not durable yet",
        kind: MetricType::Gauge,
        numbers: |it| level(it.metrics.waiting()),
    },
    Family {
        name: "redress_ledger_commit_seconds",
        help: "How long records took to become durable",
        kind: MetricType::Histogram,
        numbers: |it| times(it.metrics.commits.snapshot()),
    },
    Family {
        name: "redress_ledger_counted",
        help: "Failures that the ledger counts instead of recording them one by one",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::Counted),
    },
    Family {
        name: "redress_ledger_failures",
        help: "Failures that could not be recorded",
        kind: MetricType::Counter,
        numbers: |it| event(it, CountedEvent::Unrecorded),
    },
];

fn calls(server: &Server) -> Vec<LabelledNumber> {
    let number = |it: Completion| {
        let labels = vec![("outcome", it.name().to_owned())];
        LabelledNumber(labels, Amount::Count(server.metrics.outcome(it)))
    };
    Completion::ALL.map(number).into()
}

fn faults(server: &Server) -> Vec<LabelledNumber> {
    let mut numbers = Vec::new();
    for (row, counts) in server.metrics.codes().faults.seen() {
        for (origin, count) in Origin::ALL.into_iter().zip(counts).filter(|it| it.1 > 0) {
            let labels = vec![
                ("code", row.code.to_string()),
                ("class", row.class.name().to_owned()),
                ("origin", origin.name().to_owned()),
            ];
            numbers.push(LabelledNumber(labels, Amount::Count(count)));
        }
    }
    numbers
}

fn refused(server: &Server) -> Vec<LabelledNumber> {
    let number = |(row, [count]): (&Arc<redress_registry::Entry>, [u64; 1])| {
        LabelledNumber(vec![("code", row.code.to_string())], Amount::Count(count))
    };
    server.metrics.codes().refused.seen().map(number).collect()
}

fn failed_tokens(server: &Server) -> Vec<LabelledNumber> {
    let reasons = [("missing", CountedEvent::MissingToken), ("wrong", CountedEvent::WrongToken)];
    let number = |(reason, event): (&str, CountedEvent)| {
        let labels = vec![("reason", reason.to_owned())];
        LabelledNumber(labels, Amount::Count(server.metrics.event(event)))
    };
    reasons.map(number).into()
}

fn event(server: &Server, event: CountedEvent) -> Vec<LabelledNumber> {
    vec![LabelledNumber(Vec::new(), Amount::Count(server.metrics.event(event)))]
}

fn level(now: impl TryInto<i64>) -> Vec<LabelledNumber> {
    vec![LabelledNumber(Vec::new(), Amount::Level(now.try_into().unwrap_or(i64::MAX)))]
}

fn times(snapshot: HistogramSnapshot) -> Vec<LabelledNumber> {
    vec![LabelledNumber(Vec::new(), Amount::Times(snapshot))]
}

const fn phase(phase: Circuit) -> i64 {
    match phase {
        Circuit::Closed => 0,
        Circuit::Open => 1,
        Circuit::HalfOpen => 2,
    }
}

#[derive(Debug)]
struct All(Vec<Arc<Server>>);

impl Collector for All {
    fn encode(&self, mut to: DescriptorEncoder<'_>) -> fmt::Result {
        for Family { name, help, kind, numbers } in FAMILIES {
            let mut family = to.encode_descriptor(name, help, None, kind)?;
            for server in &self.0 {
                for LabelledNumber(mut labels, amount) in numbers(server) {
                    labels.insert(0, ("server", server.settings.server.clone()));
                    write(&mut family.encode_family(&labels)?, &amount)?;
                }
            }
        }
        Ok(())
    }
}

fn write(to: &mut MetricEncoder<'_>, amount: &Amount) -> fmt::Result {
    match amount {
        Amount::Count(count) => to.encode_counter::<NoLabelSet, u64, u64>(count, None),
        Amount::Level(level) => to.encode_gauge(level),
        Amount::Times(it) => to.encode_histogram::<NoLabelSet>(it.sum, it.count, &it.buckets, None),
    }
}
