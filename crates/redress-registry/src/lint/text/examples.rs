//! The page and the example of a code.

use serde_json::{Map, Value};

use crate::{
    ParamType,
    draft::{DraftCode, DraftParam},
    finding::part,
    lint::scope::{Hits, Scope, param_names, text},
};

/// CK210.
pub(super) fn no_page_or_example(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        if text(code.explain.as_ref()).trim().is_empty() {
            let at = code.explain.as_ref().map_or(&code.name.span, |it| &it.span);
            hits.on(code, at, "There is no explain page.", [])
                .fix("Write explain: when it happens, why, and how to get out of it.".into());
        }
        example(code, hits);
    }
}

fn example(code: &DraftCode, hits: &mut Hits<'_>) {
    let nothing = Map::new();
    let at = code.example.as_ref().map_or(&code.name.span, |it| &it.span);
    let values = code.example.as_ref().map_or(&nothing, |it| &it.value);
    for param in code.params.iter().map(|it| &it.value) {
        let name = param.name.value.as_str();
        let required = param.required.as_ref().is_none_or(|it| it.value);
        match values.get(name) {
            None if required => {
                let message = "The example has no value for {param}.";
                hits.on(code, at, message, [part("param", name)]);
            }
            Some(value) => wrong_value(code, param, value, hits),
            None => {}
        }
    }
    let declared = param_names(code);
    for name in values.keys().filter(|it| !declared.contains(it.as_str())) {
        let message = "The example has a value for {param}, which is not declared.";
        hits.on(code, at, message, [part("param", name.as_str())]);
        if let Some(meant) = hits.nearest(name, declared.iter().copied()) {
            hits.fix(format!("Write {meant}, or declare params.{name}."));
        }
    }
}

fn wrong_value(code: &DraftCode, param: &DraftParam, value: &Value, hits: &mut Hits<'_>) {
    let Some(example) = &code.example else { return };
    let name = part("param", param.name.value.as_str());
    if let Some(kind) = &param.kind
        && !is_of(value, kind.value)
    {
        let message = "The example's value for {param} is not of the type {type}.";
        hits.on(code, &example.span, message, [name, part("type", kind.value.name())]);
    } else if !param.values.is_empty()
        && value.as_str().is_some_and(|it| param.values.iter().all(|one| one.value != it))
    {
        let message = "The example's value for {param}, {value}, is not one of its enum.";
        hits.on(code, &example.span, message, [name, part("value", value.clone())]);
    }
}

fn is_of(value: &Value, kind: ParamType) -> bool {
    match kind {
        ParamType::String => value.is_string(),
        ParamType::Integer => value.is_i64() || value.is_u64(),
        ParamType::Number => value.is_number(),
        ParamType::Boolean => value.is_boolean(),
        ParamType::Array => value.is_array(),
        ParamType::Object => value.is_object(),
    }
}
