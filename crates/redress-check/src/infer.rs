//! A first registry from sources that have none: the codes that they raise, the messages beside them, their tools.

mod guess;
mod raised;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::Arc,
};

use redress_registry::{Class, Registry, Source, lint, name::is_code, read, shipped};

use crate::{
    facts::{CodeTable, Facts, Member, Mention, TableKind, TableRow, Value},
    named::is_certain,
    reach::reached,
    resolve::Index,
    sources::Sources,
};
use guess::{class, class_of_status, message};
use raised::Raised;

/// What is known of a code that has no row yet.
#[derive(Debug, Default)]
struct UndeclaredCode {
    message: Option<Box<str>>,
    place: String,
    /// What a table of the sources says of it.
    row: TableRow,
    /// The error without a code that it is drafted from.
    raised: Option<Raised>,
}

/// A registry file as TOML. Lines with `FILL` are for a person.
pub fn infer(sources: &Sources, name: &str) -> String {
    let index = Index::new(sources);
    let core = shipped::core();
    let mut codes = codes(sources, &index);
    let raises = raised::find(sources, &index);
    for it in &raises {
        codes.entry(it.code.as_str().into()).or_insert_with(|| UndeclaredCode {
            place: it.place.clone(),
            raised: Some(it.clone()),
            ..UndeclaredCode::default()
        });
    }
    let mut out = format!(
        "format = \"redress-registry/1\"\nextends = [\"core\"]\n\n[registry]\nname = \"{name}\"\nversion = \"0.1.0\"\n\n[defaults]\nsince = \"0.1.0\"\n\n[domain.{name}]\ntitle = \"FILL: whose failures these are\"\n"
    );
    for (code, seen) in codes.iter().filter(|it| core.get(it.0).is_none()) {
        row(&mut out, name, code, seen);
    }
    tools(&mut out, (sources, &index), (&codes, &raises), core);
    marked(&out)
}

/// The same with a mark above each line that the lint would not take.
fn marked(text: &str) -> String {
    let Ok(draft) = read(&Source::new("errors.toml", text)) else { return text.to_owned() };
    let found = lint(&draft, &|name| shipped::get(name).map(Arc::clone));
    let mut out = String::with_capacity(text.len());
    for (number, line) in text.lines().enumerate() {
        for it in found.iter().filter(|it| it.place.line == number + 1) {
            writeln!(out, "# FILL ({}): {}", it.rule, it.message).unwrap_or_default();
        }
        writeln!(out, "{line}").unwrap_or_default();
    }
    out
}

fn row(out: &mut String, domain: &str, code: &str, seen: &UndeclaredCode) {
    let guessed = match (class(code), seen.row.http, &seen.raised) {
        (Class::Internal, Some(http), _) => class_of_status(http),
        (Class::Internal, None, Some(raised)) => raised.class,
        (class, ..) => class,
    };
    let said = seen.message.as_deref().or(seen.row.message.as_deref());
    let message = seen.raised.as_ref().map_or_else(|| message(code, said), |it| it.message.clone());
    let retry = match seen.row.is_retryable {
        Some(true) => "retry = \"now\"  # FILL: after_delay, if a wait helps",
        Some(false) => {
            "retry = \"never\"  # FILL: after_change, after_state or after_human, if one of them helps"
        }
        None => "retry = \"never\"  # FILL: when a caller may call again",
    };
    let hint = seen.row.hint.as_deref().unwrap_or("FILL: say what the caller does about it.");
    let mut text = vec![
        format!("\n# Raised at {}.", seen.place),
        format!("[code.{code}]"),
        format!("domain = {}", quoted(domain)),
        format!("class = \"{}\"", guessed.name()),
    ];
    if let Some(raised) = &seen.raised {
        text.insert(
            1,
            format!(
                "# FILL: it has no code yet; this name is made of the words of its {}.",
                raised.kind
            ),
        );
    }
    text.extend(seen.row.http.filter(|it| *it != guessed.http()).map(|it| format!("http = {it}")));
    text.extend([
        retry.to_owned(),
        "effect = \"unknown\"  # FILL: none, if nothing was changed".to_owned(),
        format!("title = {}", quoted(&redress_registry::name::title(code))),
        format!("message = {}", quoted(&message)),
        format!("hint = {}", quoted(hint)),
    ]);
    for name in seen.raised.iter().flat_map(|it| &it.params) {
        text.push(format!("params.{name} = {{ type = \"string\", doc = \"FILL: what it is.\", untrusted = true, max_chars = 120 }}"));
    }
    let params = seen.raised.iter().flat_map(|it| &it.params);
    let example: Vec<_> = params.map(|it| format!("{it} = \"FILL\"")).collect();
    if !example.is_empty() {
        text.push(format!("example = {{ {} }}", example.join(", ")));
    }
    text.push("explain = \"FILL: when it happens, and how to get out of it.\"".to_owned());
    writeln!(out, "{}", text.join("\n")).unwrap_or_default();
}

/// The codes of all sources, by name.
fn codes(sources: &Sources, index: &Index<'_>) -> BTreeMap<Box<str>, UndeclaredCode> {
    let mut codes: BTreeMap<Box<str>, UndeclaredCode> = BTreeMap::new();
    for (file, source) in sources.files.iter().enumerate() {
        let facts = &source.facts;
        if facts.is_test || facts.is_generated {
            continue;
        }
        let mut add = |code: &str, message: Option<&str>, row: Option<&TableRow>| {
            let seen = codes.entry(code.into()).or_default();
            if seen.place.is_empty() {
                seen.place = source.path.to_string_lossy().replace(char::is_control, " ");
            }
            if seen.message.is_none() {
                seen.message = message.map(Into::into);
            }
            if let Some(row) = row {
                seen.row = row.clone();
            }
        };
        for mention in &facts.mentions {
            if let Some(code) = raised(file, mention, index) {
                add(code, mention.message.as_deref(), None);
            }
        }
        for member in tabled(facts) {
            add(&member.text, None, member.row.as_deref());
        }
    }
    codes
}

/// The code that a place raises for sure.
fn raised<'w>(file: usize, mention: &'w Mention, index: &Index<'w>) -> Option<&'w str> {
    let text = match &mention.value {
        Value::Text(text) => &**text,
        Value::Path(path) => index.text(file, path)?,
        Value::Computed(_) => return None,
    };
    let is_shaped = is_code(text) && text.contains('_');
    (is_shaped && is_certain(file, &mention.position, index)).then_some(text)
}

/// Members of tables that are called after errors or codes.
fn tabled(facts: &Facts) -> impl Iterator<Item = &Member> {
    let is_of_codes = |it: &&CodeTable| {
        let name = it.name.to_lowercase();
        let is_named = name.contains("error") || name.contains("fault") || name.contains("failure");
        is_named && matches!(it.kind, TableKind::Names | TableKind::Keys | TableKind::Values)
    };
    let members = facts.tables.iter().filter(is_of_codes).flat_map(|it| &it.members);
    members.filter(|it| is_code(&it.text) && it.text.contains('_'))
}

/// A row for each tool, with the codes that its handler reaches.
fn tools<'w>(
    out: &mut String,
    (sources, index): (&'w Sources, &Index<'w>),
    (codes, raises): (&BTreeMap<Box<str>, UndeclaredCode>, &'w [Raised]),
    core: &Registry,
) {
    let mut rows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, source) in sources.files.iter().enumerate() {
        if source.facts.is_test {
            continue;
        }
        for tool in &source.facts.tools {
            let may = rows.entry(&tool.name).or_default();
            for (file, span) in reached((sources, index), file, tool).unwrap_or_default() {
                let Some(source) = sources.files.get(file) else { continue };
                let inside =
                    source.facts.mentions.iter().filter(|it| span.contains(&it.span.start));
                may.extend(inside.filter_map(|it| raised(file, it, index)));
                let drafted = raises.iter().filter(|it| it.file == file && span.contains(&it.at));
                may.extend(drafted.map(|it| it.code.as_str()));
            }
        }
    }
    for (tool, may) in rows {
        let known = may.into_iter().filter(|it| codes.contains_key(*it) || core.get(it).is_some());
        let known: Vec<String> = known.map(quoted).collect();
        writeln!(out, "\n[tool.{}]\nmay = [{}]", quoted(tool), known.join(", "))
            .unwrap_or_default();
    }
}

/// A text as a basic string of TOML.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|it| !it.is_control()).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}
