//! Grading: every rule looks at every answer, and says nothing, that it is good, or what is wrong with it.

mod answer_view;
mod answers;
mod contract;
mod leaks;
mod protocol;
mod results;
mod words;

use redress_registry::{Level, rule::Rule};

pub(crate) use self::{
    answer_view::{AnswerView, ParsedAnswer},
    results::Results,
};

/// A rule, how it looks at an answer, and what it counts.
pub(crate) struct Check {
    pub(crate) rule: Rule,
    /// What is wrong, in a few words.
    pub(crate) title: &'static str,
    /// How many points it costs a score if every answer breaks it, by the harm that it does: 30 what happens that the caller did not ask for,
    /// 20 an outcome that is taken for another one or lost, 10 a caller that cannot go on by itself, 4 the form.
    pub(crate) weight: u16,
    /// The most points that are left when an answer breaks it, if fewer than with any violation.
    pub(crate) cap: Option<u8>,
    /// None, if the answer is none of its business.
    run: fn(&AnswerView<'_>) -> Said,
}

/// What a rule says of an answer: nothing, that it is good, or what is wrong.
type Said = Option<Result<(), Complaint>>;

/// What is wrong with an answer, and what it should have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) message: String,
    pub(crate) expected: String,
}

impl Complaint {
    fn new(message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { message: message.into(), expected: expected.into() }
    }
}

/// The rules, a module of them for each group, in the order of their ids.
const GROUPS: &[&[Check]] =
    &[answers::CHECKS, protocol::CHECKS, words::CHECKS, leaks::CHECKS, contract::CHECKS];

/// Every check.
pub(crate) fn checks() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().copied().flatten()
}

/// Every rule of the probe, in the order of their ids.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    checks().map(|it| &it.rule)
}

/// How many points a rule costs at most, and the most points that are left when an answer breaks it.
pub fn weight(rule: &str) -> Option<(u16, Option<u8>)> {
    let check = checks().find(|it| it.rule.id == rule)?;
    let is_violation = check.rule.level() == Level::Violation;
    Some((check.weight, check.cap.or(is_violation.then_some(WITH_A_VIOLATION))))
}

/// The most points that are left when an answer breaks a rule.
pub(crate) fn cap(rule: &str) -> Option<u8> {
    weight(rule)?.1
}

/// The most points for a server that breaks a rule that is no matter of taste: with a violation there is no A.
const WITH_A_VIOLATION: u8 = 89;

/// A result that is good if the condition holds.
#[expect(clippy::unnecessary_wraps, reason = "it is what every rule gives")]
fn good_if(holds: bool, wrong: impl FnOnce() -> Complaint) -> Said {
    Some(if holds { Ok(()) } else { Err(wrong()) })
}
