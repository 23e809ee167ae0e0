//! The agents: what each does about an answer.

use serde_json::Value;

/// How often an agent makes a call at most.
const ATTEMPTS: u32 = 4;

/// A habit of reading answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    /// Does what card and envelope say; without one, reads the text as `Prose` does.
    Card,
    /// Repeats whatever failed, up to three times.
    Repeats,
    /// Gives up at the first failure.
    GivesUp,
    /// Looks for words in the text.
    Prose,
}

pub(super) const AGENTS: [(Agent, &str); 4] = [
    (Agent::Card, "A: follows the card"),
    (Agent::Repeats, "B: repeats any failure"),
    (Agent::GivesUp, "C: gives up at any failure"),
    (Agent::Prose, "D: looks for words"),
];

/// An answer as a client has it.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// What the model reads.
    pub(super) text: String,
    /// Whether it is marked as a failure.
    pub(super) is_error: bool,
    /// The gate's envelope.
    pub(super) fault: Option<Value>,
}

/// What an agent knows about the call that was answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// How often it was made.
    pub(super) made: u32,
    pub(super) only_reads: bool,
    /// Whether what failed comes with a card: then what has none did not fail.
    pub(super) has_cards: bool,
}

/// What an agent does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It takes the answer for what it wanted.
    Accept,
    /// The same call after a wait.
    Repeat {
        wait_ms: u64,
    },
    /// Whatever the reason asks for: other arguments, or another call first.
    Mend,
    /// A look whether the call took effect.
    Look,
    /// A person is asked.
    Ask,
    Stop,
}

impl Agent {
    pub(super) fn step(self, answer: &Answer, known: Known) -> Step {
        let step = match (self, &answer.fault) {
            (Self::Card, Some(fault)) => follow(fault, known),
            (Self::Card, None) if known.has_cards && !answer.is_error => Step::Accept,
            (Self::Card | Self::Prose, _) => look_for_words(answer, known.made),
            (Self::Repeats | Self::GivesUp, _) if !answer.is_error => Step::Accept,
            (Self::Repeats, _) => later(known.made),
            (Self::GivesUp, _) => Step::Stop,
        };
        match step {
            Step::Repeat { .. } if known.made >= ATTEMPTS => Step::Stop,
            step => step,
        }
    }
}

/// One second, then twice as long each time.
fn later(made: u32) -> Step {
    Step::Repeat { wait_ms: 500 << made.min(6) }
}

fn follow(fault: &Value, known: Known) -> Step {
    let text = |pointer: &str| fault.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let is_safe = known.only_reads || text("/effect") == "none";
    match (text("/retry/kind"), is_safe) {
        ("after_change" | "after_state", _) => Step::Mend,
        ("after_human", _) => Step::Ask,
        (_, false) => Step::Look,
        ("now", true) => Step::Repeat { wait_ms: 0 },
        ("after_delay", true) => match fault.pointer("/retry/after_ms").and_then(Value::as_u64) {
            Some(wait_ms) => Step::Repeat { wait_ms },
            None => later(known.made),
        },
        _ => Step::Stop,
    }
}

/// The words that agents act on, in the order in which they are looked for.
const WORDS: [(&[&str], Step); 5] = [
    (&[" first"], Step::Mend),
    (
        &["429", "503", "timed out", "timeout", "try again", "unavailable", "econnrefused", "500"],
        Step::Repeat { wait_ms: 0 },
    ),
    (&["401", "403", "unauthorized", "api_key", "api key", "token"], Step::Ask),
    (&["permission denied", "access denied", "not allowed", "quota"], Step::Stop),
    (
        &["not found", "no such", "invalid", "unknown", "expected", "exists", "must", "conflict"],
        Step::Mend,
    ),
];

fn look_for_words(answer: &Answer, made: u32) -> Step {
    let text = answer.text.to_lowercase();
    let start = text.trim_start_matches(|it: char| !it.is_alphanumeric());
    if !answer.is_error && !start.starts_with("error") {
        return Step::Accept;
    }
    let found = WORDS.iter().find(|(words, _)| words.iter().any(|it| text.contains(it)));
    match found {
        Some((_, Step::Repeat { .. })) => later(made),
        Some((_, step)) => *step,
        None if made < 2 => later(made),
        None => Step::Stop,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Agent, Answer, Known, Step};

    const FIRST: Known = Known { made: 1, only_reads: false, has_cards: true };
    const READ: Known = Known { only_reads: true, ..FIRST };

    fn failed(text: &str, fault: Option<serde_json::Value>) -> Answer {
        Answer { text: text.to_owned(), is_error: true, fault }
    }

    #[test]
    fn a_card_decides_before_words() {
        let fault = json!({"retry": {"kind": "after_delay", "after_ms": 700}, "effect": "none"});
        let answer = failed("invalid", Some(fault));
        assert_eq!(Agent::Card.step(&answer, FIRST), Step::Repeat { wait_ms: 700 });
        assert_eq!(Agent::Prose.step(&answer, FIRST), Step::Mend);
        assert_eq!(Agent::Card.step(&failed("invalid", None), FIRST), Step::Mend);
    }

    #[test]
    fn what_may_have_happened_is_looked_at_before_a_repeat() {
        let fault = json!({"retry": {"kind": "after_delay"}, "effect": "unknown"});
        let answer = failed("timed out", Some(fault));
        assert_eq!(Agent::Card.step(&answer, FIRST), Step::Look);
        assert_eq!(Agent::Card.step(&answer, READ), Step::Repeat { wait_ms: 1_000 });
        assert_eq!(Agent::Prose.step(&answer, FIRST), Step::Repeat { wait_ms: 1_000 });
    }

    #[test]
    fn no_agent_repeats_for_ever() {
        let answer = failed("503", None);
        for agent in [Agent::Card, Agent::Repeats, Agent::Prose] {
            assert_eq!(agent.step(&answer, Known { made: 4, ..READ }), Step::Stop, "{agent:?}");
        }
        assert_eq!(Agent::GivesUp.step(&answer, READ), Step::Stop);
    }
}
