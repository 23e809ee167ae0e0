//! The calls of one tool: each way in which its arguments can be wrong, from its schema.

use serde_json::{Value, json};

use super::{
    Action, Case, Expect, Rules, rng::Rng, safety, schema::Schema, tool::ListedTool, values,
};

/// How deep objects within arguments are looked into.
const DEEPEST: usize = 2;

/// The most ways that are tried with one tool.
const MOST_ATTEMPTS: usize = 200;

/// How many calls of each tool are made twice.
const TWICE: usize = 2;

/// A text that is longer than anybody needs.
const HUGE: usize = 1 << 20;

/// A value that is deeper than anybody needs.
const DEEP: usize = 120;

/// One way in which arguments are wrong.
#[derive(Debug)]
pub(super) struct Attempt {
    kind: &'static str,
    /// The argument, and below it.
    pub(super) path: Vec<String>,
    pub(super) change: ArgumentChange,
    about: String,
    /// What a good server does if the schema allows it nevertheless.
    otherwise: Expect,
}

/// What is done to arguments that look valid.
#[derive(Debug)]
pub(super) enum ArgumentChange {
    /// One is left out.
    Without,
    /// One has this value.
    With(Value),
    /// All are replaced.
    Whole(Value),
}

impl Attempt {
    /// Whether the value has a type that the argument does not.
    pub(super) fn is_wrong_type(&self) -> bool {
        self.kind == "type"
    }
}

/// The cases of a tool, the plainest first, and how many are left out since they might change something.
pub(super) fn cases(at: usize, tool: &ListedTool, rules: Rules<'_>) -> (Vec<Case>, usize) {
    let mut cases: Vec<Case> = Vec::new();
    let mut left_out = 0;
    if rules.with_valid && tool.read_only {
        cases.push(valid(at, tool));
    }
    for attempt in attempts(tool, rules.seed) {
        let Some(arguments) = safety::arguments(tool, &attempt, rules.allow_effects) else {
            left_out += 1;
            continue;
        };
        let expect = match tool.fits(&arguments) {
            Some(false) if attempt.otherwise == Expect::Failure => Expect::Failure,
            Some(false) => Expect::Refusal,
            Some(true) | None => attempt.otherwise,
        };
        let is_refused = expect == Expect::Refusal;
        let twice = is_refused && cases.iter().filter(|it| it.twice).count() < TWICE;
        let wrong = if is_refused { wrong(&attempt, tool, &arguments) } else { Vec::new() };
        let action = Action::Call { tool: tool.name.clone(), arguments: Some(arguments) };
        let (id, about) = (attempt.id(&tool.name), attempt.about);
        if cases.iter().all(|it| it.id != id) {
            cases.push(Case { id, tool: Some(at), about, action, expect, wrong, twice });
        }
    }
    (cases, left_out)
}

impl Attempt {
    fn id(&self, tool: &str) -> String {
        let path = self.path.join(".");
        let parts = [tool, self.kind, &path];
        parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/")
    }
}

/// The arguments that an answer should name one from: the one that was changed, and all that are missing.
fn wrong(attempt: &Attempt, tool: &ListedTool, arguments: &Value) -> Vec<String> {
    let required = Schema::of(&tool.input).required();
    let absent = required.into_iter().filter(|it| arguments.get(it).is_none()).map(str::to_owned);
    let given = arguments.as_object().into_iter().flat_map(|it| it.keys().cloned());
    let is_careful = !tool.read_only;
    attempt
        .path
        .last()
        .cloned()
        .into_iter()
        .chain(absent)
        .chain(given.filter(|_| is_careful))
        .collect()
}

fn attempts(tool: &ListedTool, seed: u64) -> Vec<Attempt> {
    let schema = Schema::of(&tool.input);
    let mut found = Vec::new();
    object(&[], schema, &mut found);
    let required = schema.required();
    if !required.is_empty() {
        let about = "Without any argument.".to_owned();
        found.push(whole("none", json!({}), about, Expect::Refusal));
    }
    let about = "With a list where the arguments should be an object.".to_owned();
    found.push(whole("shape", json!([]), about, Expect::Failure));
    for (name, schema) in schema.properties() {
        texts(tool, name, schema, seed, &mut found);
    }
    found.sort_by_key(|it| ORDER.iter().position(|kind| *kind == it.kind));
    found.truncate(MOST_ATTEMPTS);
    found
}

/// The order in which kinds are run: what every server should get right comes first.
const ORDER: [&str; 18] = [
    "missing", "type", "none", "enum", "range", "length", "items", "pattern", "extra", "outside",
    "absolute", "unknown", "shape", "empty", "nul", "unicode", "deep", "huge",
];

fn whole(kind: &'static str, value: Value, about: String, otherwise: Expect) -> Attempt {
    Attempt { kind, path: Vec::new(), change: ArgumentChange::Whole(value), about, otherwise }
}

/// A call as the schema asks for.
fn valid(at: usize, tool: &ListedTool) -> Case {
    let arguments = Some(values::valid("", Schema::of(&tool.input)));
    Case {
        id: format!("{}/valid", tool.name),
        tool: Some(at),
        about: "With arguments as the schema asks for.".to_owned(),
        action: Action::Call { tool: tool.name.clone(), arguments },
        expect: Expect::Anything,
        wrong: Vec::new(),
        twice: false,
    }
}

/// What can be wrong with the members of an object.
fn object(path: &[String], schema: Schema<'_>, found: &mut Vec<Attempt>) {
    let required = schema.required();
    for (name, inner) in schema.properties() {
        let at: Vec<String> = path.iter().cloned().chain([name.to_owned()]).collect();
        let shown = at.join(".");
        let mut add = |kind, change, about: String| {
            let (path, otherwise) = (at.clone(), Expect::Anything);
            found.push(Attempt { kind, path, change, about, otherwise });
        };
        if required.contains(&name) {
            add(
                "missing",
                ArgumentChange::Without,
                format!("Without the required argument {shown}."),
            );
        }
        if let Some(value) = values::of_wrong_type(inner) {
            let asked = inner.types().join(" or ");
            let about = format!("{shown} is {value}, where {asked} is asked for.");
            add("type", ArgumentChange::With(value), about);
        }
        for (kind, value, about) in out_of_bounds(inner) {
            add(kind, ArgumentChange::With(value), format!("{shown} {about}."));
        }
        if at.len() < DEEPEST && inner.kind() == Some("object") {
            object(&at, inner, found);
        }
    }
    if schema.is_closed() {
        let name = "redress_probe_extra".to_owned();
        let path = path.iter().cloned().chain([name]).collect();
        let about = "With an argument that the schema does not know and forbids.".to_owned();
        let change = ArgumentChange::With(json!("redress-probe"));
        found.push(Attempt { kind: "extra", path, change, about, otherwise: Expect::Anything });
    }
}

/// Values of the right type that the schema forbids.
fn out_of_bounds(schema: Schema<'_>) -> Vec<(&'static str, Value, &'static str)> {
    let mut found = Vec::new();
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let is_text = allowed.iter().any(Value::is_string);
        let value = if is_text { json!("redress-probe-none") } else { json!(987_654_321) };
        found.push(("enum", value, "is none of the values that are allowed"));
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64).filter(|it| it.abs() < 1e15);
    let whole = schema.kind() == Some("integer");
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and less than 1e15")]
    let number = |it: f64| if whole { json!(it.floor() as i64) } else { json!(it) };
    if let Some(least) = bound("minimum").or_else(|| bound("exclusiveMinimum")) {
        found.push(("range", number(least - 1.0), "is less than the least that is allowed"));
    } else if let Some(most) = bound("maximum").or_else(|| bound("exclusiveMaximum")) {
        found.push(("range", number(most + 1.0), "is more than the most that is allowed"));
    }
    let longest = 64 << 10;
    if let Some(most) = schema.count("maxLength").filter(|it| *it < longest) {
        found.push(("length", "x".repeat(most + 1).into(), "is longer than is allowed"));
    } else if schema.count("minLength").is_some_and(|it| it > 0) {
        found.push(("length", "".into(), "is shorter than is allowed"));
    }
    if let Some(most) = schema.count("maxItems").filter(|it| *it < 256) {
        let one = schema.items().map_or(Value::Null, |it| values::valid("", it));
        found.push(("items", vec![one; most + 1].into(), "has more elements than are allowed"));
    } else if schema.count("minItems").is_some_and(|it| it > 0) {
        found.push(("items", json!([]), "has fewer elements than are allowed"));
    }
    if schema.text("pattern").is_some() {
        found.push(("pattern", "\u{a7} redress probe \u{a7}".into(), "does not match its pattern"));
    }
    found
}

/// Texts that many servers stumble over.
fn texts(tool: &ListedTool, name: &str, schema: Schema<'_>, seed: u64, found: &mut Vec<Attempt>) {
    let mut add = |kind, value: Value, about: &str, otherwise| {
        let (path, about) = (vec![name.to_owned()], format!("{name} {about}."));
        found.push(Attempt { kind, path, change: ArgumentChange::With(value), about, otherwise });
    };
    add("deep", values::nested(DEEP), "is a list within lists, very deep", Expect::Anything);
    let is_text = schema.kind() == Some("string");
    if is_id(name) && (is_text || schema.kind() == Some("integer")) {
        let number = Rng::new(seed, name).next();
        let value = if is_text {
            format!("redress-probe-{number:016x}").into()
        } else {
            json!(number >> 33)
        };
        add("unknown", value, "is the id of nothing", Expect::Anything);
    }
    if !is_text {
        return;
    }
    if is_path(tool, name, schema) {
        let up = "../".repeat(12);
        add(
            "outside",
            format!("{up}etc/hosts").into(),
            "leads out of every folder",
            Expect::Outside,
        );
        add("absolute", "/etc/hosts".into(), "is a path of the machine", Expect::Outside);
    }
    add("empty", "".into(), "is an empty text", Expect::Anything);
    add("nul", "redress\0probe".into(), "has a zero character in it", Expect::Anything);
    add("unicode", odd(seed, name).into(), "is made of odd characters", Expect::Anything);
    add("huge", "x".repeat(HUGE).into(), "is a text of a million characters", Expect::Anything);
}

fn is_id(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(&*lower, "id" | "ids" | "uuid" | "key" | "ref" | "sha")
        || lower.ends_with("_id")
        || name.ends_with("Id")
        || lower.ends_with("-id")
}

fn is_path(tool: &ListedTool, name: &str, schema: Schema<'_>) -> bool {
    const NAMES: [&str; 7] = ["path", "file", "filename", "dir", "directory", "folder", "cwd"];
    let lower = name.to_ascii_lowercase();
    let is_named = NAMES.iter().any(|it| {
        lower.strip_suffix(it).is_some_and(|before| {
            before.is_empty() || before.ends_with(['_', '-']) || !name.ends_with(it)
        })
    });
    let says = |key: &str, words: &[&str]| {
        let text = schema.text(key).unwrap_or_default().to_ascii_lowercase();
        words.iter().any(|it| text.contains(it))
    };
    tool.paths.iter().any(|it| it == name)
        || is_named
        || says("format", &["path", "file"])
        || says("description", &["path to", "file path", "directory path"])
}

/// Characters that are rarely tested: joined, combined, reversed, private, none at all.
fn odd(seed: u64, name: &str) -> String {
    const ODD: [&str; 10] = [
        "e\u{301}",
        "\u{1f9d1}\u{200d}\u{1f4bb}",
        "\u{202e}abc\u{202c}",
        "\u{feff}",
        "\u{fffd}",
        "\u{fdfa}",
        "\u{10ffff}",
        "\u{1d54f}",
        "\u{2028}",
        "\u{85}",
    ];
    let mut rng = Rng::new(seed, name);
    (0..24).filter_map(|_| rng.pick(&ODD)).copied().collect()
}
