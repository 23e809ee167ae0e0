//! Whole policies under a name.

use redress::Dialect;
use redress_govern::writes::Statement;

use crate::config::{Preset, RoleRow};

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

/// What must not stand in Rust, each a rule with its name: a failure is handled, not left to end the program.
const RUST: &[(&str, &str)] = &[
    ("no-unwrap", ".unwrap()"),
    ("no-expect", ".expect("),
    ("no-panic", "panic!"),
    ("no-todo", "todo!"),
    ("no-unimplemented", "unimplemented!"),
    ("no-unsafe", "unsafe {"),
    ("no-static-mut", "static mut"),
    ("no-leak", "Box::leak"),
    ("no-allow", "#[allow("),
];

/// How much a call must say about why it is made.
const INTENT_CHARS: usize = 21;

/// Marks of work that is not done, which must not stand in code.
const UNFINISHED: &[&str] = &["TODO", "FIXME", "XXX"];
const CODE: &[&str] = &["**/*.{rs,js,mjs,cjs,jsx,ts,mts,cts,tsx,py}"];

impl Preset {
    /// Its rules about what is written.
    pub(crate) fn write_rules(self) -> Vec<Statement<'static>> {
        let Self::AtlasGate = self;
        let rust = RUST.iter().map(|(id, code)| Statement {
            id,
            paths: vec!["**/*.rs"],
            forbid_code: vec![code],
            ..Statement::default()
        });
        let unfinished = Statement {
            id: "no-unfinished-work",
            paths: CODE.to_vec(),
            forbid_text: UNFINISHED.to_vec(),
            ..Statement::default()
        };
        let intent = Statement { id: "intent", intent_chars: INTENT_CHARS, ..Statement::default() };
        rust.chain([unfinished, intent]).collect()
    }

    /// Its roles.
    pub(crate) fn roles(self) -> Vec<RoleRow> {
        let Self::AtlasGate = self;
        let role = |name: &str, own: &[&str]| RoleRow {
            name: name.to_owned(),
            allow: READING.iter().chain(own).map(|&it| it.to_owned()).collect(),
            deny: Vec::new(),
        };
        vec![role("ANTIGRAVITY", PLANNING), role("WINDSURF", WRITING)]
    }

    /// The shape of envelope that clients get.
    pub(crate) const fn dialect(self) -> Dialect {
        let Self::AtlasGate = self;
        Dialect::AtlasGate
    }
}

#[cfg(test)]
mod tests {
    use super::{INTENT_CHARS, PLANNING, READING, RUST, UNFINISHED, WRITING};

    #[test]
    fn the_page_says_what_the_preset_contains() {
        let names = |all: &[&str]| format!("`{}`", all.join("`, `"));
        let rust: Vec<String> = RUST.iter().map(|it| format!("`{}` (`{}`)", it.0, it.1)).collect();
        let page = include_str!("../../../../docs/reference/governance.md");
        for row in [
            format!("| role `ANTIGRAVITY` | {} |", names(&[READING, PLANNING].concat())),
            format!("| role `WINDSURF` | {} |", names(&[READING, WRITING].concat())),
            format!("| rules about code in `**/*.rs` | {} |", rust.join(", ")),
            format!("| rule `no-unfinished-work` about files of code | {} |", names(UNFINISHED)),
            format!(
                "| rule `intent` | an argument `intent` of at least {INTENT_CHARS} characters |"
            ),
        ] {
            assert!(page.contains(&row), "docs/reference/governance.md lacks\n{row}");
        }
    }
}
