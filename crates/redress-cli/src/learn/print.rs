//! What was learnt, for people and for programs.

use redress::{classify::cluster::Cluster, text};
use redress_registry::{Effect, edit};
use serde_json::{Value, json};

use super::draft::Lesson;
use crate::{
    failure::Failure,
    findings::counted,
    output::{CODE, Out, TITLE},
};

/// The groups that are listed for people.
const MOST: usize = 40;

/// A table of the groups, the rows, and what has none.
pub(super) fn text(
    lesson: &Lesson,
    written: Option<(usize, &str)>,
    out: &mut Out,
) -> Result<(), Failure> {
    let failures: u64 = lesson.clusters.iter().map(|it| it.count).sum();
    out.line(&format!(
        "{TITLE}{} to name{TITLE:#} in {}; {} named already",
        many(failures, "failure"),
        counted(lesson.clusters.len(), "group"),
        lesson.named
    ))?;
    if lesson.accepted > 0 {
        out.line(&format!(
            "{} had to fail and did not say so: the server takes arguments that its schema forbids",
            many(lesson.accepted, "call")
        ))?;
    }
    if lesson.left_out > 0 {
        out.line(&format!("{} in no group: there are too many", many(lesson.left_out, "failure")))?;
    }
    if !lesson.clusters.is_empty() {
        out.line(&format!(
            "\n{:>6}  {:<24}  {:<20}  {:<28}  says",
            "count", "last", "tool", "code"
        ))?;
    }
    for (cluster, code) in lesson.clusters.iter().zip(&lesson.codes).take(MOST) {
        let pad = " ".repeat(28_usize.saturating_sub(code.chars().count()));
        out.line(&format!(
            "{:>6}  {:<24}  {:<20}  {CODE}{code}{CODE:#}{pad}  {}",
            cluster.count,
            cluster.last,
            short(&tool(cluster), 20),
            short(&cluster.shown, 100),
        ))?;
    }
    if let Some(more) = lesson.clusters.len().checked_sub(MOST).filter(|it| *it > 0) {
        out.line(&format!("        and {more} more; all of them with --format json"))?;
    }
    if let Some((count, path)) = written {
        let added = match count {
            0 => "nothing new".to_owned(),
            _ => format!("{} added", counted(count, "row")),
        };
        out.line(&format!("\n{path}: {added}"))?;
    } else if !lesson.rows.is_empty() {
        out.line("")?;
        out.bytes(toml(lesson).as_bytes())?;
    }
    for (at, why) in &lesson.dropped {
        let said = lesson.clusters.get(*at).map_or("", |it| &it.shown);
        out.line(&format!("no row: \"{}\": {why}", short(said, 80)))?;
    }
    Ok(())
}

/// One JSON object with everything.
pub(super) fn json(lesson: &Lesson, written: Option<usize>, out: &mut Out) -> Result<(), Failure> {
    let clusters = lesson.clusters.iter().zip(&lesson.codes).enumerate().map(|(at, (it, code))| {
        json!({
            "count": it.count,
            "first": it.first,
            "last": it.last,
            "tools": it.tools,
            "says": it.shown,
            "examples": it.examples,
            "code": code,
            "tier": it.tier.name(),
            "silent": it.is_silent,
            "row": lesson.row_of.get(&at),
            "why_no_row": lesson.dropped.get(&at),
        })
    });
    let rows = lesson.rows.iter().map(|it| {
        let it = &it.row;
        json!({
            "tool": it.tool,
            "text": it.text,
            "rpc_code": it.rpc_code,
            "code": it.code,
            "effect": it.effect.map(Effect::name),
            "silent": it.silent,
            "example": it.example,
        })
    });
    let whole = json!({
        "looked_at": lesson.looked_at,
        "succeeded": lesson.succeeded,
        "named": lesson.named,
        "accepted": lesson.accepted,
        "left_out": lesson.left_out,
        "clusters": clusters.collect::<Value>(),
        "rows": rows.collect::<Value>(),
        "new_codes": lesson.new.iter().map(|it| it.code.as_str()).collect::<Value>(),
        "toml": toml(lesson),
        "written": written,
    });
    out.line(&text::visible_json(&whole.to_string()))
}

/// The new codes and the rows as they stand in a registry.
fn toml(lesson: &Lesson) -> String {
    let codes = lesson.new.iter().map(|it| edit::row(it, "NEXT"));
    codes.chain([edit::rows(&lesson.rows)]).collect::<Vec<_>>().join("\n")
}

fn tool(cluster: &Cluster) -> String {
    let first = cluster.tools.keys().next().map_or("", String::as_str);
    match cluster.tools.len() {
        0 | 1 => first.to_owned(),
        more => format!("{} and {} more", short(first, 10), more - 1),
    }
}

fn many(count: u64, what: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), what)
}

/// A text of a server on a terminal: one line, without what a terminal would obey.
fn short(said: &str, most: usize) -> String {
    text::cut(&text::strip(said), most).into_owned()
}
