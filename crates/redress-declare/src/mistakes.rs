//! `Mistakes`: what is wrong with a declaration, each at its place, collected until all are reported.

use proc_macro2::Span;
use redress_registry::nearest::nearest;

/// What is wrong, as found so far.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<syn::Error>);

impl Mistakes {
    /// Notes what is wrong at a place.
    pub fn add(&mut self, at: Span, message: impl std::fmt::Display) {
        self.0.push(syn::Error::new(at, message));
    }

    /// Notes what the parser found.
    pub fn take(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Whether nothing is wrong.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order in which they were found.
    pub fn into_list(self) -> Vec<syn::Error> {
        self.0
    }
}

/// ` Did you mean X?`, or nothing.
pub(crate) fn meant<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|it| format!(" Did you mean `{it}`?")).unwrap_or_default()
}
