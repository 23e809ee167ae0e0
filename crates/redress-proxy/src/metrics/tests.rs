//! What the metrics promise: text that any scraper reads, labels from closed sets, every failure once.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use redress::{ErrorStats, Fault, codes, fault::Origin};
use redress_registry::shipped;
use serde_json::{Value, json};

use super::{Completion, CountedEvent, Histogram, ready_line};
use crate::{
    exposition::{FAMILIES, render},
    server::Server,
    settings::Settings,
};

fn server(name: &str) -> Arc<Server> {
    let settings = Settings {
        server: name.to_owned(),
        contract: Arc::clone(shipped::get("atlas-gate").unwrap()),
        error_stats: Some(ErrorStats { sample: None }),
        ..crate::session::tests::settings(crate::settings::Mode::Enforce)
    };
    Arc::new(Server::new(settings, Instant::now()))
}

fn fail(server: &Server, code: codes::CoreCode, origin: Origin) {
    let mut fault: Fault = code.raise([] as [(&str, &str); 0]);
    fault.origin = origin;
    server.metrics.failed(&fault);
}

/// The samples of a page, and a complaint about everything that its grammar does not allow.
fn read(page: &str) -> BTreeMap<String, f64> {
    let body = page.strip_suffix("# EOF\n").expect("an end");
    let mut kinds = BTreeMap::new();
    let mut family = String::new();
    let mut samples = BTreeMap::new();
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let (word, rest) = rest.split_once(' ').unwrap();
            let (name, text) = rest.split_once(' ').unwrap();
            match word {
                "HELP" => assert!(!text.is_empty()),
                "TYPE" => {
                    assert!(kinds.insert(name.to_owned(), text.to_owned()).is_none(), "{line}");
                }
                _ => panic!("{line}"),
            }
            name.clone_into(&mut family);
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let name = series.split('{').next().unwrap();
        let suffixes: &[&str] = match kinds[&family].as_str() {
            "counter" => &["_total"],
            "gauge" => &[""],
            "histogram" => &["_sum", "_count", "_bucket"],
            kind => panic!("{kind}"),
        };
        assert!(suffixes.iter().any(|it| format!("{family}{it}") == name), "{line} in {family}");
        let value: f64 = value.parse().unwrap();
        assert!(value >= 0.0 && samples.insert(series.to_owned(), value).is_none(), "{line}");
    }
    samples
}

#[test]
fn every_metric_of_every_server_is_on_the_page_in_its_family() {
    let (one, two) = (server("one"), server("t\"w\\o\n"));
    one.metrics.ended(Completion::Ok, Duration::from_millis(3));
    one.metrics.ended(Completion::Fault, Duration::from_secs(200));
    one.metrics.happened(CountedEvent::Retry);
    two.metrics.recording();
    two.metrics.recorded(Duration::from_millis(1), false);
    fail(&one, codes::UPSTREAM_CRASHED, Origin::Server);
    let page = render(&[one, two]);
    let samples = read(&page);
    for name in FAMILIES.map(|it| it.name) {
        assert_eq!(page.matches(&format!("# TYPE {name} ")).count(), 1, "{name}");
    }
    for (series, value) in [
        (r#"redress_calls_total{server="one",outcome="ok"}"#, 1.0),
        (r#"redress_calls_total{server="one",outcome="cancelled"}"#, 0.0),
        (r#"redress_calls_total{server="t\"w\\o\n",outcome="ok"}"#, 0.0),
        (
            r#"redress_faults_total{server="one",code="UPSTREAM_CRASHED",class="unavailable",origin="server"}"#,
            1.0,
        ),
        (r#"redress_call_duration_seconds_bucket{le="0.005",server="one"}"#, 1.0),
        (r#"redress_call_duration_seconds_bucket{le="+Inf",server="one"}"#, 2.0),
        (r#"redress_call_duration_seconds_count{server="one"}"#, 2.0),
        (r#"redress_call_duration_seconds_sum{server="one"}"#, 200.003),
        (r#"redress_retries_total{server="one"}"#, 1.0),
        (r#"redress_breaker_state{server="one"}"#, 0.0),
        (r#"redress_ledger_failures_total{server="t\"w\\o\n"}"#, 1.0),
        (r#"redress_ledger_waiting{server="t\"w\\o\n"}"#, 0.0),
    ] {
        assert_eq!(samples.get(series), Some(&value), "{series}\n{page}");
    }
}

#[test]
fn the_page_of_the_docs_names_every_metric() {
    let page = include_str!("../../../../docs/reference/metrics.md");
    for name in FAMILIES.map(|it| it.name) {
        assert!(page.contains(&format!("`{name}")), "{name} is not documented");
    }
}

#[test]
fn error_stats_are_those_of_the_taxonomy() {
    let server = server("files");
    for _ in 0..3 {
        fail(&server, codes::INPUT_TOO_LARGE, Origin::Gate);
    }
    fail(&server, codes::METHOD_NOT_FOUND, Origin::Client);
    fail(&server, codes::TIMEOUT, Origin::Tool);
    let stats: Value = serde_json::from_str(&server.error_stats().unwrap()).unwrap();
    assert_eq!(stats["total"], 5);
    assert_eq!(stats["byCode"], json!({"-32601": 1, "1001": 1, "1005": 3}));
    assert_eq!(stats["bySymbol"]["E_INPUT_TOO_LARGE"], 3);
    assert_eq!(stats["byDomain"]["common"], 4);
    assert_eq!(stats.get("sampled"), None);
}

#[test]
fn a_sample_counts_every_nth_of_a_symbol() {
    let server = server("files");
    for _ in 0..25 {
        fail(&server, codes::TIMEOUT, Origin::Tool);
    }
    fail(&server, codes::NOT_FOUND, Origin::Tool);
    let stats = server.metrics.stats(ErrorStats { sample: Some(10) });
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(stats["total"], 2);
    assert_eq!(stats["bySymbol"], json!({"E_TIMEOUT": 2}));
    assert_eq!(stats["sampled"], 10);
}

#[test]
fn the_ready_line_names_what_the_gate_answers_itself() {
    let line = ready_line("files", true);
    let expected = json!({"type": "ready", "methods": ["sys/errorStats"], "schema": {"errorCodes": 1}, "server": "files"});
    assert_eq!(serde_json::from_str::<Value>(line.trim_end()).unwrap(), expected);
    assert!(ready_line("files", false).contains(r#""methods":[]"#));
}

#[test]
fn counters_go_on_in_the_server_that_takes_the_place_of_another() {
    let before = server("a");
    fail(&before, codes::TIMEOUT, Origin::Server);
    before.metrics.ended(Completion::Fault, Duration::from_millis(3));
    before.metrics.happened(CountedEvent::Retry);
    let core = Arc::clone(shipped::core());
    for contract in [Arc::clone(&before.settings.contract), core] {
        let settings = crate::session::tests::settings(crate::settings::Mode::Enforce);
        let settings = Settings { server: "a".to_owned(), contract, ..settings };
        let after = Arc::new(Server::new(settings, Instant::now()).counting_on(&before));
        // Sessions that are open go on under what was valid before.
        fail(&before, codes::TIMEOUT, Origin::Server);
        before.metrics.ended(Completion::Fault, Duration::from_millis(3));
        let page = |it: &Arc<Server>| read(&render(std::slice::from_ref(it)));
        let (old, new) = (page(&before), page(&after));
        for (name, amount) in old.iter().filter(|it| it.0.contains("_total")) {
            assert_eq!(new.get(name), Some(amount), "{name}");
        }
    }
}

#[test]
fn a_time_falls_into_the_first_bucket_that_holds_it() {
    let histogram = Histogram::default();
    for micros in [0, 100, 101, 1_000_000, 100_000_001] {
        histogram.observe(Duration::from_micros(micros));
    }
    let seen = histogram.snapshot();
    let full: Vec<_> = seen.buckets.iter().filter(|it| it.1 > 0).collect();
    assert_eq!(full, [&(0.0001, 2), &(0.000_25, 1), &(1.0, 1), &(f64::INFINITY, 1)]);
    assert_eq!(seen.count, 5);
    assert!((seen.sum - 101.000_202).abs() < 1e-9, "{}", seen.sum);
}
