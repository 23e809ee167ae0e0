//! Our errors.

#[derive(Debug, redress::Contract)]
pub enum NoteError {
    /// Notes are removed for good.
    ///
    /// An id of "yesterday" can be gone today.
    #[contract(class = "not_found", retry = "after_change", message = "There is no note {id}.",
               hint = "List the notes, then use an id from the list.", next = "list_notes", similar = "id")]
    NoteNotFound {
        /// The id that was asked for.
        #[contract(untrusted, max_chars = 80, example = "n-42")]
        id: String,
    },
    /// The store is far away.
    #[contract(class = "unavailable", retry = "after_delay", after_ms = 500, message = "The store is slow.",
               hint = "Wait half a second, then try again.")]
    StoreSlow { wait_ms: Option<u64>, #[source] cause: std::io::Error },
    Timeout,
}
