//! Invariants: what always holds in a governed gate, each under an id, and where it is looked at.
//!
//! A gate that starts checks those of [`When::Start`]; an invariant that does not hold is reported, and nothing is served. The others are
//! checked with every call: one that does not hold is a defect, or another program changed something without the gate, and the
//! call ends with `INVARIANT_VIOLATION`.

use redress::{Fault, codes, fault::Cause};

/// Something that always holds.
#[derive(Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Its permanent name, as faults carry it.
    pub id: &'static str,
    /// What holds.
    pub promise: &'static str,
    /// When that is looked at.
    pub when: When,
}

/// When an invariant is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before anything is served.
    Start,
    /// Before the server hears of a call.
    Call,
    /// Before the client hears of an answer.
    Answer,
}

impl When {
    /// As the documentation says it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Start => "at the start",
            Self::Call => "with each call",
            Self::Answer => "with each answer",
        }
    }
}

macro_rules! invariants {
    ($($(#[doc = $promise:literal])+ $id:ident: $when:ident;)+) => {
        $(
            $(#[doc = $promise])+
            pub const $id: Invariant = Invariant {
                id: stringify!($id),
                promise: concat!($($promise),+).trim_ascii(),
                when: When::$when,
            };
        )+

        /// All of them.
        pub const ALL: &[Invariant] = &[$($id),+];
    };
}

invariants! {
    /// The contract of each server is readable, and the lint finds no violation in it.
    INV_CONTRACT: Start;
    /// The ledger opens, and the processes before this one left nothing behind that cannot be repaired.
    INV_LEDGER_OPEN: Start;
    /// The ledger holds what was written to it: its newest segments hash, link and are signed, and no chain is cut or gone.
    INV_LEDGER_CHAIN: Start;
    /// What the policy names is there (roles, tools, codes, programs), what it asks for can be met and can be missed, and where it has roles no caller is without one.
    INV_POLICY: Start;
    /// Every pattern of the tools that may run code means a tool which a contract says runs code.
    INV_MANIFEST: Start;
    /// The configuration, the contracts, the files of tokens, the ledger with all that is in it and the key belong to this user or to root, and nobody else can write
    /// them or replace them.
    INV_FILES_OWN: Start;
    /// Only this user can read the signing key.
    INV_KEY_PRIVATE: Start;
    /// The workspace is a directory in which the system can confine paths, and not everybody can write there.
    INV_WORKSPACE: Start;
    /// What the gate relies on does not lie in the workspace, where a governed client could write it.
    INV_WORKSPACE_APART: Start;
    /// The path of a session's workspace leads to the very directory in which the session works.
    INV_ROOT_UNCHANGED: Call;
    /// A call that reaches the server belongs to a session that has begun.
    INV_SESSION_KNOWN: Call;
    /// A call that reaches the server has a role wherever there are roles.
    INV_ROLE_KNOWN: Call;
    /// Nothing but reading and reports reaches the server while a session is locked.
    INV_LOCK_HOLDS: Call;
    /// What the server answers to a call was judged before the server heard of it.
    INV_ANSWER_JUDGED: Answer;
    /// A failure has its place in the ledger before the client hears of it, unless the ledger itself fails.
    INV_RECORD_FIRST: Answer;
}

impl Invariant {
    /// The fault of a call for which it did not hold. `found` is for the operator.
    pub fn violated(&self, found: &str) -> Box<Fault> {
        let mut fault = codes::INVARIANT_VIOLATION.raise([("invariant_id", self.id)]);
        fault.context.invariant_id = Some(self.id.to_owned());
        fault.private.push_cause(Cause::Text(format!("{} But: {found}.", self.promise)));
        Box::new(fault)
    }
}

/// A call that every guard let pass, as far as invariants go.
#[derive(Debug, Clone, Copy)]
pub struct Passed<'p> {
    /// The id of its session.
    pub session: Option<&'p str>,
    /// The role of its caller.
    pub role: Option<&'p str>,
    /// Whether the policy has roles.
    pub has_roles: bool,
    /// Whether the session is locked.
    pub is_locked: bool,
    /// Whether it only reads, or is a report.
    pub is_harmless: bool,
}

impl Passed<'_> {
    /// Looks once more, apart from the guards, at what must hold of a call that reaches the server.
    ///
    /// # Errors
    /// `INVARIANT_VIOLATION` with the id of the first invariant that does not hold.
    pub fn check(&self) -> Result<(), Box<Fault>> {
        if self.session.is_none() {
            return Err(INV_SESSION_KNOWN.violated("it has no session"));
        }
        if self.has_roles && self.role.is_none() {
            return Err(INV_ROLE_KNOWN.violated("it has no role"));
        }
        if self.is_locked && !self.is_harmless {
            return Err(INV_LOCK_HOLDS.violated("the session is locked"));
        }
        Ok(())
    }
}
