//! Details of a fault with one member more; the rest keeps its spelling.

use redress_wire::json::{Kind, Members, RawJson, Value};

/// A number as JSON.
pub(super) fn number(value: impl Into<i128>) -> Option<RawJson> {
    RawJson::parse(value.into().to_string().as_bytes()).ok()
}

/// Details with one more member.
pub(super) fn with_detail(
    details: Option<RawJson>,
    key: &str,
    value: Option<RawJson>,
) -> Option<RawJson> {
    let Some(value) = value else { return details };
    // What a server says as a text or a list has no room for a member.
    if details.as_ref().is_some_and(|it| it.kind() != Kind::Object) {
        return details;
    }
    let mut whole = String::new();
    let mut members = Members::open(&mut whole);
    if let Some(details) = &details {
        details.with(|it| copy(it, &mut members, key));
    }
    members.raw(key, value.as_str());
    members.close();
    RawJson::parse(whole.as_bytes()).ok()
}

/// Copies every member but one.
fn copy(from: Value<'_>, to: &mut Members<'_>, but: &str) {
    for (name, value) in from.members() {
        let name = name.as_str().unwrap_or_default();
        if name != but {
            to.raw(&name, value.raw());
        }
    }
}

/// Details with one more member of `upstream`.
pub(super) fn with_upstream(
    details: Option<RawJson>,
    key: &str,
    value: Option<RawJson>,
) -> Option<RawJson> {
    let Some(value) = value else { return details };
    let mut upstream = String::new();
    let mut inner = Members::open(&mut upstream);
    if let Some(details) = &details {
        details.with(|it| it.get("upstream").map(|it| copy(it, &mut inner, key)));
    }
    inner.raw(key, value.as_str());
    inner.close();
    with_detail(details, "upstream", RawJson::parse(upstream.as_bytes()).ok())
}
