//! The registry as Python: one module without dependencies, and what makes a package of it.

use std::sync::Arc;

use redress_registry::{Param, ParamType, Registry};
use serde_json::{Map, Value};

use super::{
    File, contract_tests, facts,
    literal::{self, PYTHON},
    template::Gaps,
};

/// A table of the module: its name, and how a row of it is written.
type Table = (&'static str, fn(&Value) -> String);

/// How the rows of each table are written.
const TABLES: [Table; 8] = [
    ("rows", row),
    ("others", row),
    ("tools", |it| call("Tool", it)),
    ("decisions", |it| call("Rule", it)),
    ("by_class", tuple),
    ("card_lines", tuple),
    ("places", plain),
    ("groups", tuple),
];

pub(super) fn files(registry: &Arc<Registry>) -> Vec<File> {
    let gaps = words(registry);
    let folder = package_name(registry);
    let mut files = vec![
        File::new(format!("{folder}/__init__.py"), module(registry)),
        File::new(format!("{folder}/py.typed"), ""),
        File::new("pyproject.toml", gaps.fill(include_str!("../../templates/pyproject.toml"), "#")),
    ];
    let tests = tests(registry).into_iter();
    files.extend(tests.map(|it| File { path: format!("tests/{}", it.path), ..it }));
    files
}

pub(super) fn tests(registry: &Arc<Registry>) -> Vec<File> {
    let mut gaps = words(registry);
    contract_tests::put_declared(registry, "    ", &mut gaps);
    let test = gaps.fill(include_str!("../../templates/test_contract.py"), "#");
    vec![File::new("test_contract.py", test), contract_tests::calls(registry)]
}

fn words(registry: &Registry) -> Gaps {
    let mut gaps = Gaps::default();
    facts::put_words(registry, &PYTHON, &mut gaps);
    gaps.put("module", package_name(registry));
    gaps.put("module_text", literal::text(&package_name(registry)));
    // What comes after the three numbers has other rules here.
    let (numbers, rest) =
        registry.version.split_once(['-', '+']).unwrap_or((&registry.version, ""));
    let version = if rest.is_empty() { numbers.to_owned() } else { format!("{numbers}.dev0") };
    gaps.put("python_version", literal::text(&version));
    gaps
}

/// The package's name: no keyword ends so, and no registry starts with a digit.
pub(super) fn package_name(registry: &Registry) -> String {
    registry.name.replace('-', "_") + "_errors"
}

fn module(registry: &Arc<Registry>) -> String {
    let mut gaps = words(registry);
    for (name, names) in facts::closed_sets() {
        let quoted: Vec<_> = names.iter().map(|it| literal::text(it)).collect();
        gaps.put(name, quoted.join(", "));
        gaps.lines(
            &format!("{name}_members"),
            names.iter().map(|it| format!("    {it}: str | None = None")),
        );
    }
    gaps.lines("makers", makers(registry));
    gaps.lines("codes", registry.codes.keys().map(|it| format!("    {},", literal::text(it))));
    for (name, rows) in facts::tables(registry) {
        let write =
            TABLES.iter().find(|it| it.0 == name).map_or(plain as fn(&Value) -> String, |it| it.1);
        gaps.lines(
            name,
            rows.iter().map(|(key, row)| {
                let key = key.as_deref().map(|it| literal::text(it) + ": ").unwrap_or_default();
                format!("    {key}{},", write(row))
            }),
        );
    }
    gaps.fill(include_str!("../../templates/module.py"), "#")
}

/// What makes a fault, as a type checker sees it: for each code, the parameters that it takes.
fn makers(registry: &Registry) -> Vec<String> {
    let (mut types, mut makers) = (Vec::new(), Vec::new());
    let is_overloaded = registry.codes.len() > 1;
    for entry in registry.codes.values() {
        let name = format!("_{}", entry.code.replace(['.', '-'], "_"));
        let params: Vec<&Param> = entry.params.iter().filter(|it| !it.secret).collect();
        let members: Vec<String> = params.iter().map(|it| member(it)).collect();
        types.push(format!("    {name} = TypedDict(\"{name}\", {{{}}})", members.join(", ")));
        let default = if params.iter().any(|it| it.required) { "" } else { " | None = None" };
        let code = literal::text(&entry.code);
        let head =
            format!("def make_fault(code: Literal[{code}], params: {name}{default}) -> Fault");
        if is_overloaded {
            makers.extend([String::new(), "    @overload".to_owned(), format!("    {head}: ...")]);
        } else {
            makers.extend([String::new(), format!("    {head}:")]);
        }
    }
    if is_overloaded || makers.is_empty() {
        let any = "    def make_fault(code: Any, params: Any = None) -> Fault:";
        makers.extend([String::new(), any.to_owned()]);
    }
    makers.push("        return _make_fault(code, params)".to_owned());
    types.extend(makers);
    types
}

fn member(param: &Param) -> String {
    let values: Vec<String> = param.values.iter().map(|it| literal::text(it)).collect();
    let kind = match param.kind {
        _ if !values.is_empty() => format!("Literal[{}]", values.join(", ")),
        ParamType::String => "str".to_owned(),
        ParamType::Integer => "int".to_owned(),
        ParamType::Number => "float".to_owned(),
        ParamType::Boolean => "bool".to_owned(),
        ParamType::Array => "list[Any]".to_owned(),
        ParamType::Object => "dict[str, Any]".to_owned(),
    };
    let kind = if param.required { kind } else { format!("NotRequired[{kind}]") };
    format!("{}: {kind}", literal::text(&param.name))
}

fn plain(value: &Value) -> String {
    PYTHON.value(value)
}

/// The values of an object as a tuple.
fn tuple(value: &Value) -> String {
    let values = value.as_object().into_iter().flat_map(Map::values);
    format!("({})", values.map(plain).collect::<Vec<_>>().join(", "))
}

/// An object as a call of its class, with lists as tuples.
fn call(class: &str, value: &Value) -> String {
    let members = value.as_object().into_iter().flatten();
    let members = members.map(|(key, it)| {
        let key = match key.as_str() {
            "class" => "class_",
            "enum" => "values",
            key => key,
        };
        format!("{key}={}", argument(key, it))
    });
    format!("{class}({})", members.collect::<Vec<_>>().join(", "))
}

fn row(value: &Value) -> String {
    call("Row", value)
}

fn argument(key: &str, value: &Value) -> String {
    let many = |class: Option<&str>| {
        let items = value.as_array().into_iter().flatten();
        let items = items.map(|it| class.map_or_else(|| plain(it), |class| call(class, it)) + ",");
        format!("({})", items.collect::<Vec<_>>().join(" "))
    };
    match key {
        "retry" if value.is_object() => call("Retry", value),
        "deprecated" => call("Deprecated", value),
        "params" => many(Some("Param")),
        "next" if value.is_array() => many(Some("NextCall")),
        "values" | "may" => many(None),
        "rpc" => {
            let domain = value.get("domain").map_or_else(|| PYTHON.null.to_owned(), plain);
            format!("({}, {domain})", value.get("number").map(plain).unwrap_or_default())
        }
        _ => plain(value),
    }
}
