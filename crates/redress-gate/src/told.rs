//! `Told`: a failure that is to be recorded first, and what the client hears of it then.

use std::ops::Range;

use redress::{
    Dialect, Fault, codes,
    dialect::Stamp,
    fault::{Origin, Receipt},
    tokens::DEFAULT_DETAILS_BYTES,
    wire,
};

/// A failure that is to be recorded first, and what the client hears of it then.
#[derive(Debug)]
pub struct Told {
    fault: Box<Fault>,
    to: To,
    form: Form,
    dialect: Dialect,
    is_to_be_recorded: bool,
}

/// Who waits for the answer.
#[derive(Debug, Clone)]
pub(crate) enum To {
    /// Nobody.
    Nobody,
    /// A call of a tool, by its id.
    Call(Box<str>),
    /// Any other request, by its id, if that could be read.
    Request(Option<Box<str>>),
}

/// What the client hears.
#[derive(Debug)]
pub(crate) enum Form {
    /// An answer that is made from the fault.
    Made {
        /// Whether `structuredContent` belongs to somebody else's schema.
        has_output_schema: bool,
    },
    /// The server's own line under the client's id, with the envelope put in.
    With(Vec<u8>, Place),
    /// The server's own line under the client's id.
    AsItIs(Vec<u8>),
}

/// Where an envelope goes in a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The bytes that it replaces.
    pub(crate) at: Range<usize>,
    /// What stands before it.
    pub(crate) before: String,
    /// What stands after it.
    pub(crate) after: &'static str,
}

impl Told {
    pub(crate) fn new(mut fault: Fault, to: To, form: Form, dialect: Dialect) -> Self {
        fault.bound(DEFAULT_DETAILS_BYTES);
        let is_to_be_recorded = fault.code() != codes::AUDIT_LOG_FAILED.name();
        Self { fault: Box::new(fault), to, form, dialect, is_to_be_recorded }
    }

    /// The failure.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// Whether it is to be recorded; only that recording fails is not.
    pub const fn is_to_be_recorded(&self) -> bool {
        self.is_to_be_recorded
    }

    /// Appends what the client hears, a line or nothing, with the failure's place in the ledger.
    pub fn render(mut self, receipt: Option<Receipt>, out: &mut Vec<u8>) {
        self.fault.ledger = receipt;
        match (&self.to, &self.form) {
            (To::Nobody, _) => return,
            (_, Form::AsItIs(line)) => out.extend_from_slice(line),
            (_, Form::With(line, place)) => self.write_into(line, place, out),
            (To::Call(id), Form::Made { has_output_schema }) => {
                let stamp = Stamp { now: self.fault.timestamp.as_deref().unwrap_or_default() };
                let (dialect, has_output_schema) = (self.dialect, *has_output_schema);
                let how = wire::Answer { dialect, has_output_schema, stamp };
                out.extend_from_slice(wire::response(&self.fault, id, how).as_bytes());
            }
            (To::Request(id), Form::Made { .. }) => {
                out.extend_from_slice(wire::rpc_error(&self.fault, id.as_deref()).as_bytes());
            }
        }
        if out.last() != Some(&b'\n') {
            out.push(b'\n');
        }
    }

    /// The same when the failure could not be recorded: the client hears that, and nothing else.
    pub fn render_unrecorded(self, out: &mut Vec<u8>) {
        let mut fault = codes::AUDIT_LOG_FAILED.raise([] as [(&str, &str); 0]);
        fault.origin = Origin::Gate;
        fault.effect = self.fault.effect;
        fault.context = self.fault.context.clone();
        fault.timestamp.clone_from(&self.fault.timestamp);
        fault.elapsed_ms = self.fault.elapsed_ms;
        Self::new(fault, self.to, Form::Made { has_output_schema: true }, self.dialect)
            .render(None, out);
    }

    fn write_into(&self, line: &[u8], place: &Place, out: &mut Vec<u8>) {
        let envelope = Dialect::Native.write(&self.fault, Stamp::default());
        out.extend_from_slice(line.get(..place.at.start).unwrap_or_default());
        out.extend_from_slice(place.before.as_bytes());
        out.extend_from_slice(envelope.as_bytes());
        out.extend_from_slice(place.after.as_bytes());
        out.extend_from_slice(line.get(place.at.end..).unwrap_or_default());
    }
}
