//! A file.
#![allow(dead_code)]

use redress::Contract;

fn f() { let s = "#[derive(Contract)] enum Not {}"; }

mod inner {
    #[derive(Debug, redress::Contract)]
    #[contract(name = "notes")]
    pub(crate) enum NoteError<'a> {
        /// A page.
        #[contract(class = "not_found", retry = "after_change", message = "No note {id}.", hint = "List the notes, then use an id.")]
        NoteNotFound { id: &'a str },
        Timeout,
    }
}

#[derive(Debug)]
struct Other;

#[derive(Debug, Contract)]
#[contract(registry = "errors.toml")]
struct InFile;

#[derive(Debug, Contract)]
/// A page.
#[contract(class = "internal", retry = "never", message = "It broke.", hint = "Tell the owner what you did.")]
struct NoteBroken(#[source] std::io::Error);
