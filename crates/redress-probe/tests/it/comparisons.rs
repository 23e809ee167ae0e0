//! What became better, worse, new or fixed since an earlier report.

use redress_probe::{Comparison, Report, compare::FindingChange, present::json};

fn sample() -> Report {
    Report::read(include_bytes!("../reports/sample.json")).unwrap()
}

fn changes(comparison: &Comparison) -> Vec<(&str, FindingChange)> {
    comparison.findings.iter().map(|it| (it.rule.as_str(), it.change)).collect()
}

#[test]
fn nothing_changed_is_nothing_to_tell() {
    let comparison = Comparison::of(&sample(), &sample());
    assert!(!comparison.is_worse());
    assert!(comparison.findings.is_empty() && comparison.tools.is_empty());
    assert!(comparison.unlike.is_empty());
}

#[test]
fn a_new_finding_is_worse_and_a_lost_one_is_fixed_if_checked() {
    let (full, mut less) = (sample(), sample());
    less.direct.findings.clear();
    let comparison = Comparison::of(&less, &full);
    assert_eq!(
        changes(&comparison),
        [("PR101", FindingChange::New), ("PR201", FindingChange::New)]
    );
    assert!(comparison.is_worse());
    let comparison = Comparison::of(&full, &less);
    assert_eq!(
        changes(&comparison),
        [("PR101", FindingChange::Fixed), ("PR201", FindingChange::Fixed)]
    );
    assert!(!comparison.is_worse());
    less.direct.tools.clear();
    let comparison = Comparison::of(&full, &less);
    assert_eq!(
        changes(&comparison),
        [("PR201", FindingChange::Unchecked), ("PR101", FindingChange::Fixed)]
    );
}

#[test]
fn parts_are_compared_not_counts() {
    let (before, mut after) = (sample(), sample());
    after.direct.findings[1].checked = 30;
    let comparison = Comparison::of(&before, &after);
    assert_eq!(changes(&comparison), [("PR201", FindingChange::Better)]);
    assert_eq!(changes(&Comparison::of(&after, &before)), [("PR201", FindingChange::Worse)]);
}

#[test]
fn what_was_not_alike_is_said() {
    let (before, mut after) = (sample(), sample());
    after.settings.seed = 2;
    after.server.version = "1.3.0".into();
    let comparison = Comparison::of(&before, &after);
    assert_eq!(comparison.unlike, ["server: notes 1.2.0, now notes 1.3.0", "seed: 1, now 2"]);
    let document = json::document(&after, Some(&comparison));
    assert!(document.contains("\"comparison\":{\"since\":"));
    assert!(Report::read(document.as_bytes()).is_ok(), "it is a baseline again");
}
