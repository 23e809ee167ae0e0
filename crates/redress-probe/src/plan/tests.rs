//! Plans for servers that say anything of their tools.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_oneof, proptest};
use serde_json::{Map, Value, json};

use super::{Action, Case, Expect, ListedTool, Rules, plan, schema::Schema};
use crate::client::Era;

const RULES: Rules<'_> =
    Rules { seed: 1, allow_effects: false, with_valid: false, is_quick: false, only: &[] };

fn tool(schema: &Value, read_only: bool) -> ListedTool {
    let listed =
        json!({"name": "t", "inputSchema": schema, "annotations": {"readOnlyHint": read_only}});
    ListedTool::read(&listed, None).unwrap()
}

fn cases(schema: &Value, read_only: bool) -> Vec<Case> {
    let mut cases = plan(&[tool(schema, read_only)], &Era::default(), RULES).cases;
    cases.retain(|it| it.tool.is_some());
    cases
}

fn arguments(case: &Case) -> &Value {
    match &case.action {
        Action::Call { arguments: Some(it), .. } => it,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_way_to_break_a_schema_is_tried() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "maxLength": 9},
            "size": {"type": "integer", "minimum": 3},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "mode": {"$ref": "#/$defs/mode"},
            "inner": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
            "note_id": {"type": "string"}
        },
        "required": ["path", "mode"],
        "additionalProperties": false,
        "$defs": {"mode": {"type": "string", "enum": ["x", "y"]}}
    });
    let cases = cases(&schema, true);
    let find = |id: &str| cases.iter().find(|it| it.id == id).unwrap_or_else(|| panic!("{id}"));
    for id in [
        "t/missing/path",
        "t/missing/mode",
        "t/type/path",
        "t/type/size",
        "t/type/inner.a",
        "t/enum/mode",
        "t/range/size",
        "t/length/path",
        "t/items/tags",
        "t/extra/redress_probe_extra",
        "t/none",
        "t/deep/path",
        "t/missing/inner.a",
    ] {
        assert_eq!(find(id).expect, Expect::Refusal, "{id}");
    }
    assert_eq!(arguments(find("t/missing/path")), &json!({"mode": "x"}));
    assert_eq!(
        arguments(find("t/range/size")),
        &json!({"path": "redress-p", "mode": "x", "size": 2})
    );
    assert_eq!(
        find("t/outside/path").expect,
        Expect::Refusal,
        "it is too long for the schema, too"
    );
    assert_eq!(find("t/unknown/note_id").expect, Expect::Anything);
    assert_eq!(find("t/shape").expect, Expect::Failure);
}

#[test]
fn a_tool_that_may_change_something_never_gets_all_it_needs() {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "text": {"type": "string"}, "mode": {"enum": ["a"], "type": "string"}},
        "required": ["path", "text"]
    });
    let cases = cases(&schema, false);
    assert!(cases.len() >= 6, "{}", cases.len());
    for case in &cases {
        let arguments = arguments(case);
        let has_all =
            ["path", "text"].iter().all(|it| arguments.get(it).is_some_and(Value::is_string));
        assert!(!has_all, "{}: {arguments}", case.id);
        assert!(matches!(case.expect, Expect::Refusal | Expect::Failure), "{case:?}");
    }
    let missing = cases.iter().find(|it| it.id == "t/missing/path").unwrap();
    assert!(!arguments(missing)["text"].is_string(), "nothing valid stands beside it");
}

#[test]
fn what_no_schema_forbids_is_only_asked_of_tools_that_read() {
    for schema in [
        json!({}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"all": {"type": "boolean"}}}),
        json!(null),
        json!("nonsense"),
        json!({"type": "object", "required": ["a"], "oneOf": [{"$ref": "https://elsewhere.example/x"}]}),
    ] {
        assert_eq!(cases(&schema, false).len(), 0, "{schema}");
    }
}

#[test]
fn schemas_in_circles_are_read_to_an_end() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"anyOf": [{"$ref": "#/anyOf/0"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}),
        json!({"type": "object", "properties": {"next": {"allOf": [{"$ref": "#"}]}}, "required": ["next"]}),
    ] {
        let (read, written) = (cases(&schema, true), cases(&schema, false));
        assert!(read.len() < 300 && written.len() < 300, "{schema}");
    }
    let endless = json!({"not": {"$ref": "#"}});
    assert!(Schema::of(&endless).is_endless());
    let fine =
        json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}});
    assert!(!Schema::of(&fine).is_endless());
}

#[test]
fn large_schemas_give_bounded_plans() {
    let many: Map<String, Value> =
        (0..2_000).map(|it| (format!("p{it}"), json!({"type": "string"}))).collect();
    let names: Vec<String> = many.keys().cloned().collect();
    let cases = cases(&json!({"type": "object", "properties": many, "required": names}), true);
    assert!(!cases.is_empty() && cases.len() <= 200, "{}", cases.len());
    let huge = json!({"type": "object", "properties": {"e": {"enum": vec!["x".repeat(100); 5_000]}}, "required": ["e"]});
    assert!(self::cases(&huge, true).len() < 50);
}

/// A schema, more or less: keywords with values that may not belong to them.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z#/$]{0,6}".prop_map(Value::from),
        prop::sample::select(vec![
            "string",
            "integer",
            "number",
            "boolean",
            "array",
            "object",
            "null",
            "#",
            "#/properties/a"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let keys = vec![
            "type",
            "properties",
            "required",
            "enum",
            "const",
            "default",
            "examples",
            "items",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "pattern",
            "format",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "$ref",
            "$defs",
            "additionalProperties",
            "a",
            "b",
            "path",
            "id",
            "multipleOf",
            "exclusiveMinimum",
            "dependentSchemas",
        ];
        let members = prop::collection::vec((prop::sample::select(keys), inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            members.prop_map(|it| it
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<Map<_, _>>()
                .into()),
        ]
    })
}

proptest! {
    #[test]
    fn any_schema_gives_a_plan_and_no_harm(schema in schemas()) {
        let rules = Rules { allow_effects: true, ..RULES };
        let tools = [tool(&schema, false)];
        prop_assert!(plan(&tools, &Era::default(), rules).cases.len() < 300);
        for case in cases(&schema, false) {
            prop_assert!(tools[0].fits(arguments(&case)) == Some(false), "{}", case.id);
        }
        for case in cases(&schema, true) {
            prop_assert!(arguments(&case).to_string().len() < 4 << 20, "{}", case.id);
        }
    }

    #[test]
    fn any_value_of_a_list_of_tools_is_a_tool_or_none(listed in schemas()) {
        drop(ListedTool::read(&listed, None));
    }
}

#[test]
fn only_a_tool_that_reads_is_called_as_it_should_be() {
    let schema =
        json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}});
    let tool = |name: &str, reads: bool| {
        let listed =
            json!({"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": reads}});
        ListedTool::read(&listed, None).unwrap()
    };
    let tools = [tool("get", true), tool("set", false)];
    let valid = |rules| {
        let cases = plan(&tools, &Era::default(), rules).cases.into_iter();
        cases.map(|it| it.id).filter(|it| it.ends_with("/valid")).collect::<Vec<_>>()
    };
    assert_eq!(valid(Rules { with_valid: true, ..RULES }), ["get/valid"]);
    assert!(valid(RULES).is_empty());
}
