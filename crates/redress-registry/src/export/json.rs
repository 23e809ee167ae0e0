//! The registry as canonical JSON, one line.

use crate::{Registry, canonical};

pub(super) fn write(registry: &Registry) -> String {
    canonical(registry) + "\n"
}
