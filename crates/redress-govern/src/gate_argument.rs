//! `GateArgument`: an argument that a call brings for the gate. Clients see it in the schema of the tool; the server gets the call without it.

use std::{collections::BTreeSet, ops::Range};

use redress_wire::{
    frame::{Edit, rewrite, span},
    json::{Kind, Members, Value, write_str},
};

use crate::call::Call;

/// An argument of the gate's own, and the tools that take it.
#[derive(Debug, Clone)]
pub struct GateArgument {
    name: &'static str,
    about: &'static str,
    is_required: bool,
    tools: BTreeSet<String>,
}

impl GateArgument {
    /// The plan that a call follows.
    pub fn plan(tools: impl IntoIterator<Item = String>) -> Self {
        let about = "The approved plan that this call follows: its hash or its file name, as list_plans gives them.";
        Self { name: "plan", about, is_required: true, tools: tools.into_iter().collect() }
    }

    /// The part of the plan that a call belongs to.
    pub fn phase(tools: impl IntoIterator<Item = String>) -> Self {
        let about = "The part of the plan that this call belongs to.";
        Self { name: "phase", about, is_required: false, tools: tools.into_iter().collect() }
    }

    /// Why a call is made.
    pub fn intent(tools: impl IntoIterator<Item = String>) -> Self {
        let about = "Why this change is made, in a sentence.";
        Self { name: "intent", about, is_required: true, tools: tools.into_iter().collect() }
    }

    /// How it is called.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a tool takes it.
    pub(crate) fn is_of(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    fn schema(&self, out: &mut String) {
        write_str(out, self.name);
        out.push(':');
        let mut members = Members::open(out);
        members.str("type", "string").str("description", self.about);
        members.close();
    }
}

/// The places of the arguments of a call that are for the gate, without those (`kept`) that the server takes itself.
pub(crate) fn places(
    extras: &[GateArgument],
    kept: &[&'static str],
    call: &Call<'_>,
) -> Vec<Range<usize>> {
    let extras = || extras.iter().filter(|it| it.is_of(call.name));
    match call.arguments.filter(|_| call.is_tool && extras().next().is_some()) {
        Some(it) => cuts(it, |name| !kept.contains(&name) && extras().any(|it| it.name() == name)),
        None => Vec::new(),
    }
}

/// The names of arguments that the server takes itself, so that they are passed on to it.
pub(crate) fn kept(tool: Value<'_>, extras: &[&GateArgument]) -> Vec<&'static str> {
    let properties = tool.path(&["inputSchema", "properties"]);
    let is_kept = |it: &&&GateArgument| properties.is_some_and(|own| own.get(it.name).is_some());
    extras.iter().filter(is_kept).map(|it| it.name).collect()
}

/// A tool of a list with arguments of ours in its schema.
pub(crate) fn described(tool: Value<'_>, extras: &[&GateArgument]) -> String {
    let schema = tool.get("inputSchema");
    let is_odd = |value: Option<Value<'_>>, kind| value.is_some_and(|it| it.kind() != kind);
    let of_schema = |key: &str| schema.and_then(|it| it.get(key));
    if extras.is_empty()
        || is_odd(schema, Kind::Object)
        || is_odd(of_schema("properties"), Kind::Object)
        || is_odd(of_schema("required"), Kind::Array)
    {
        return tool.raw().to_owned();
    }
    let kept = kept(tool, extras);
    let mut properties = List::default();
    for extra in extras.iter().filter(|it| !kept.contains(&it.name)) {
        extra.schema(properties.next());
    }
    let given = of_schema("required");
    let mut required = List::default();
    for extra in extras.iter().filter(|it| it.is_required) {
        if !given.is_some_and(|it| it.elements().any(|it| it.is_str(extra.name))) {
            write_str(required.next(), extra.name);
        }
    }
    let Some(schema) = schema else {
        let (properties, required) = (properties.0, required.0);
        let added = format!(
            r#""inputSchema":{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#
        );
        return with(tool, &[(tool, added)]);
    };
    let mut whole = List::default();
    let mut edits = Vec::new();
    match of_schema("properties") {
        Some(own) => edits.push((own, properties.0)),
        None => whole.add(&format!(r#""properties":{{{}}}"#, properties.0)),
    }
    match given {
        Some(own) => edits.push((own, required.0)),
        None => whole.add(&format!(r#""required":[{}]"#, required.0)),
    }
    edits.push((schema, whole.0));
    with(tool, &edits)
}

/// The places of the arguments that are ours, each with the comma that belongs to it.
fn cuts(arguments: Value<'_>, is_ours: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut kept_until = None;
    for (key, value) in arguments.members() {
        // What is cut reaches to the next name.
        cuts.extend(open.take().map(|it| it.start..key.offset()));
        if key.as_str().is_some_and(|it| is_ours(&it)) {
            open = Some(key.offset()..span(value).end);
        } else {
            kept_until = Some(span(value).end);
        }
    }
    // Behind the last there is no name: it reaches back to what was kept.
    if let Some(last) = open {
        let start = kept_until.unwrap_or(last.start);
        cuts.retain(|it| it.end <= start);
        cuts.push(start..last.end);
    }
    cuts
}

/// A call without the bytes at these places.
pub fn without(line: &[u8], places: &[Range<usize>]) -> Vec<u8> {
    let cut = |it: &Range<usize>| Edit { at: it.clone(), with: b"" };
    let mut edits: Vec<_> = places.iter().map(cut).collect();
    let mut rest = Vec::with_capacity(line.len());
    rewrite(line, &mut edits, &mut rest);
    rest.pop();
    rest
}

/// A value with something put first into objects and lists of it.
fn with(value: Value<'_>, added: &[(Value<'_>, String)]) -> String {
    let mut added: Vec<_> = added.iter().filter(|it| !it.1.is_empty()).collect();
    added.sort_unstable_by_key(|it| it.0.offset());
    let (raw, mut out, mut done) = (value.raw(), String::new(), 0);
    for (into, text) in added {
        let at = into.offset() + 1 - value.offset();
        out.push_str(raw.get(done..at).unwrap_or_default());
        out.push_str(text);
        if into.members().next().is_some() || into.elements().next().is_some() {
            out.push(',');
        }
        done = at;
    }
    out.push_str(raw.get(done..).unwrap_or_default());
    out
}

/// Texts with commas between them.
#[derive(Debug, Default)]
struct List(String);

impl List {
    fn next(&mut self) -> &mut String {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        &mut self.0
    }

    fn add(&mut self, text: &str) {
        self.next().push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::{GateArgument, cuts, described, without};

    fn cut(arguments: &str) -> String {
        let doc = Doc::parse(arguments.as_bytes(), Limits::DOCUMENT).unwrap();
        let places = cuts(doc.root(), |it| ["plan", "phase"].contains(&it));
        String::from_utf8(without(arguments.as_bytes(), &places)).unwrap()
    }

    #[test]
    fn what_is_ours_is_cut_and_every_other_byte_stays() {
        for (arguments, rest) in [
            ("{}", "{}"),
            (r#"{"path":1}"#, r#"{"path":1}"#),
            (r#"{ "plan" : 1 }"#, "{  }"),
            (r#"{"plan":1,"phase":2}"#, "{}"),
            (r#"{"plan":1, "path" : 1.0}"#, r#"{"path" : 1.0}"#),
            (r#"{"path" : 1.0 ,"plan":1 }"#, r#"{"path" : 1.0 }"#),
            (r#"{"a":1,"plan":1,"b":2}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":1,"plan":1,"phase":[2]}"#, r#"{"a":1}"#),
            (r#"{"plan":1,"a":1,"phase":2,"b":[{"plan":3}]}"#, r#"{"a":1,"b":[{"plan":3}]}"#),
            (r#"{"a":1,"pl\u0061n":1}"#, r#"{"a":1}"#),
        ] {
            assert_eq!(cut(arguments), rest, "{arguments}");
        }
    }

    #[test]
    fn a_tool_says_what_it_takes_for_us_unless_it_takes_it_itself() {
        let (plan, phase) = (GateArgument::plan([]), GateArgument::phase([]));
        let has = |tool: &str, parts: &[&str]| {
            let doc = Doc::parse(tool.as_bytes(), Limits::DOCUMENT).unwrap();
            let shown = described(doc.root(), &[&plan, &phase]);
            let doc = Doc::parse(shown.as_bytes(), Limits::DOCUMENT).unwrap();
            let schema = doc.root().get("inputSchema").unwrap();
            schema.unique_keys().unwrap();
            schema.get("properties").unwrap().unique_keys().unwrap();
            for part in parts {
                assert!(shown.contains(part), "{shown} has no {part}");
            }
        };
        for odd in [
            r#"{"inputSchema":true}"#,
            r#"{"inputSchema":{"properties":null}}"#,
            r#"{"inputSchema":{"properties":{},"required":"x"}}"#,
        ] {
            let doc = Doc::parse(odd.as_bytes(), Limits::DOCUMENT).unwrap();
            assert_eq!(described(doc.root(), &[&plan]), odd, "what is no schema stays as it is");
        }
        let ours = r#""plan":{"type":"string""#;
        has(r#"{"name":"x"}"#, &[ours, r#""required":["plan"]"#]);
        has(r#"{"name":"x","inputSchema":{}}"#, &[ours, r#""required":["plan"]"#]);
        has(
            r#"{"inputSchema":{"properties":{"path":{}},"required":["path"]}}"#,
            &[ours, r#""required":["plan","path"]"#, r#","path":{}"#],
        );
        has(
            r#"{"inputSchema":{"properties":{"plan":{"type":"integer"}},"required":[]}}"#,
            &[r#""plan":{"type":"integer"}"#, r#""phase":{"#, r#""required":["plan"]"#],
        );
    }
}
