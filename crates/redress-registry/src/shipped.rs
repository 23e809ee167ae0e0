//! The registries that ship with the library: embedded as text, each parsed once, when first asked for.

use std::sync::{Arc, LazyLock};

use crate::{Problem, Registry, Source, read::read_sound, resolve};

/// One shipped registry.
struct Shipped {
    name: &'static str,
    text: &'static str,
    parsed: LazyLock<Arc<Registry>>,
}

/// The file of that name under `registries/`.
macro_rules! shipped {
    ($name:literal) => {{
        const TEXT: &str = include_str!(concat!("../registries/", $name, ".toml"));
        Shipped { name: $name, text: TEXT, parsed: LazyLock::new(|| parse_shipped($name, TEXT)) }
    }};
}

static SHIPPED: [Shipped; 6] = [
    shipped!("core"),
    shipped!("atlas-gate"),
    shipped!("workrail"),
    shipped!("rpc-taxonomy"),
    shipped!("stagewright"),
    shipped!("mailvault"),
];

/// The registry that every other one can extend.
pub fn core() -> &'static Arc<Registry> {
    let [core, ..] = &SHIPPED;
    &core.parsed
}

/// The shipped registry of that name.
pub fn get(name: &str) -> Option<&'static Arc<Registry>> {
    SHIPPED.iter().find(|it| it.name == name).map(|it| &*it.parsed)
}

/// The file of a shipped registry, as it was written.
pub fn source(name: &str) -> Option<Source> {
    SHIPPED.iter().find(|it| it.name == name).map(|it| Source::new(it.name, it.text))
}

/// Every shipped registry, `core` first.
pub fn all() -> impl Iterator<Item = &'static Arc<Registry>> {
    SHIPPED.iter().map(|it| &*it.parsed)
}

/// The names of all, `core` first; parses nothing.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|it| it.name)
}

#[expect(clippy::expect_used, reason = "the text is a constant, and a test parses every one")]
fn parse_shipped(name: &str, text: &str) -> Arc<Registry> {
    Arc::new(parse(&Source::new(name, text)).expect("a shipped registry is valid"))
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
