//! What a server's lists tell of its tools.

use redress_wire::json::{Doc, Limits, Value};

use super::{LONGEST_NAME, MOST, Tools};

const FIRST: &str =
    r#"{"tools":[{"name":"a","annotations":{"readOnlyHint":true}}],"nextCursor":"2"}"#;
const MIDDLE: &str = r#"{"tools":[{"name":"m"}],"nextCursor":"3"}"#;
const LAST: &str = r#"{"tools":[{"name":"b","outputSchema":{}}]}"#;

fn page(tools: &mut Tools, text: &str, cursor: Option<&str>) -> Option<String> {
    let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
    tools.learn(doc.root(), cursor).and_then(Value::as_str).map(std::borrow::Cow::into_owned)
}

fn names(count: usize, prefix: &str) -> String {
    let tools: Vec<_> = (0..count).map(|it| format!(r#"{{"name":"{prefix}{it}"}}"#)).collect();
    format!(r#"{{"tools":[{}]}}"#, tools.join(","))
}

#[test]
fn a_list_is_known_when_its_last_page_was_seen() {
    let mut tools = Tools::default();
    assert!(tools.is_worth_asking("a"));
    assert_eq!(page(&mut tools, FIRST, None).as_deref(), Some("2"));
    assert_eq!(tools.all(), None);
    assert_eq!(page(&mut tools, LAST, Some("2")), None);
    assert_eq!(tools.all(), Some(&["a".to_owned(), "b".to_owned()][..]));
    assert!(tools.get("a").unwrap().traits(true).harmless());
    assert!(tools.get("b").unwrap().has_output_schema);
    assert!(!tools.is_worth_asking("c") && !tools.is_wanted());
    tools.forget();
    assert_eq!(tools.all(), None);
    assert!(tools.is_wanted() && tools.is_worth_asking("a"), "it was of use");
}

#[test]
fn a_last_page_is_no_whole_list() {
    let mut alone = Tools::default();
    page(&mut alone, LAST, Some("2"));
    assert_eq!(alone.all(), None);
    assert!(alone.get("b").is_some(), "what it says is known all the same");

    let mut without_the_middle = Tools::default();
    page(&mut without_the_middle, FIRST, None);
    page(&mut without_the_middle, LAST, Some("3"));
    assert_eq!(without_the_middle.all(), None);
    page(&mut without_the_middle, MIDDLE, Some("2"));
    page(&mut without_the_middle, LAST, Some("3"));
    assert_eq!(without_the_middle.all().map(<[_]>::len), Some(3));
}

#[test]
fn a_list_that_changed_between_its_pages_is_not_known() {
    let mut tools = Tools::default();
    page(&mut tools, FIRST, None);
    tools.forget();
    page(&mut tools, LAST, Some("2"));
    assert_eq!(tools.all(), None);
}

#[test]
fn a_page_that_is_asked_for_again_changes_nothing() {
    let mut tools = Tools::default();
    page(&mut tools, FIRST, None);
    page(&mut tools, LAST, Some("2"));
    for _ in 0..3 {
        page(&mut tools, LAST, Some("2"));
        page(&mut tools, MIDDLE, Some("elsewhere"));
    }
    assert_eq!(tools.all(), Some(&["a".to_owned(), "b".to_owned()][..]));
    assert_eq!(tools.facts.len(), 3);
}

#[test]
fn more_tools_than_can_be_kept_are_no_whole_list() {
    let mut tools = Tools::default();
    page(&mut tools, &names(MOST, "a"), None);
    assert_eq!(tools.all().map(<[_]>::len), Some(MOST));
    page(&mut tools, &names(MOST, "b"), Some("2"));
    assert_eq!(tools.facts.len(), MOST);
    page(&mut tools, &names(MOST + 1, "a"), None);
    assert_eq!(tools.all(), None);
    assert_eq!(tools.facts.len(), MOST);
    page(&mut tools, &names(1, &"a".repeat(LONGEST_NAME)), None);
    assert_eq!(tools.all(), None);
}

#[test]
fn an_answer_without_a_list_is_no_empty_list() {
    let mut tools = Tools::default();
    for text in ["{}", r#"{"tools":null}"#, r#"{"tools":{"name":"a"}}"#] {
        assert!(page(&mut tools, text, None).is_none());
        assert_eq!(tools.all(), None, "{text}");
    }
}
