//! Tokens that fail: counted, answered more and more slowly, recorded within bounds, and no hindrance for a right one.

use std::thread;

use serde_json::Value;

use super::home::{Gate, Home};
use crate::gate::client::fault;

/// What somebody who guesses hears.
struct Guess {
    status: u16,
    retry_after: Option<u64>,
    body: Value,
}

fn guess(gate: &Gate, token: &str) -> Guess {
    let answer = gate.initialize(&[("Authorization", &format!("Bearer {token}"))]);
    let status = answer.status;
    let retry_after = answer.header("retry-after").map(|it| it.parse().unwrap());
    Guess { status, retry_after, body: answer.json() }
}

/// The records of requests without a valid token.
fn records(home: &Home) -> Vec<Value> {
    let ran = home.refused(&["ledger", "query", "--format", "json"]);
    assert_eq!(ran.exit, 0, "{}", ran.err);
    let records = ran.out.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    let faults = records.map(|it| it["fault"].clone());
    faults.filter(|it| it["code"] == "AUTH_REQUIRED").collect()
}

#[test]
fn failed_tokens_are_slowed_down_and_a_right_one_is_not() {
    const GUESSES: usize = 60;
    let home = Home::new();
    let gate = home.gate(&[]);
    let right = home.token();
    let guesses: Vec<Guess> = thread::scope(|scope| {
        let guesses: Vec<_> =
            (0..GUESSES).map(|_| scope.spawn(|| guess(&gate, "guess-of-a-token"))).collect();
        // While they wait for their answers, on the same address.
        for _ in 0..10 {
            assert_eq!(gate.status(Some(&right)), 200);
        }
        guesses.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let (refused, told): (Vec<_>, Vec<_>) = guesses.iter().partition(|it| it.status == 429);
    assert!(told.iter().all(|it| it.status == 401 && it.retry_after.is_none()));
    assert!(!refused.is_empty(), "none of {GUESSES} was slowed down");
    for it in refused {
        assert!(it.retry_after.is_some_and(|it| it > 0), "{:?}", it.retry_after);
        let fault = fault(&it.body);
        assert_eq!((&fault["code"], &fault["http"]), (&"RATE_LIMITED".into(), &429.into()));
        assert!(fault["retry"]["after_ms"].as_u64().is_some_and(|it| it > 0), "{fault}");
    }
    assert_eq!(gate.status(Some(&right)), 200);
    let bearer = format!("Bearer {right}");
    let page = gate.get("/metrics", &[("Authorization", &bearer)]).body();
    let line = format!("redress_failed_tokens_total{{server=\"bad\",reason=\"wrong\"}} {GUESSES}");
    assert!(page.lines().any(|it| it == line), "{page}");
    assert!(page.contains("redress_failed_tokens_total{server=\"bad\",reason=\"missing\"} 0"));
    gate.end();
    // The first one is recorded at once, the others with a count at the end, or each minute on a slow machine.
    let recorded = records(&home);
    let counts = recorded.iter().map(|it| it["details"]["requests"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), GUESSES as u64, "{recorded:?}");
    assert!((2..10).contains(&recorded.len()), "{recorded:?}");
    assert_eq!(recorded[0]["details"]["peers"]["loopback"], 1, "{recorded:?}");
    assert!(!format!("{recorded:?}").contains("guess-"), "{recorded:?}");
}

#[test]
fn requests_without_a_token_are_recorded_within_bounds() {
    let home = Home::new();
    let gate = home.gate(&[]);
    let statuses: Vec<u16> = (0..8).map(|_| gate.status(None)).collect();
    assert!(statuses.iter().all(|it| *it == 401), "one after the other, each waits: {statuses:?}");
    assert_eq!(gate.status(Some(&home.token())), 200);
    gate.end();
    let recorded = records(&home);
    let all: u64 = recorded.iter().filter_map(|it| it["details"]["requests"].as_u64()).sum();
    assert_eq!(all, 8, "{recorded:?}");
}

#[test]
fn the_first_failed_token_is_recorded_before_it_is_told() {
    let home = Home::new();
    let gate = home.gate(&[]);
    assert_eq!(guess(&gate, "wrong").status, 401);
    let recorded = records(&home);
    assert_eq!(recorded.len(), 1, "{recorded:?}");
    assert_eq!(recorded[0]["message"], "A request brought no valid token.");
    assert_eq!(recorded[0]["context"]["server"], "bad");
    gate.end();
}
