//! Whether a call may have begun its work before it failed. In doubt it may: nothing here ever proves that it has not.

use super::{evidence::Evidence, tier::Tier};
use crate::outcome::What;
use redress_wire::json::{Kind, Value};

/// Words that tell of something done, in our spelling.
const DONE: &str = " saved created inserted updated deleted removed written sent charged applied committed uploaded placed added \
    processed published moved copied renamed installed submitted stored imported merged ";

/// Whether nothing may be claimed: the request holds several things, the answer has data beside its errors, or it says that
/// something was done.
pub(super) fn may_have_begun(evidence: &Evidence<'_>, tier: Tier) -> bool {
    if matches!(tier, Tier::Stated | Tier::Taught) || evidence.message.is_checked {
        return false;
    }
    let text = &evidence.message.text;
    let mut words = text.split(|it: char| !it.is_ascii_alphanumeric());
    let tells = words.any(|it| it.len() > 3 && DONE.contains(&format!(" {it} ")));
    // What the transport refused, it refused as a whole.
    tells || tier != Tier::Protocol && (evidence.request.holds_several || has_data(evidence))
}

/// Whether an answer carries data beside its failure.
fn has_data(evidence: &Evidence<'_>) -> bool {
    let What::Answer(message) = &evidence.outcome.what else { return false };
    let structured = message.path(&["result", "structuredContent"]);
    [structured, evidence.said.data].into_iter().flatten().any(|it| {
        it.members().any(|(_, value)| match value.kind() {
            Kind::Array => value.elements().any(|it| it.kind() != Kind::Object || !is_issue(it)),
            _ => false,
        })
    })
}

/// An issue of a validator: it has a path.
fn is_issue(value: Value<'_>) -> bool {
    ["path", "pointer", "loc", "instancePath", "message"].iter().any(|it| value.get(it).is_some())
}
