//! `Checked`: a person has checked what a failed call did.

use std::borrow::Cow;

use redress::{redact::Redactor, text};
use redress_wire::json::Value;

use crate::record::{Kind, Record};

/// The longest text of a member; longer ones are cut.
const MAX_TEXT: usize = 500;

/// A mark that a person has checked what a failed call did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// The chain of the fault record.
    pub chain: String,
    /// Its number in the chain.
    pub seq: u64,
    /// The person who checked it.
    pub by: String,
    /// What the person found.
    pub note: Option<String>,
}

impl Checked {
    /// Reads the object of a record; `None` if it names no record.
    pub fn read(object: Value<'_>) -> Option<Self> {
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(Cow::into_owned);
        Some(Self {
            chain: text("chain")?,
            seq: object.get("seq").and_then(Value::as_u64)?,
            by: text("by").unwrap_or_default(),
            note: text("note"),
        })
    }

    /// The record of it, without secrets.
    pub fn record(&self, redactor: &Redactor) -> Record {
        let clean = |it: &str| text::cut(&redactor.text(it), MAX_TEXT).into_owned();
        Record::new(Kind::Checked, |it| {
            it.str("chain", &clean(&self.chain)).int("seq", self.seq).str("by", &clean(&self.by));
            it.opt_str("note", self.note.as_deref().map(clean).as_deref());
        })
    }
}

#[cfg(test)]
mod tests {
    use redress::redact::Redactor;
    use redress_wire::json::Doc;

    use super::Checked;
    use crate::{
        LINE_LIMITS,
        record::{Head, RecordLine},
    };

    #[test]
    fn what_is_written_of_a_check_is_read() {
        let mut checked = Checked {
            chain: "20260119T153210123Z-4711-9f2c41d07a3e".to_owned(),
            seq: 412,
            by: "operator".to_owned(),
            note: Some("rolled back; password=hunter2".to_owned()),
        };
        let mut line = Vec::new();
        let record = checked.record(&Redactor::default());
        Head::START.clone().write(&record, "2026-01-19T15:33:00.000Z", &mut line);
        line.pop();
        assert!(RecordLine::read(&line).is_ok());
        let doc = Doc::parse(&line, LINE_LIMITS).unwrap();
        let read = Checked::read(doc.root().get("checked").unwrap()).unwrap();
        checked.note = Some("rolled back; password=[redacted]".to_owned());
        assert_eq!(read, checked);
    }
}
