//! What a fault may cost: the bounds of everything that is emitted, and the estimate of its tokens.

/// The most tokens of a card.
pub const MAX_CARD_TOKENS: usize = 120;
/// The same in characters, by the native estimate.
pub const MAX_CARD_CHARS: usize = MAX_CARD_TOKENS * 32 / 10;
/// The most characters of a card with what a server said in it: those above are for what is ours.
pub const MAX_QUOTING_CARD_CHARS: usize = 320;
/// The characters of a card that the line with a server's words gets, however long the lines before it are.
pub const SERVER_LINE_CHARS: usize = 84;
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
