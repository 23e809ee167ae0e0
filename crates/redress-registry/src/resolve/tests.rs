//! What a draft comes to mean, and why it can mean nothing.

use std::sync::Arc;

use serde_json::json;

use super::resolve;
use crate::{Class, Effect, Problem, Registry, RetryKind, Severity, Source, Stability, read};

const HEAD: &str =
    "format = \"redress-registry/1\"\n[registry]\nname = \"notes\"\nversion = \"0.1.0\"\n";
const ROW: &str =
    "domain = \"d\"\nclass = \"not_found\"\ntitle = \"T\"\nmessage = \"M.\"\nhint = \"Do it.\"\n";

fn with_bases(text: &str, bases: &[Arc<Registry>]) -> Result<Registry, Vec<String>> {
    let draft = read(&Source::new("f", text)).unwrap();
    resolve(&draft, &|name| bases.iter().find(|it| &*it.name == name).map(Arc::clone))
        .map_err(|problems| problems.iter().map(Problem::to_string).collect())
}

fn taken(body: &str) -> Registry {
    with_bases(&format!("{HEAD}{body}"), &[]).unwrap()
}

fn refused(body: &str) -> Vec<String> {
    with_bases(&format!("{HEAD}{body}"), &[]).unwrap_err()
}

fn base(name: &str, body: &str) -> Arc<Registry> {
    let text = format!(
        "format = \"redress-registry/1\"\n[registry]\nname = \"{name}\"\nversion = \"1.0.0\"\n{body}"
    );
    Arc::new(with_bases(&text, &[]).unwrap())
}

#[test]
fn a_bare_row_gets_every_default() {
    let registry = taken(&format!("[domain.d]\n[code.ABC]\n{ROW}"));
    let entry = registry.get("ABC").unwrap();
    assert_eq!(&*entry.registry, "notes");
    assert_eq!((entry.class, entry.http), (Class::NotFound, 404));
    assert_eq!(entry.retry.kind, RetryKind::Never);
    assert_eq!((entry.effect, entry.severity), (Effect::None, Severity::Error));
    assert_eq!((entry.stability, entry.since.as_deref()), (Stability::Draft, None));
}

#[test]
fn the_defaults_table_stands_in_for_what_a_row_leaves_out() {
    let registry = taken(&format!(
        "[domain.d]\n[defaults]\nseverity = \"info\"\neffect = \"unknown\"\nsince = \"0.1.0\"\nstability = \"stable\"\n\
         [code.ABC]\n{ROW}effect = \"done\"\nhttp = 410\nparams.id = {{}}\n"
    ));
    let entry = registry.get("ABC").unwrap();
    assert_eq!((entry.effect, entry.severity, entry.http), (Effect::Done, Severity::Info, 410));
    assert_eq!((entry.stability, entry.since.as_deref()), (Stability::Stable, Some("0.1.0")));
    assert!(entry.param("id").unwrap().required);
}

#[test]
fn each_missing_key_of_a_row_is_named_at_the_row() {
    assert_eq!(
        refused("[code.ABC]\nhint = \" \"\n"),
        ["domain", "class", "title", "message", "hint"]
            .map(|key| format!("f:5:7: `ABC` has no `{key}`."))
    );
    assert_eq!(
        with_bases("format = \"redress-registry/1\"\n", &[]).unwrap_err(),
        ["f:1:1: `[registry]` has no `name`.", "f:1:1: `[registry]` has no `version`."]
    );
}

#[test]
fn numbers_statuses_ranges_and_names_are_held_to_their_limits() {
    let problems = refused(&format!(
        "[domain.d]\nrange = [9, 1]\n[code.ABC]\n{ROW}number = 0\nhttp = 399\n[code.abc]\n{ROW}[code.DEF]\n{ROW}\
         number = 1_000_000\nhttp = 600\nparams.Id = {{}}\nparams.x = {{ max_chars = 0 }}\nalias.rpc = []\n\
         [code.\"x.GHI\"]\n{ROW}[retired.XYZ]\nnumber = -32700\n"
    ));
    assert_eq!(
        problems,
        [
            "f:6:9: `range` must be two numbers from 1 to 999999.",
            "f:13:10: `number` must be from 1 to 999999, not 0.",
            "f:14:8: `http` must be from 400 to 599, not 399.",
            "f:15:7: `abc` is not a code: 3 to 63 of A-Z, 0-9 and single underscores.",
            "f:27:10: `number` must be from 1 to 999999, not 1000000.",
            "f:28:8: `http` must be from 400 to 599, not 600.",
            "f:29:8: `Id` is not a parameter name: a-z, 0-9 and underscores, at most 64.",
            "f:30:26: `max_chars` is out of range.",
            "f:31:7: `alias.rpc` has no spelling.",
            "f:32:7: `x` is not a namespace that a plugin can have.",
            "f:39:10: `number` must be from 1 to 999999, not -32700.",
        ]
    );
    let head =
        "format = \"redress-registry/1\"\n[registry]\nname = \"My Notes\"\nversion = \"1\"\n";
    assert_eq!(
        with_bases(head, &[]).unwrap_err(),
        [
            "f:3:8: `My Notes` is not a name for a registry: use lower case, digits and dashes.",
            "f:4:11: `1` is not a version: unexpected end of input while parsing major version number."
        ]
    );
}

#[test]
fn a_placeholder_is_a_declared_parameter_that_is_not_secret() {
    let row = ROW.replace("M.", "{idd} {key} {");
    let problems = refused(&format!(
        "[domain.d]\n[code.ABC]\n{row}params.id = {{}}\nparams.key = {{ secret = true }}\n\
         next = [{{ tool = \"t\", args = {{ a = [\"{{nope}}\"] }} }}, {{}}]\n"
    ));
    assert_eq!(
        problems,
        [
            "f:10:11: {idd} is not a declared parameter. Did you mean `id`?",
            "f:10:11: {key} is secret and must not be shown.",
            "f:10:11: The template cannot be read: `{` is never closed; write `{{` for a brace.",
            "f:14:30: {nope} is not a declared parameter.",
            "f:14:52: `next` names no `tool`.",
        ]
    );
}

#[test]
fn a_row_refers_only_to_what_exists() {
    let problems = refused(&format!(
        "[domain.docs]\n[code.FILE_GONE]\n{}[tool.t]\nmay = [\"FILE_GONE\", \"FILE_GNOE\"]\n",
        ROW.replace("\"d\"", "\"doc\"")
    ));
    assert_eq!(
        problems,
        [
            "f:7:10: There is no `[domain.doc]`. Did you mean `docs`?",
            "f:13:21: `FILE_GNOE` is not a code of this registry. Did you mean `FILE_GONE`?",
        ]
    );
}

#[test]
fn own_rows_come_first_and_taken_in_rows_keep_their_registry() {
    let core = base(
        "core",
        &format!("[domain.d]\n[code.ABC]\n{ROW}[retired.OLD]\n[tool.t]\nmay = [\"ABC\"]\n"),
    );
    let registry = with_bases(
        &format!(
            "{HEAD}extends = [\"core\", \"core\"]\n[code.XYZ]\n{ROW}[tool.u]\nmay = [\"ABC\"]\n"
        ),
        &[Arc::clone(&core)],
    )
    .unwrap();
    assert_eq!(registry.codes.keys().map(|it| &**it).collect::<Vec<_>>(), ["XYZ", "ABC"]);
    assert!(Arc::ptr_eq(registry.get("ABC").unwrap(), core.get("ABC").unwrap()));
    assert_eq!(registry.own().count(), 1);
    assert!(registry.retired.contains_key("OLD"));
    assert_eq!(registry.tools.len(), 2);
}

#[test]
fn one_registry_may_come_in_by_two_ways() {
    let core = base("core", &format!("[domain.d]\n[code.ABC]\n{ROW}"));
    let by = |name: &str| {
        let text = format!(
            "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"{name}\"\nversion = \"1.0.0\"\n"
        );
        Arc::new(with_bases(&text, &[Arc::clone(&core)]).unwrap())
    };
    let both = format!("{HEAD}extends = [\"a\", \"b\"]\n");
    assert_eq!(with_bases(&both, &[by("a"), by("b")]).unwrap().codes.len(), 1);
}

#[test]
fn a_name_is_used_once_whoever_brought_it() {
    let core = base("core", &format!("[domain.d]\n[code.ABC]\n{ROW}[retired.OLD]\n"));
    let other = base("other", &format!("[domain.d]\ntitle = \"D\"\n[code.ABC]\n{ROW}"));
    let problems = with_bases(
        &format!(
            "{HEAD}extends = [\"core\", \"other\", \"cor\"]\n[domain.d]\n[code.ABC]\n{ROW}[code.OLD]\n{ROW}\
             [code.NEW]\n{ROW}[retired.NEW]\n"
        ),
        &[Arc::clone(&core), Arc::clone(&other)],
    )
    .unwrap_err();
    assert_eq!(
        problems,
        [
            "f:5:29: There is no registry `cor`. Did you mean `core`?",
            "f:6:9: The domain `d` belongs to `core`; choose another name.",
            "f:6:9: The domain `d` belongs to `other`; choose another name.",
            "f:7:7: `ABC` is a code of `core` already; a row that was taken in cannot be changed.",
            "f:7:7: `ABC` is a code of `other` already; a row that was taken in cannot be changed.",
            "f:13:7: `OLD` is retired in `core` and never comes back.",
            "f:19:7: `NEW` stands twice: a name is used once.",
        ]
    );
    let clash = with_bases(&format!("{HEAD}extends = [\"core\", \"other\"]\n"), &[core, other]);
    assert_eq!(
        clash.unwrap_err(),
        [
            "f:5:20: Two of these registries have a domain `d`.",
            "f:5:20: `core` and `other` both have a code `ABC`.",
        ]
    );
}

#[test]
fn a_registry_cannot_extend_itself() {
    let itself = base("notes", "");
    let problems = with_bases(&format!("{HEAD}extends = [\"notes\"]\n"), &[itself]).unwrap_err();
    assert_eq!(problems, ["f:5:12: `notes` extends this registry, which extends it."]);
}

#[test]
fn the_rows_of_a_plugin_may_leave_their_namespace_out() {
    let core = base("core", &format!("[domain.d]\n[code.TIMEOUT]\n{ROW}"));
    let text = format!(
        "{HEAD}extends = [\"core\"]\n[plugin]\nnamespace = \"clock\"\n[code.TIMEOUT]\n{ROW}\
         deprecated = {{ to = \"TICKED\" }}\n[code.\"clock.TICKED\"]\n{ROW}[retired.TOCK]\nto = \"TIMEOUT\"\n\
         [tool.t]\nmay = [\"TIMEOUT\", \"clock.TICKED\"]\n"
    );
    let registry = with_bases(&text, &[core]).unwrap();
    assert_eq!(
        registry.codes.keys().map(|it| &**it).collect::<Vec<_>>(),
        ["clock.TIMEOUT", "clock.TICKED", "TIMEOUT"]
    );
    assert_eq!(registry.namespace.as_deref(), Some("clock"));
    assert_eq!(registry.retired["clock.TOCK"].to.as_deref(), Some("clock.TIMEOUT"));
    assert_eq!(registry.tools["t"].may, ["clock.TIMEOUT", "clock.TICKED"]);

    let foreign = refused(&format!(
        "[domain.d]\n[plugin]\nnamespace = \"clock\"\n[code.\"bell.RUNG\"]\n{ROW}"
    ));
    assert_eq!(foreign, ["f:8:7: The rows of this file belong to `clock`, not `bell`."]);
    assert_eq!(refused("[plugin]\nnamespace = \"mcp\"\n"), ["f:6:13: `mcp` is reserved."]);
    assert_eq!(refused("[plugin]\nnamespace = \"A\"\n"), ["f:6:13: `A` is not a namespace."]);
}

#[test]
fn the_file_of_a_server_may_hold_the_codes_of_its_plugins() {
    let text = format!(
        "{HEAD}[domain.d]\n[code.TICKED]\n{ROW}[code.\"clock.TICKED\"]\n{ROW}[code.\"bell.RUNG\"]\n{ROW}\
         [tool.t]\nmay = [\"TICKED\", \"bell.RUNG\"]\n"
    );
    let registry = with_bases(&text, &[]).unwrap();
    assert_eq!(
        registry.codes.keys().map(|it| &**it).collect::<Vec<_>>(),
        ["TICKED", "clock.TICKED", "bell.RUNG"]
    );
    assert_eq!(registry.tools["t"].may, ["TICKED", "bell.RUNG"]);
}

#[test]
fn a_plugin_says_which_core_it_was_written_for() {
    let core = base("core", "");
    let plugin = |range: &str| {
        let text = format!("{HEAD}[plugin]\nnamespace = \"clock\"\ncore = \"{range}\"\n");
        with_bases(&text, &[Arc::clone(&core)]).err().unwrap_or_default()
    };
    assert_eq!(plugin(">=0.9.0 <2.0.0"), Vec::<String>::new());
    assert_eq!(plugin("^2.0.0"), ["f:7:8: This needs core ^2.0.0, but core is 1.0.0."]);
    assert_eq!(plugin(">=garbage"), ["f:7:8: `>=garbage` is not a range of versions."]);
}

#[test]
fn examples_and_arguments_keep_their_order() {
    let registry = taken(&format!(
        "[domain.d]\n[code.ABC]\n{ROW}params.z = {{}}\nparams.a = {{}}\nexample = {{ z = \"1\", a = \"2\" }}\n"
    ));
    let entry = registry.get("ABC").unwrap();
    assert_eq!(json!(entry.example).to_string(), r#"{"z":"1","a":"2"}"#);
}

#[test]
fn seed_004_25_the_texts_of_an_adopted_row_can_be_changed() {
    let core = base("core", &format!("[domain.d]\n[code.ABC]\n{ROW}[code.DEF]\n{ROW}"));
    let file = |body: &str| {
        with_bases(&format!("{HEAD}extends = [\"core\"]\n{body}"), &[Arc::clone(&core)])
    };
    let registry = file("[override.ABC]\nmessage = \"No calendar.\"\nhint = \"Ask the user.\"\nnext = [{ tool = \"log_in\" }]\n").unwrap();
    let (entry, before) = (registry.get("ABC").unwrap(), core.get("ABC").unwrap());
    assert_eq!((entry.message.as_str(), entry.hint.as_str()), ("No calendar.", "Ask the user."));
    assert_eq!(entry.next[0].tool, "log_in");
    assert_eq!((&*entry.registry, entry.class), ("core", before.class));
    assert_eq!(registry.get("DEF"), core.get("DEF"));
    assert!(registry.own().next().is_none());
    for (body, problem) in [
        ("[override.ABD]\nhint = \"Do.\"\n", "There is no code `ABD` to override."),
        ("[override.ABC]\n", "changes nothing"),
        ("[override.ABC]\nmessage = \"{x}\"\n", "{x} is not a declared parameter."),
        ("[override.ABC]\nhint = \" \"\n", "`hint` is empty."),
        (&format!("[code.OWN]\n{ROW}[override.OWN]\nhint = \"Do.\"\n"), "is a row of this file"),
    ] {
        let problems = file(body).unwrap_err();
        assert!(problems.iter().any(|it| it.contains(problem)), "{body}: {problems:?}");
    }
}

#[test]
fn seed_004_25_two_ways_to_one_row_are_no_conflict() {
    let core = base("core", &format!("[domain.d]\n[code.ABC]\n{ROW}"));
    let text = "format = \"redress-registry/1\"\nextends = [\"core\"]\n[registry]\nname = \"mid\"\nversion = \"1.0.0\"\n[override.ABC]\nhint = \"Ask the user.\"\n";
    let mid = Arc::new(with_bases(text, &[Arc::clone(&core)]).unwrap());
    for (first, hint) in [("mid", "Ask the user."), ("core", "Do it.")] {
        let second = if first == "mid" { "core" } else { "mid" };
        let text = format!("{HEAD}extends = [\"{first}\", \"{second}\"]\n");
        let registry = with_bases(&text, &[Arc::clone(&core), Arc::clone(&mid)]).unwrap();
        assert_eq!(registry.get("ABC").unwrap().hint, hint);
    }
}

#[test]
fn taught_rows_are_compiled_and_refused_at_their_place() {
    let rows = "[[match]]\npattern = 'No (?P<id>\\w+)'\ncode = \"ABC\"\nexample = \"No a\"\n";
    let registry = taken(&format!("[domain.d]\n[code.ABC]\n{ROW}{rows}"));
    assert_eq!(registry.matches.rows()[0].code, "ABC");
    let mut wrong = String::new();
    for row in [
        "text = \"a\"\ncode = \"ABD\"\nexample = \"a\"",
        "text = \"a\"\ncode = \"ABC\"\nexample = \"b\"",
        "pattern = \"(\"\ncode = \"ABC\"\nexample = \"b\"",
        "code = \"ABC\"\nexample = \"b\"",
    ] {
        wrong.extend(["[[match]]\n", row, "\n"]);
    }
    let refused = refused(&format!("[domain.d]\n[code.ABC]\n{ROW}{wrong}"));
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert!(refused[0].starts_with("f:14:8: `ABD` is not a code of this registry."), "{refused:?}");
}

#[test]
fn the_rows_of_a_registry_come_before_those_that_it_takes_in() {
    let row =
        |code: &str| format!("[[match]]\ntext = \"a*\"\ncode = \"{code}\"\nexample = \"ab\"\n");
    let below = base("below", &format!("[domain.d]\n[code.ABC]\n{ROW}{}", row("ABC")));
    let text = format!("{HEAD}extends = [\"below\"]\n[code.XYZ]\n{ROW}{}", row("XYZ"));
    let registry = with_bases(&text, &[below]).unwrap();
    let codes: Vec<_> = registry.matches.rows().iter().map(|it| &*it.code).collect();
    assert_eq!(codes, ["XYZ", "ABC"]);
}
