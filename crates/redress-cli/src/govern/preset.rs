//! Whole policies under a name.

use redress::Dialect;
use redress_govern::role::{BadGlob, Role};

use crate::config::Preset;

/// What both roles of ATLAS-GATE may call: its own tools that read, and those of the built-in server.
const READING: &[&str] = &[
    "read_file",
    "read_audit_log",
    "read_prompt",
    "list_directory",
    "search_files",
    "stat",
    "explain_error",
];

/// What only the planning role may call, and only the writing one.
const PLANNING: &[&str] = &["bootstrap_create_foundation_plan"];
const WRITING: &[&str] = &["write_file", "apply_patch", "move", "remove"];

impl Preset {
    /// Its roles.
    pub(crate) fn roles(self) -> Result<Vec<Role>, BadGlob> {
        let Self::AtlasGate = self;
        let role = |name: &str, own: &[&str]| Role::new(name, &[READING, own].concat(), &[]);
        Ok(vec![role("ANTIGRAVITY", PLANNING)?, role("WINDSURF", WRITING)?])
    }

    /// The shape of envelope that clients get.
    pub(crate) const fn dialect(self) -> Dialect {
        let Self::AtlasGate = self;
        Dialect::AtlasGate
    }
}
