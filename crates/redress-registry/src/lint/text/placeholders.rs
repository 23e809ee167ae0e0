//! Placeholders: which parameters the texts of a code may show.

use std::{collections::BTreeMap, ops::Range};

use serde_json::Value;

use crate::{
    draft::{DraftCode, DraftParam},
    finding::part,
    lint::scope::{Hits, Scope, is_set, param_names},
    template,
};

/// CK204.
pub(super) fn unknown(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let declared = param_names(code);
        for (field, template, span) in templates(code) {
            for name in template::params(template).filter(|it| !declared.contains(it)) {
                let context = [part("field", field), part("param", name)];
                hits.on(code, span, "The {field} shows {param}, which is not declared.", context);
                if let Some(meant) = hits.nearest(name, declared.iter().copied()) {
                    hits.fix(format!("Write {{{meant}}}, or declare params.{name}."));
                }
            }
            // A hint is sent as written, so braces that name nothing are only braces there.
            let error = template::parts(template).find_map(Result::err);
            if let Some(error) = error.filter(|_| field != "hint") {
                let context = [part("field", field), part("error", error.to_string())];
                hits.on(code, span, "The {field} is no template: {error}.", context);
            }
        }
    }
}

/// CK205.
pub(super) fn secret_in_message(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let Some(message) = &code.message else { continue };
        let params = params(code);
        for name in template::params(&message.value) {
            if params.get(name).is_some_and(|it| is_set(it.secret.as_ref())) {
                let said = "The message shows {param}, which is secret.";
                hits.on(code, &message.span, said, [part("param", name)]);
            }
        }
    }
}

/// CK206.
pub(super) fn untrusted_instruction(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let params = params(code);
        for (field, template, span) in templates(code).into_iter().filter(|it| it.0 != "message") {
            for name in template::params(template) {
                let Some(param) = params.get(name) else { continue };
                let quality =
                    match (is_set(param.secret.as_ref()), is_set(param.untrusted.as_ref())) {
                        (true, _) => "secret",
                        (_, true) => "untrusted",
                        _ => continue,
                    };
                let context = [part("field", field), part("param", name), part("quality", quality)];
                hits.on(code, span, "The {field} shows {param}, which is {quality}.", context);
            }
        }
    }
}

/// Every text with placeholders: its field, itself, its place.
fn templates(code: &DraftCode) -> Vec<(&'static str, &str, &Range<usize>)> {
    let mut found = Vec::new();
    for (field, value) in [("message", &code.message), ("hint", &code.hint)] {
        found.extend(value.as_ref().map(|it| (field, it.value.as_str(), &it.span)));
    }
    for next in &code.next {
        let Some(args) = &next.value.args else { continue };
        let mut texts = Vec::new();
        args.value.values().for_each(|it| strings(it, &mut texts));
        found.extend(texts.into_iter().map(|it| ("next", it, &args.span)));
    }
    found
}

/// The strings inside a value. The reader bounds its depth.
fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|it| strings(it, found)),
        Value::Object(members) => members.values().for_each(|it| strings(it, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The parameters of a code by name.
fn params(code: &DraftCode) -> BTreeMap<&str, &DraftParam> {
    code.params.iter().map(|it| (it.value.name.value.as_str(), &it.value)).collect()
}
