//! The registry as TypeScript: typed codes and data on the runtime package `packages/typescript`, and the generated part of that.

use std::sync::Arc;

use redress_registry::{Entry, Param, ParamType, Registry, shipped};
use serde_json::{Map, Value, json};

use super::{
    File, Runtime, contract_tests, facts,
    facts::Rows,
    literal::{self, TYPESCRIPT},
    own::{Own, Taken},
    template::Gaps,
};
use crate::{Dialect, Lookup};

/// The name of the runtime package.
const RUNTIME: &str = "redress-runtime";

/// The folder of a bundled runtime.
const BUNDLED: &str = "runtime";

/// The sources of the runtime package.
macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../packages/typescript/src/", $name)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "answer.ts",
    "atlas.ts",
    "bound.ts",
    "card.ts",
    "contract.ts",
    "error.ts",
    "facts.ts",
    "fallback.ts",
    "index.ts",
    "json.ts",
    "make.ts",
    "parse.ts",
    "read-card.ts",
    "read.ts",
    "recover.ts",
    "redact.ts",
    "rows.ts",
    "rpc.ts",
    "server.ts",
    "shipped.ts",
    "stagewright.ts",
    "taught.ts",
    "text.ts",
    "thrown.ts",
    "told.ts",
    "types.ts",
    "unknown.ts",
    "workrail.ts",
    "wrap.ts",
    "write.ts"
];

pub(super) fn files(registry: &Arc<Registry>, runtime: Runtime) -> Vec<File> {
    let gaps = names(registry, runtime);
    let mut files = vec![
        File::new("index.ts", module(registry, runtime)),
        File::new("package.json", gaps.fill(include_str!("../../templates/package.json"), "//")),
        File::new("tsconfig.json", include_str!("../../templates/tsconfig.json")),
    ];
    if runtime == Runtime::Bundled {
        files.extend(SOURCES.iter().map(|(name, it)| File::new(format!("{BUNDLED}/{name}"), *it)));
    }
    files.extend(tests(registry, runtime));
    files
}

pub(super) fn tests(registry: &Arc<Registry>, runtime: Runtime) -> Vec<File> {
    let mut gaps = names(registry, runtime);
    contract_tests::put_declared(registry, "  ", &mut gaps);
    let test = gaps.fill(include_str!("../../templates/contract.test.ts"), "//");
    vec![File::new("contract.test.ts", test), contract_tests::calls(registry)]
}

/// The generated sources of the runtime package.
pub(super) fn facts_files() -> Vec<File> {
    let mut gaps = Gaps::default();
    facts::put_constants(&TYPESCRIPT, &mut gaps);
    for (name, names) in facts::closed_sets() {
        let quoted: Vec<_> = names.iter().map(|it| literal::text(it)).collect();
        gaps.put(name, quoted.join(" | "));
        gaps.put(&format!("{name}_list"), format!("[{}]", quoted.join(", ")));
        gaps.lines(&format!("{name}_members"), names.iter().map(|it| format!("  {it}?: string;")));
    }
    for (name, rows) in facts::shared_tables() {
        put_table(name, rows, &mut gaps);
    }
    gaps.lines("shipped_details", shipped::all().flat_map(|it| shipped_details(it)));
    gaps.put("atlas_codes", atlas_codes().join(" | "));
    let templates = [
        ("facts.ts", include_str!("../../templates/facts.ts")),
        ("shipped.ts", include_str!("../../templates/shipped.ts")),
    ];
    let files = templates.map(|(name, it)| {
        File::new(format!("packages/typescript/src/{name}"), gaps.fill(it, "//"))
    });
    files.into()
}

fn names(registry: &Registry, runtime: Runtime) -> Gaps {
    let mut gaps = Gaps::default();
    facts::put_names(registry, &TYPESCRIPT, &mut gaps);
    let (from, needs) = match runtime {
        Runtime::Imported => (RUNTIME.to_owned(), dependencies()),
        Runtime::Bundled => (format!("./{BUNDLED}/index.ts"), json!({})),
    };
    gaps.put("runtime_text", literal::text(&from));
    gaps.put("dependencies", TYPESCRIPT.value(&needs));
    gaps
}

/// What an export needs from the package registry.
fn dependencies() -> Value {
    let version = format!("^{}", env!("CARGO_PKG_VERSION"));
    Value::Object(Map::from_iter([(RUNTIME.to_owned(), json!(version))]))
}

fn module(registry: &Arc<Registry>, runtime: Runtime) -> String {
    let mut gaps = names(registry, runtime);
    let own = Own::of(registry);
    gaps.lines("details", own.rows.iter().map(|it| details(&it.entry, "  ", "redress.")));
    gaps.put("taken_details", own.taken.iter().map(taken_details).collect::<String>());
    let taken = own.taken.iter().map(|it| (it.registry.to_string(), json!(it.codes)));
    gaps.put("taken", TYPESCRIPT.value(&Value::Object(taken.collect())));
    gaps.put("meanings", TYPESCRIPT.value(&own.meanings));
    put_table("rows", own.table(), &mut gaps);
    put_table("tools", facts::tools(registry), &mut gaps);
    put_table("matches", facts::matches(registry), &mut gaps);
    gaps.fill(include_str!("../../templates/index.ts"), "//")
}

fn put_table(name: &str, rows: Rows, gaps: &mut Gaps) {
    gaps.lines(
        name,
        rows.into_iter().map(|(key, row)| {
            let key = key.map(|it| TYPESCRIPT.key(&it) + ": ").unwrap_or_default();
            format!("  {key}{},", TYPESCRIPT.value(&row))
        }),
    );
}

/// The details of the codes that a registry takes from one that ships, as a type beside the registry's own.
fn taken_details(Taken { registry, codes }: &Taken) -> String {
    let all = format!("redress.ShippedDetails[{}]", literal::text(registry));
    match codes {
        None => format!(" & {all}"),
        Some(codes) => {
            let codes: Vec<_> = codes.iter().map(|it| literal::text(it)).collect();
            format!(" & Pick<{all}, {}>", codes.join(" | "))
        }
    }
}

/// The codes that ATLAS-GATE writes under their own names.
fn atlas_codes() -> Vec<String> {
    let rows = facts::rows(&Lookup::shipped()).into_iter();
    let own = rows.filter(|it| {
        let spelled = it.spelled.get(Dialect::AtlasGate.name());
        spelled.is_some_and(|spelled| spelled.iter().any(|word| **word == *it.entry.code))
    });
    own.map(|it| literal::text(&it.entry.code)).collect()
}

/// The details of all codes of a registry that ships.
fn shipped_details(registry: &Registry) -> Vec<String> {
    let mut lines = vec![format!("  {}: {{", literal::text(&registry.name))];
    lines.extend(registry.own().map(|it| details(it, "    ", "")));
    lines.push("  };".to_owned());
    lines
}

/// The declared details of a code. `module` is where the types of JSON are from.
fn details(entry: &Entry, indent: &str, module: &str) -> String {
    let members = entry.params.iter().filter(|it| !it.secret).map(|it| {
        let mark = if it.required { "" } else { "?" };
        format!("{}{mark}: {}", literal::text(&it.name), kind(it, module))
    });
    let members = members.collect::<Vec<_>>().join("; ");
    let members = if members.is_empty() { "{}".to_owned() } else { format!("{{ {members} }}") };
    format!("{indent}{}: {members};", literal::text(&entry.code))
}

fn kind(param: &Param, module: &str) -> String {
    if !param.values.is_empty() {
        return param.values.iter().map(|it| literal::text(it)).collect::<Vec<_>>().join(" | ");
    }
    match param.kind {
        ParamType::String => "string".to_owned(),
        ParamType::Integer | ParamType::Number => "number".to_owned(),
        ParamType::Boolean => "boolean".to_owned(),
        ParamType::Array => format!("{module}Json[]"),
        ParamType::Object => format!("{module}JsonObject"),
    }
}
