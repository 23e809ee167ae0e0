//! The registries that ship with the library, parsed once each.

use std::sync::{Arc, LazyLock};

use crate::{Registry, model::Ordered};

static CORE: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    Arc::new(Registry {
        name: "core".into(),
        version: "0.1.0".to_owned(),
        docs_base: None,
        extends: Vec::new(),
        namespace: None,
        domains: Ordered::default(),
        codes: Ordered::default(),
        retired: Ordered::default(),
        tools: Ordered::default(),
        allows: Vec::new(),
    })
});

/// The registry that every other one can extend.
pub fn core() -> &'static Arc<Registry> {
    &CORE
}
