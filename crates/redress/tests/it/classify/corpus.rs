//! How well recorded failures are named.

use redress_registry::shipped;
use serde_json::Value;

use super::{general, judge};
use crate::counts::counted;

/// Servers that no rule was written for; their figures are only reported.
const HELD_OUT: [&str; 10] = [
    "cyangit",
    "taskmanager",
    "redis",
    "filesystem",
    "sqlite",
    "exa",
    "fetch",
    "cargomcp",
    "rustfs",
    "gmail",
];
/// The least that there is to judge: a corpus that shrinks proves less.
const RECORDS: u32 = 713;
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/dev.jsonl");

#[test]
fn recorded_failures_are_named_as_their_labels_say() {
    let corpus = std::fs::read_to_string(CORPUS).unwrap();
    let records: Vec<Value> = corpus.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let read = records.len();
    let (mut failures, mut codes, mut retries, mut silent, mut found) = (0, 0, 0, 0, 0);
    let (mut successes, mut certain, mut possible) = (0, 0, 0);
    for record in records {
        let label = &record["label"];
        let server = record["server"].as_str().unwrap();
        if HELD_OUT.contains(&server) || label["ambiguous"] == true {
            continue;
        }
        let got = judge(&record["input"].to_string());
        let is_found = got["failure"] == true;
        if label["is_failure"] == false {
            successes += 1;
            certain += u32::from(is_found && got["certain"] == true);
            possible += u32::from(is_found && got["certain"] == false);
            continue;
        }
        if label["silent_failure"] == true {
            silent += 1;
            found += u32::from(is_found);
            continue;
        }
        failures += 1;
        let mut accepted = label["acceptable"].as_array().unwrap().iter().chain([&label["code"]]);
        codes += u32::from(accepted.any(|it| is_right(it, &got)));
        retries += u32::from(fits(&label["retry"], &got["retry"]["kind"]));
    }
    let judged = failures + successes + silent;
    assert!(judged >= RECORDS, "only {judged} records were judged, of {read}");
    counted(judged, "corpus records");
    let figures = format!(
        "codes {codes}, retries {retries} of {failures}; found {found} of {silent}; doubted {possible} of {successes}"
    );
    assert!(codes * 100 >= failures * 95, "{figures}");
    assert!(retries * 100 >= failures * 93, "{figures}");
    assert!(found * 100 >= silent * 65, "{figures}");
    assert_eq!(certain, 0, "successes called failures");
    assert!(possible * 100 <= successes * 2, "{figures}");
}

/// Whether a code is the label's; of words alone, whether its class is.
fn is_right(label: &Value, got: &Value) -> bool {
    let class = |code: &Value| {
        let code = code.as_str().unwrap_or_default();
        shipped::core().get(code).map(|it| general(it.class))
    };
    label == &got["code"] || got["tier"] == "prose" && class(label) == class(&got["code"])
}

/// What a label's advice means among our kinds.
fn fits(label: &Value, kind: &Value) -> bool {
    let kinds: &[&str] = match label.as_str().unwrap() {
        "after_fixing_input" => &["after_change", "after_state"],
        "after_user_action" => &["after_human", "after_state"],
        "after_delay" => &["after_delay", "now"],
        _ => &["never"],
    };
    kinds.iter().any(|it| kind == it)
}
