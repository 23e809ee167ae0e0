//! Errors that Rust code looks away from: arms for `Err`, `let _ =`, `.ok();`.

use tree_sitter::Node;

use super::super::{
    Catch, Guard, Handling, Plain,
    record::{Held, Recorder},
    words::{is_cleanup, is_logger},
};
use crate::{
    span::span,
    tree::{Field, MAX_PARTS, Trail},
};

/// `Err(…) => …`.
pub(super) fn arm<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let (Some(pattern), Some(value)) =
        (fields.of(node, Field::Pattern), fields.of(node, Field::Value))
    else {
        return;
    };
    if let Some(caught) = caught(it.slice(pattern)) {
        handled(it, node, value, caught);
    }
}

/// `if let Err(…) = … { … }`.
pub(super) fn if_let<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let condition = fields.of(node, Field::Condition).filter(|it| it.kind() == "let_condition");
    let Some(condition) = condition else { return };
    let (Some(pattern), Some(body)) =
        (fields.of(condition, Field::Pattern), fields.of(node, Field::Consequence))
    else {
        return;
    };
    let tidies =
        fields.of(condition, Field::Value).is_some_and(|value| is_cleanup(it.slice(value)));
    if let Some(caught) = caught(it.slice(pattern))
        .filter(|_| !tidies && fields.of(node, Field::Alternative).is_none())
    {
        handled(it, body, body, caught);
    }
}

/// The name of what a pattern for errors catches.
fn caught(pattern: &str) -> Option<&str> {
    let inner = pattern.strip_prefix("Err(")?.strip_suffix(')')?;
    // A pattern that names an error decides by it.
    inner.chars().all(|it| it.is_ascii_lowercase() || it == '_').then_some(inner)
}

fn handled<'t>(it: &mut Recorder<'t>, whole: Node<'t>, value: Node<'t>, name: &str) {
    let mut catch = Catch { span: span(whole.byte_range()), name: name.into(), ..Catch::default() };
    look_into(it, value, &mut catch);
    let text = it.slice(value);
    let guard = Guard {
        outer: None,
        within: it.here,
        is_cleanup: it.here.is_tidying,
        is_question: false,
        catches: vec![catch],
    };
    let index = it.guard(guard);
    it.open(whole, Held::Plain);
    it.here.catch = Some(index);
    if is_nothing(text) {
        it.record(value, Handling::Plain(Plain::Nothing));
    }
}

fn look_into(it: &Recorder<'_>, value: Node<'_>, catch: &mut Catch) {
    if value.kind() != "block" {
        let text = it.slice(value);
        catch.is_empty = text == "()";
        catch.only_logs = value.kind() == "macro_invocation" && is_logger(text);
        return;
    }
    let mut cursor = value.walk();
    let (mut count, mut logs) = (0, 0);
    for statement in value.named_children(&mut cursor).take(MAX_PARTS) {
        let text = it.slice(statement);
        if statement.is_extra() {
            catch.is_explained = true;
        } else if text != "continue" && text != "continue;" {
            count += 1;
            logs += u32::from(text.contains('!') && is_logger(text));
        }
    }
    catch.is_empty = count == 0;
    catch.only_logs = count > 0 && logs == count;
}

fn is_nothing(text: &str) -> bool {
    matches!(
        text,
        "None"
            | "false"
            | "Vec::new()"
            | "vec![]"
            | "String::new()"
            | "Default::default()"
            | "Ok(())"
            | "Ok(None)"
            | "Ok(vec![])"
            | "Ok(Vec::new())"
            | "Ok(false)"
            | "Ok(String::new())"
            | "0"
            | "return None"
            | "return Ok(())"
            | "return Vec::new()"
            | "return vec![]"
            | "return Ok(None)"
            | "return Ok(vec![])"
    )
}

/// `let _ = something_that_can_fail();`
pub(super) fn discarded<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let is_discarded =
        fields.of(node, Field::Pattern).is_some_and(|pattern| it.slice(pattern) == "_");
    if let Some(value) = fields.of(node, Field::Value).filter(|_| is_discarded) {
        ignored(it, node, value, trail);
    }
}

/// `something_that_can_fail().ok();`
pub(super) fn dropped<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(call) = node.named_child(0).filter(|it| it.kind() == "call_expression") else {
        return;
    };
    let Some(callee) = fields.of(call, Field::Function) else { return };
    let is_ok = fields.of(callee, Field::Member).is_some_and(|name| it.slice(name) == "ok");
    if let Some(value) = fields.of(callee, Field::Value).filter(|_| is_ok) {
        ignored(it, node, value, trail);
    }
}

fn ignored<'t>(it: &mut Recorder<'t>, whole: Node<'t>, value: Node<'t>, trail: &Trail<'t>) {
    let value = if value.kind() == "await_expression" {
        value.named_child(0).unwrap_or(value)
    } else {
        value
    };
    let Some(callee) = Recorder::fields(trail).of(value, Field::Function) else { return };
    let path = it.slice(callee);
    if !is_cleanup(it.slice(value)) && path.len() <= 100 {
        it.record(whole, Handling::Ignore(path.replace("::", ".").into()));
    }
}
