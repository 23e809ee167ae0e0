//! The derive where every name means something else.

#![deny(warnings, missing_docs, clippy::pedantic)]

use redress::Contract as _;

#[no_implicit_prelude]
mod shadowed {
    #![allow(dead_code, non_camel_case_types, reason = "the names are in the way on purpose")]

    pub(super) struct Result;
    pub(super) struct Option;
    pub(super) struct Some;
    pub(super) struct None;
    pub(super) struct Ok;
    pub(super) struct Err;
    pub(super) struct String;
    pub(super) struct Vec;
    pub(super) struct Box;
    pub(super) struct str;
    pub(super) struct u64;
    pub(super) trait From {}
    pub(super) trait Into {}
    pub(super) trait Display {}
    pub(super) trait Error {}
    pub(super) mod std {}
    pub(super) mod core {}
    pub(super) mod alloc {}

    /// What fails here.
    #[derive(Debug, ::redress::Contract)]
    #[contract(name = "shadowed", version = "0.1.0")]
    #[non_exhaustive]
    pub(crate) enum Failure {
        /// The name is a word of the language.
        #[contract(
            class = "not_found",
            retry = "after_change",
            message = "There is no {type}.",
            hint = "List the names, then use one from the list."
        )]
        NoSuchType {
            /// The name.
            #[contract(untrusted, example = "x")]
            r#type: ::std::string::String,
        },
        /// Not on this system.
        #[cfg(any())]
        NeverBuilt,
        /// It took too long.
        Timeout,
    }
}

#[test]
fn no_name_of_the_crate_gets_in_the_way() {
    let error = shadowed::Failure::NoSuchType { r#type: "fn".to_owned() };
    assert_eq!(error.to_string(), "There is no \"fn\".");
    assert_eq!(error.to_fault().code(), "NO_SUCH_TYPE");
    assert_eq!(shadowed::Failure::Timeout.to_fault().code(), "TIMEOUT");
}
