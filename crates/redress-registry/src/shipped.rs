//! The registries that ship with the library, each parsed once, when first asked for.

use std::sync::{Arc, LazyLock};

use crate::{
    Problem, Registry, Source,
    embedded::{self, EmbeddedFile},
    read::read_sound,
    resolve,
};

/// One shipped registry.
struct Shipped {
    file: &'static EmbeddedFile,
    parsed: LazyLock<Arc<Registry>>,
}

/// A file with its registry, which is parsed when it is first asked for.
macro_rules! shipped {
    ($file:ident) => {
        Shipped {
            file: &embedded::$file,
            parsed: LazyLock::new(|| parse_shipped(&embedded::$file)),
        }
    };
}

static SHIPPED: [Shipped; 6] = [
    shipped!(CORE),
    shipped!(ATLAS_GATE),
    shipped!(WORKRAIL),
    shipped!(RPC_TAXONOMY),
    shipped!(STAGEWRIGHT),
    shipped!(MAILVAULT),
];

/// The registry that every other one can extend.
pub fn core() -> &'static Arc<Registry> {
    let [core, ..] = &SHIPPED;
    &core.parsed
}

/// The shipped registry of that name.
pub fn get(name: &str) -> Option<&'static Arc<Registry>> {
    SHIPPED.iter().find(|it| it.file.name == name).map(|it| &*it.parsed)
}

/// The file of a shipped registry, as it was written.
pub fn source(name: &str) -> Option<Source> {
    SHIPPED.iter().find(|it| it.file.name == name).map(|it| Source::new(it.file.name, it.file.text))
}

/// Every shipped registry, `core` first.
pub fn all() -> impl Iterator<Item = &'static Arc<Registry>> {
    SHIPPED.iter().map(|it| &*it.parsed)
}

/// The names of all, `core` first; parses nothing.
pub fn names() -> impl Iterator<Item = &'static str> {
    embedded::names()
}

#[expect(clippy::expect_used, reason = "the text is a constant, and a test parses every one")]
fn parse_shipped(file: &EmbeddedFile) -> Arc<Registry> {
    Arc::new(parse(&Source::new(file.name, file.text)).expect("a shipped registry is valid"))
}

fn parse(source: &Source) -> Result<Registry, Vec<Problem>> {
    resolve(&read_sound(source)?, &|name| get(name).map(Arc::clone))
}

#[cfg(test)]
mod tests {
    use super::{all, core, get, names, parse, source};
    use crate::{Problem, read};

    #[test]
    fn every_shipped_registry_is_valid() {
        for name in names() {
            let problems = parse(&source(name).unwrap()).err().unwrap_or_default();
            let shown: Vec<_> = problems.iter().map(Problem::to_string).collect();
            assert!(shown.is_empty(), "{shown:#?}");
            assert!(read(&source(name).unwrap()).is_ok(), "{name} is neither huge nor deep");
        }
    }

    #[test]
    fn each_is_called_what_its_file_is_called_and_core_is_first() {
        assert!(names().eq(all().map(|it| &*it.name)));
        assert_eq!(&*core().name, "core");
        assert!(get("nope").is_none());
    }
}
