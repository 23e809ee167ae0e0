//! The registry as TypeScript: one file without dependencies, and what makes a package of it.

use std::sync::Arc;

use redress_registry::{Param, ParamType, Registry};

use super::{
    File, contract_tests, facts,
    literal::{self, TYPESCRIPT},
    template::Gaps,
};

pub(super) fn files(registry: &Arc<Registry>) -> Vec<File> {
    let gaps = words(registry);
    let mut files = vec![
        File::new("index.ts", module(registry)),
        File::new("package.json", gaps.fill(include_str!("../../templates/package.json"), "//")),
        File::new("tsconfig.json", include_str!("../../templates/tsconfig.json")),
    ];
    files.extend(tests(registry));
    files
}

pub(super) fn tests(registry: &Arc<Registry>) -> Vec<File> {
    let mut gaps = words(registry);
    contract_tests::put_declared(registry, "  ", &mut gaps);
    let test = gaps.fill(include_str!("../../templates/contract.test.ts"), "//");
    vec![File::new("contract.test.ts", test), contract_tests::calls(registry)]
}

fn words(registry: &Registry) -> Gaps {
    let mut gaps = Gaps::default();
    facts::put_words(registry, &TYPESCRIPT, &mut gaps);
    gaps
}

fn module(registry: &Arc<Registry>) -> String {
    let mut gaps = words(registry);
    for (name, names) in facts::closed_sets() {
        let quoted: Vec<_> = names.iter().map(|it| literal::text(it)).collect();
        gaps.put(name, quoted.join(" | "));
        gaps.put(&format!("{name}_list"), format!("[{}]", quoted.join(", ")));
        gaps.lines(&format!("{name}_members"), names.iter().map(|it| format!("  {it}?: string;")));
    }
    let codes: Vec<_> =
        registry.codes.keys().map(|it| format!("  | {}", literal::text(it))).collect();
    gaps.put(
        "codes",
        if codes.is_empty() { "  never;".to_owned() } else { codes.join("\n") + ";" },
    );
    gaps.lines("details", registry.codes.values().map(|it| details(&it.code, &it.params)));
    for (name, rows) in facts::tables(registry) {
        gaps.lines(
            name,
            rows.into_iter().map(|(key, row)| {
                let key = key.map(|it| TYPESCRIPT.key(&it) + ": ").unwrap_or_default();
                format!("  {key}{},", TYPESCRIPT.value(&row))
            }),
        );
    }
    gaps.fill(include_str!("../../templates/index.ts"), "//")
}

/// The declared details of a code.
fn details(code: &str, params: &[Param]) -> String {
    let members = params.iter().filter(|it| !it.secret).map(|it| {
        format!("{}{}: {}", literal::text(&it.name), if it.required { "" } else { "?" }, kind(it))
    });
    let members = members.collect::<Vec<_>>().join("; ");
    let members = if members.is_empty() { "{}".to_owned() } else { format!("{{ {members} }}") };
    format!("  {}: {members};", literal::text(code))
}

fn kind(param: &Param) -> String {
    if !param.values.is_empty() {
        return param.values.iter().map(|it| literal::text(it)).collect::<Vec<_>>().join(" | ");
    }
    match param.kind {
        ParamType::String => "string",
        ParamType::Integer | ParamType::Number => "number",
        ParamType::Boolean => "boolean",
        ParamType::Array => "Json[]",
        ParamType::Object => "JsonObject",
    }
    .to_owned()
}
