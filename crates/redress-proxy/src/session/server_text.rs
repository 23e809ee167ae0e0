//! The block below a card which has room for a part of the server's words only.

use redress::{
    Dialect, Fault, cuts_server_text,
    text::{cut_bytes, strip_line},
};
use redress_wire::json::{Kind, Value};

use super::{Context, verdict::UpstreamAnswer};
use crate::{frame::Shape, settings::ServerText};

/// The most bytes of a block, as many from the start as from the end.
const MOST_QUOTED: usize = 4 << 10;

/// The same for an operator who wants more of it.
const MOST_FULL: usize = 16 << 10;

/// What is left of a block for its first line and the mark where it was cut.
const MARGIN: usize = 64;

/// The words of an answer below its card, where the card had to cut them: each line quoted, without secrets and, unless they are
/// wanted, without frames of stacks. Only the native dialect has a place for it.
pub(super) fn server_block(
    cx: Context<'_>,
    answer: &UpstreamAnswer<'_, '_>,
    fault: &Fault,
) -> Option<Box<str>> {
    let settings = &cx.server.settings;
    let most = match settings.server_text {
        ServerText::Hide => return None,
        ServerText::Quote => MOST_QUOTED,
        ServerText::Full => MOST_FULL,
    };
    if settings.dialect != Dialect::Native || !cuts_server_text(fault) {
        return None;
    }
    let payload = answer.frame.payload?;
    let words = match answer.frame.shape {
        Shape::Error => payload.get("message")?.as_str()?.into_owned(),
        _ => texts(payload),
    };
    // What hides a secret goes first: nothing changes a text that was redacted.
    let plain: Vec<_> = words.lines().map(strip_line).collect();
    let plain = plain.join("\n");
    let redacted = settings.redactor.text(&settings.shown_stack().shown(&plain));
    // At least the first and the last line fit.
    let longest = if redacted.contains('\n') { most / 2 - MARGIN } else { most - MARGIN };
    let lines: Vec<_> = redacted.lines().map(|it| cut_bytes(it, longest).into_owned()).collect();
    let (start, end) = ends(&lines, most);
    let mut block = String::from("Server said:");
    let mark = end.is_some().then_some("…");
    let end = end.into_iter().flatten().map(String::as_str);
    for line in start.iter().map(String::as_str).chain(mark).chain(end) {
        block.push_str("\n> ");
        block.push_str(line);
    }
    (!lines.iter().all(|it| it.trim().is_empty())).then(|| block.into())
}

/// The lines that fit: all of them, or those at the start and those at the end.
fn ends(lines: &[String], most: usize) -> (&[String], Option<&[String]>) {
    let cost = |it: &String| it.len() + "\n> ".len();
    if lines.iter().map(cost).sum::<usize>() <= most {
        return (lines, None);
    }
    let fitting = |of: &mut dyn Iterator<Item = &String>| {
        let mut left = most / 2;
        of.take_while(|it| left.checked_sub(cost(it)).map(|it| left = it).is_some()).count()
    };
    let (first, last) = (fitting(&mut lines.iter()), fitting(&mut lines.iter().rev()));
    let start = lines.get(..first).unwrap_or_default();
    (start, lines.get(lines.len() - last..))
}

/// The texts of a result, one below the other.
fn texts(result: Value<'_>) -> String {
    let blocks = result.get("content").into_iter().flat_map(Value::elements);
    let texts = blocks.filter_map(|it| it.get("text").filter(|it| it.kind() == Kind::String));
    texts.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}
