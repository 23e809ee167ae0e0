//! The bill of materials: every package that is in the program, by CycloneDX 1.5, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Dist, read, text, write};
use crate::cargo::cargo;

/// Writes the bill of the program, `redress-VERSION-TRIPLE.cdx.json`.
pub(super) fn list_parts(dist: &Dist) -> Result<(), String> {
    let mut metadata = cargo();
    metadata.args(["metadata", "--locked", "--format-version", "1", "--all-features"]);
    metadata.args(["--filter-platform", &dist.platform.triple]).current_dir(&dist.root);
    let metadata: Value = serde_json::from_str(&text(&mut metadata)?)
        .map_err(|it| format!("cargo metadata: {it}"))?;
    let sums = checksums(&read(&dist.root.join("Cargo.lock"))?)?;
    let packages: BTreeMap<&str, &Value> =
        list(&metadata, "/packages").filter_map(|it| Some((it.get("id")?.as_str()?, it))).collect();
    let arrows: BTreeMap<&str, Vec<&str>> = list(&metadata, "/resolve/nodes")
        .filter_map(|node| Some((node.get("id")?.as_str()?, used(node))))
        .collect();
    let is_root =
        |it: &&&str| packages.get(**it).is_some_and(|it| word(it, "name") == "redress-cli");
    let root = *packages.keys().find(is_root).ok_or("cargo metadata has no redress-cli")?;
    let mut seen = BTreeSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(arrows.get(id).into_iter().flatten());
        }
    }
    let component = |id: &str| packages.get(id).map(|it| component(it, &sums));
    let below = |id: &str| -> Vec<String> {
        let all = arrows.get(id).into_iter().flatten();
        all.filter_map(|it| packages.get(it).map(|it| purl(it))).collect()
    };
    let document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(root) },
        "components": seen.iter().filter(|it| **it != root).filter_map(|it| component(it)).collect::<Vec<_>>(),
        "dependencies": seen.iter().filter_map(|it| {
            Some(json!({ "ref": purl(packages.get(it)?), "dependsOn": below(it) }))
        }).collect::<Vec<_>>(),
    });
    println!("bill: {} packages", seen.len());
    let name = format!("redress-{}-{}.cdx.json", dist.version, dist.platform.triple);
    write(&dist.folder.join(name), &format!("{document:#}\n"))
}

/// The packages that end up in the program because of a node: no tests, no build scripts.
fn used(node: &Value) -> Vec<&str> {
    let is_normal =
        |it: &&Value| list(it, "/dep_kinds").any(|it| it.get("kind").is_some_and(Value::is_null));
    list(node, "/deps").filter(is_normal).filter_map(|it| it.get("pkg")?.as_str()).collect()
}

fn component(package: &Value, sums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = (word(package, "name"), word(package, "version"));
    let is_program = name == "redress-cli";
    let mut component = json!({
        "type": if is_program { "application" } else { "library" },
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "purl": purl(package),
        "licenses": [{ "expression": word(package, "license").replace('/', " OR ") }],
    });
    if let (Some(sum), Value::Object(component)) =
        (sums.get(&(name.to_owned(), version.to_owned())), &mut component)
    {
        component.insert("hashes".to_owned(), json!([{ "alg": "SHA-256", "content": sum }]));
    }
    component
}

fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", word(package, "name"), word(package, "version"))
}

/// The checksum of each package of a registry, from the lock file.
fn checksums(lock: &str) -> Result<BTreeMap<(String, String), String>, String> {
    let lock: toml::Table = lock.parse().map_err(|it| format!("Cargo.lock: {it}"))?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let row = |it: &toml::Value| {
        let word = |key: &str| it.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        Some(((word("name")?, word("version")?), word("checksum")?))
    };
    Ok(packages.filter_map(row).collect())
}

fn list<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
