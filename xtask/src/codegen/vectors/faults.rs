//! Faults and what is decided about them: every code of `core`, and every column of the decision table.

use redress::{
    Fault, Lookup, codes,
    fault::{NextAction, ParamValue, Violation},
    outcome::{Asked, ToolTraits},
    recover::{Attempt, Budget, BudgetRule, Ground, Policy, decide, read},
};
use redress_registry::{Class, Effect, Entry, Retry, RetryKind, shipped};
use redress_wire::json::RawJson;
use serde_json::{Value, json};

use super::{envelope, parsed};

/// 2026-01-19T15:32:10.123Z.
const NOW_MS: u64 = 1_768_836_730_123;

/// An idempotent tool that the operator trusts.
const AGAIN: ToolTraits = ToolTraits { read_only: false, idempotent: true, trusted: true };
const READS: ToolTraits = ToolTraits { read_only: true, idempotent: false, trusted: true };
const BOASTS: ToolTraits = ToolTraits { trusted: false, ..READS };
const PLAIN: ToolTraits = ToolTraits { read_only: false, idempotent: false, trusted: true };

/// One case, before it is decided.
struct Case {
    name: String,
    fault: Value,
    attempt: Attempt,
    policy: Policy,
    saved: u64,
}

pub(super) fn cases() -> Vec<Value> {
    let mut cases = every_code();
    cases.extend(every_effect());
    cases.extend(every_room());
    cases.extend(every_class());
    cases.extend(strangers());
    cases.extend(words());
    cases.iter().enumerate().map(|(at, it)| it.decided(at)).collect()
}

impl Case {
    fn new(name: String, fault: &Fault) -> Self {
        Self::of(name, envelope(fault))
    }

    fn of(name: String, fault: Value) -> Self {
        let attempt = Attempt { made: 1, now_ms: NOW_MS, ..Attempt::default() };
        Self { name, fault, attempt, policy: Policy::default(), saved: 10_000 }
    }

    /// The case with its decision. Chance differs from case to case, and is the same in each run.
    fn decided(&self, at: usize) -> Value {
        let random = u32::try_from(at).unwrap_or_default().wrapping_mul(2_654_435_761);
        let attempt = Attempt { random, ..self.attempt };
        let rule = BudgetRule { per_second: 50, ..BudgetRule::default() };
        let mut budget = Budget::holding(rule, self.saved);
        let text = self.fault.to_string();
        let failure = read(text.as_bytes(), &Asked::default(), &Lookup::shipped()).failure();
        let decision = failure
            .map(|(fault, _)| parsed(&decide(&fault, &attempt, &self.policy, &mut budget).json()));
        json!({
            "name": self.name,
            "fault": self.fault,
            "attempt": {
                "read_only": attempt.traits.read_only,
                "idempotent": attempt.traits.idempotent,
                "trusted": attempt.traits.trusted,
                "ground": attempt.ground.name(),
                "made": attempt.made,
                "fallback": attempt.fallback,
                "now_ms": attempt.now_ms,
                "time_left_ms": attempt.time_left_ms,
                "random": attempt.random,
            },
            "policy": {
                "attempts": self.policy.attempts,
                "first_pause_ms": self.policy.first_pause_ms,
                "longest_wait_ms": self.policy.longest_wait_ms,
            },
            "budget": {
                "capacity": rule.capacity,
                "per_success": rule.per_success,
                "per_second": rule.per_second,
                "saved": self.saved,
            },
            "decision": decision,
            "saved_after": budget.saved(),
        })
    }
}

/// The row's own example.
pub(super) fn example(row: &std::sync::Arc<Entry>) -> Fault {
    let param =
        |value: &Value| RawJson::parse(value.to_string().as_bytes()).ok().map(ParamValue::from);
    let params = row.example.iter().filter_map(|(key, value)| Some((key.as_str(), param(value)?)));
    Fault::raise(row, params)
}

fn every_code() -> Vec<Case> {
    let rows = shipped::core().codes.values();
    rows.map(|it| Case::new(format!("the example of {}", it.code), &example(it))).collect()
}

/// A fault in which only the rule is of interest.
fn fault(kind: RetryKind) -> Fault {
    let mut fault = codes::QUERY_FAILED.raise([] as [(&str, &str); 0]);
    fault.class = Class::Unavailable;
    fault.retry = Retry::of(kind);
    fault.effect = Effect::None;
    fault.next_actions.clear();
    fault
}

fn every_effect() -> Vec<Case> {
    let known = [
        ("nothing changed", Effect::None, PLAIN, Ground::Stated),
        ("effect unknown", Effect::Unknown, PLAIN, Ground::Stated),
        ("partly done", Effect::Partial, PLAIN, Ground::Stated),
        ("done", Effect::Done, PLAIN, Ground::Stated),
        ("effect unknown, reads", Effect::Unknown, READS, Ground::Stated),
        ("done, idempotent", Effect::Done, AGAIN, Ground::Stated),
        ("effect unknown, says that it reads", Effect::Unknown, BOASTS, Ground::Stated),
        ("nothing changed, as a guess", Effect::None, PLAIN, Ground::Guessed),
        ("effect unknown, never sent", Effect::Unknown, PLAIN, Ground::NotSent),
    ];
    let mut cases = Vec::new();
    for kind in RetryKind::ALL {
        for (name, effect, traits, ground) in known {
            for fallback in [false, true] {
                let mut fault = fault(*kind);
                fault.effect = effect;
                let way = if fallback { ", another way" } else { "" };
                let mut case = Case::new(format!("{}, {name}{way}", kind.name()), &fault);
                case.attempt = Attempt { traits, ground, fallback, ..case.attempt };
                cases.push(case);
            }
        }
    }
    cases
}

fn every_room() -> Vec<Case> {
    type Change = fn(&mut Case, &mut Fault);
    let rooms: [(&str, Change); 10] = [
        ("made twice", |case, _| case.attempt.made = 2),
        ("made three times", |case, _| case.attempt.made = 3),
        ("made more often than anybody counts", |case, _| case.attempt.made = u32::MAX),
        ("not again, says the server", |_, fault| fault.retry.max = Some(0)),
        ("once more, says the server", |_, fault| fault.retry.max = Some(1)),
        ("wait, says the server", |_, fault| fault.retry.after_ms = Some(2_500)),
        ("wait an hour, says the server", |_, fault| fault.retry.after_ms = Some(3_600_000)),
        ("not before then, says the server", |_, fault| fault.not_before = Some(NOW_MS + 1_500)),
        ("no time left", |case, _| case.attempt.time_left_ms = Some(0)),
        ("no token left", |case, _| case.saved = 999),
    ];
    let mut cases = Vec::new();
    for kind in [RetryKind::Now, RetryKind::AfterDelay] {
        for (name, change) in rooms {
            for fallback in [false, true] {
                let way = if fallback { ", another way" } else { "" };
                let mut fault = fault(kind);
                let mut case = Case::of(format!("{}, {name}{way}", kind.name()), Value::Null);
                change(&mut case, &mut fault);
                case.fault = envelope(&fault);
                case.attempt.fallback = fallback;
                cases.push(case);
            }
        }
    }
    let mut patient =
        Case::new("a patient client, the ninth time".to_owned(), &fault(RetryKind::AfterDelay));
    patient.policy = Policy { attempts: 20, first_pause_ms: 1_000, longest_wait_ms: 600_000 };
    patient.attempt.made = 9;
    cases.push(patient);
    cases
}

fn every_class() -> Vec<Case> {
    let mut cases = Vec::new();
    for class in Class::ALL {
        for kind in [RetryKind::Never, RetryKind::AfterHuman, RetryKind::AfterDelay] {
            let mut fault = fault(kind);
            fault.class = class;
            let mut case =
                Case::new(format!("{}, {}, another way", class.name(), kind.name()), &fault);
            case.attempt.fallback = true;
            cases.push(case);
        }
    }
    cases
}

/// Unknown codes: their class decides, where they say nothing else.
fn strangers() -> Vec<Case> {
    let mut cases = Vec::new();
    for class in Class::ALL {
        let said = json!({"v": 1, "code": "ACME_FROBBED", "message": "It frobbed.", "hint": "Unfrob it.", "class": class.name(), "effect": "none"});
        cases.push(Case::of(format!("an unknown code of class {}", class.name()), said));
    }
    let said =
        json!({"v": 1, "code": "acme.FROBBED", "message": "It frobbed.", "class": "unavailable"});
    cases.push(Case::of("an unknown code that says nothing of its effect".to_owned(), said));
    let said = json!({"v": 1, "code": "ACME_FROBBED", "message": "It frobbed.", "class": "frobbed", "retry": {"kind": "now"}, "effect": "none"});
    cases.push(Case::of("an unknown code of an unknown class with a rule".to_owned(), said));
    cases
}

/// What a decision takes from the fault.
fn words() -> Vec<Case> {
    let call = |tool: &str, args: &[u8]| NextAction::Call {
        tool: tool.to_owned(),
        args: RawJson::parse(args).ok(),
    };
    let mut arguments = fault(RetryKind::AfterChange);
    arguments.violations = vec![
        Violation::new("/path", "not_found", None),
        Violation::new("/limit", "range", Some("at most 100")),
        Violation::new("/path", "too long", None),
    ];
    let mut state = fault(RetryKind::AfterState);
    state.next_actions = vec![
        call("begin_session", b"{\"root\":\"/srv\"}"),
        NextAction::Text("Then wait.".to_owned()),
    ];
    let mut silent = fault(RetryKind::AfterState);
    silent.hint = String::new();
    let mut doubtful = fault(RetryKind::Now);
    doubtful.effect = Effect::Unknown;
    doubtful.next_actions = vec![call("list_orders", b"{}")];
    vec![
        Case::new("arguments, each once".to_owned(), &arguments),
        Case::new("calls and words first".to_owned(), &state),
        Case::new("no hint: the message".to_owned(), &silent),
        Case::new("look first, where a call tells".to_owned(), &doubtful),
    ]
}
