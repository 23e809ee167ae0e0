//! Reading and deciding, by the vectors that all languages share and by what must hold for any fault.

mod chains;
mod vectors;

use proptest::{
    prelude::{Strategy, any},
    prop_assert, proptest,
    sample::select,
};
use redress::{
    Dialect, Fault, Lookup,
    classify::{Verdict, classify},
    codes,
    dialect::Stamp,
    dialect::wire::{self, Answer},
    outcome::{Asked, Outcome, ToolTraits, What},
    recover::{
        Attempt, Budget, BudgetRule, Decided, Decision, Ground, Policy, decide, is_nothing, read,
    },
};
use redress_registry::{Effect, shipped};
use redress_wire::json::{Doc, Limits};

use crate::arbitrary::fault;

fn traits() -> impl Strategy<Value = ToolTraits> {
    any::<(bool, bool, bool)>().prop_map(|(read_only, idempotent, trusted)| ToolTraits {
        read_only,
        idempotent,
        trusted,
    })
}

fn attempt() -> impl Strategy<Value = Attempt> {
    let known = (traits(), select(Ground::ALL.to_vec()), any::<u32>(), any::<bool>());
    (known, any::<u64>(), any::<Option<u64>>(), any::<u32>()).prop_map(
        |((traits, ground, made, fallback), now_ms, time_left_ms, random)| Attempt {
            traits,
            ground,
            made,
            fallback,
            now_ms,
            time_left_ms,
            random,
        },
    )
}

fn policy() -> impl Strategy<Value = Policy> {
    (0..12_u32, any::<u64>(), any::<u64>()).prop_map(
        |(attempts, first_pause_ms, longest_wait_ms)| Policy {
            attempts,
            first_pause_ms,
            longest_wait_ms,
        },
    )
}

fn budget() -> impl Strategy<Value = BudgetRule> {
    (0..20_000_u64).prop_map(|capacity| BudgetRule { capacity, per_success: 0, per_second: 0 })
}

/// What a client does that follows every decision to repeat, as long as there is one.
fn follow(fault: &Fault, start: Attempt, policy: &Policy, budget: &mut Budget) -> (u32, Decided) {
    let mut attempt = Attempt { made: 1, ..start };
    loop {
        let decided = decide(fault, &attempt, policy, budget);
        match decided.decision {
            Decision::RetryNow => (),
            Decision::RetryAfter(ms) => {
                attempt.now_ms = attempt.now_ms.saturating_add(ms);
                attempt.time_left_ms = attempt.time_left_ms.map(|it| it.saturating_sub(ms));
            }
            _ => return (attempt.made, decided),
        }
        attempt.made += 1;
    }
}

proptest! {
    #[test]
    fn every_fault_gets_a_decision_and_the_same_each_time(
        fault in fault(), attempt in attempt(), policy in policy(), rule in budget(),
    ) {
        let (mut first, mut second) = (Budget::new(rule), Budget::new(rule));
        let decided = decide(&fault, &attempt, &policy, &mut first);
        prop_assert!(decided == decide(&fault, &attempt, &policy, &mut second));
        prop_assert!(first == second);
        if let Decision::CallFirst { next } = &decided.decision {
            prop_assert!(!next.is_empty());
        }
    }

    #[test]
    fn repeats_never_exceed_the_budget_and_the_policy(
        fault in fault(), attempt in attempt(), policy in policy(), rule in budget(),
    ) {
        let mut budget = Budget::new(rule);
        let (made, _) = follow(&fault, attempt, &policy, &mut budget);
        prop_assert!(u64::from(made - 1) <= rule.capacity / 1_000);
        prop_assert!(made <= policy.attempts.max(1));
        prop_assert!(fault.retry.max.is_none_or(|it| made - 1 <= it));
        prop_assert!(budget.saved() + u64::from(made - 1) * 1_000 == rule.capacity);
    }

    #[test]
    fn what_may_have_had_an_effect_is_never_made_again_or_elsewhere(
        mut fault in fault(), attempt in attempt(), policy in policy(),
        effect in select(vec![Effect::Unknown, Effect::Partial, Effect::Done]),
        ground in select(vec![Ground::Stated, Ground::Guessed]),
    ) {
        fault.effect = effect;
        let is_harmless = attempt.traits.trusted && (attempt.traits.read_only || attempt.traits.idempotent);
        let attempt = Attempt { ground, ..attempt };
        let decided = decide(&fault, &attempt, &policy, &mut Budget::default());
        let makes_it_again = decided.is_repeat() || decided.decision == Decision::FallBack;
        prop_assert!(is_harmless || !makes_it_again, "{decided:?}");
    }

    #[test]
    fn a_wait_is_as_long_as_the_server_asks_and_ends_in_time(
        fault in fault(), attempt in attempt(), policy in policy(),
    ) {
        let decided = decide(&fault, &attempt, &policy, &mut Budget::default());
        let asked = fault.retry.after_ms.unwrap_or_default();
        let until = fault.not_before.map_or(0, |it| it.saturating_sub(attempt.now_ms));
        match decided.decision {
            Decision::RetryNow => prop_assert!(asked == 0 && until == 0),
            Decision::RetryAfter(ms) => {
                prop_assert!(ms >= asked.max(until));
                prop_assert!(ms <= policy.longest_wait_ms.saturating_mul(2));
                prop_assert!(attempt.time_left_ms.is_none_or(|it| ms < it));
            }
            _ => (),
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes, &Asked::default(), &Lookup::shipped());
        is_nothing(&bytes);
    }
}

#[test]
fn a_fallback_that_says_nothing_is_seen_to() {
    for nothing in [
        "",
        "  ",
        "null",
        "{}",
        r#""""#,
        r#"{"content":[]}"#,
        r#"{"content":[{"type":"text","text":""}]}"#,
        r#"{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
    ] {
        assert!(is_nothing(nothing.as_bytes()), "{nothing}");
    }
    for something in [
        "[]",
        "0",
        "done",
        r#"{"id":1}"#,
        r#"{"content":[{"type":"text","text":"[]"}]}"#,
        r#"{"content":[{"type":"image","data":"","mimeType":"image/png"}]}"#,
        r#"{"content":[],"structuredContent":{"count":0}}"#,
    ] {
        assert!(!is_nothing(something.as_bytes()), "{something}");
    }
}

#[test]
fn a_failure_concluded_from_words_is_not_repeated() {
    let answer = br#"{"content":[{"type":"text","text":"Error: rate limit exceeded, retry in 2 seconds"}],"isError":true}"#;
    let (fault, ground) = read(answer, &Asked::default(), &Lookup::shipped()).failure().unwrap();
    assert_eq!((fault.code(), ground), (codes::RATE_LIMITED.name(), Ground::Guessed));
    let attempt = Attempt { ground, made: 1, ..Attempt::default() };
    let decided = decide(&fault, &attempt, &Policy::default(), &mut Budget::default());
    assert_eq!(decided.row, "in_doubt");
    let traits = ToolTraits { read_only: true, idempotent: false, trusted: true };
    let decided =
        decide(&fault, &Attempt { traits, ..attempt }, &Policy::default(), &mut Budget::default());
    assert_eq!(decided.row, "again_later");
}

#[test]
fn an_envelope_of_a_success_is_no_ground_for_a_repeat() {
    let text =
        r#"{\"error\":\"rate_limited\",\"message\":\"Slow down\",\"details\":{\"retry_after\":2}}"#;
    for (flag, expected, row) in [
        ("", Ground::Guessed, "in_doubt"),
        (r#","isError":false"#, Ground::Guessed, "in_doubt"),
        (r#","isError":true"#, Ground::Stated, "again_later"),
    ] {
        let answer = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]{flag}}}"#);
        let reading = read(answer.as_bytes(), &Asked::default(), &Lookup::shipped());
        let (fault, ground) = reading.failure().unwrap();
        assert_eq!((fault.code(), ground), (codes::RATE_LIMITED.name(), expected), "{flag}");
        let attempt = Attempt { ground, made: 1, ..Attempt::default() };
        let decided = decide(&fault, &attempt, &Policy::default(), &mut Budget::default());
        assert_eq!(decided.row, row, "{flag}");
    }
}

#[test]
fn a_flag_beside_what_is_too_long_is_a_failure() {
    let long = "a ".repeat(5 << 20);
    let rows = "1,".repeat(5 << 20) + "1";
    for inner in [format!(r#"{{"a":"{long}"}}"#), format!(r#"{{"a":[{rows}]}}"#)] {
        let result = |flag: &str| format!(r#"{{"content":[],"structuredContent":{inner}{flag}}}"#);
        let response = |flag| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, result(flag));
        let is_fine =
            |it: String| read(it.as_bytes(), &Asked::default(), &Lookup::shipped()).is_fine();
        assert!(is_fine(result("")) && is_fine(response("")), "it is content");
        assert!(!is_fine(result(r#","isError":true"#)));
        assert!(!is_fine(response(r#","isError":true"#)));
    }
}

proptest! {
    /// Cut anywhere, broken anywhere, it stays a failure as long as the flag is there.
    #[test]
    fn a_flag_before_what_is_broken_is_a_failure(at in 0..150_usize, byte in any::<u8>()) {
        let head = r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true,"#;
        let tail = r#""content":[{"type":"text","text":"No\n such \"file\"."}],"structuredContent":{"a":[1,{"b":null}]}}}"#;
        let at = at % tail.len();
        let cut = format!("{head}{}", &tail[..at]);
        prop_assert!(!read(cut.as_bytes(), &Asked::default(), &Lookup::shipped()).is_fine());
        let mut broken = format!("{head}{tail}").into_bytes();
        broken[head.len() + at] = byte;
        prop_assert!(!read(&broken, &Asked::default(), &Lookup::shipped()).is_fine());
    }
}

/// What a client makes of a failure that a gate named for it.
fn through_a_gate(answer: &str) -> (Fault, Ground) {
    let doc = Doc::parse(answer.as_bytes(), Limits::DOCUMENT).unwrap();
    let outcome = Outcome::of(What::Answer(doc.root()));
    let asked = Asked { method: Some("tools/call".into()), ..Asked::default() };
    let verdict = classify(&asked, &outcome, shipped::core());
    assert!(matches!(verdict, Verdict::Failure(_)), "{answer}");
    let Verdict::Failure(failure) = verdict else { unreachable!("it is one") };
    let dialect = Dialect::Native;
    let told = Answer {
        dialect,
        has_output_schema: false,
        stamp: Stamp::default(),
        meta: None,
        said: None,
    };
    let message = wire::response(&failure.fault, "1", told);
    read(message.as_bytes(), &asked, &Lookup::shipped()).failure().unwrap()
}

#[test]
fn words_are_no_proof_behind_a_gate_either() {
    let flagged = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":{text}}}],"isError":true}}}}"#
        )
    };
    for text in ["Too many requests, slow down.", "Rate limit exceeded"] {
        let (fault, ground) = through_a_gate(&flagged(text));
        assert_eq!((fault.code(), fault.effect), ("RATE_LIMITED", Effect::Unknown), "{text}");
        assert_eq!(ground, Ground::Guessed, "{text}");
    }
    let (fault, ground) =
        through_a_gate(&flagged(r#"{"v":1,"code":"RATE_LIMITED","message":"x"}"#));
    assert_eq!((fault.code(), ground), ("RATE_LIMITED", Ground::Stated));
}
