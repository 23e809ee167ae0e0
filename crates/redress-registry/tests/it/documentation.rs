//! What `docs/reference/registry.md` shows is true.

use std::sync::Arc;

use redress_registry::{Class, Problem, Registry, Source, dialects::DIALECTS, load};

const PAGE: &str = include_str!("../../../../docs/reference/registry.md");

/// The example of the page.
pub(crate) fn example_file() -> Source {
    let (_, rest) = PAGE.split_once("```toml errors.toml\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    Source::new("docs/reference/registry.md", text)
}

/// The example of the page, as a registry.
pub(crate) fn example() -> Arc<Registry> {
    load(&example_file(), &|_, _| None).unwrap_or_else(|problems| {
        panic!("{:#?}", problems.iter().map(Problem::to_string).collect::<Vec<_>>())
    })
}

#[test]
fn the_example_is_a_registry() {
    let registry = example();
    assert_eq!(registry.get("NOTE_NOT_FOUND").unwrap().http, 404);
    assert!(registry.get("TIMEOUT").is_some(), "it extends core");
}

#[test]
fn every_class_and_dialect_is_named() {
    for name in Class::ALL.map(Class::name).into_iter().chain(DIALECTS) {
        assert!(PAGE.contains(&format!("`{name}`")), "{name}");
    }
}
