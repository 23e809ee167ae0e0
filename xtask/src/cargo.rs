//! Cargo, started as if no other cargo had started us.

use std::{env, process::Command};

/// What cargo tells a program of the package that it belongs to. A build script that looks at these (ring's does) would run
/// again, and all that depends on it be built again, whenever another package asks.
const OF_PACKAGE: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|it| OF_PACKAGE.iter().any(|start| it.starts_with(start))) {
            cargo.env_remove(name);
        }
    }
    cargo
}
