//! What a fault may cost: the bounds of everything that is emitted, and the estimate of its tokens.

use crate::{
    card::card,
    fault::Fault,
    json::{Kind, Members, RawJson, Value},
    text,
};

/// The most tokens of a card.
pub const MAX_CARD_TOKENS: usize = 120;
/// The same in characters, by the native estimate.
pub const MAX_CARD_CHARS: usize = MAX_CARD_TOKENS * 32 / 10;
/// The longest message.
pub const MAX_MESSAGE_CHARS: usize = 200;
/// The longest hint.
pub const MAX_HINT_CHARS: usize = 240;
/// The longest suggestion of the WorkRail dialect, in bytes.
pub const MAX_SUGGESTION_BYTES: usize = 512;
/// The largest `details` unless the configuration says otherwise.
pub const DEFAULT_DETAILS_BYTES: usize = 2 << 10;
/// The largest `details` that a configuration may allow.
pub const MAX_DETAILS_BYTES: usize = 8 << 10;
/// How many near values are named.
pub const MAX_SIMILAR: usize = 5;
/// How many calls are proposed.
pub const MAX_NEXT: usize = 3;
/// How many wrong arguments are named.
pub const MAX_VIOLATIONS: usize = 20;
/// The largest near value, next call or violation.
pub const MAX_PART_BYTES: usize = 1 << 10;
/// The longest name of a session, a tool, a directory.
pub const MAX_CONTEXT_CHARS: usize = 256;
/// The longest stack.
pub const MAX_STACK_CHARS: usize = 8 << 10;
/// The longest quote of a foreign server in the envelope.
pub const MAX_SERVER_TEXT_CHARS: usize = 500;

/// Tokens of a text for a model: characters / 3.2, which fits cards and envelopes better than the usual quarter.
pub fn estimate(text: &str) -> u64 {
    let chars = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    chars.saturating_mul(10).div_ceil(32)
}

impl Fault {
    /// Cuts every part to its bound and notes what the card costs. For the edges of the system, never for translation.
    pub fn bound(&mut self, details_bytes: usize) {
        shorten(&mut self.message, MAX_MESSAGE_CHARS);
        shorten(&mut self.hint, MAX_HINT_CHARS);
        self.similar_refs.retain(|it| it.json().as_str().len() <= MAX_PART_BYTES);
        self.similar_refs.truncate(MAX_SIMILAR);
        self.next_actions.retain(|it| it.size() <= MAX_PART_BYTES);
        self.next_actions.truncate(MAX_NEXT);
        self.violations.retain(|it| it.json().as_str().len() <= MAX_PART_BYTES);
        self.violations.truncate(MAX_VIOLATIONS);
        self.bound_the_rest();
        if let Some(said) = &self.server_text {
            self.server_text =
                Some(text::gist(&text::strip(said), MAX_SERVER_TEXT_CHARS).into_owned());
        }
        let most = details_bytes.min(MAX_DETAILS_BYTES);
        if let Some(details) = self.details.take_if(|it| it.as_str().len() > most) {
            self.private.drop_part("details", "larger than the bound");
            self.details = details.with(|it| bounded(it, most));
        }
        self.estimated_tokens = Some(estimate(&card(self)));
    }

    /// What is short by nature and must not be long by accident.
    fn bound_the_rest(&mut self) {
        let named = self.context.members_mut().into_iter().chain([&mut self.timestamp]);
        for text in named.flatten() {
            shorten(text, MAX_CONTEXT_CHARS);
        }
        if let Some(stack) = &mut self.stack {
            shorten(stack, MAX_STACK_CHARS);
        }
        if self.cause.take_if(|it| it.as_str().len() > DEFAULT_DETAILS_BYTES).is_some() {
            self.private.drop_part("cause", "larger than the bound");
        }
        self.extra.clear();
    }
}

fn shorten(text: &mut String, most: usize) {
    if text.chars().count() > most {
        *text = text::cut(text, most).into_owned();
    }
}

/// As many members as fit, in order, and a note that some are missing.
fn bounded(details: Value<'_>, most: usize) -> RawJson {
    const NOTE: &str = r#","truncated":true}"#;
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    if details.kind() == Kind::Object {
        let mut size = 1;
        for (key, value) in details.members() {
            let value = RawJson::from(value);
            size += key.raw().len() + value.as_str().len() + 2;
            if size + NOTE.len() > most {
                break;
            }
            members.raw(&key.as_str().unwrap_or_default(), value.as_str());
        }
    }
    members.bool("truncated", true);
    members.close();
    RawJson::written(out)
}
