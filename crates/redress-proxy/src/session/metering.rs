//! What a success costs, beside it: the tokens of its result, about, and how long the call took.

use std::ops::Range;

use redress::{Dialect, dialect::stagewright, text::tokens};
use redress_wire::json::{Kind, Members, Value};

use super::{Context, verdict::UpstreamAnswer};
use crate::{
    exchange::{Exchange, Method},
    frame::{Shape, span},
    moment::Moment,
    settings::Mode,
};

const META: &str = "_meta";
const TOKENS: &str = "estimated_tokens";
const ELAPSED: &str = "elapsed_ms";

/// The edit that adds to the result of a call what it cost. `None` if the settings do not ask for that,
/// or if the result has no room for it.
pub(super) fn metered(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
    now: Moment,
) -> Option<(Range<usize>, String)> {
    let settings = &cx.server.settings;
    let is_call = exchange.request.method == Method::ToolsCall;
    if !settings.meter || settings.mode == Mode::Observe || !is_call {
        return None;
    }
    let is_result = answer.frame.shape == Shape::Result;
    let result = answer.frame.payload.filter(|it| is_result && it.kind() == Kind::Object)?;
    let cost = match settings.dialect {
        Dialect::Stagewright => stagewright::estimate(Some(result)),
        _ => tokens::estimate(result.raw()),
    };
    edit(result, cost, now.since(exchange.started))
}

/// The edit of a result. What its server says of the same itself stays.
fn edit(result: Value<'_>, cost: u64, elapsed_ms: u64) -> Option<(Range<usize>, String)> {
    let mut all = result.members().filter(|(key, _)| key.is_str(META));
    let (own, another) = (all.next().map(|it| it.1), all.next());
    if another.is_some() || own.is_some_and(|it| it.kind() != Kind::Object) {
        return None;
    }
    let mut meta = String::new();
    let mut members = Members::open(&mut meta);
    for (key, value) in own.into_iter().flat_map(Value::members) {
        members.raw(&key.as_str().unwrap_or_default(), value.raw());
    }
    let has = |name: &str| own.is_some_and(|it| it.get(name).is_some());
    if !has(TOKENS) {
        members.int(TOKENS, cost);
    }
    if !has(ELAPSED) {
        members.int(ELAPSED, elapsed_ms);
    }
    members.close();
    if let Some(own) = own {
        return Some((span(own), meta));
    }
    let comma = if result.members().next().is_some() { "," } else { "" };
    let start = span(result).start + 1;
    Some((start..start, format!("\"{META}\":{meta}{comma}")))
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::edit;
    use crate::frame::{Edit, rewrite};

    fn edited(result: &str) -> Option<String> {
        let doc = Doc::parse(result.as_bytes(), Limits::DOCUMENT).unwrap();
        let (at, with) = edit(doc.root(), 7, 3)?;
        let mut out = Vec::new();
        rewrite(result.as_bytes(), &mut [Edit { at, with: with.as_bytes() }], &mut out);
        Some(String::from_utf8(out).unwrap().trim_end().to_owned())
    }

    #[test]
    fn the_cost_stands_in_meta_and_the_rest_keeps_its_bytes() {
        for (result, wanted) in [
            ("{}", r#"{"_meta":{"estimated_tokens":7,"elapsed_ms":3}}"#),
            (
                r#"{ "content" : [ 1.0 ] }"#,
                r#"{"_meta":{"estimated_tokens":7,"elapsed_ms":3}, "content" : [ 1.0 ] }"#,
            ),
            (
                r#"{"a":1,"_meta":{"x":1e2,"elapsed_ms":9}}"#,
                r#"{"a":1,"_meta":{"x":1e2,"elapsed_ms":9,"estimated_tokens":7}}"#,
            ),
        ] {
            assert_eq!(edited(result).as_deref(), Some(wanted));
        }
        for result in [r#"{"_meta":3}"#, r#"{"_meta":{},"_meta":{}}"#] {
            assert_eq!(edited(result), None, "{result}");
        }
    }
}
