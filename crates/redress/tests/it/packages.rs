//! Packages: what they hold is what the library says, and equal registries give equal bytes.

use std::sync::Arc;

use redress::{
    Dialect, Lookup,
    codes::Code,
    package::{PACKAGES, Runtime, package},
};
use redress_registry::{
    Registry, Source, canonical,
    canonical::{canonical_json, entry},
    load, shipped,
};
use serde_json::Value;

#[expect(unreachable_pub, reason = "it is written for whole modules")]
#[rustfmt::skip]
#[path = "../../../../tests/packages/notes/rust/notes_codes.rs"]
mod notes_codes;

#[expect(unreachable_pub, reason = "it is written for whole modules")]
#[rustfmt::skip]
#[path = "../../../../tests/packages/hostile/rust/class_codes.rs"]
mod class_codes;

/// The registry of the example in `tests/packages`.
fn notes() -> Arc<Registry> {
    let text = include_str!("../../../../tests/packages/notes/errors.toml");
    load(&Source::new("errors.toml", text), &|_, _| None).unwrap()
}

#[test]
fn equal_registries_give_equal_bytes() {
    for package in PACKAGES {
        for runtime in [Runtime::Imported, Runtime::Bundled] {
            let [one, other] = [(), ()].map(|()| (package.files)(&notes(), runtime));
            assert_eq!(one, other, "{}", package.name);
        }
    }
}

#[test]
fn a_bundled_runtime_has_every_source_of_the_package() {
    for (name, sources, runtime) in [
        ("typescript", "typescript/src", "runtime"),
        ("python", "python/src/redress_runtime", "notes_errors/redress_runtime"),
    ] {
        let folder = format!("{}/../../packages/{sources}", env!("CARGO_MANIFEST_DIR"));
        let files = (package(name).unwrap().files)(&notes(), Runtime::Bundled);
        let paths = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        for path in paths.filter(|it| it.is_file()) {
            let name = format!("{runtime}/{}", path.file_name().unwrap().to_str().unwrap());
            let bundled = files.iter().find(|it| it.path == name).map(|it| it.text.as_str());
            assert_eq!(bundled, Some(&*std::fs::read_to_string(&path).unwrap()), "{name}");
        }
    }
}

#[test]
fn an_export_repeats_no_row_that_ships() {
    for (registry, rows) in [(notes(), 1), (Arc::clone(shipped::core()), 0)] {
        let files = (package("typescript").unwrap().files)(&registry, Runtime::Imported);
        assert_eq!(files[0].text.matches("\"spelled\": ").count(), rows, "{}", registry.name);
    }
}

#[test]
fn a_constant_of_the_rust_module_is_a_code_of_the_registry() {
    let registry = notes();
    assert_eq!(
        notes_codes::codes().map(Code::name).as_slice(),
        registry.codes.keys().map(|it| &**it).collect::<Vec<_>>()
    );
    for code in notes_codes::codes() {
        let row = registry.get(code.name()).unwrap();
        assert_eq!(canonical_json(&entry(code.entry())), canonical_json(&entry(row)));
    }
    let fault = notes_codes::NOTE_NOT_FOUND.raise([("id", "n-42")]);
    assert_eq!(fault.message, "There is no note \"n-42\".");
}

#[test]
fn any_registry_compiles_as_a_rust_module_of_the_same_codes() {
    let text = include_str!("../../../../tests/packages/hostile/errors.toml");
    let registry = load(&Source::new("errors.toml", text), &|_, _| None).unwrap();
    assert_eq!(canonical(&registry), canonical(class_codes::registry()));
    for code in class_codes::codes() {
        assert_eq!(code.entry().hint, registry.get(code.name()).unwrap().hint);
    }
    assert_eq!(class_codes::type_::SELF.name(), "type.SELF");
}

#[test]
fn every_vector_is_read_as_the_code_that_it_says() {
    for registry in shipped::all() {
        let lookup = Lookup::with([Arc::clone(registry)]);
        let text = &(package("vectors").unwrap().files)(registry, Runtime::Imported)[0].text;
        assert_eq!(text.lines().count(), registry.codes.len() * Dialect::ALL.len());
        for line in text.lines() {
            let vector: Value = serde_json::from_str(line).unwrap();
            let document = vector["document"].as_str().unwrap();
            let dialect = Dialect::parse(vector["dialect"].as_str().unwrap()).unwrap();
            let fault = dialect.read(document.as_bytes(), &lookup).unwrap();
            let code = vector.get("read_as").unwrap_or(&vector["code"]);
            assert_eq!(fault.code(), code.as_str().unwrap(), "{line}");
            assert_eq!(
                dialect.spelling(fault.entry()),
                vector["spelling"].as_str().unwrap(),
                "{line}"
            );
            let response: Value =
                serde_json::from_str(vector["response"].as_str().unwrap()).unwrap();
            assert_eq!(response.get("error").is_some(), dialect == Dialect::Rpc);
        }
    }
}
