//! `[[server.NAME.match]]`: rows that teach the gate what answers of one server mean, as `[[match]]` does in a contract.

use std::{collections::BTreeMap, sync::Arc};

use redress_registry::{
    Effect, Registry,
    taught::{RowRefusal, Taught, Teachings},
};
use serde_json::Value as Json;
use toml::de::DeValue;

use super::{
    kind::ValueKind,
    section::section,
    table::{ConfigTable, Given, Reading},
    value::{Shown, Value, toml_string},
};

section! {
    /// What an answer of the server means. The first row that fits names the failure; rows of the server come before those of its contract.
    pub struct Match {
        /// The tools that it is for; `*` represents anything.
        tool: Option<String> = None, example "\"get_*\"";
        /// The whole text of the answer; `*` represents anything.
        text: Option<String> = None, example "\"No such order*\"";
        /// A regular expression that is found in the text; named groups fill the parameters of the code.
        pattern: Option<String> = None, example "'No order (?P<id>\\d+)'";
        /// JSON pointers into the answer, and the values that stand there.
        json: BTreeMap<String, Scalar> = BTreeMap::new(), example "{ \"/ok\" = false }";
        /// The number of the JSON-RPC error.
        rpc_code: Option<Number> = None, example "-32050";
        /// The HTTP status.
        status: Option<u64> = None, in 100..=599, example "409";
        /// The code of the contract that such an answer means.
        code: String = String::new(), example "\"NOT_FOUND\"";
        /// What the failed call may have changed, where the code says another thing.
        effect: Option<Effect> = None, example "\"unknown\"";
        /// Whether it counts although the server flagged no failure.
        silent: bool = false, example "true";
        /// A text that the row is for. It must match its own row, and no earlier one.
        example: Option<String> = None, example "\"No such order: 7\"";
    }
}

/// A value in JSON that is one word: a text, a number, true or false.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar(Json);

impl Value for Scalar {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let value = given.value.get_ref();
        let scalar = match value {
            DeValue::String(text) => Some(Json::from(&**text)),
            DeValue::Boolean(truth) => Some(Json::from(*truth)),
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(Json::from)
            }
            _ => None,
        };
        if scalar.is_none() {
            given.refuse_type(reading, "a text, a whole number, true or false");
        }
        scalar.map(Self)
    }

    fn kind() -> ValueKind {
        ValueKind::Scalar
    }

    fn shown(&self) -> Shown {
        Shown::Toml(self.0.as_str().map_or_else(|| self.0.to_string(), toml_string))
    }
}

/// A whole number that may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number(i64);

impl Value for Number {
    fn read(given: &Given<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let written = given.value.get_ref().as_integer();
        let number =
            written.and_then(|it| i64::from_str_radix(it.as_str(), it.radix()).ok()).map(Self);
        if number.is_none() {
            given.refuse_type(reading, "a whole number");
        }
        number
    }

    fn kind() -> ValueKind {
        ValueKind::Number
    }

    fn shown(&self) -> Shown {
        Shown::Toml(self.0.to_string())
    }
}

impl Match {
    fn taught(&self) -> Taught {
        Taught {
            tool: self.tool.clone(),
            text: self.text.clone(),
            pattern: self.pattern.clone(),
            json: self.json.iter().map(|(key, it)| (key.clone(), it.0.clone())).collect(),
            rpc_code: self.rpc_code.map(|it| it.0),
            status: self.status.and_then(|it| i64::try_from(it).ok()),
            code: self.code.clone(),
            effect: self.effect,
            silent: self.silent,
            example: self.example.clone(),
        }
    }
}

/// The rows of a server, ready to be asked.
fn teachings(rows: &[Match], contract: &Registry) -> Result<Teachings, Vec<RowRefusal>> {
    let rows = rows.iter().map(Match::taught).collect();
    Teachings::new(rows, |it| contract.get(it).is_some())
}

/// Reports the rows that cannot be taken.
pub(super) fn check(rows: &[Match], contract: &Registry, table: &mut ConfigTable<'_, '_>) {
    let path = table.path().to_owned();
    for RowRefusal { row, message, .. } in teachings(rows, contract).err().into_iter().flatten() {
        table.refuse("match", format!("`{path}.match`, row {}: {message}", row + 1));
    }
}

/// A contract with the rows of a server before its own.
pub(super) fn teach(rows: &[Match], contract: Arc<Registry>) -> Arc<Registry> {
    // A file whose rows cannot be taken is not valid, so that none is refused here.
    let Ok(own) = teachings(rows, &contract) else { return contract };
    if own.rows().is_empty() {
        return contract;
    }
    let matches = Arc::new(own.before(&contract.matches));
    Arc::new(Registry { matches, ..Registry::clone(&contract) })
}
