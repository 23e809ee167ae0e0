//! `Program`: the command of a server, and how it is started.

use std::{ffi::OsString, fmt, path::PathBuf};

use crate::{confinement::Confinement, resources::Resources};

/// The command of a server, and how it is started.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Variables of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// Whether it has no other variables than these. If not, it inherits those of this process, too.
    pub has_own_env: bool,
    /// The directory in which it starts; that of this process if none is given.
    pub cwd: Option<PathBuf>,
    /// Which files it may write and read; by default those that this process may.
    pub confinement: Option<Confinement>,
    /// Its limits, if it is launched.
    pub resources: Resources,
    /// Whether a second process of this program becomes the server. Then its limits hold from its first instruction on, and it ends with
    /// this process even if that is killed. The `main` of this program must pass the argument `LAUNCH` on to
    /// `become_server`.
    pub is_launched: bool,
}

/// Leaves out the variables, which may be secret.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("command", &self.command).finish_non_exhaustive()
    }
}
