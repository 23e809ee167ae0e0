//! An error that says itself what its codes are.

use std::time::Duration;

use redress::{Contract, card};
use redress_registry::{Effect, ParamType, RetryKind};

#[derive(Debug, Contract)]
#[contract(name = "notes", version = "0.3.0")]
enum NoteError {
    /// Notes are removed for good.
    ///
    /// An id of yesterday can be gone today.
    #[contract(
        class = "not_found",
        retry = "after_change",
        message = "There is no note {id}.",
        hint = "List the notes, then use an id from the list.",
        next = "list_notes",
        similar = "id"
    )]
    NoteNotFound {
        /// The id that was asked for.
        #[contract(untrusted, max_chars = 80, example = "n-42")]
        id: String,
        #[similar]
        near: Option<String>,
    },
    /// The disk is full, or was taken away.
    #[contract(
        class = "unavailable",
        retry = "after_delay",
        after_ms = 500,
        effect = "unknown",
        message = "The note was not written.",
        hint = "Wait half a second, then write the note again."
    )]
    NoteNotWritten {
        bytes: Option<u64>,
        #[source]
        cause: std::io::Error,
    },
    /// The store answers one at a time.
    #[contract(
        class = "resource_exhausted",
        retry = "after_delay",
        message = "The store is busy for {retry_after_ms} ms.",
        hint = "Wait that long, then make the same call."
    )]
    StoreBusy(#[retry_after] Duration),
    Timeout,
}

#[test]
fn attributes_are_a_row() {
    let error = NoteError::NoteNotFound { id: "n-1".to_owned(), near: Some("n-2".to_owned()) };
    assert_eq!(
        card(&error.to_fault()),
        "NOTE_NOT_FOUND: There is no note \"n-1\".\n\
         Retry: only with other arguments (id). Nothing was changed.\n\
         Fix: List the notes, then use an id from the list. Did you mean n-2?\n\
         Next: list_notes"
    );
    let registry = NoteError::registry();
    assert_eq!((&*registry.name, registry.version.as_str()), ("notes", "0.3.0"));
    let row = registry.get("NOTE_NOT_FOUND").unwrap();
    assert_eq!(row.title, "Note not found");
    assert_eq!(row.explain, "Notes are removed for good.\n\nAn id of yesterday can be gone today.");
    assert_eq!(row.param("id").unwrap().doc, "The id that was asked for.");
    let slow = registry.get("NOTE_NOT_WRITTEN").unwrap();
    assert_eq!((slow.retry.kind, slow.retry.after_ms), (RetryKind::AfterDelay, Some(500)));
    assert_eq!(slow.effect, Effect::Unknown);
    let bytes = slow.param("bytes").unwrap();
    assert_eq!((bytes.kind, bytes.required), (ParamType::Integer, false));
    assert!(slow.param("cause").is_none());
}

#[test]
fn a_source_is_no_parameter() {
    let cause = std::io::Error::other("disk 3 is full");
    let fault = NoteError::NoteNotWritten { bytes: Some(9), cause }.to_fault();
    assert_eq!(fault.details.unwrap().as_str(), r#"{"bytes":9}"#);
    assert_eq!(fault.private.causes.len(), 1);
}

#[test]
fn a_wait_is_a_parameter_of_its_row() {
    let fault = NoteError::StoreBusy(Duration::from_secs(2)).to_fault();
    assert_eq!(fault.message, "The store is busy for 2000 ms.");
    assert_eq!(fault.retry.after_ms, Some(2000));
    assert_eq!(fault.details.unwrap().as_str(), r#"{"retry_after_ms":2000}"#);
}

#[test]
fn a_code_of_core_needs_no_row() {
    assert_eq!(NoteError::Timeout.to_fault().code(), "TIMEOUT");
    assert_eq!(NoteError::CODES, ["NOTE_NOT_FOUND", "NOTE_NOT_WRITTEN", "STORE_BUSY", "TIMEOUT"]);
}
