//! `Said`: what a server wrote about a failure, as lines that a model reads below a card which has room for a part of them only.

use redress::{
    Fault, card,
    text::{cut, strip, strip_line},
};
use redress_wire::json::{Kind, Value};

use super::{Context, verdict::Answer};
use crate::{frame::Shape, settings::ServerText};

/// The most bytes of a block, as many from the start as from the end.
const MOST: usize = 16 << 10;

/// The most characters of one of its lines, so that one fits whatever it is made of.
const LONGEST_LINE: usize = 2_000;

/// The words of a server, stripped line by line.
pub(super) struct ServerWords(Vec<String>);

/// All that a failed answer says in words, if that is wanted.
pub(super) fn server_words(cx: Context<'_>, answer: &Answer<'_, '_>) -> Option<ServerWords> {
    let settings = &cx.server.settings;
    let payload = answer.frame.payload.filter(|_| settings.server_text == ServerText::Full)?;
    let words = match answer.frame.shape {
        Shape::Error => payload.get("message")?.as_str()?.into_owned(),
        _ => texts(payload),
    };
    // What hides a secret goes first: nothing changes a text that was redacted.
    let plain: Vec<_> = words.lines().map(strip_line).collect();
    let plain = plain.join("\n");
    let shown = settings.shown_stack().shown(&plain);
    let redacted = settings.redactor.text(&shown);
    Some(ServerWords(redacted.lines().map(|it| cut(it, LONGEST_LINE).into_owned()).collect()))
}

impl ServerWords {
    /// The block below the card of a failure, if the card does not say all of it.
    pub(super) fn below(self, fault: &Fault) -> Option<Box<str>> {
        let whole = strip(&self.0.join("\n"));
        if whole.is_empty() || fault.server_text.is_none() || card(fault).contains(&whole) {
            return None;
        }
        let (start, end) = ends(&self.0);
        let mut block = String::from("Server said:");
        let cut = end.is_some().then_some("…");
        let end = end.into_iter().flatten().map(String::as_str);
        for line in start.iter().map(String::as_str).chain(cut).chain(end) {
            block.push_str("\n> ");
            block.push_str(line);
        }
        Some(block.into())
    }
}

/// The lines that fit: all of them, or those at the start and those at the end.
fn ends(lines: &[String]) -> (&[String], Option<&[String]>) {
    let cost = |it: &String| it.len() + "\n> ".len();
    if lines.iter().map(cost).sum::<usize>() <= MOST {
        return (lines, None);
    }
    let fitting = |of: &mut dyn Iterator<Item = &String>| {
        let mut left = MOST / 2;
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
