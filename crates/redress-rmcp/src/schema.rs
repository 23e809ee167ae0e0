//! `Schema`: a JSON Schema, compiled once, and what is wrong with a value, as pointers and what was expected there.

mod shape;
mod words;

use std::sync::{Arc, OnceLock};

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use redress::{
    Fault,
    codes::{self, CoreCode},
    fault::{Origin, ParamValue, Similar, Violation},
    text,
    text::tokens::MAX_VIOLATIONS,
};
use redress_registry::nearest::nearest;
use redress_wire::json::pointer_step;
use rmcp::model::JsonObject;
use serde_json::Value;

use self::shape::SchemaShape;
pub(crate) use self::words::{is_of_serde, refused_by_serde};

/// A JSON Schema and what checks it.
#[derive(Debug)]
pub(crate) struct Schema {
    source: Arc<JsonObject>,
    /// What most calls are checked with.
    shape: Option<SchemaShape>,
    compiled: OnceLock<Result<Validator, String>>,
}

/// One thing that is wrong with a value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    code: CoreCode,
    pub(crate) pointer: String,
    pub(crate) reason: &'static str,
    expected: Option<String>,
    /// The name that was probably meant.
    near: Option<String>,
}

impl Schema {
    pub(crate) fn new(source: &Arc<JsonObject>) -> Self {
        Self {
            source: Arc::clone(source),
            shape: SchemaShape::of(source),
            compiled: OnceLock::new(),
        }
    }

    pub(crate) const fn source(&self) -> &Arc<JsonObject> {
        &self.source
    }

    /// Why it is no schema that can be checked, if so.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.compiled().as_ref().err().map(String::as_str)
    }

    /// Whether an object fits, as far as that can be said at once.
    pub(crate) fn surely_takes(&self, object: &JsonObject) -> bool {
        self.shape.as_ref().is_some_and(|it| it.takes(object))
    }

    /// What is wrong with a value; nothing, if the schema cannot be checked.
    pub(crate) fn wrongs(&self, value: &Value) -> Vec<Mismatch> {
        if self.shape.as_ref().is_some_and(|it| it.fits(value)) {
            return Vec::new();
        }
        match self.compiled() {
            Ok(validator) if !validator.is_valid(value) => {
                let errors = validator.iter_errors(value);
                errors.flat_map(|it| self.wrong(&it)).take(MAX_VIOLATIONS).collect()
            }
            _ => Vec::new(),
        }
    }

    fn compiled(&self) -> &Result<Validator, String> {
        self.compiled.get_or_init(|| {
            let schema = Value::Object((*self.source).clone());
            jsonschema::validator_for(&schema).map_err(|it| it.to_string())
        })
    }

    fn wrong(&self, error: &ValidationError<'_>) -> Vec<Mismatch> {
        let at = error.instance_path().as_str();
        let below = |name: &str| format!("{at}/{}", pointer_step(name));
        let one = |code, reason, expected: Option<String>| {
            vec![Mismatch { code, pointer: at.to_owned(), reason, expected, near: None }]
        };
        let value =
            |expected: String| one(codes::INVALID_INPUT_VALUE, "not_allowed", Some(expected));
        match error.kind() {
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let expected = self.type_of(error.schema_path().as_str(), name);
                let (code, pointer) = (codes::MISSING_REQUIRED_FIELD, below(name));
                vec![Mismatch { code, pointer, reason: "missing", expected, near: None }]
            }
            Kind::Type { kind } => one(codes::INVALID_INPUT_TYPE, "wrong_type", Some(types(kind))),
            Kind::Format { format } => {
                one(codes::INVALID_INPUT_FORMAT, "malformed", Some(format.clone()))
            }
            Kind::Pattern { pattern } => {
                one(codes::INVALID_INPUT_FORMAT, "malformed", Some(format!("to match {pattern}")))
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                let names = self.names_at(error.schema_path().as_str());
                let expected = names.as_ref().map(|it| format!("one of {}", it.join(", ")));
                let unknown = |name: &String| Mismatch {
                    code: codes::INVALID_INPUT_VALUE,
                    pointer: below(name),
                    reason: UNKNOWN,
                    expected: expected.clone(),
                    near: names.as_ref().and_then(|it| {
                        nearest(name, it.iter().map(String::as_str)).map(str::to_owned)
                    }),
                };
                unexpected.iter().map(unknown).collect()
            }
            Kind::Enum { options } => value(format!("one of {options}")),
            Kind::Constant { expected_value } => value(expected_value.to_string()),
            Kind::Maximum { limit } => value(format!("at most {limit}")),
            Kind::ExclusiveMaximum { limit } => value(format!("less than {limit}")),
            Kind::Minimum { limit } => value(format!("at least {limit}")),
            Kind::ExclusiveMinimum { limit } => value(format!("more than {limit}")),
            Kind::MaxLength { limit } => value(format!("at most {limit} characters")),
            Kind::MinLength { limit } => value(format!("at least {limit} characters")),
            Kind::MaxItems { limit } => value(format!("at most {limit} items")),
            Kind::MinItems { limit } => value(format!("at least {limit} items")),
            Kind::MultipleOf { multiple_of } => value(format!("a multiple of {multiple_of}")),
            Kind::UniqueItems => value("no item twice".to_owned()),
            Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
                value("a value that fits one of the schemas here".to_owned())
            }
            other => value(format!("what `{}` of the schema allows", other.keyword())),
        }
    }

    /// The type of a property that is missing, where the schema says so on the spot.
    fn type_of(&self, path: &str, name: &str) -> Option<String> {
        let property = self.object_at(path)?.get("properties")?.get(name)?;
        property.get("type")?.as_str().map(str::to_owned)
    }

    fn names_at(&self, path: &str) -> Option<Vec<String>> {
        let object = self.object_at(path)?;
        Some(object.get("properties")?.as_object()?.keys().cloned().collect())
    }

    /// The schema in a keyword.
    fn object_at(&self, keyword: &str) -> Option<&JsonObject> {
        let (parent, _) = keyword.rsplit_once('/')?;
        let Some(parent) = parent.strip_prefix('/') else { return Some(&self.source) };
        let (first, below) = parent.split_once('/').unwrap_or((parent, ""));
        let first = self.source.get(first)?;
        let at = if below.is_empty() { first } else { first.pointer(&format!("/{below}"))? };
        at.as_object()
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(several) => {
            several.iter().map(|it| it.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

/// The failure of a call whose arguments are wrong.
pub(crate) fn invalid_arguments(wrongs: &[Mismatch]) -> Option<Fault> {
    let first = wrongs.first()?;
    let params = [("field", Some(first.pointer.clone())), ("expected", first.expected.clone())];
    let declared = |name| first.code.entry().param(name).is_some();
    let params = params
        .into_iter()
        .filter_map(|(name, it)| Some((name, ParamValue::from(&*it?))))
        .filter(|it| declared(it.0));
    let mut fault = first.code.raise(params);
    fault.origin = Origin::Client;
    fault.violations = wrongs.iter().map(Mismatch::violation).collect();
    if first.reason == UNKNOWN {
        let step = first.pointer.rsplit('/').next().unwrap_or_default();
        let name = step.replace("~1", "/").replace("~0", "~");
        fault.message = format!("The tool has no argument {}.", text::quote(&name, NAME_CHARS));
        "Leave it out, or use the name in the tool's input schema.".clone_into(&mut fault.hint);
        let near = wrongs.iter().filter_map(|it| it.near.as_deref());
        fault.similar_refs = near.map(Similar::new).collect();
    }
    Some(fault)
}

/// What is wrong with an argument that the schema does not have.
const UNKNOWN: &str = "unknown";

/// How much of a name is in a sentence.
const NAME_CHARS: usize = 60;

impl Mismatch {
    fn violation(&self) -> Violation {
        Violation::new(&self.pointer, self.reason, self.expected.as_deref())
    }
}
