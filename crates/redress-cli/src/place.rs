//! Where the user's own files are, by the XDG rules.

use std::{env, ffi::OsString, path::PathBuf};

use crate::failure::Failure;

/// The directory for ledgers.
pub(crate) fn state() -> Result<PathBuf, Failure> {
    Ok(base("XDG_STATE_HOME", ".local/state")?.join("redress"))
}

/// The directory for what can be fetched again.
#[cfg(feature = "fleet")]
pub(crate) fn cache() -> Result<PathBuf, Failure> {
    Ok(base("XDG_CACHE_HOME", ".cache")?.join("redress"))
}

/// The directory for the control sockets of running gates.
pub(crate) fn control() -> Result<PathBuf, Failure> {
    Ok(state()?.join("control"))
}

/// The key that signs them, which must not lie beside them.
pub(crate) fn key() -> Result<PathBuf, Failure> {
    Ok(base("XDG_CONFIG_HOME", ".config")?.join("redress").join("ledger.key"))
}

/// The key with which the operator approves plans.
pub(crate) fn plans_key() -> Result<PathBuf, Failure> {
    Ok(key()?.with_file_name("plans.key"))
}

/// The list of the plans whose approval was taken back, beside the key that approves them.
pub(crate) fn revoked() -> Result<PathBuf, Failure> {
    Ok(base("XDG_CONFIG_HOME", ".config")?.join("redress").join("revoked-plans"))
}

fn base(variable: &str, below_home: &str) -> Result<PathBuf, Failure> {
    let absolute = |it: OsString| Some(PathBuf::from(it)).filter(|it| it.is_absolute());
    if let Some(dir) = env::var_os(variable).and_then(absolute) {
        return Ok(dir);
    }
    let home = env::var_os("HOME").and_then(absolute);
    home.map(|it| it.join(below_home)).ok_or_else(|| {
        Failure::config("HOME", "No home directory is known.")
            .fix("Set HOME, name a directory with --ledger, or use --no-ledger.")
    })
}
