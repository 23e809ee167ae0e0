//! Each rule finds what breaks it, and nothing else.

use serde_json::{Value, json};

use super::{Graph, Rules, problems};

const RULES: &str = r#"
[licenses]
allow = ["MIT"]
exceptions = [{ crate = "names", allow = ["Unicode-DFS-2016"] }]
[bans]
multiple-versions = "deny"
wildcards = "deny"
skip = [{ crate = "num@0.4", reason = "stays" }]
skip-tree = [{ crate = "old@1", reason = "stays" }]
deny = [{ name = "openssl-sys", reason = "rustls only" }]
[sources]
unknown-registry = "deny"
unknown-git = "deny"
"#;

fn package(name: &str, version: &str, licence: &str) -> Value {
    json!({ "id": format!("{name}@{version}"), "name": name, "version": version, "license": licence, "source": super::REGISTRY })
}

/// What is wrong with packages, of which each depends on the next, and a member on the first.
fn found(packages: &[Value]) -> Vec<String> {
    let mut root = package("root", "0.1.0", "MIT");
    root["source"] = Value::Null;
    let mut all = vec![root];
    all.extend_from_slice(packages);
    let mut nodes = Vec::new();
    for at in 0..all.len() {
        let next = all.get(at + 1).cloned().unwrap_or_default();
        let below: Vec<_> = next.get("id").into_iter().collect();
        nodes.push(json!({ "id": all[at]["id"], "dependencies": below, "features": ["on"] }));
        if all[at].get("dependencies").is_none() {
            all[at]["dependencies"] = json!([{ "name": next["name"], "req": "^1" }]);
        }
    }
    let members = ["root@0.1.0", "ours@0.1.0"];
    let graph =
        json!({ "workspace_members": members, "packages": all, "resolve": { "nodes": nodes } });
    let graph = Graph::read(graph.to_string().as_bytes()).unwrap();
    problems(&Rules::read(RULES).unwrap(), &graph)
}

#[test]
fn accepts_what_the_rules_allow() {
    let names = package("names", "1.0.0", "MIT AND Unicode-DFS-2016");
    assert_eq!(found(&[package("a", "1.0.0", "MIT OR GPL-3.0"), names]), [""; 0]);
}

#[test]
fn refuses_a_licence_that_is_not_allowed_or_not_there() {
    let problem = "a 1.0.0 has the licence `Unicode-DFS-2016`, which deny.toml does not allow";
    assert_eq!(found(&[package("a", "1.0.0", "Unicode-DFS-2016")]), [problem]);
    let mut silent = package("a", "1.0.0", "");
    silent["license"] = Value::Null;
    assert_eq!(found(&[silent]), ["a 1.0.0 names no licence"]);
    assert_eq!(found(&[package("a", "1.0.0", "MIT OR")]).len(), 1);
}

#[test]
fn refuses_a_source_that_is_not_known() {
    let mut other = package("a", "1.0.0", "MIT");
    other["source"] = json!("git+https://example.invalid/a");
    assert_eq!(found(&[other.clone()]), ["a 1.0.0 comes from git+https://example.invalid/a"]);
    other["source"] = Value::Null;
    assert_eq!(found(&[other]), ["a 1.0.0 comes from a folder outside of the workspace"]);
    let mut ours = package("ours", "0.1.0", "MIT");
    ours["source"] = Value::Null;
    assert_eq!(found(&[ours]), [""; 0]);
}

#[test]
fn refuses_a_crate_that_is_banned() {
    let found = found(&[package("openssl-sys", "0.9.1", "MIT")]);
    assert_eq!(found, ["openssl-sys 0.9.1 is banned: rustls only"]);
}

#[test]
fn refuses_two_versions_that_no_rule_skips() {
    let two = |name: &str, one: &str, other: &str| {
        found(&[package(name, one, "MIT"), package(name, other, "MIT")])
    };
    assert_eq!(two("a", "1.0.0", "2.0.0"), ["a is there twice: 1.0.0, 2.0.0"]);
    assert_eq!(two("num", "0.5.0", "0.4.8"), [""; 0]);
    assert_eq!(two("num", "0.5.0", "0.6.0").len(), 1);
    let tree = [
        package("a", "2.0.0", "MIT"),
        package("old", "1.2.0", "MIT"),
        package("a", "1.0.0", "MIT"),
    ];
    assert_eq!(found(&tree), [""; 0]);
}

#[test]
fn refuses_a_dependency_on_any_version() {
    let mut ours = package("ours", "0.1.0", "MIT");
    ours["dependencies"] =
        json!([{ "name": "a", "req": "*" }, { "name": "b", "req": "*", "path": "/b" }]);
    assert_eq!(found(&[ours]), ["ours 0.1.0 takes any version of `a`"]);
}

#[test]
fn refuses_rules_that_allow_nothing_or_every_source() {
    assert!(Rules::read("[licenses]\nallow = []\n").is_err());
    assert!(Rules::read(&RULES.replace("unknown-git = \"deny\"", "")).is_err());
    assert!(Rules::read(&RULES.replace("[\"MIT\"]", "[]")).is_err());
}

#[test]
fn a_package_behind_a_feature_that_is_off_is_not_used() {
    let below = |asked: &str| {
        let mut a = package("a", "1.0.0", "MIT");
        a["dependencies"] = json!([{ "name": "b", "req": "^1", "optional": true }]);
        a["features"] = json!({ "on": [asked], "off": ["dep:b"] });
        found(&[a, package("b", "1.0.0", "GPL-3.0")]).len()
    };
    assert_eq!(["b?/std", "c", "dep:b", "b", "b/std"].map(below), [0, 0, 1, 1, 1]);
}
