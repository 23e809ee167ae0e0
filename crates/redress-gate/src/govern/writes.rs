//! What is asked of a write: rules about what it says, before the server hears of it.

use redress::Fault;
use redress_govern::writes::{Change, Rule, judge};

use super::touched::Touched;

/// Longer content is judged when it is written: nobody else waits then.
const MOST_AT_ONCE: usize = 256 << 10;

/// What is asked of writes.
#[derive(Debug, Default)]
pub struct Checks {
    /// The rules about what is written.
    pub rules: Vec<Rule>,
}

impl Checks {
    /// Whether a write may go on, by what is known of it.
    pub(super) fn before(
        &self,
        touched: &Touched<'_>,
        intent: Option<&str>,
    ) -> Result<(), Box<Fault>> {
        touched.changes().try_for_each(|(path, content)| {
            let content = content.filter(|it| it.len() <= MOST_AT_ONCE);
            judge(&self.rules, Change { path, content, intent })
        })
    }
}
