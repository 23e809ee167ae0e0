//! Plans: a person approves, calls follow, and whoever tries to get around that does not.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use super::{
    approval::{approved, said},
    client::Gate,
    place::Place,
};

/// Writes need a plan, and sessions are not locked by what is tried here.
const POLICY: &str = "locks = []\nneed_plan = ['write_*', 'move', 'remove', 'apply_patch']";

fn write(path: &str, plan: &str) -> Value {
    json!({"path": path, "content": "one", "plan": plan, "phase": "PHASE_1"})
}

#[test]
fn what_is_approved_is_done_and_nothing_else() {
    let place = Place::with(POLICY);
    fs::create_dir_all(place.at("root/src/deep")).unwrap();
    let hash = approved(&place, "cache.md", "src/**, {a,b}.md");
    let mut gate = Gate::begun(&place);
    for (path, plan, code) in [
        ("src/a.rs", "cache.md", "fine"),
        ("src/deep/b.rs", hash.as_str(), "fine"),
        ("b.md", "docs/plans/cache.md", "fine"),
        ("./src//a.rs", "cache.md", "fine"),
        ("c.md", "cache.md", "PLAN_SCOPE_VIOLATION"),
        ("src", "cache.md", "PLAN_SCOPE_VIOLATION"),
        ("src/../c.md", "cache.md", "PATH_TRAVERSAL_BLOCKED"),
        ("src/a.rs", "cash.md", "PLAN_NOT_FOUND"),
        ("src/a.rs", "../plans/cache.md", "PLAN_NOT_FOUND"),
        ("src/a.rs", &"0".repeat(64), "PLAN_NOT_FOUND"),
        ("src/a.rs", "", "INVALID_INPUT_TYPE"),
    ] {
        assert_eq!(gate.code("write_file", &write(path, plan)), code, "{path} {plan}");
    }
    let (code, result) = gate.call("write_file", &json!({"path": "src/a.rs", "content": ""}));
    assert_eq!(code, "MISSING_REQUIRED_FIELD", "{result}");
    let (_, result) = gate.call("write_file", &write("c.md", "cache.md"));
    let fault = &result["_meta"]["dev.redress/fault"];
    assert!(fault["hint"].as_str().unwrap().contains("src/**, {a,b}.md"), "{fault}");
    assert_eq!(fault["context"]["plan_hash"], *hash);
    assert_eq!(fault["context"]["phase_id"], "PHASE_1");
    let (_, result) = gate.call("write_file", &write("src/a.rs", "cash.md"));
    let fault = &result["_meta"]["dev.redress/fault"];
    assert!(fault["hint"].as_str().unwrap().contains("cache.md"), "{fault}");
    assert_eq!(fault["similar_refs"][0]["ref"], "cache.md", "{fault}");
    for (tool, arguments, code) in [
        ("move", json!({"from": "src/a.rs", "to": "src/c.rs", "plan": "cache.md"}), "fine"),
        (
            "move",
            json!({"from": "src/c.rs", "to": "c.rs", "plan": "cache.md"}),
            "PLAN_SCOPE_VIOLATION",
        ),
        ("remove", json!({"path": "b.md"}), "MISSING_REQUIRED_FIELD"),
        ("remove", json!({"path": "b.md", "plan": "cache.md"}), "fine"),
        (
            "apply_patch",
            json!({"patch": "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", "plan": "cache.md"}),
            "PLAN_SCOPE_VIOLATION",
        ),
        (
            "apply_patch",
            json!({"patch": "--- /dev/null\n+++ b/src/x\n@@ -0,0 +1 @@\n+x\n", "plan": "cache.md"}),
            "fine",
        ),
        ("read_file", json!({"path": "src/x"}), "fine"),
    ] {
        assert_eq!(gate.code(tool, &arguments), code, "{tool} {arguments}");
    }
    let (_, list) = gate.call("list_plans", &json!({}));
    let list = &list["structuredContent"];
    assert_eq!(list["plans"][0]["hash"], *hash, "{list}");
    assert_eq!(list["plans"][0]["scope"], json!(["src/**", "{a,b}.md"]), "{list}");
    assert_eq!(list["plans"][0]["title"], "The plan cache.md", "{list}");
    let tools = gate.tools();
    let schema = |name: &str| &tools.iter().find(|it| it["name"] == name).unwrap()["inputSchema"];
    assert!(schema("write_file")["required"].as_array().unwrap().contains(&json!("plan")));
    assert_eq!(schema("write_file")["properties"]["phase"]["type"], "string");
    assert!(schema("read_file")["properties"].get("plan").is_none());
    gate.kill();
    let ledger = place.recorded();
    assert!(ledger.contains(&format!(r#""plan_hash":"{hash}""#)), "{ledger}");
}

#[test]
fn an_approval_is_for_the_text_that_a_person_saw() {
    let place = Place::with(POLICY);
    fs::create_dir_all(place.at("root/src")).unwrap();
    let hash = approved(&place, "cache.md", "src/**");
    let file = place.at("root/docs/plans/cache.md");
    let good = fs::read_to_string(&file).unwrap();
    let mut gate = Gate::begun(&place);
    let mut code = |plan: &str, text: &str| {
        fs::write(&file, text).unwrap();
        gate.code("write_file", &write("src/a.rs", plan))
    };
    assert_eq!(code("cache.md", &good.replace('\n', " \r\n")), "fine", "an editor's line ends");
    for text in [
        good.replace("Steps.", "Other steps."),
        good.replace("src/**", "**"),
        good.replace("STATUS: APPROVED", "STATUS: APPROVED\nSCOPE: infra/**"),
    ] {
        assert_eq!(code("cache.md", &text), "PLAN_ENFORCEMENT_FAILED", "{text}");
        assert_eq!(code(&hash, &text), "PLAN_ENFORCEMENT_FAILED", "{text}");
    }
    let draft = "<!-- redress-plan\nSCOPE: **\nSTATUS: APPROVED\n-->\n# Mine\n";
    assert_eq!(code("cache.md", draft), "PLAN_ENFORCEMENT_FAILED", "approved by itself");
    let own = redress_govern::plan::decided(
        draft.as_bytes(),
        redress_govern::plan::Status::Approved,
        Some(&"5d".repeat(64)),
    );
    assert_eq!(code("cache.md", &own.unwrap()), "PLAN_ENFORCEMENT_FAILED", "a forged signature");
    assert_eq!(code("cache.md", "# no plan"), "PLAN_ENFORCEMENT_FAILED");
    assert_eq!(code("cache.md", &good), "fine", "restored");
    let (status, text) = said(&place, &["revoke", "cache.md", "--yes"]);
    assert_eq!(status, 0, "{text}");
    let mut code = |plan: &str| gate.code("write_file", &write("src/a.rs", plan));
    assert_eq!(code("cache.md"), "PLAN_NOT_APPROVED");
    fs::write(&file, &good).unwrap();
    assert_eq!(code("cache.md"), "PLAN_NOT_APPROVED", "an old copy is still revoked");
    fs::copy(&file, file.with_file_name("other.md")).unwrap();
    assert_eq!(code("other.md"), "PLAN_NOT_APPROVED", "under another name as well");
    let (status, text) = said(&place, &["approve", "cache.md", "--yes"]);
    assert_eq!(status, 0, "{text}");
    assert_eq!(code("cache.md"), "fine", "a person may decide again");
    place.write("config/redress/revoked-plans", "not a hash\n");
    assert_eq!(code("cache.md"), "PLAN_ENFORCEMENT_FAILED", "what cannot be known is not allowed");
    gate.kill();
}

#[test]
fn nobody_changes_plans_or_the_gate_over_the_protocol() {
    let place = Place::with("locks = []");
    let root = place.at("root");
    fs::create_dir_all(root.join("src")).unwrap();
    approved(&place, "all.md", "**");
    symlink("docs", root.join("d")).unwrap();
    symlink("../docs/plans", root.join("src/link")).unwrap();
    symlink("../docs/plans/all.md", root.join("src/one.md")).unwrap();
    let mut gate = Gate::begun(&place);
    for (tool, arguments) in [
        ("write_file", json!({"path": "docs/plans/new.md", "content": "x"})),
        ("write_file", json!({"path": "docs/plans/all.md", "content": "x"})),
        ("write_file", json!({"path": "d/plans/new.md", "content": "x"})),
        ("write_file", json!({"path": "src/link/new.md", "content": "x"})),
        ("write_file", json!({"path": "src/one.md", "content": "x"})),
        ("move", json!({"from": "docs", "to": "old"})),
        ("move", json!({"from": "docs/plans", "to": "old"})),
        ("move", json!({"from": "src/link", "to": "docs/plans2"})),
        ("move", json!({"from": "src", "to": "docs/plans/src"})),
        ("remove", json!({"path": "docs/plans/all.md"})),
        (
            "apply_patch",
            json!({"edits": [{"path": "docs/plans/all.md", "search": "Steps", "replace": "x"}]}),
        ),
        (
            "apply_patch",
            json!({"patch": "--- /dev/null\n+++ b/docs/plans/x.md\n@@ -0,0 +1 @@\n+x\n"}),
        ),
    ] {
        assert_eq!(gate.code(tool, &arguments), "INSUFFICIENT_PERMISSIONS", "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("read_file", json!({"path": "docs/plans/all.md"})),
        ("list_directory", json!({"path": "docs/plans"})),
        ("write_file", json!({"path": "docs/plans.md", "content": "x"})),
    ] {
        assert_eq!(gate.code(tool, &arguments), "fine", "{tool} {arguments}");
    }
    gate.kill();
}

#[test]
fn a_link_does_not_widen_a_plan() {
    let place = Place::with(POLICY);
    let root = place.at("root");
    for it in ["src", "infra", "docs/reports"] {
        fs::create_dir_all(root.join(it)).unwrap();
    }
    fs::write(root.join("infra/main.tf"), "").unwrap();
    symlink("../infra", root.join("src/infra")).unwrap();
    symlink("../infra/main.tf", root.join("src/main.tf")).unwrap();
    symlink("../../infra/main.tf", root.join("docs/reports/r.md")).unwrap();
    symlink("../src", root.join("infra/src")).unwrap();
    approved(&place, "narrow.md", "src/**");
    approved(&place, "wide.md", "**");
    let mut gate = Gate::begun(&place);
    for (path, code) in [
        ("src/infra/main.tf", "PLAN_SCOPE_VIOLATION"),
        ("src/infra/new.tf", "PLAN_SCOPE_VIOLATION"),
        ("src/main.tf", "PLAN_SCOPE_VIOLATION"),
        ("infra/src/a.rs", "PLAN_SCOPE_VIOLATION"),
        ("docs/reports/r.md", "PLAN_SCOPE_VIOLATION"),
        ("src/new.tf", "fine"),
    ] {
        assert_eq!(gate.code("write_file", &write(path, "narrow.md")), code, "{path}");
    }
    let report = json!({"path": "docs/reports/fine.md", "content": "a report needs no plan"});
    assert_eq!(gate.code("write_file", &report), "fine");
    assert_eq!(
        gate.code("remove", &json!({"path": "src/infra", "plan": "narrow.md"})),
        "PLAN_SCOPE_VIOLATION"
    );
    assert_eq!(gate.code("write_file", &write("infra/main.tf", "wide.md")), "fine");
    gate.kill();
}
