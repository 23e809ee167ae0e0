//! `[governance]`: what a governed gate lets pass, and who is who.

use std::path::PathBuf;

use redress_govern::role::globs;
use redress_registry::problems::quoted;

use super::{
    choice::Choice,
    reference::Location,
    section::section,
    table::ConfigTable,
    value::{NamedSection, NamedSections},
};

section! {
    /// What a governed gate lets pass. Clients begin a session first, in one workspace; the contract says what every tool does
    /// (`[tool.NAME] operation`). See `docs/reference/governance.md`.
    pub struct Governance (files: Vec<PathBuf>) {
        /// Whether the gate governs: it does where the file has this table or one below it, unless this is false.
        enabled: bool = false, example "false";
        /// A whole policy, whose parts the other keys change.
        preset: Option<Preset> = None, example "\"atlas-gate\"";
        /// The role of the client on stdio.
        role: Option<String> = None, example "\"WINDSURF\"";
        /// The one workspace that sessions may be about; by default any that exists, and for the built-in server its own folder.
        root: Option<Location> = None, example "\"/srv/project\"";
        /// Whether the system confines the processes of servers to the workspace, where one is named: they write below it, in a temporary directory of their own and below `writable`, and nowhere else, and read there, what programs need to run and `readable`. Preflights write in the workspace of each session, in temporary directories and below `writable`, and cannot read the signing key. With `"state"` servers may write everywhere but in the ledger and beside the keys, and cannot read the keys, also those of a gate that does not govern (`enabled = false`).
        confine: Confine = Confine::Workspace, example "false";
        /// Further directories below which they may write and read, such as the cache of a package manager.
        writable: Vec<Location> = Vec::new(), example "[\"/home/me/.npm\"]";
        /// Further files and directories that servers may read, but for the signing key; with `/` everything.
        readable: Vec<Location> = Vec::new(), example "[\"/home/me/servers\"]";
        /// Patterns of the codes that lock a session until a report names the failure. By default those of a call that was refused by a role, a path, a plan, a policy or the guard on code; with the preset all.
        locks: Option<Vec<String>> = None, example "[\"PLAN_*\", \"POLICY_VIOLATION\"]";
        /// The folder of the workspace in which failure reports are written.
        reports: String = "docs/reports".to_owned(), example "\"reports\"";
        /// The folder of the workspace with the plans, which no tool may change.
        plans: String = "docs/plans".to_owned(), example "\"plans\"";
        /// Patterns of the tools whose calls must follow a plan that a person approved. By default none; with the preset every command with paths.
        need_plan: Option<Vec<String>> = None, example "[\"write_*\", \"move\"]";
        /// Patterns of the tools that may run code which their caller wrote. Others are not shown.
        allow_eval: Vec<String> = Vec::new(), example "[\"evaluate\"]";
        /// The roles.
        roles: NamedSections<RoleRow> = NamedSections::default(), example "";
        /// The rules about what is written.
        write_rules: NamedSections<WriteRule> = NamedSections::default(), example "";
        /// The commands that must succeed after a write.
        preflight: NamedSections<PreflightRow> = NamedSections::default(), example "";
    }
    check check_patterns
}

section! {
    /// What a role may call. Without any role, everybody may call everything. The tools of the gate itself (`begin_session`, `read_ledger` and the like) are for every role.
    pub struct RoleRow (name: String) {
        /// Patterns of the tools that it may call.
        allow: Vec<String> = Vec::new(), example "[\"read_*\", \"write_file\"]";
        /// Patterns of the tools that it may not call, although a pattern allows them.
        deny: Vec<String> = Vec::new(), example "[\"move\", \"remove\"]";
    }
    check check_role
}

section! {
    /// A rule about what calls write, under a name that a failure tells. With a preset, a rule of its own is replaced by one of the same name.
    pub struct WriteRule (name: String) {
        /// Patterns of the files that it is about, from the workspace on; without any, all. `*` is any text, slashes too: `*.rs` means `src/a.rs` as well.
        paths: Vec<String> = Vec::new(), example "[\"src/**/*.rs\"]";
        /// Texts that must not stand in them.
        forbid_text: Vec<String> = Vec::new(), example "[\"FIXME\"]";
        /// Code that must not stand in Rust, JavaScript, TypeScript and Python; comments and texts are no code.
        forbid_code: Vec<String> = Vec::new(), example "[\".unwrap()\", \"panic!\"]";
        /// How many characters the argument `intent` of the call must have.
        intent_chars: u64 = 0, in 0..=1000, example "21";
        /// What a caller is to do who breaks it.
        hint: Option<String> = None, example "\"Return the error to the caller.\"";
    }
    check check_rule
}

section! {
    /// A command that must succeed after a write, in the workspace; if it fails or takes too long, the write is undone. It runs the code of the workspace, without
    /// the variables of the environment whose names say that they are secret.
    pub struct PreflightRow (name: String) {
        /// The program and its arguments.
        command: Vec<String> = Vec::new(), example "[\"cargo\", \"check\"]";
        /// Patterns of the files that it is about, from the workspace on; without any, all. `*` is any text, slashes too: `*.rs` means `src/a.rs` as well.
        paths: Vec<String> = Vec::new(), example "[\"**/*.rs\"]";
        /// How long it may take, in milliseconds. The deadline of the call ends it, too.
        timeout_ms: u64 = 30_000, in 1..=3_600_000, example "10000";
    }
    check check_command
}

section! {
    /// A caller who is known by a token.
    pub struct Caller (name: String) {
        /// The SHA-256 of the token without a line break, as 64 hex digits.
        sha256: Option<String> = None, example "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\"";
        /// The role of its bearer.
        role: Option<String> = None, example "\"WINDSURF\"";
        /// Whether its bearer may change something in the console of `serve`: mark failures as checked, and add rows to `--contract FILE`.
        console_write: bool = false, example "true";
    }
    check check_caller
}

/// What the system holds the processes of servers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confine {
    /// To nothing.
    Off,
    /// They write in the workspace, and cannot read the keys.
    Workspace,
    /// They write everywhere but in the ledger and beside the keys, and cannot read the keys.
    State,
}

/// A whole policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The governance that the dialect `atlas-gate` comes from.
    AtlasGate,
}

impl Preset {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        Choice::name(&self)
    }
}

impl Caller {
    /// The hash itself.
    pub(crate) fn hash(&self) -> Option<[u8; 32]> {
        let mut hash = [0; 32];
        let written = self.sha256.as_ref().filter(|it| it.len() == 64)?;
        if !written.bytes().all(|it| it.is_ascii_hexdigit()) {
            return None;
        }
        for (at, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(written.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(hash)
    }
}

fn check_caller(caller: &Caller, table: &mut ConfigTable<'_, '_>) {
    if caller.hash().is_none() {
        let problem = format!("`{}.sha256` must be 64 hex digits.", table.path());
        table.refuse("sha256", problem);
    }
}

fn check_role(role: &RoleRow, table: &mut ConfigTable<'_, '_>) {
    refuse_patterns("allow", &role.allow, table);
    refuse_patterns("deny", &role.deny, table);
}

fn check_rule(rule: &WriteRule, table: &mut ConfigTable<'_, '_>) {
    refuse_patterns("paths", &rule.paths, table);
}

fn check_command(preflight: &PreflightRow, table: &mut ConfigTable<'_, '_>) {
    refuse_patterns("paths", &preflight.paths, table);
    if preflight.command.is_empty() {
        let problem = format!("`{}.command` must name a program.", table.path());
        table.refuse("command", problem);
    }
}

fn check_patterns(governance: &Governance, table: &mut ConfigTable<'_, '_>) {
    for (key, patterns) in [("locks", &governance.locks), ("need_plan", &governance.need_plan)] {
        refuse_patterns(key, patterns.as_deref().unwrap_or_default(), table);
    }
    refuse_patterns("allow_eval", &governance.allow_eval, table);
    for (key, folder) in [("plans", &governance.plans), ("reports", &governance.reports)] {
        let is_name = |it: &str| !it.is_empty() && it != "." && it != ".." && !it.contains('\0');
        if !folder.split('/').all(is_name) {
            let problem = format!(
                "`governance.{key}` must be a folder below the workspace, such as `docs/{key}`, not {}.",
                quoted(folder)
            );
            table.refuse(key, problem);
        }
    }
    if table.given("role").is_some_and(|it| it.value.get_ref().is_table()) {
        let problem = "`governance.role` is the role of the client on stdio; what a role may call stands in `[governance.roles.NAME]`.";
        table.refuse("role", problem.to_owned());
    }
}

fn refuse_patterns(key: &str, patterns: &[String], table: &mut ConfigTable<'_, '_>) {
    for bad in patterns.iter().filter_map(|it| globs(&[it]).err()) {
        let (path, pattern) = (table.path(), quoted(&bad.pattern));
        let problem = format!("`{path}.{key}`: {pattern} is no pattern: {}.", bad.reason);
        table.refuse(key, problem);
    }
}

fn name_rule(name: &str) -> Result<(), &'static str> {
    let is_fine = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
    if name.is_empty() || name.len() > 64 || !name.bytes().all(is_fine) {
        Err("it may have letters, digits, `-`, `_` and `.`, at most 64")
    } else {
        Ok(())
    }
}

macro_rules! named {
    ($($NamedSection:ty),+) => {$(
        impl NamedSection for $NamedSection {
            fn name_rule(name: &str) -> Result<(), &'static str> {
                name_rule(name)
            }

            fn called(&self, name: &str) -> Self {
                Self { name: name.to_owned(), ..self.clone() }
            }

            fn name(&self) -> &str {
                &self.name
            }
        }
    )+};
}

named!(RoleRow, WriteRule, PreflightRow, Caller);
