//! The registry as a page for people: an index, a section for each code, what is retired, what tools may answer.

use std::fmt::{self, Write};

use serde_json::json;

use crate::{Effect, Entry, Operation, Registry, Retry, RetryKind};

pub(super) fn write(registry: &Registry) -> String {
    let mut page = String::new();
    // Writing to a String cannot fail.
    _ = write_page(&mut page, registry);
    page
}

fn write_page(out: &mut String, registry: &Registry) -> fmt::Result {
    writeln!(out, "# Error codes of {} {}\n", registry.name, registry.version)?;
    writeln!(out, "| Code | Number | Class | HTTP | Retry | Title |")?;
    writeln!(out, "| --- | --- | --- | --- | --- | --- |")?;
    for entry in registry.codes.values() {
        index_row(out, entry)?;
    }
    for entry in registry.codes.values() {
        section(out, registry, entry)?;
    }
    retired(out, registry)?;
    tools(out, registry)
}

fn index_row(out: &mut String, entry: &Entry) -> fmt::Result {
    let number = entry.number.map(|it| it.to_string()).unwrap_or_default();
    let struck = if entry.deprecated.is_some() { " (deprecated)" } else { "" };
    writeln!(
        out,
        "| [`{code}`](#{anchor}) | {number} | {class} | {http} | {retry} | {title}{struck} |",
        code = entry.code,
        anchor = anchor(&entry.code),
        class = entry.class.name(),
        http = entry.http,
        retry = entry.retry.kind.name(),
        title = cell(&entry.title),
    )
}

fn section(out: &mut String, registry: &Registry, entry: &Entry) -> fmt::Result {
    writeln!(out, "\n## {}\n\n{}.\n", entry.code, entry.title.trim_end_matches('.'))?;
    writeln!(out, "> {}\n", entry.message.replace('\n', "\n> "))?;
    writeln!(out, "**What to do.** {}\n", entry.hint)?;
    let number = entry.number.map(|it| format!(", number {it}")).unwrap_or_default();
    writeln!(
        out,
        "- Class `{}`, HTTP {}{number}, domain `{}`",
        entry.class.name(),
        entry.http,
        entry.domain
    )?;
    writeln!(out, "- Retry: {} (`{}`)", retry_words(entry.retry), entry.retry.kind.name())?;
    writeln!(out, "- {}", effect_words(entry.effect))?;
    for step in &entry.next {
        let args = if step.args.is_empty() { String::new() } else { json!(step.args).to_string() };
        writeln!(out, "- Next: `{}`", format!("{} {args}", step.tool).trim_end())?;
    }
    life(out, registry, entry)?;
    for alias in &entry.alias {
        let spellings: Vec<_> = alias.spellings.iter().map(|it| format!("`{it}`")).collect();
        writeln!(out, "- In `{}`: {}", alias.dialect, spellings.join(", "))?;
    }
    params(out, entry)?;
    if !entry.explain.is_empty() {
        writeln!(out, "\n{}", entry.explain.trim())?;
    }
    Ok(())
}

fn life(out: &mut String, registry: &Registry, entry: &Entry) -> fmt::Result {
    if entry.registry != registry.name {
        writeln!(out, "- From `{}`", entry.registry)?;
    }
    let since = entry.since.as_ref().map(|it| format!(" since {it}")).unwrap_or_default();
    writeln!(out, "- A {} code{since}", entry.stability.name())?;
    let Some(deprecated) = &entry.deprecated else { return Ok(()) };
    let to = deprecated.to.as_ref().map(|it| format!(" Use `{it}`.")).unwrap_or_default();
    let until =
        deprecated.until.as_ref().map(|it| format!(" It may go in {it}.")).unwrap_or_default();
    writeln!(out, "- Deprecated since {}: {}{to}{until}", deprecated.since, deprecated.reason)
}

fn params(out: &mut String, entry: &Entry) -> fmt::Result {
    if entry.params.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| Detail | Type | Meaning |\n| --- | --- | --- |")?;
    for param in &entry.params {
        let mut meaning = vec![cell(&param.doc)];
        if !param.values.is_empty() {
            let values: Vec<_> = param.values.iter().map(|it| format!("`{}`", cell(it))).collect();
            meaning.push(format!("One of {}.", values.join(", ")));
        }
        let notes = [
            (!param.required, "May be absent."),
            (param.untrusted, "Not to be trusted."),
            (param.secret, "Never leaves the process."),
        ];
        meaning.extend(notes.iter().filter(|it| it.0).map(|it| it.1.to_owned()));
        meaning.retain(|it| !it.is_empty());
        writeln!(out, "| `{}` | {} | {} |", param.name, param.kind.name(), meaning.join(" "))?;
    }
    if !entry.example.is_empty() {
        writeln!(out, "\n```json\n{:#}\n```", json!(entry.example))?;
    }
    Ok(())
}

fn retired(out: &mut String, registry: &Registry) -> fmt::Result {
    if registry.retired.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Retired\n\n| Code | Number | Since | Why | Instead |")?;
    writeln!(out, "| --- | --- | --- | --- | --- |")?;
    for (name, it) in &registry.retired {
        let number = it.number.map(|it| it.to_string()).unwrap_or_default();
        let to = it.to.as_ref().map(|it| format!("`{it}`")).unwrap_or_default();
        writeln!(out, "| `{name}` | {number} | {} | {} | {to} |", cell(&it.since), cell(&it.why))?;
    }
    Ok(())
}

fn tools(out: &mut String, registry: &Registry) -> fmt::Result {
    if registry.tools.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Tools\n\n| Tool | Operation | May fail with |\n| --- | --- | --- |")?;
    for (name, tool) in &registry.tools {
        let operation = tool.operation.map(Operation::name).unwrap_or_default();
        let may: Vec<_> = tool.may.iter().map(|it| format!("[`{it}`](#{})", anchor(it))).collect();
        writeln!(out, "| `{}` | {operation} | {} |", cell(name), may.join(", "))?;
    }
    Ok(())
}

fn retry_words(retry: Retry) -> String {
    let most = retry.max.map(|it| format!(", at most {it} times")).unwrap_or_default();
    let when = match (retry.kind, retry.after_ms) {
        (RetryKind::Now, _) => "at once".to_owned(),
        (RetryKind::AfterDelay, Some(after_ms)) => format!("after {after_ms} ms"),
        (RetryKind::AfterDelay, None) => "after a while".to_owned(),
        (RetryKind::AfterChange, _) => "only with other arguments".to_owned(),
        (RetryKind::AfterState, _) => "only after the next call".to_owned(),
        (RetryKind::AfterHuman, _) => "only after a person acted".to_owned(),
        (RetryKind::Never, _) => "never".to_owned(),
    };
    when + &most
}

const fn effect_words(effect: Effect) -> &'static str {
    match effect {
        Effect::None => "Nothing was changed",
        Effect::Unknown => "Something may have been changed",
        Effect::Partial => "A part of it was done",
        Effect::Done => "It was done; what failed came after",
    }
}

/// The fragment that renderers give to a heading.
fn anchor(code: &str) -> String {
    code.chars().filter(|it| *it != '.').map(|it| it.to_ascii_lowercase()).collect()
}

/// Text that cannot end its table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
