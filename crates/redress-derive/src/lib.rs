//! `#[derive(Contract)]`: an error type of Rust, checked against its registry while it compiles.
//!
//! # Modules
//!
//! - `home.rs` finds the registry. `check.rs` compares the type with it. `emit.rs` and `variant.rs` write the code.
//!
//! # Invariants
//!
//! - One message for one mistake. A type with mistakes gets its implementations all the same, so that no second message
//!   follows.
//! - A field is a parameter that the registry declares, or it is marked as something else; nothing else gets into a
//!   fault.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod check;
mod emit;
mod home;
mod variant;

use proc_macro::TokenStream;
use redress_declare::{Mistakes, read};
use syn::{DeriveInput, parse_macro_input};

/// Makes an error type one whose every value is a fault of a registry: `Contract`, `Display` and `Error`.
///
/// ```
/// use std::{io, time::Duration};
///
/// use redress::Contract;
///
/// #[derive(Debug, Contract)]
/// #[contract(registry = "tests/it/errors.toml")]
/// enum PageError {
///     RefNotFound { ref_id: u32, #[similar] near: Vec<String> },
///     CdpTimeout { method: String, #[retry_after] wait: Duration, #[source] cause: io::Error },
/// }
///
/// let error = PageError::RefNotFound { ref_id: 42, near: vec!["41".to_owned()] };
/// assert_eq!(error.to_string(), "Ref 42 is not in the current snapshot.");
/// assert_eq!(error.to_fault().code(), "REF_NOT_FOUND");
/// assert_eq!(PageError::CODES, ["REF_NOT_FOUND", "CDP_TIMEOUT"]);
/// ```
///
/// # On the type
///
/// - `registry = "errors.toml"`: a registry file, relative to the package's manifest, or the name of one that ships with
///   the library. An edit of the file compiles the type again.
/// - Without it the variants say themselves what their codes are. `name`, `version` and `extends` are those of that
///   registry, if not the package's own and `core`. A file can take all of it over:
///   `redress registry add errors.toml --from-rust src/errors.rs`.
///
/// # On a variant (or a struct)
///
/// - Its code is its name: `RefNotFound` is `REF_NOT_FOUND`. `code = "…"` is another one.
/// - `transparent` passes another error of a contract on as it is.
/// - A code that its row deprecates is a warning of the compiler, unless the variant is `#[deprecated]` itself, so that
///   the compiler warns its users, or `#[allow(deprecated)]`.
/// - `class`, `retry` (with `after_ms`, `max`), `message`, `hint`, and what else a row can say (`number`, `domain`, `http`, `effect`,
///   `severity`, `title`, `next`, `similar`, `explain`, `since`, `stability`), where no file says it. The doc comment is
///   the page for people.
///
/// # On a field
///
/// A field is a parameter, called as in the registry; `param = "…"` is another name. It fills the message and is in
/// `details`. Other fields are marked:
///
/// - `#[similar]`: names that were probably meant.
/// - `#[retry_after]`: a `Duration` to wait, for a code with the retry `after_delay`.
/// - `#[next]`: calls that help this time, in place of the row's.
/// - `#[source]`: what the error came from. Only the operator sees it.
/// - `#[from]`: the same, and `?` makes the error from it.
///
/// Where no file says it: `type`, `enum`, `example`, `untrusted`, `secret`, `max_chars`; the doc comment is `doc`, and an `Option`
/// is not required.
///
/// ```
/// use redress::Contract;
///
/// #[derive(Debug, Contract)]
/// enum NoteError {
///     /// Notes are removed for good; an id of yesterday can be gone today.
///     #[contract(class = "not_found", retry = "after_change", message = "There is no note {id}.",
///                hint = "List the notes, then use an id from the list.", next = "list_notes")]
///     NoteNotFound { #[contract(untrusted, max_chars = 80)] id: String },
/// }
///
/// let fault = NoteError::NoteNotFound { id: "n-42".to_owned() }.to_fault();
/// assert_eq!(fault.message, "There is no note \"n-42\".");
/// ```
#[proc_macro_derive(Contract, attributes(contract, from, next, retry_after, similar, source))]
pub fn contract(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let mut mistakes = Mistakes::default();
    let declaration = read(&input, &mut mistakes);
    let found = home::find(&declaration, &mut mistakes);
    let variants = found.as_ref().map(|it| check::check(&declaration, it, &mut mistakes));
    let is_union = matches!(input.data, syn::Data::Union(_));
    let impls = match (&found, &variants) {
        (Some(found), Some(variants)) if mistakes.is_empty() => {
            emit::impls(&declaration, found, variants)
        }
        _ if is_union => proc_macro2::TokenStream::new(),
        _ => emit::stand_in(&declaration),
    };
    let errors = mistakes.into_list().into_iter().map(syn::Error::into_compile_error);
    let mut tokens: proc_macro2::TokenStream = errors.collect();
    tokens.extend(impls);
    tokens.into()
}
