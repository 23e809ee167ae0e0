//! Which calls are made: only those that fail before anything happens, unless effects are allowed.
//!
//! A tool that says that it only reads, or whose contract says so, is called with one wrong argument while the others look
//! valid. Any other tool may change something, and its server may not look at its arguments. So it is never called with all that it
//! needs: in each call a required argument is missing or of a wrong type, whatever else is tried, and nothing that looks
//! valid is beside it. Where an argument is left out, the others are of wrong types. What the schema does not forbid,
//! and what cannot be checked against it, is not sent.

use serde_json::{Map, Value};

use super::{
    calls::{ArgumentChange, Attempt},
    schema::Schema,
    tool::ListedTool,
    values,
};

/// The arguments of an attempt; none, if it cannot be made without a risk.
pub(super) fn arguments(
    tool: &ListedTool,
    attempt: &Attempt,
    allow_effects: bool,
) -> Option<Value> {
    if tool.read_only || allow_effects {
        return Some(applied(values::valid("", Schema::of(&tool.input)), attempt));
    }
    let arguments = careful(tool, attempt)?;
    // A schema with branches can allow what one of them forbids.
    (tool.fits(&arguments) == Some(false)).then_some(arguments)
}

/// Arguments with nothing in them that a server could act on.
fn careful(tool: &ListedTool, attempt: &Attempt) -> Option<Value> {
    let schema = Schema::of(&tool.input);
    let required = schema.required();
    let first = attempt.path.first().map(String::as_str);
    let is_needed = first.is_some_and(|it| required.contains(&it));
    let is_itself = attempt.path.len() == 1;
    let lacks_another = required.iter().any(|it| Some(*it) != first);
    match &attempt.change {
        ArgumentChange::Without if is_itself && is_needed => {
            let others = schema.properties().into_iter().filter(|it| Some(it.0) != first);
            let wrong =
                others.filter(|it| required.contains(&it.0)).filter_map(|(name, schema)| {
                    Some((name.to_owned(), values::of_wrong_type(schema)?))
                });
            Some(wrong.collect::<Map<_, _>>().into())
        }
        ArgumentChange::Whole(value) if !required.is_empty() => Some(value.clone()),
        ArgumentChange::With(_)
            if lacks_another || is_needed && is_itself && attempt.is_wrong_type() =>
        {
            Some(applied(Value::Object(Map::new()), attempt))
        }
        _ => None,
    }
}

/// Arguments with the change that makes them wrong.
fn applied(mut arguments: Value, attempt: &Attempt) -> Value {
    match &attempt.change {
        ArgumentChange::Whole(value) => return value.clone(),
        ArgumentChange::Without => {
            drop(inner(&mut arguments, &attempt.path).map(|(it, key)| it.remove(key)));
        }
        ArgumentChange::With(value) => {
            let place = inner(&mut arguments, &attempt.path);
            drop(place.map(|(it, key)| it.insert(key.to_owned(), value.clone())));
        }
    }
    arguments
}

/// The object in which the last part of a path is; objects on the way are made.
fn inner<'a, 'p>(
    mut at: &'a mut Value,
    path: &'p [String],
) -> Option<(&'a mut Map<String, Value>, &'p str)> {
    let (last, way) = path.split_last()?;
    for key in way {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        at = at.as_object_mut()?.entry(key.as_str()).or_insert_with(|| Map::new().into());
    }
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    Some((at.as_object_mut()?, last))
}
