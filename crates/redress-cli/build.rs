//! Links the program so that starting it reads fewer pages, where linker and C library are able to.
#![expect(
    clippy::disallowed_methods,
    reason = "cargo talks to a build script by its environment and its output"
)]

use std::{
    env, fs, io,
    path::Path,
    process::{Command, Stdio},
};

/// Relocations in their short form: all of them are read whenever the program starts, and stay resident.
const SHORT_RELOCATIONS: &str = "-Wl,-z,pack-relative-relocs";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if works(SHORT_RELOCATIONS).unwrap_or(false) {
        println!("cargo::rustc-link-arg-bins={SHORT_RELOCATIONS}");
    }
}

/// Whether a program that is linked so starts here. Elsewhere, that is not guaranteed.
fn works(argument: &str) -> io::Result<bool> {
    let (target, dir) = (variable("TARGET")?, variable("OUT_DIR")?);
    let is_for_here = target == variable("HOST")?;
    if !is_for_here || variable("CARGO_CFG_TARGET_OS")? != "linux" {
        return Ok(false);
    }
    let (source, program) = (Path::new(&dir).join("trial.rs"), Path::new(&dir).join("trial"));
    fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(variable("RUSTC")?);
    rustc.args(["--edition=2024", "--target", &target, "-C", &format!("link-arg={argument}")]);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    let flags = variable("CARGO_ENCODED_RUSTFLAGS")?;
    rustc.args(flags.split('\x1f').filter(|it| !it.is_empty()));
    rustc.arg("-o").arg(&program).arg(&source);
    Ok(succeeds(&mut rustc)? && succeeds(&mut Command::new(program))?)
}

fn succeeds(command: &mut Command) -> io::Result<bool> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.map(|it| it.success())
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(io::Error::other)
}
