//! What a request tells about its failure: whether it is well-formed, what its arguments are, what its tool does.

use std::borrow::Cow;

use super::{
    facts::{Fact, Facts},
    normal::normal,
    part,
    paths::{PathKind, is_absolute, is_directory, is_file_name, local, names_file, path_kind},
    phrase::is_word,
    query, ran,
    table::Table,
};
use crate::{
    json::{Doc, Kind, Limits, Value},
    outcome::{Asked, Unreadable, is_method},
};

/// Flags by which a call is one on a whole tree.
const RECURSIVE: [&str; 3] = ["recursive", "recurse", "parents"];
const MOST_VALUES: usize = 48;
const DEEPEST: usize = 5;
/// A longer text among the arguments is not read.
const MOST_JSON: usize = 64 << 10;

/// One text or number among the arguments.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    /// The key it stands under.
    pub(crate) key: Cow<'a, str>,
    /// Where it stands, as a JSON pointer into the arguments.
    pub(crate) place: String,
    /// Its text.
    pub(crate) value: Cow<'a, str>,
}

/// The facts of the request alone, and its arguments.
pub(crate) fn look<'a>(asked: &Asked<'a>, table: &Table) -> (Facts, Vec<Argument<'a>>) {
    let mut facts = Facts::default();
    let params = asked.request.and_then(|it| it.get("params"));
    let is_call = asked.method.as_deref() == Some("tools/call");
    facts.set(Fact::NotJson, asked.unreadable == Some(Unreadable::NotJson));
    facts.set(Fact::Batch, asked.unreadable == Some(Unreadable::Batch));
    facts.set(Fact::Call, is_call);
    facts.set(Fact::Initialize, asked.method.as_deref() == Some("initialize"));
    facts.set(Fact::ReadResource, asked.method.as_deref() == Some("resources/read"));
    facts.set(Fact::UnknownMethod, asked.request.is_some() && is_unknown(asked.method.as_deref()));
    if let Some(http) = asked.http {
        facts.set(Fact::Session, http.session);
        facts.set(Fact::NotPost, !http.post);
    }
    if let (Some(known), Some(tool)) = (asked.known_tools, asked.tool.as_deref()) {
        let is_known = known.iter().any(|it| it == tool);
        facts.set(Fact::Listed, is_known);
        facts.set(Fact::Unlisted, !is_known);
    }
    shape(&mut facts, asked.request, params, is_call);
    kinds(&mut facts, asked.tool.as_deref().unwrap_or_default(), table);
    let given = given(asked);
    facts.set(Fact::NoArguments, given.is_none_or(|it| it.members().next().is_none()));
    let arguments = arguments(&mut facts, given);
    (facts, arguments)
}

/// The arguments of a call, the parameters of any other request.
pub(crate) fn given<'a>(asked: &Asked<'a>) -> Option<Value<'a>> {
    let params = asked.request.and_then(|it| it.get("params"));
    let is_call = asked.method.as_deref() == Some("tools/call");
    params.and_then(|it| if is_call { it.get("arguments") } else { Some(it) })
}

fn is_unknown(method: Option<&str>) -> bool {
    method.is_some_and(|it| !is_method(it) && !it.starts_with("notifications/"))
}

fn shape(facts: &mut Facts, request: Option<Value<'_>>, params: Option<Value<'_>>, is_call: bool) {
    let kind = params.map(Value::kind);
    facts.set(Fact::NoParams, request.is_some() && kind.is_none());
    facts.set(Fact::BadParams, kind.is_some_and(|it| it != Kind::Object));
    if is_call && kind == Some(Kind::Object) {
        let name = params.and_then(|it| it.get("name")).map(Value::kind);
        let given = params.and_then(|it| it.get("arguments")).map(Value::kind);
        let is_none = matches!(name, None | Some(Kind::Null));
        facts.set(Fact::NoToolName, is_none);
        facts.set(Fact::BadToolName, !is_none && name != Some(Kind::String));
        facts.set(
            Fact::BadArguments,
            given.is_some_and(|it| !matches!(it, Kind::Object | Kind::Null)),
        );
    }
}

/// What the tool does, by the words of its name.
fn kinds(facts: &mut Facts, tool: &str, table: &Table) {
    let whole = format!("={}", normal(tool).replace(' ', "_"));
    let words = whole.split(|it: char| !it.is_ascii_alphanumeric());
    for word in words.chain([whole.as_str()]) {
        if let Some(known) = table.kinds.get(word) {
            *facts = facts.and(*known);
        }
    }
}

fn arguments<'a>(facts: &mut Facts, given: Option<Value<'a>>) -> Vec<Argument<'a>> {
    let mut list = Vec::new();
    if let Some(given) = given {
        gather(facts, &mut list, Place { key: None, pointer: String::new(), depth: 0 }, given);
    }
    for Argument { key, value, .. } in &list {
        facts.set(Fact::DotDot, value.split(['/', '\\']).any(|it| it == "..") && value.len() > 2);
        facts.set(Fact::Absolute, is_absolute(value));
        let end = value.rsplit('.').next().unwrap_or_default();
        let holds_json = matches!(end, "json" | "jsonl" | "ndjson" | "txt" | "log" | "har" | "md");
        facts.set(Fact::JsonFile, holds_json && facts.has(Fact::Shows));
        let kind = path_kind(key, value);
        facts.set(Fact::Places, kind.is_some());
        facts.set(Fact::Directory, is_directory(key) && !value.is_empty());
        facts.set(Fact::Paths, matches!(kind, Some(PathKind::File | PathKind::Directory)));
        facts.set(Fact::Runs, ran::is_program(key, value, *facts));
        facts.set(Fact::Code, ran::is_code(key, value, *facts));
        facts.set(Fact::Query, query::is_part(key, value));
        facts.set(Fact::Acts, query::changes(value));
        facts.set(Fact::BadJson, is_bad_json(key, value));
        facts.set(Fact::Command, matches!(&**key, "command" | "cmd" | "script" | "shell" | "argv"));
    }
    list
}

/// Where a value stands.
struct Place<'a> {
    /// The nearest key above it.
    key: Option<Value<'a>>,
    pointer: String,
    depth: usize,
}

impl<'a> Place<'a> {
    fn below(&self, key: Option<Value<'a>>, step: &str) -> Self {
        let step = step.replace('~', "~0").replace('/', "~1");
        let pointer = format!("{}/{step}", self.pointer);
        Self { key, pointer, depth: self.depth + 1 }
    }
}

fn gather<'a>(facts: &mut Facts, list: &mut Vec<Argument<'a>>, place: Place<'a>, value: Value<'a>) {
    let Place { key, depth, .. } = place;
    if list.len() >= MOST_VALUES || depth > DEEPEST {
        return;
    }
    let name = key.and_then(Value::as_str).unwrap_or_default();
    match value.kind() {
        Kind::String => {
            let text = value.as_str().unwrap_or_default();
            facts.set(Fact::Empty, text.trim().is_empty());
            list.push(Argument { key: name, place: place.pointer, value: text });
        }
        Kind::Number => {
            list.push(Argument { key: name, place: place.pointer, value: value.raw().into() });
        }
        Kind::Array => {
            facts.set(Fact::Empty, depth > 0 && value.elements().next().is_none());
            let paths = value.elements().filter(|it| has_path(&name, *it));
            facts.set(Fact::Several, paths.take(2).count() == 2);
            facts.set(Fact::Many, part::is_of_things(&name, value, facts.has(Fact::Bulk)));
            for (at, it) in value.elements().take(MOST_VALUES).enumerate() {
                gather(facts, list, place.below(key, &at.to_string()), it);
            }
        }
        Kind::Object => {
            for (key, value) in value.members() {
                let step = key.as_str().unwrap_or_default();
                gather(facts, list, place.below(Some(key), &step), value);
            }
        }
        Kind::Bool => {
            let is_set = value.as_bool() == Some(true);
            facts.set(Fact::Trees, is_set && RECURSIVE.contains(&&*name));
        }
        Kind::Null => (),
    }
}

/// Whether a value is a path, or an object with one in it.
fn has_path(key: &str, value: Value<'_>) -> bool {
    match value.as_str() {
        Some(text) => path_kind(key, &text).is_some(),
        None => value.members().any(|(key, value)| {
            let text = value.as_str();
            text.is_some_and(|it| path_kind(&key.as_str().unwrap_or_default(), &it).is_some())
        }),
    }
}

/// Whether a text is meant as JSON, by its first sign or its name, and is none.
pub(crate) fn is_bad_json(key: &str, value: &str) -> bool {
    let is_meant = value.trim_start().starts_with(['{', '[']) || normal(key).contains("json");
    is_meant
        && (1..=MOST_JSON).contains(&value.len())
        && Doc::parse(value.as_bytes(), Limits::DOCUMENT).is_err()
}

/// Adds the facts that need the answer's text, in our spelling, and hides what the text only repeats: an argument that
/// says "not found" is no evidence.
pub(crate) fn compare(
    facts: &mut Facts,
    asked: &Asked<'_>,
    arguments: &[Argument<'_>],
    text: &mut String,
) {
    let tool = normal(asked.tool.as_deref().unwrap_or_default());
    facts.set(Fact::NamesTool, !tool.is_empty() && occurs(text, &tool));
    facts.set(Fact::SameVerb, shares_verb(text, &tool));
    let mut hidden = vec![tool];
    for Argument { key, value, .. } in arguments {
        let plain = local(value.trim());
        let spelt = normal(plain);
        facts.set(Fact::Repeated, text.len() >= 4 && spelt.contains(text.as_str()));
        let kind = path_kind(key, plain);
        facts.set(Fact::OwnHost, is_own_host(text, plain));
        let last = normal(plain.rsplit(['/', '\\']).next().unwrap_or_default());
        let names_it = matches!(kind, Some(PathKind::File)) && is_repeated(text, &last, plain);
        if !names_it && !is_repeated(text, &spelt, plain) {
            continue;
        }
        *facts = facts.with(Fact::Echo);
        match kind {
            Some(PathKind::File) => *facts = facts.with(Fact::EchoFile),
            Some(PathKind::Directory) => *facts = facts.with(Fact::EchoDir),
            Some(PathKind::Address) => *facts = facts.with(Fact::EchoUrl),
            None => (),
        }
        hidden.push(spelt);
        // The number at the end of an address is no name: what else says it, says it of something else.
        hidden.extend(Some(last).filter(|it| !is_number(it)));
    }
    hidden.iter().filter(|it| !it.is_empty()).for_each(|it| hide(text, it));
    hide_lines_of_files(text);
    facts.set(Fact::NamesFile, names_file(text));
}

/// Whether the server that was not found is the one in this address or command: the text names it, or, of an address, none
/// at all.
fn is_own_host(text: &str, address: &str) -> bool {
    const BEFORE: [&str; 8] = [
        "enotfound ",
        "host: ",
        "host='",
        "resolve '",
        "lookup ",
        "host ",
        "hostname ",
        "address '",
    ];
    let named = |it: &&str| {
        let word = text.split_once(*it)?.1.split_whitespace().next()?;
        Some(word.trim_matches(['\'', '"', ':', ',', '.', ')'])).filter(|it| it.contains('.'))
    };
    let Some((_, rest)) = address.split_once("://") else {
        let given = normal(address);
        return BEFORE.iter().filter_map(named).any(|it| occurs(&given, it));
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = normal(host.split(':').next().unwrap_or_default());
    !host.is_empty() && (occurs(text, &host) || BEFORE.iter().find_map(named).is_none())
}

/// Whether one of the first words is, up to its ending, a word of the tool's name.
fn shares_verb(text: &str, tool: &str) -> bool {
    let stem =
        |word: &str| word.get(..word.len().min(5)).filter(|it| it.len() >= 4).map(str::to_owned);
    let names: Vec<String> = tool.split(' ').filter_map(stem).collect();
    text.split([' ', '\n'])
        .skip(1)
        .take(4)
        .any(|word| names.iter().any(|it| word.starts_with(it.as_str())))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_digit())
}

/// Blots a value out where it stands in quotes, or everywhere if it is more than a plain word.
fn hide(text: &mut String, value: &str) {
    if is_number(value) && value.len() >= 3 && text.trim() != value {
        return hide_number(text, value);
    }
    let is_plain = value.bytes().all(|it| it.is_ascii_lowercase());
    let blot = "~".repeat(value.len());
    if !is_plain && value.len() >= 3 && text.trim() != value {
        *text = text.replace(value, &blot);
        return;
    }
    for quote in ['\'', '"'] {
        let (quoted, blotted) = (format!("{quote}{value}{quote}"), format!("{quote}{blot}{quote}"));
        *text = text.replace(&quoted, &blotted);
    }
}

/// Blots out places in files: the name in `auth/login.py:12:`, `auth/login.ts(3,4)` says nothing of what is wrong there.
fn hide_lines_of_files(text: &mut String) {
    let is_sign = |it: char| it.is_whitespace() || matches!(it, '\'' | '"' | ',');
    let names = text.split(is_sign).filter_map(|word| {
        let (name, line) = word.trim_start_matches('(').split_once([':', '('])?;
        let is_place = is_file_name(name) && line.starts_with(|it: char| it.is_ascii_digit());
        is_place.then(|| name.to_owned())
    });
    for name in names.collect::<Vec<_>>() {
        *text = text.replace(&name, &"~".repeat(name.len()));
    }
}

/// Blots a number out, but not where a server says that it is a status.
fn hide_number(text: &mut String, number: &str) {
    const STATUS: [&str; 4] = ["status code ", "status code: ", "http ", "http status "];
    let blot = "~".repeat(number.len());
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|it| it.find(number)).map(|it| it + from) {
        from = at + number.len();
        let before = text.get(..at).unwrap_or_default();
        if !STATUS.iter().any(|it| before.ends_with(it)) {
            text.replace_range(at..from, &blot);
        }
    }
}

/// A short value counts only in quotes, a number also where it is said of what: `a` is everywhere.
fn is_repeated(text: &str, spelt: &str, plain: &str) -> bool {
    match spelt.len() {
        0 => false,
        1 | 2 => {
            ['\'', '"'].iter().any(|it| text.contains(&format!("{it}{spelt}{it}")))
                || spelt.bytes().all(|it| it.is_ascii_digit()) && is_named(text, spelt)
        }
        _ => plain.len() <= 512 && occurs(text, spelt),
    }
}

/// Whether a number stands for a thing: `task with id 9`, `not found: 9`, `task 9 does not exist`.
fn is_named(text: &str, number: &str) -> bool {
    const BEFORE: [&str; 6] = ["id ", "id: ", "#", "not found: ", "index ", "number "];
    const AFTER: [&str; 4] = [" not found", " does not exist", " doesn't exist", " was not found"];
    text.match_indices(number).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + number.len()..).unwrap_or_default();
        let is_whole = !after.starts_with(|it: char| it.is_ascii_alphanumeric())
            && !before.ends_with(|it: char| it.is_ascii_alphanumeric());
        is_whole
            && (BEFORE.iter().any(|it| before.ends_with(it))
                || AFTER.iter().any(|it| after.starts_with(it)))
    })
}

/// Whether the words occur as words.
fn occurs(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|it| text.as_bytes().get(it)).copied();
        let after = text.as_bytes().get(at + words.len()).copied();
        let free = |it: Option<u8>| it.is_none_or(|it| !is_word(it));
        let edges = (words.bytes().next(), words.bytes().next_back());
        (edges.0.is_none_or(|it| !is_word(it)) || free(before))
            && (edges.1.is_none_or(|it| !is_word(it)) || free(after))
    })
}
