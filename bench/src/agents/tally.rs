//! What came of the tasks, as tables.

use super::{Outcome, agent::Agent, server::Arm};
use crate::report::Table;

/// The sums over tasks.
#[derive(Debug, Default)]
pub(super) struct Tally {
    tasks: u64,
    right: u64,
    wasted: u64,
    doubled: u64,
    ms: u64,
    tokens: u64,
}

impl Tally {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.tasks += 1;
        self.right += u64::from(outcome.is_right);
        self.wasted += outcome.wasted;
        self.doubled += outcome.doubled;
        self.ms += outcome.ms;
        self.tokens += outcome.tokens;
    }
}

impl Arm {
    pub(super) const fn shown(self) -> &'static str {
        match self {
            Self::Direct => "no gate",
            Self::Gate => "gate",
            Self::Learning => "gate, learning",
            Self::Taught => "gate, after `learn`",
        }
    }
}

/// The agents beside each other.
pub(super) fn table(name: &str, tasks: usize, lines: &[(&'static str, Arm, Tally)]) -> String {
    let mut table = Table::new([
        "agent",
        "server behind",
        "right ends",
        "wasted calls",
        "doubled effects",
        "s for a right end",
        "tokens for a right end",
    ]);
    for (agent, arm, tally) in lines {
        let each = |sum: u64, unit: u64| {
            let right = tally.right.max(1) * unit;
            ((sum + right / 2) / right).to_string()
        };
        table.add([
            (*agent).to_owned(),
            arm.shown().to_owned(),
            format!(
                "{} of {} ({} %)",
                tally.right,
                tally.tasks,
                tally.right * 100 / tally.tasks.max(1)
            ),
            tally.wasted.to_string(),
            tally.doubled.to_string(),
            each(tally.ms, 1_000),
            each(tally.tokens, 1),
        ]);
    }
    format!("### {tasks} tasks at {name}\n\n{table}")
}

/// The tokens of what the first failure of each task was told as.
#[derive(Debug, Default)]
pub(super) struct Texts {
    direct: Vec<usize>,
    gate: Vec<usize>,
    taught: Vec<usize>,
}

impl Texts {
    /// Adds those of one task. They are the same for each agent.
    pub(super) fn add(&mut self, agent: Agent, arm: Arm, tokens: Vec<usize>) {
        if agent != Agent::GivesUp {
            return;
        }
        match arm {
            Arm::Direct => self.direct.extend(tokens),
            Arm::Gate | Arm::Learning => self.gate.extend(tokens),
            Arm::Taught => self.taught.extend(tokens),
        }
    }

    pub(super) fn table(mut self) -> Table<4> {
        let mut table = Table::new(["tokens of a failure", "failures", "median", "p90"]);
        for (name, mut tokens) in [
            ("the server's own text", std::mem::take(&mut self.direct)),
            ("behind the gate", std::mem::take(&mut self.gate)),
            ("behind the gate, after `learn`", std::mem::take(&mut self.taught)),
        ] {
            tokens.sort_unstable();
            let at = |percent: usize| {
                let place = (tokens.len() * percent).div_ceil(100).saturating_sub(1);
                tokens.get(place).map_or_else(String::new, ToString::to_string)
            };
            if !tokens.is_empty() {
                table.add([name.to_owned(), tokens.len().to_string(), at(50), at(90)]);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::{Arm, Tally, Texts, table};
    use crate::agents::{Outcome, agent::Agent};

    #[test]
    fn sums_are_shown_for_each_right_end() {
        let mut tally = Tally::default();
        for (is_right, doubled) in [(true, 0), (true, 0), (false, 1)] {
            tally.add(&Outcome { is_right, wasted: 1, doubled, ms: 2_000, tokens: 50 });
        }
        let text = table("the lab", 3, &[("A", Arm::Gate, tally)]);
        assert!(text.contains("| A | gate | 2 of 3 (66 %) | 3 | 1 | 3 | 75 |"), "{text}");
    }

    #[test]
    fn a_median_is_of_the_texts_of_one_agent() {
        let mut texts = Texts::default();
        texts.add(Agent::GivesUp, Arm::Direct, vec![5, 1, 9]);
        texts.add(Agent::Card, Arm::Direct, vec![100]);
        let shown = texts.table().to_string();
        assert!(shown.contains("| the server's own text | 3 | 5 | 9 |"), "{shown}");
    }
}
