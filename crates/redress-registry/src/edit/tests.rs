//! Edits: what changes, and that nothing else does.

use std::sync::Arc;

use super::{NewCode, NewFile, Retirement, add, deprecate, retire, write};
use crate::{
    Class, Deprecated, Effect, Param, ParamType, Problem, Retry, RetryKind, Source, shipped,
};

const FILE: &str = r#"# Our notes.
format = "redress-registry/1"

[registry]
name    = "notes"     # for ever
version = "0.2.0"
extends = ["core"]

[domain.notes]
[domain.tags]

# ---------------------------------------- notes

# Says that a note is not there.
[code.NOTE_NOT_FOUND]
number  = 5000
domain  = "notes"
class   = "not_found"
title   = "Note not found"
message = "There is no note {id}."
hint    = "List the notes, then use an id from the list."  # five words

[code.NOTE_NOT_FOUND.params.id]
type = "string"

# ---------------------------------------- tags

[code.TAG_TOO_LONG]
domain  = "tags"
class   = "invalid_argument"
title   = "Tag too long"
message = "The tag is too long."
hint    = "Use a tag of at most eight letters."
explain = """
A tag is short.

[code.FAKE]"""

[tool.read_note]
may = ["NOTE_NOT_FOUND"]
"#;

fn edited(
    text: &str,
    edit: impl Fn(&Source, crate::resolve::Find<'_>) -> Result<String, Vec<Problem>>,
) -> Result<String, Vec<String>> {
    edit(&Source::new("f", text), &|name| shipped::get(name).map(Arc::clone))
        .map_err(|it| it.iter().map(Problem::to_string).collect())
}

fn new(code: &str, domain: &str) -> NewCode {
    NewCode {
        code: code.to_owned(),
        number: None,
        domain: domain.to_owned(),
        class: Class::Unavailable,
        http: None,
        retry: Retry::of(RetryKind::AfterHuman),
        effect: None,
        severity: None,
        title: "Store closed".to_owned(),
        message: "The store is closed.".to_owned(),
        hint: "Ask the owner to open the store.".to_owned(),
        next: Vec::new(),
        similar: None,
        params: Vec::new(),
        explain: None,
        example: Vec::new(),
        since: Some("NEXT".to_owned()),
        stability: None,
    }
}

fn added(code: &NewCode) -> Result<String, Vec<String>> {
    edited(FILE, |source, find| add(source, code, find))
}

fn gone(to: Option<&str>) -> Retirement {
    Retirement { since: "0.3.0".into(), why: "Never happened.".into(), to: to.map(Into::into) }
}

#[track_caller]
fn assert_inserted(lines: &str, old: &str, new: &str) {
    assert!(new.contains(lines), "{new}");
    assert_eq!(new.replacen(lines, "", 1), old, "nothing else changes");
}

#[test]
fn a_new_row_stands_behind_the_last_of_its_domain() {
    let text = added(&new("NOTE_STORE_CLOSED", "notes")).unwrap();
    let place = "[code.NOTE_NOT_FOUND.params.id]\ntype = \"string\"\n\n[code.NOTE_STORE_CLOSED]\ndomain  = \"notes\"\n\
                 class   = \"unavailable\"\nretry   = \"after_human\"\ntitle   = \"Store closed\"\n\
                 message = \"The store is closed.\"\nhint    = \"Ask the owner to open the store.\"\n\
                 since   = \"NEXT\"\n\n# ---------------------------------------- tags\n";
    assert!(text.contains(place), "{text}");
    let start = text.find("\n[code.NOTE_STORE").unwrap();
    let end = text.find("\n# ---------------------------------------- tags").unwrap();
    assert_inserted(&text[start..end], FILE, &text);
}

#[test]
fn a_row_of_a_domain_without_rows_stands_behind_all_rows() {
    let rich = NewCode {
        number: Some(1007),
        retry: Retry::after(500),
        effect: Some(Effect::Unknown),
        message: "Slow: \"{why}\".".to_owned(),
        params: vec![Param::new("why", ParamType::String, "The reason.")],
        example: vec![("why".to_owned(), "It's \"full\".".into())],
        explain: Some("One.\n\nTwo.".to_owned()),
        ..new("NOTE_SLOW", "common")
    };
    let text = added(&rich).unwrap();
    let lines = "\n[code.NOTE_SLOW]\nnumber  = 1007\ndomain  = \"common\"\nclass   = \"unavailable\"\n\
                 retry   = { kind = \"after_delay\", after_ms = 500 }\neffect  = \"unknown\"\ntitle   = \"Store closed\"\n\
                 message = 'Slow: \"{why}\".'\nhint    = \"Ask the owner to open the store.\"\n\
                 params.why = { type = \"string\", doc = \"The reason.\" }\nexample = { why = \"\"\"It's \"full\".\"\"\" }\nsince   = \"NEXT\"\n\
                 explain = \"\"\"\nOne.\n\nTwo.\"\"\"\n";
    assert_inserted(lines, FILE, &text);
}

#[test]
fn a_name_that_is_or_was_taken_is_refused() {
    let refused = |code: &str| added(&new(code, "notes")).unwrap_err();
    assert_eq!(refused("TAG_TOO_LONG"), ["f:28:7: `TAG_TOO_LONG` is taken: a name is used once."]);
    assert_eq!(refused("TIMEOUT"), ["f:1:1: `TIMEOUT` is taken: a name is used once."]);
    assert_eq!(refused("noteGone"), ["f:1:1: `noteGone` is not a code: use SCREAMING_SNAKE_CASE."]);
    let retired =
        edited(FILE, |source, find| retire(source, "TAG_TOO_LONG", &gone(None), find)).unwrap();
    let again = edited(&retired, |source, find| add(source, &new("TAG_TOO_LONG", "tags"), find));
    assert!(again.unwrap_err()[0].ends_with("`TAG_TOO_LONG` is taken: a name is used once."));
}

#[test]
fn a_number_that_is_taken_or_of_another_domain_is_refused() {
    let refused = |number, domain: &str| {
        added(&NewCode { number: Some(number), ..new("NOTE_LOST", domain) }).unwrap_err()
    };
    assert_eq!(refused(5000, "notes"), ["f:15:7: The number 5000 is taken by `NOTE_NOT_FOUND`."]);
    assert_eq!(refused(1001, "common"), ["f:1:1: The number 1001 is taken by `TIMEOUT`."]);
    let range = "f:1:1: The number 5001 is outside 1000 to 1099, the range of `common`.";
    assert_eq!(refused(5001, "common"), [range]);
}

#[test]
fn a_row_without_since_gets_the_release_or_next() {
    let undated = NewCode { since: None, ..new("NOTE_LOST", "notes") };
    assert!(added(&undated).unwrap().contains("\nsince   = \"0.2.0\"\n"));
    let dev = FILE.replace("\"0.2.0\"", "\"0.2.0-dev\"");
    let text = edited(&dev, |source, find| add(source, &undated, find)).unwrap();
    assert!(text.contains("\nsince   = \"NEXT\"\n"), "{text}");
}

#[test]
fn an_example_of_any_type_reads_back() {
    let example = serde_json::json!({"s": "a", "i": -3, "f": 1.5, "b": true, "a": [1, "x"], "o": {"k k": [{}]}});
    let kinds = [
        ("s", "string"),
        ("i", "integer"),
        ("f", "number"),
        ("b", "boolean"),
        ("a", "array"),
        ("o", "object"),
    ];
    let params = kinds.map(|(name, kind)| Param::new(name, ParamType::parse(kind).unwrap(), "D."));
    let members = example.as_object().unwrap();
    let full = NewCode {
        params: params.to_vec(),
        example: members.iter().map(|(name, it)| (name.clone(), it.clone())).collect(),
        ..new("NOTE_LOST", "notes")
    };
    let text = added(&full).unwrap();
    let draft = crate::read(&Source::new("f", &text)).unwrap();
    assert_eq!(&draft.code("NOTE_LOST").unwrap().example.as_ref().unwrap().value, members);
}

#[test]
fn a_row_that_would_not_resolve_is_refused() {
    let wrong = NewCode { message: "No {id}.".to_owned(), ..new("NOTE_LOST", "nots") };
    let problems = added(&wrong).unwrap_err();
    assert!(
        problems[0].contains("There is no `[domain.nots]`. Did you mean `notes`?"),
        "{problems:?}"
    );
    assert!(problems[1].contains("{id} is not a declared parameter."), "{problems:?}");
}

#[test]
fn deprecating_adds_one_line_to_the_row() {
    let deprecation = Deprecated {
        since: "0.2.0".into(),
        reason: "Use the common one.".into(),
        to: Some("NOT_FOUND".into()),
        until: Some("1.0.0".into()),
    };
    let text = edited(FILE, |source, find| deprecate(source, "NOTE_NOT_FOUND", &deprecation, find))
        .unwrap();
    let line = "deprecated = { since = \"0.2.0\", reason = \"Use the common one.\", to = \"NOT_FOUND\", until = \"1.0.0\" }\n";
    assert_inserted(line, FILE, &text);
    assert!(text.contains(&format!("# five words\n{line}\n[code.NOTE_NOT_FOUND.params.id]")));
    let again =
        edited(&text, |source, find| deprecate(source, "NOTE_NOT_FOUND", &deprecation, find));
    assert_eq!(again.unwrap_err(), ["f:22:14: `NOTE_NOT_FOUND` is deprecated already."]);
}

#[test]
fn an_unknown_code_is_refused_with_the_nearest() {
    let refused = |code: &str| {
        edited(FILE, |source, find| retire(source, code, &gone(None), find)).unwrap_err()
    };
    assert_eq!(
        refused("TAG_TO_LONG"),
        ["f:1:1: There is no code `TAG_TO_LONG`. Did you mean `TAG_TOO_LONG`?"]
    );
    assert_eq!(refused("TIMEOUT"), ["f:1:1: `TIMEOUT` belongs to `core`; edit it there."]);
    let to =
        edited(FILE, |source, find| retire(source, "TAG_TOO_LONG", &gone(Some("TIMOUT")), find));
    assert_eq!(
        to.unwrap_err(),
        ["f:1:1: There is no code `TIMOUT` to use instead. Did you mean `TIMEOUT`?"]
    );
}

#[test]
fn retiring_moves_the_row_with_its_number_and_its_comments() {
    let free = FILE.replace("may = [\"NOTE_NOT_FOUND\"]", "may = []");
    let text = edited(&free, |source, find| {
        retire(source, "NOTE_NOT_FOUND", &gone(Some("NOT_FOUND")), find)
    })
    .unwrap();
    let start = free.find("# Says that").unwrap();
    let end = free.find("# ---------------------------------------- tags").unwrap();
    let cut = [&free[..start], &free[end..]].concat();
    let tombstone = "\n[retired.NOTE_NOT_FOUND]\nnumber  = 5000\nsince   = \"0.3.0\"\nwhy     = \"Never happened.\"\nto      = \"NOT_FOUND\"\n";
    assert_inserted(tombstone, &cut, &text);
    let second =
        edited(&text, |source, find| retire(source, "TAG_TOO_LONG", &gone(None), find)).unwrap();
    assert!(second.contains(&format!("{tombstone}\n[retired.TAG_TOO_LONG]\nsince ")), "{second}");
}

#[test]
fn a_row_that_others_name_is_not_retired() {
    let problems = edited(FILE, |source, find| retire(source, "NOTE_NOT_FOUND", &gone(None), find));
    assert_eq!(problems.unwrap_err(), ["f:40:8: `NOTE_NOT_FOUND` is still named here."]);
}

#[test]
fn retiring_the_last_row_leaves_no_blank_lines_behind() {
    let tail = FILE.find("\n[tool.").unwrap();
    let text =
        edited(&FILE[..tail], |source, find| retire(source, "TAG_TOO_LONG", &gone(None), find))
            .unwrap();
    assert!(!text.contains("\n\n\n") && !text.ends_with("\n\n"), "{text}");
}

#[test]
fn line_ends_and_a_missing_last_one_are_respected() {
    let crlf = FILE.replace('\n', "\r\n");
    let text = edited(&crlf, |source, find| add(source, &new("NOTE_SHUT", "notes"), find)).unwrap();
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let open = FILE[..FILE.find("\n[tool.").unwrap()].trim_end();
    let text = edited(open, |source, find| add(source, &new("TAG_GONE", "tags"), find)).unwrap();
    assert!(text.contains("[code.FAKE]\"\"\"\n\n[code.TAG_GONE]\n"), "{text}");
}

#[test]
fn the_namespace_of_a_plugins_file_goes_without_saying() {
    let plugin =
        FILE.replace("[domain.notes]", "[plugin]\nnamespace = \"notes\"\n\n[domain.notes]");
    let text =
        edited(&plugin, |source, find| add(source, &new("notes.SHUT", "notes"), find)).unwrap();
    assert!(text.contains("\n[code.SHUT]\n"), "{text}");
    let text =
        edited(&text, |source, find| retire(source, "notes.SHUT", &gone(None), find)).unwrap();
    assert!(text.contains("\n[retired.SHUT]\n"), "{text}");
    let foreign = edited(&plugin, |source, find| add(source, &new("tags.SHUT", "notes"), find));
    assert!(foreign.unwrap_err()[0].contains("belong to `notes`, not `tags`"));
}

#[test]
fn a_row_without_a_header_of_its_own_is_not_edited() {
    let inline = "format = \"redress-registry/1\"\n[registry]\nname = \"a\"\nversion = \"0.1.0\"\n[domain.d]\n[code]\n\
                  ABC = { domain = \"d\", class = \"internal\", title = \"T\", message = \"M.\", hint = \"H.\" }\n";
    let refused = edited(inline, |source, find| retire(source, "ABC", &gone(None), find));
    assert_eq!(
        refused.unwrap_err(),
        ["f:7:1: `ABC` must stand under a header `[code.X]` to be edited."]
    );
    assert!(edited(inline, |source, find| add(source, &new("DEF", "d"), find)).is_ok());
}

#[test]
fn a_new_file_is_what_adding_its_rows_to_an_empty_one_gives() {
    let file = NewFile {
        name: "notes".to_owned(),
        version: "0.2.0".to_owned(),
        extends: vec!["core".to_owned()],
        codes: vec![new("NOTE_LOST", "notes"), new("NOTE_SLOW", "notes")],
    };
    let text = write(&file);
    let head = text.split("\n[code.").next().unwrap();
    assert_eq!(
        head,
        "format  = \"redress-registry/1\"\n\n[registry]\nname    = \"notes\"\nversion = \"0.2.0\"\n\
         extends = [\"core\"]\n\n[domain.notes]\n"
    );
    let grown = file.codes.iter().fold(head.to_owned(), |text, code| {
        edited(&text, |source, find| add(source, code, find)).unwrap()
    });
    assert_eq!(grown, text);
}
