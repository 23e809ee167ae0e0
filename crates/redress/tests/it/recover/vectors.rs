//! The shared vectors of `tests/vectors`, which TypeScript and Python check, too.

use std::{fs, path::Path};

use redress::{
    Dialect, Lookup,
    dialect::Stamp,
    outcome::{Asked, ToolTraits},
    recover::{Attempt, Budget, BudgetRule, Ground, Policy, Reading, decide, read},
};
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors").join(file);
    let text = fs::read_to_string(path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file.get("format").unwrap(), "redress-vectors/1");
    file.get("cases").unwrap().as_array().unwrap().clone()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn small(value: &Value) -> u32 {
    u32::try_from(number(value)).unwrap()
}

#[test]
fn every_fault_of_the_vectors_is_decided_as_they_say() {
    let all = cases("decisions.json");
    assert!(all.len() >= 60);
    for case in all {
        let fault = case["fault"].to_string();
        let reading = read(fault.as_bytes(), &Asked::default(), &Lookup::shipped());
        let (fault, _) = reading.failure().unwrap();
        let (said, policy, budget) = (&case["attempt"], &case["policy"], &case["budget"]);
        let flag = |key: &str| said[key].as_bool().unwrap();
        let attempt = Attempt {
            traits: ToolTraits {
                read_only: flag("read_only"),
                idempotent: flag("idempotent"),
                trusted: flag("trusted"),
            },
            ground: Ground::parse(said["ground"].as_str().unwrap()).unwrap(),
            made: small(&said["made"]),
            fallback: flag("fallback"),
            now_ms: number(&said["now_ms"]),
            time_left_ms: said["time_left_ms"].as_u64(),
            random: small(&said["random"]),
        };
        let policy = Policy {
            attempts: small(&policy["attempts"]),
            first_pause_ms: number(&policy["first_pause_ms"]),
            longest_wait_ms: number(&policy["longest_wait_ms"]),
        };
        let rule = BudgetRule {
            capacity: number(&budget["capacity"]),
            per_success: number(&budget["per_success"]),
            per_second: number(&budget["per_second"]),
        };
        let mut budget = Budget::holding(rule, number(&case["budget"]["saved"]));
        let decided = decide(&fault, &attempt, &policy, &mut budget);
        let decided: Value = serde_json::from_str(&decided.json()).unwrap();
        assert_eq!(decided, case["decision"], "{}", case["name"]);
        assert_eq!(budget.saved(), number(&case["saved_after"]), "{}", case["name"]);
    }
}

#[test]
fn every_answer_of_the_vectors_is_read_as_they_say() {
    for case in cases("bytes.json") {
        let bytes = case["bytes"].as_str().unwrap();
        let reading = read(bytes.as_bytes(), &Asked::default(), &Lookup::shipped());
        let name = match &reading {
            Reading::Fine => "fine",
            Reading::Fault(..) => "fault",
            Reading::Unrecognised(_) => "unrecognised",
        };
        if case["reading"] == "failure" {
            let ground = reading.failure().map(|it| it.1);
            assert_eq!(ground, Some(Ground::Guessed), "{}", case["name"]);
            continue;
        }
        assert_eq!(case["reading"], name, "{}", case["name"]);
        if let Reading::Fault(fault, ground) = reading {
            assert_eq!(case["ground"], ground.name(), "{}", case["name"]);
            let text = Dialect::Native.write(&fault, Stamp::default());
            let seen: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(seen, case["fault"], "{}", case["name"]);
        }
    }
}
