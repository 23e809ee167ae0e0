//! Exports: their bytes, and what must hold for every shipped registry.

use std::sync::Arc;

use redress_registry::{Registry, export, shipped};
use serde_json::Value;

use crate::documentation::example;

/// The example of the documentation without what it takes in, so that the golden files stay short.
fn own_part() -> Registry {
    let mut registry = Registry::clone(&example());
    let name = Arc::clone(&registry.name);
    registry.codes.retain(|_, it| it.registry == name);
    registry.domains.retain(|it, _| &**it == "notes");
    registry
}

fn written(format: &str, registry: &Registry) -> String {
    (export::format(format).unwrap().write)(registry)
}

#[test]
fn json_is_canonical() {
    insta::assert_snapshot!(written("json", &own_part()));
}

#[test]
fn json_schema_narrows_the_envelope_to_the_codes() {
    insta::assert_snapshot!(written("json-schema", &own_part()));
}

#[test]
fn markdown_has_an_index_and_a_section_for_each_code() {
    insta::assert_snapshot!(written("markdown", &own_part()));
}

#[test]
fn the_schema_knows_every_code_and_hides_every_secret() {
    for registry in shipped::all() {
        let schema: Value = serde_json::from_str(&written("json-schema", registry)).unwrap();
        let known = schema["properties"]["code"]["enum"].as_array().unwrap();
        assert_eq!(known.len(), registry.codes.len());
        for entry in registry.codes.values() {
            let details = &schema["$defs"][&*entry.code]["properties"];
            for param in &entry.params {
                assert_eq!(details.get(&*param.name).is_some(), !param.secret, "{}", entry.code);
            }
        }
    }
}

#[test]
fn every_link_of_the_page_has_its_heading() {
    for registry in shipped::all() {
        let page = written("markdown", registry);
        for entry in registry.codes.values() {
            assert!(page.contains(&format!("\n## {}\n", entry.code)), "{}", entry.code);
        }
        assert!(!page.contains("\n\n\n"), "{}", registry.name);
    }
}

#[test]
fn the_same_registry_gives_the_same_bytes() {
    for format in export::FORMATS {
        assert_eq!((format.write)(&own_part()), (format.write)(&own_part()), "{}", format.name);
        assert!((format.write)(&own_part()).ends_with('\n'), "{}", format.name);
    }
}
