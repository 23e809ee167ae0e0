//! The packages for Python: the program as a wheel, made by maturin, and the runtime for authors.

use std::{path::Path, process::Command};

use super::{Dist, done};
use crate::{cargo::cargo, peers::Peers};

/// Packs the wheels. Gives how many there are.
pub(super) fn pack(dist: &Dist) -> Result<usize, String> {
    let peers = Peers::install(&dist.root)?;
    let source = dist.root.join("packaging/python");
    let mut maturin = Command::new(peers.folder("python/bin/maturin"));
    // The same build as that of the other packages, so that nothing is compiled twice.
    maturin.args(["build", "--locked", "--all-features", "--profile", &dist.profile]);
    maturin.arg("--out").arg(&dist.folder).current_dir(&source);
    for (name, value) in cargo().get_envs() {
        match value {
            Some(value) => maturin.env(name, value),
            None => maturin.env_remove(name),
        };
    }
    done(&mut maturin)?;
    runtime(dist, &peers.python())?;
    Ok(2)
}

/// The runtime for authors: a wheel of Python alone.
fn runtime(dist: &Dist, python: &Path) -> Result<(), String> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]).arg(&dist.folder);
    done(pip.arg(dist.root.join("packages/python")))
}
