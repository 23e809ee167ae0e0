//! The page of one code, in each form.

use std::sync::Arc;

use redress::{Fault, card, fault::ParamValue};
use redress_registry::{
    Entry, FoundCode, NextStep, Registry, Retired, Retry, canonical, rule::Rule,
};
use redress_wire::json::RawJson;
use serde_json::{Value, json};

use crate::{
    failure::Failure,
    output::{CODE, LABEL, Out, TITLE},
};

type Written = Result<(), Failure>;

/// A page for people.
pub(super) fn text(entry: &Arc<Entry>, holders: &[&Registry], out: &mut Out) -> Written {
    let code = &entry.code;
    out.line(&format!("{CODE}{code}{CODE:#}  {TITLE}{}{TITLE:#}", entry.title))?;
    let holders: Vec<String> =
        holders.iter().map(|it| format!("{} {}", it.name, it.version)).collect();
    out.labelled("registry ", &holders.join(", "))?;
    let number = entry.number.map(|it| format!(", number {it}")).unwrap_or_default();
    out.labelled("class    ", &format!("{}, HTTP {}{number}", entry.class.name(), entry.http))?;
    out.labelled("domain   ", &format!("{}, severity {}", entry.domain, entry.severity.name()))?;
    out.labelled("retry    ", &retry(entry.retry))?;
    out.labelled("effect   ", entry.effect.name())?;
    out.labelled("message  ", &entry.message)?;
    out.labelled("hint     ", &entry.hint)?;
    for step in &entry.next {
        out.labelled("next     ", &call(step))?;
    }
    for param in &entry.params {
        let need = if param.required { "" } else { ", optional" };
        let trust = if param.untrusted { ", untrusted" } else { "" };
        let line = format!("{}: {}{need}{trust}. {}", param.name, param.kind.name(), param.doc);
        out.labelled("param    ", &line)?;
    }
    for alias in &entry.alias {
        out.labelled("alias    ", &format!("{} in {}", alias.spellings.join(", "), alias.dialect))?;
    }
    lifecycle(entry, out)?;
    out.line(&format!("\n{}", entry.explain.trim()))?;
    out.line(&format!("\n{LABEL}what the model reads{LABEL:#}"))?;
    for line in card(&example(entry)).lines() {
        out.line(&format!("  {line}"))?;
    }
    Ok(())
}

fn lifecycle(entry: &Entry, out: &mut Out) -> Written {
    let since = entry.since.as_deref().unwrap_or("not said");
    out.labelled("since    ", &format!("{since}, {}", entry.stability.name()))?;
    if let Some(deprecated) = &entry.deprecated {
        let to = instead(deprecated.to.as_deref());
        let until = deprecated.until.as_ref().map(|it| format!(", until {it}")).unwrap_or_default();
        out.labelled(
            "deprecated",
            &format!("since {}{until}: {}{to}", deprecated.since, deprecated.reason),
        )?;
    }
    Ok(())
}

/// The few lines that a model needs.
pub(super) fn agent(entry: &Arc<Entry>, out: &mut Out) -> Written {
    out.line(&format!("{}: {}", entry.code, entry.title))?;
    out.line(&format!("Retry: {}. Effect: {}.", retry(entry.retry), entry.effect.name()))?;
    out.line(&format!("Fix: {}", entry.hint))?;
    for step in &entry.next {
        out.line(&format!("Next: {}", call(step)))?;
    }
    if let Some(deprecated) = &entry.deprecated {
        let to = instead(deprecated.to.as_deref());
        out.line(&format!("Deprecated: {}{to}", deprecated.reason))?;
    }
    Ok(())
}

/// The whole row, one JSON document a line.
pub(super) fn json(entry: &Arc<Entry>, holders: &[&Registry], out: &mut Out) -> Written {
    let names: Vec<&str> = holders.iter().map(|it| &*it.name).collect();
    let mut row = json!({ "code": entry.code, "registries": names });
    if let (Some(row), Value::Object(members)) = (row.as_object_mut(), canonical::entry(entry)) {
        row.extend(members);
        row.insert("card".to_owned(), json!(card(&example(entry))));
    }
    out.line(&row.to_string())
}

/// A name that is gone.
pub(super) fn retired(
    name: &str,
    retired: &Retired,
    registry: &Registry,
    out: &mut Out,
) -> Written {
    let to = instead(retired.to.as_deref());
    out.line(&format!("{CODE}{name}{CODE:#}  retired in {} {}", registry.name, retired.since))?;
    out.labelled("why      ", &format!("{}{to}", retired.why))
}

/// A name that is gone, for a model.
pub(super) fn retired_agent(
    name: &str,
    retired: &Retired,
    registry: &Registry,
    out: &mut Out,
) -> Written {
    out.line(&format!("{name}: retired in {} {}", registry.name, retired.since))?;
    out.line(&format!("Why: {}", retired.why))?;
    match &retired.to {
        Some(to) => out.line(&format!("Fix: Use {to}.")),
        None => Ok(()),
    }
}

/// A name that is gone, for programs.
pub(super) fn retired_json(
    name: &str,
    retired: &Retired,
    registry: &Registry,
    out: &mut Out,
) -> Written {
    let row = json!({
        "code": name,
        "retired": { "since": retired.since, "why": retired.why, "to": retired.to, "number": retired.number },
        "registries": [&*registry.name],
    });
    out.line(&row.to_string())
}

/// A rule, and its page if it has one.
pub(super) fn rule(rule: &Rule, page: Option<&str>) -> String {
    let Rule { id, name, summary, why, how_to_fix, .. } = rule;
    let level = rule.level().name();
    let page = page.map(|it| format!("\n\n{}", it.trim_end())).unwrap_or_default();
    format!(
        "{CODE}{id}{CODE:#}  {TITLE}{name}{TITLE:#} ({level})\n\
         {LABEL}finds {LABEL:#} {summary}\n{LABEL}why   {LABEL:#} {why}\n{LABEL}fix   {LABEL:#} {how_to_fix}{page}"
    )
}

/// Other codes that some dialect spells like the query.
pub(super) fn also(query: &str, hits: &[FoundCode<'_>], out: &mut Out) -> Written {
    let names: Vec<String> = hits
        .iter()
        .map(|it| match it {
            FoundCode::Code(entry, _) => format!("{} ({})", entry.code, entry.registry),
            FoundCode::Retired(name, _, registry) => format!("{name} ({}, retired)", registry.name),
        })
        .collect();
    out.line("")?;
    out.labelled("also spelt", &format!("{query} in some dialect: {}", names.join(", ")))
}

/// The occurrence that the row gives as its example.
fn example(entry: &Arc<Entry>) -> Fault {
    let params = entry.example.iter().filter_map(|(name, value)| {
        let json = RawJson::parse(value.to_string().as_bytes()).ok()?;
        Some((name.as_str(), ParamValue::from(json)))
    });
    Fault::raise(entry, params)
}

/// A call of `next`: the tool, and its arguments if there are any.
fn call(step: &NextStep) -> String {
    if step.args.is_empty() {
        return step.tool.clone();
    }
    format!("{} {}", step.tool, Value::from(step.args.clone()))
}

fn instead(to: Option<&str>) -> String {
    to.map(|it| format!(" Use {it}.")).unwrap_or_default()
}

fn retry(retry: Retry) -> String {
    let wait = retry.after_ms.map(|it| format!("{it} ms"));
    let max = retry.max.map(|it| format!("at most {it} times"));
    let more: Vec<String> = wait.into_iter().chain(max).collect();
    let kind = retry.kind.name();
    if more.is_empty() { kind.to_owned() } else { format!("{kind} ({})", more.join(", ")) }
}
