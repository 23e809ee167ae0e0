//! Who may call what: a role is a name, the tools that it may call, and those that it may not.

use globset::{Glob, GlobSet, GlobSetBuilder};
use redress::{Fault, codes, text};

/// One role.
#[derive(Debug, Clone)]
pub struct Role {
    name: String,
    allow: GlobSet,
    deny: GlobSet,
}

/// Why a role cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadGlob {
    /// The pattern as written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Role {
    /// A role by the patterns of the tools that it may call, and of those that it may not although a pattern allows them.
    ///
    /// # Errors
    /// The first pattern that is none.
    pub fn new<T: AsRef<str>>(name: &str, allow: &[T], deny: &[T]) -> Result<Self, BadGlob> {
        Ok(Self { name: name.to_owned(), allow: globs(allow)?, deny: globs(deny)? })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// All roles of a policy.
#[derive(Debug, Clone, Default)]
pub struct Roles(Vec<Role>);

impl Roles {
    /// These roles.
    pub fn new(roles: impl IntoIterator<Item = Role>) -> Self {
        Self(roles.into_iter().collect())
    }

    /// Whether anything depends on a role.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The role of that name.
    pub fn find(&self, name: &str) -> Option<&Role> {
        self.0.iter().find(|it| it.name == name)
    }

    /// All names, for messages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(Role::name)
    }

    /// Whether a caller with that role may call the tool.
    ///
    /// # Errors
    /// A rule that forbids the tool to the role is `UNAUTHORIZED_ACTION`; a tool of other roles is `ROLE_MISMATCH` and names one of them;
    /// a tool of no role, or a caller without a role, is `INSUFFICIENT_PERMISSIONS`.
    pub fn judge(&self, role: Option<&str>, tool: &str) -> Result<(), Box<Fault>> {
        if self.is_empty() {
            return Ok(());
        }
        let Some(own) = role.and_then(|it| self.find(it)) else {
            return Err(Box::new(insufficient(role, tool)));
        };
        if own.deny.is_match(tool) {
            let params = [("action", tool), ("role", own.name.as_str())];
            let mut fault = codes::UNAUTHORIZED_ACTION.raise(params);
            fault.message = may_not(role, tool);
            fault.hint = format!("Choose a tool that the role {} may call.", own.name);
            return Err(Box::new(fault));
        }
        if own.allow.is_match(tool) {
            return Ok(());
        }
        Err(Box::new(match self.0.iter().find(|it| it.allow.is_match(tool)) {
            Some(other) => {
                let params = [("required_role", other.name.as_str()), ("role", own.name.as_str())];
                codes::ROLE_MISMATCH.raise(params)
            }
            None => insufficient(role, tool),
        }))
    }
}

fn insufficient(role: Option<&str>, tool: &str) -> Fault {
    let params = [("permission", "call"), ("resource", tool)];
    let mut fault = codes::INSUFFICIENT_PERMISSIONS.raise(params);
    fault.message = may_not(role, tool);
    "Use a tool that this role may call, or ask the operator for a role that may call this one."
        .clone_into(&mut fault.hint);
    fault
}

/// How much of a name a message shows.
const NAME_CHARS: usize = 80;

fn may_not(role: Option<&str>, tool: &str) -> String {
    let tool = text::quote(tool, NAME_CHARS);
    match role {
        Some(role) => format!("The role {role} may not call {tool}."),
        None => format!("A caller without a role may not call {tool}."),
    }
}

/// Patterns as one set.
pub type Patterns = GlobSet;

/// Patterns as one set.
///
/// # Errors
/// The first that is none.
pub fn globs<T: AsRef<str>>(patterns: &[T]) -> Result<GlobSet, BadGlob> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.as_ref();
        let bad = |reason: globset::Error| BadGlob {
            pattern: pattern.to_owned(),
            reason: reason.kind().to_string(),
        };
        set.add(Glob::new(pattern).map_err(bad)?);
    }
    let bad = |reason: globset::Error| BadGlob {
        pattern: String::new(),
        reason: reason.kind().to_string(),
    };
    set.build().map_err(bad)
}
