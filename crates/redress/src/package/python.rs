//! The registry as Python: typed codes and data on the runtime package `packages/python`, and the generated part of that.

mod classes;

use std::sync::Arc;

use redress_registry::{Param, ParamType, Registry, shipped};
use serde_json::{Map, Value, json};

use super::{
    File, Runtime, contract_tests, facts,
    facts::Rows,
    literal::{self, PYTHON},
    own::{Own, Taken},
    template::Gaps,
};

/// The name of the runtime package, and of its module.
const RUNTIME: (&str, &str) = ("redress-runtime", "redress_runtime");

/// The sources of the runtime package.
macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../packages/python/src/redress_runtime/", $name)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "__init__.py",
    "answer.py",
    "atlas.py",
    "card.py",
    "chain.py",
    "contract.py",
    "core.py",
    "decide.py",
    "errors.py",
    "facts.py",
    "http_error.py",
    "jsonsafe.py",
    "lookup.py",
    "mailvault.py",
    "make.py",
    "mcp.py",
    "mend.py",
    "model.py",
    "py.typed",
    "read.py",
    "redact.py",
    "rpc.py",
    "shipped.py",
    "stagewright.py",
    "taught.py",
    "text.py",
    "told.py",
    "unknown.py",
    "values.py",
    "violation.py",
    "workrail.py",
    "write.py",
];

pub(super) fn files(registry: &Arc<Registry>, runtime: Runtime) -> Vec<File> {
    let gaps = names(registry, runtime);
    let folder = package_name(registry);
    let mut files = vec![
        File::new(format!("{folder}/__init__.py"), module(registry, runtime)),
        File::new(format!("{folder}/py.typed"), ""),
        File::new("pyproject.toml", gaps.fill(include_str!("../../templates/pyproject.toml"), "#")),
    ];
    if runtime == Runtime::Bundled {
        let sources = SOURCES.iter();
        files.extend(
            sources.map(|(name, it)| File::new(format!("{folder}/{}/{name}", RUNTIME.1), *it)),
        );
    }
    let tests = tests(registry, runtime).into_iter();
    files.extend(tests.map(|it| File { path: format!("tests/{}", it.path), ..it }));
    files
}

pub(super) fn tests(registry: &Arc<Registry>, runtime: Runtime) -> Vec<File> {
    let mut gaps = names(registry, runtime);
    contract_tests::put_declared(registry, "    ", &mut gaps);
    let test = gaps.fill(include_str!("../../templates/test_contract.py"), "#");
    vec![File::new("test_contract.py", test), contract_tests::calls(registry)]
}

/// The generated sources of the runtime package.
pub(super) fn facts_files() -> Vec<File> {
    let mut gaps = Gaps::default();
    facts::put_constants(&PYTHON, &mut gaps);
    for (name, names) in facts::closed_sets() {
        let quoted: Vec<_> = names.iter().map(|it| literal::text(it)).collect();
        gaps.put(name, quoted.join(", "));
    }
    for (name, rows) in facts::shared_tables() {
        let is_tuple = matches!(name, "by_class" | "card_lines" | "groups");
        put_table(name, "    ", if is_tuple { tuple } else { plain }, rows, &mut gaps);
    }
    let codes = shipped::all().filter_map(|it| {
        let codes: Vec<_> = it.own().map(|it| literal::text(&it.code)).collect();
        let name = classes::camel(&it.name);
        (!codes.is_empty()).then(|| format!("{name}Code = Literal[{}]", codes.join(", ")))
    });
    gaps.lines("shipped_codes", codes);
    let core = classes::Classes::of(shipped::core().own(), "_CONTRACT");
    gaps.lines("class_names", core.names().map(|it| format!("    {},", literal::text(it))));
    gaps.lines("classes_of_codes", core.lines());
    let templates = [
        ("facts.py", include_str!("../../templates/facts.py")),
        ("shipped.py", include_str!("../../templates/shipped.py")),
        ("core.py", include_str!("../../templates/core.py")),
    ];
    let files = templates.map(|(name, it)| {
        File::new(format!("packages/python/src/{}/{name}", RUNTIME.1), gaps.fill(it, "#"))
    });
    files.into()
}

fn names(registry: &Registry, runtime: Runtime) -> Gaps {
    let mut gaps = Gaps::default();
    facts::put_names(registry, &PYTHON, &mut gaps);
    let module = package_name(registry);
    let (from, needs, packages) = match runtime {
        Runtime::Imported => {
            let needs = format!("{}>={}", RUNTIME.0, env!("CARGO_PKG_VERSION"));
            (RUNTIME.1.to_owned(), json!([needs]), json!([module]))
        }
        Runtime::Bundled => {
            let inner = format!("{module}.{}", RUNTIME.1);
            (format!(".{}", RUNTIME.1), json!([]), json!([module, inner]))
        }
    };
    gaps.put("runtime", from);
    gaps.put("dependencies", PYTHON.value(&needs));
    gaps.put("packages", PYTHON.value(&packages));
    gaps.put("module", module);
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

fn module(registry: &Arc<Registry>, runtime: Runtime) -> String {
    let mut gaps = names(registry, runtime);
    let own = Own::of(registry);
    let from =
        if runtime == Runtime::Bundled { format!(".{}", RUNTIME.1) } else { RUNTIME.1.to_owned() };
    gaps.lines("imports", imports(&own.taken, &from));
    gaps.put("code_type", code_type(&own));
    let taken = own.taken.iter().map(|it| (it.registry.to_string(), json!(it.codes)));
    gaps.put("taken", PYTHON.value(&Value::Object(taken.collect())));
    gaps.put("meanings", PYTHON.value(&own.meanings));
    put_table("rows", "        ", plain, own.table(), &mut gaps);
    put_table("tools", "        ", plain, facts::tools(registry), &mut gaps);
    put_table("matches", "        ", plain, facts::matches(registry), &mut gaps);
    let classes = classes::Classes::of(own.rows.iter().map(|it| &it.entry), "CONTRACT");
    gaps.lines("classes_of_codes", classes.lines());
    gaps.lines("makers", makers(&own));
    gaps.fill(include_str!("../../templates/module.py"), "#")
}

/// The types of the codes that are taken from registries that ship, and the classes of `core`.
fn imports(taken: &[Taken], from: &str) -> Vec<String> {
    let whole = || taken.iter().filter(|it| it.codes.is_none());
    let mut lines = Vec::new();
    if whole().any(|it| *it.registry == *"core") {
        lines.push(format!("from {from}.core import *"));
    }
    let types: Vec<_> = whole().map(|it| format!("{}Code", classes::camel(&it.registry))).collect();
    if !types.is_empty() {
        lines.push(format!("from {from}.shipped import {}", types.join(", ")));
    }
    lines
}

/// The type of all codes: those that are listed, and those of registries that are taken in whole.
fn code_type(own: &Own) -> String {
    let mut listed: Vec<String> = own.rows.iter().map(|it| literal::text(&it.entry.code)).collect();
    listed.extend(
        own.taken.iter().flat_map(|it| it.codes.iter().flatten()).map(|it| literal::text(it)),
    );
    let mut types = Vec::new();
    if !listed.is_empty() {
        types.push(format!("Literal[{}]", listed.join(", ")));
    }
    let whole = own.taken.iter().filter(|it| it.codes.is_none());
    types.extend(whole.map(|it| format!("{}Code", classes::camel(&it.registry))));
    if types.is_empty() { "str".to_owned() } else { types.join(" | ") }
}

/// What makes a fault, as a type checker sees it: for each code of the registry's own, the parameters that it takes.
fn makers(own: &Own) -> Vec<String> {
    let (mut types, mut heads) = (Vec::new(), Vec::new());
    for row in &own.rows {
        let name = format!("_{}", row.entry.code.replace(['.', '-'], "_"));
        let params: Vec<&Param> = row.entry.params.iter().filter(|it| !it.secret).collect();
        let members: Vec<String> = params.iter().map(|it| member(it)).collect();
        types.push(format!("    {name} = TypedDict(\"{name}\", {{{}}})", members.join(", ")));
        let default = if params.iter().any(|it| it.required) { "" } else { " | None = None" };
        let code = literal::text(&row.entry.code);
        heads.push(format!("code: Literal[{code}], params: {name}{default}"));
    }
    for taken in &own.taken {
        let codes = match &taken.codes {
            None => format!("{}Code", classes::camel(&taken.registry)),
            Some(codes) => {
                let codes: Vec<_> = codes.iter().map(|it| literal::text(it)).collect();
                format!("Literal[{}]", codes.join(", "))
            }
        };
        heads.push(format!("code: {codes}, params: Mapping[str, Any] | None = None"));
    }
    let mut lines = types;
    match heads.as_slice() {
        [only] => lines.extend([String::new(), format!("    def make_fault({only}) -> Fault:")]),
        heads => {
            for head in heads {
                let overload = ["", "    @overload"].map(str::to_owned);
                lines.extend(overload);
                lines.push(format!("    def make_fault({head}) -> Fault: ..."));
            }
            let any = "    def make_fault(code: Any, params: Any = None) -> Fault:";
            lines.extend([String::new(), any.to_owned()]);
        }
    }
    lines.push("        return CONTRACT.make_fault(code, params)".to_owned());
    lines
}

fn member(param: &Param) -> String {
    let kind = kind(param);
    let kind = if param.required { kind } else { format!("NotRequired[{kind}]") };
    format!("{}: {kind}", literal::text(&param.name))
}

/// The type of a parameter.
fn kind(param: &Param) -> String {
    let values: Vec<String> = param.values.iter().map(|it| literal::text(it)).collect();
    match param.kind {
        _ if !values.is_empty() => format!("Literal[{}]", values.join(", ")),
        ParamType::String => "str".to_owned(),
        ParamType::Integer => "int".to_owned(),
        ParamType::Number => "float".to_owned(),
        ParamType::Boolean => "bool".to_owned(),
        ParamType::Array => "list[Any]".to_owned(),
        ParamType::Object => "dict[str, Any]".to_owned(),
    }
}

fn put_table(name: &str, indent: &str, write: fn(&Value) -> String, rows: Rows, gaps: &mut Gaps) {
    gaps.lines(
        name,
        rows.into_iter().map(|(key, row)| {
            let key = key.map(|it| literal::text(&it) + ": ").unwrap_or_default();
            format!("{indent}{key}{},", write(&row))
        }),
    );
}

fn plain(value: &Value) -> String {
    PYTHON.value(value)
}

/// The values of an object as a tuple.
fn tuple(value: &Value) -> String {
    let values = value.as_object().into_iter().flat_map(Map::values);
    format!("({})", values.map(plain).collect::<Vec<_>>().join(", "))
}
