//! `Reader`: the memory in which lines are parsed, and what is known of lines that are too long to parse.

use redress_wire::json::Scratch;

/// The memory in which lines are parsed, and what is known of lines that are too long to parse.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) scratch: Scratch,
    /// Whether the upstream's line that is too long has failed its request already.
    pub(super) is_upstream_answered: bool,
    /// Whether the client's line that is too long has been answered already.
    pub(super) is_client_answered: bool,
    /// Whether the client's line that is too long is itself an answer.
    pub(super) is_client_answer: bool,
}
