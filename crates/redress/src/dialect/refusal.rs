//! `Refusal`: why a document cannot be read, at which of its members, and what was probably meant.

use std::fmt;

use crate::{
    codes,
    fault::{Fault, ParamValue, Similar, Violation},
    text,
};
use redress_wire::json::{JsonError, Kind};

/// The longest foreign word in a sentence of ours.
const MAX_SHOWN_CHARS: usize = 80;

/// Why a document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The member that is wrong, as a JSON pointer; empty for the document itself.
    pub pointer: String,
    /// What is wrong with it.
    pub why: Why,
    /// What was probably meant.
    pub did_you_mean: Option<String>,
}

/// What is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// It is not JSON that we take.
    Json(JsonError),
    /// A member has another type than the dialect says.
    Type(Kind),
    /// A member is missing that the dialect never leaves out.
    Missing,
    /// An object has a key twice.
    Duplicate,
    /// No registry has this code.
    UnknownCode(String),
    /// The envelope is of a version that came after us.
    Version,
    /// It has the form of no dialect.
    NoDialect,
}

impl Refusal {
    pub(crate) fn at(pointer: impl Into<String>, why: Why) -> Self {
        Self { pointer: pointer.into(), why, did_you_mean: None }
    }

    /// The refusal as a fault of `core`.
    pub fn fault(&self) -> Fault {
        if let Why::Json(error) = &self.why {
            return codes::PARSE_FAILED.raise([
                ("offset", ParamValue::from(error.offset)),
                ("reason", ParamValue::from(error.to_string())),
            ]);
        }
        let mut fault = codes::INVALID_INPUT_FORMAT.raise([("field", self.pointer.as_str())]);
        fault.message = self.sentence();
        fault.hint = String::from(match self.why {
            Why::UnknownCode(_) => "Correct the code, or name the contract that registers it.",
            _ => "Correct the document at that place, then send it again.",
        });
        fault.violations = vec![Violation::new(&self.pointer, &fault.message, None)];
        fault.similar_refs = self.did_you_mean.iter().map(|it| Similar::new(it)).collect();
        fault
    }

    fn sentence(&self) -> String {
        let place = if self.pointer.is_empty() { "The document" } else { self.pointer.as_str() };
        match &self.why {
            Why::Json(error) => format!("This is not JSON that can be read: {error}."),
            Why::Type(kind) => format!("{place} must be {}.", article(*kind)),
            Why::Missing => format!("{place} is missing."),
            Why::Duplicate => format!("{place} has a key twice."),
            Why::UnknownCode(code) => {
                let code = text::quote(code, MAX_SHOWN_CHARS);
                format!("{place} names {code}, which no registry has.")
            }
            Why::Version => format!("{place} is a version that this program does not know."),
            Why::NoDialect => format!("{place} has the form of no known dialect."),
        }
    }
}

impl From<JsonError> for Refusal {
    fn from(error: JsonError) -> Self {
        Self::at("", Why::Json(error))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())?;
        match &self.did_you_mean {
            Some(meant) => write!(f, " Did you mean {meant}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

const fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "true or false",
        Kind::Number => "a whole number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
