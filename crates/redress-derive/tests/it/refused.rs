//! What does not compile, each mistake with its one message.

use std::{fs, path::Path};

/// The cases are compiled as a package in the target folder, which so has these files, too.
fn put_registries() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let package = target.join("tests/trybuild/redress-derive");
    for file in ["tests/it/errors.toml", "tests/it/shared.toml", "tests/ui/invalid.toml"] {
        let copy = package.join(file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), copy).unwrap();
    }
}

#[test]
fn each_mistake_has_one_message_at_its_place() {
    put_registries();
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

/// Each of these cases has two variants, with one mistake each. That the compiler says just this is the test above.
#[test]
fn a_private_field_in_a_message_has_one_message() {
    for case in ["private_placeholder", "secret_of_a_change"] {
        let path = format!("{}/tests/ui/{case}.stderr", env!("CARGO_MANIFEST_DIR"));
        let told = fs::read_to_string(path).unwrap();
        let errors = told.lines().filter(|it| it.starts_with("error")).count();
        assert_eq!(errors, 2, "{told}");
    }
}
