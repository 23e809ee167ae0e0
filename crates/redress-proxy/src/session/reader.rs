//! `MessageReader`: the memory in which lines are parsed, and what is known of lines that are too long to parse.

use redress_wire::json::Scratch;

use crate::peek;

/// The memory in which lines are parsed, and what is known of lines that are too long to parse.
#[derive(Debug, Default)]
pub(super) struct MessageReader {
    pub(super) scratch: Scratch,
    /// Whether the upstream's line that is too long has failed its request already.
    is_upstream_answered: bool,
    /// Whether the client's line that is too long has been answered already.
    is_client_answered: bool,
    /// Whether the client's line that is too long is itself an answer.
    is_client_answer: bool,
}

impl MessageReader {
    /// Takes the start of a client's line that is too long. Gives the id that it is answered under, if the start names one.
    pub(super) fn client_line_begins(&mut self, head: &[u8]) -> Option<Box<str>> {
        let id = peek::id_in_head(head);
        self.is_client_answered = id.is_some();
        self.is_client_answer = peek::is_answer(head);
        id
    }

    /// Whether such a line has been answered at its start.
    pub(super) const fn is_client_answered(&self) -> bool {
        self.is_client_answered
    }

    /// The id that such a line is answered under at its end, if it names one. The id of an answer is that of a request of the upstream.
    pub(super) fn id_at_end(&self, tail: &[u8]) -> Option<Box<str>> {
        if self.is_client_answer { None } else { peek::id_in_tail(tail) }
    }

    /// Notes whether the start of an upstream's line that is too long has failed the request that it answers.
    pub(super) const fn upstream_line_begins(&mut self, is_answered: bool) {
        self.is_upstream_answered = is_answered;
    }

    /// Ends such a line. Gives whether it has failed its request.
    pub(super) const fn upstream_line_ends(&mut self) -> bool {
        std::mem::replace(&mut self.is_upstream_answered, false)
    }
}

#[cfg(test)]
mod tests {
    use super::MessageReader;

    #[test]
    fn a_long_line_is_answered_at_its_start_or_its_end() {
        let mut reader = MessageReader::default();
        let head = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"#;
        assert_eq!(reader.client_line_begins(head).as_deref(), Some("7"));
        assert!(reader.is_client_answered());

        assert_eq!(reader.client_line_begins(br#"{"jsonrpc":"2.0","params":{"#), None);
        assert!(!reader.is_client_answered(), "it is another line");
        let id = reader.id_at_end(br#""x"},"method":"tools/call","id":"a"}"#);
        assert_eq!(id.as_deref(), Some("\"a\""));
        assert_eq!(reader.id_at_end(b"no message at all"), None);
    }

    #[test]
    fn a_long_answer_gets_no_id_from_its_end() {
        let mut reader = MessageReader::default();
        assert_eq!(reader.client_line_begins(br#"{"jsonrpc":"2.0","result":{"#), None);
        assert!(!reader.is_client_answered());
        assert_eq!(reader.id_at_end(br#""x"},"id":3}"#), None);
    }

    #[test]
    fn the_end_of_a_line_says_once_whether_it_failed() {
        let mut reader = MessageReader::default();
        assert!(!reader.upstream_line_ends(), "no line has begun");
        reader.upstream_line_begins(true);
        assert!(reader.upstream_line_ends());
        assert!(!reader.upstream_line_ends(), "the next line is another one");
        reader.upstream_line_begins(false);
        assert!(!reader.upstream_line_ends());
    }
}
