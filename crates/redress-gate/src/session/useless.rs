//! Lines of the upstream that are of no use to anybody: counted, recorded within reason, told to whoever waits in vain.

use redress::{
    Fault,
    json::RawJson,
    text::{cut, strip},
};

use super::{
    Actions, Door, Session,
    details::{number, with_upstream},
    seen::LINE_BYTES,
    sharing::Audience,
};
use crate::{exchange::Exchange, metrics::Event};

/// How many are recorded one by one; after that, each time their number doubles.
const MOST_NOTED: u64 = 16;

/// The most that is told of one, in bytes, and shown of it beside something else, in characters.
const SAMPLE_BYTES: usize = 1 << 10;
const SAMPLE_CHARS: usize = 120;

/// The lines of an upstream that were of no use.
#[derive(Debug, Default)]
pub(super) struct Useless {
    /// How many there were.
    pub(super) count: u64,
    /// The last one.
    last: Vec<u8>,
}

impl Session {
    /// A message of the upstream that belongs to nobody. It is a failure of the upstream.
    pub(super) fn note(&mut self, line: &[u8], reason: &str, actions: &mut Actions) {
        if let Some(fault) = self.noted(line, reason) {
            self.tell_nobody(fault, actions);
        }
    }

    /// A line of the upstream that is no message. Most are of a log that should go to stderr: no call failed. What it says while
    /// it is made to end, perhaps in the middle of a line, is no failure at all.
    pub(super) fn note_noise(&mut self, line: &[u8], reason: &str, actions: &mut Actions) {
        if let Some(fault) = self.noted(line, reason).filter(|_| self.door != Door::Closing) {
            self.record_only(fault, actions);
        }
    }

    /// Details that say what came in the place of an answer.
    pub(super) fn with_useless(
        &self,
        details: Option<RawJson>,
        exchange: &Exchange,
    ) -> Option<RawJson> {
        let count = self.useless.count.saturating_sub(exchange.useless);
        if count == 0 || self.audience == Audience::Several {
            return details;
        }
        let sample = self.server.settings.redactor.start(&self.useless.last, SAMPLE_BYTES);
        let sample = RawJson::string(&cut(&strip(&sample), SAMPLE_CHARS));
        let details = with_upstream(details, "useless_lines", number(count));
        with_upstream(details, "useless_sample", Some(sample))
    }

    /// What a program wrote last that opened no session, for the card.
    pub(super) fn printed(&self) -> Option<String> {
        let is_there = self.useless.count > 0 && self.audience != Audience::Several;
        let sample = is_there
            .then(|| self.server.settings.redactor.start(&self.useless.last, SAMPLE_BYTES))?;
        Some(strip(&sample)).filter(|it| !it.is_empty())
    }

    fn noted(&mut self, line: &[u8], reason: &str) -> Option<Fault> {
        let Useless { count, last } = &mut self.useless;
        *count += 1;
        last.clear();
        last.extend_from_slice(line.get(..LINE_BYTES).unwrap_or(line));
        let count = *count;
        self.server.metrics.happened(Event::Useless);
        if count > MOST_NOTED && !count.is_power_of_two() {
            return None;
        }
        let mut fault = self.broken(reason, line);
        fault.nothing_changed();
        fault.details = with_upstream(fault.details.take(), "useless_lines", number(count));
        Some(fault)
    }
}
