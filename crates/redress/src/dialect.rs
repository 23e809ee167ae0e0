//! Dialects: the shapes of envelope. Reading, loss and residue are the same for all; what is special about one is in its file.
//!
//! A new dialect is a file below this one, with its module, and a line in `dialects!`; everything else that lists dialects follows from there.

mod atlas_gate;
mod leftover;
pub mod lint;
mod lookup;
mod mailvault;
mod native;
pub(crate) mod own;
mod refusal;
mod residue;
pub mod rpc;
pub mod stagewright;
mod told;
mod tool_failure;
pub mod wire;
mod workrail;

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

pub use lookup::Lookup;
use redress_registry::{Class, Entry, Registry, plugin};
pub use refusal::{Refusal, Why};
pub use residue::{Carried, Kept, Loss, LossKind};
pub use tool_failure::TOOL_FAILURE_KEY;

use crate::fault::{Fault, Unsaid};
use redress_wire::json::{Doc, JsonErrorKind, Kind, Limits, Members, RawJson, Value};

/// The key that carries what a dialect has no place for.
const RESIDUE: &str = "_x";

/// How much deeper than a document a value may stand when it is carried as residue.
const RESIDUE_NESTING: usize = 8;

/// Declares the dialects: the enum with its list, and for each the name and the file that knows its keys.
macro_rules! dialects {
    ($($(#[$doc:meta])+ $Dialect:ident in $file:ident: $name:literal;)+) => {
        /// One shape of envelope.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Dialect {
            $($(#[$doc])+ $Dialect,)+
        }

        /// How many dialects there are.
        const COUNT: usize = [$($name),+].len();

        impl Dialect {
            /// Every dialect.
            pub const ALL: [Self; COUNT] = [$(Self::$Dialect),+];

            /// The name in files and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Dialect => $name,)+
                }
            }

            /// The id of the classification rule that reads it.
            pub(crate) const fn rule(self) -> &'static str {
                match self {
                    $(Self::$Dialect => concat!("dialect.", $name),)+
                }
            }

            fn shape(self) -> &'static dyn Shape {
                match self {
                    $(Self::$Dialect => &$file::$Dialect,)+
                }
            }
        }
    };
}

dialects! {
    /// Our own.
    Native in native: "native";
    /// ATLAS-GATE: eleven keys, always all of them.
    AtlasGate in atlas_gate: "atlas-gate";
    /// WorkRail: code, message, retry.
    Workrail in workrail: "workrail";
    /// The JSON-RPC taxonomy: the whole response.
    Rpc in rpc: "rpc";
    /// Electron Stagewright: `ok: false` with hint and next actions.
    Stagewright in stagewright: "stagewright";
    /// The Gmail and Obsidian servers: error, message, details.
    Mailvault in mailvault: "mailvault";
    /// The open MCP proposal for a failure beside a tool's result.
    ToolFailure in tool_failure: "tool-failure";
}

/// The dialects in the order in which an unknown document is tried.
static DETECTED: LazyLock<[Dialect; COUNT]> = LazyLock::new(|| {
    let mut all = Dialect::ALL;
    all.sort_by_key(|it| it.shape().precedence());
    all
});

impl Dialect {
    /// The dialects in the order in which an unknown document is tried.
    pub(crate) fn detected() -> [Self; COUNT] {
        *DETECTED
    }

    /// Its form, and the wire form of a failed call, for its page.
    pub fn described(self) -> [&'static str; 2] {
        self.shape().described()
    }

    /// The key of `_meta` that has its envelope, if it has one of its own.
    pub(crate) fn meta_key(self) -> Option<&'static str> {
        self.shape().meta_key()
    }

    /// Whether the text of an answer is the card, and not the envelope.
    pub(crate) fn shows_card(self) -> bool {
        self.shape().shows_card()
    }

    /// Whether an envelope is sent as structured content, too.
    pub(crate) fn is_structured(self, envelope: &str) -> bool {
        self.shape().is_structured(envelope)
    }

    /// A fault within the bounds of the dialect.
    pub(crate) fn bounded(self, fault: &Fault) -> Cow<'_, Fault> {
        self.shape().bounded(fault)
    }

    /// The dialect of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The dialect of a document: the first whose form it has and whose codes have its code.
    pub fn detect(doc: Value<'_>, lookup: &Lookup) -> Result<Self, Refusal> {
        // Only our own envelope has a version.
        if doc.get("v").and_then(Value::as_u64) == Some(1) {
            return Self::Native.shape().code(doc, lookup).map(|_| Self::Native);
        }
        let mut refusal = None;
        for dialect in Self::detected() {
            if doc.kind() == Kind::Object && dialect.shape().claims(doc) {
                match dialect.shape().code(doc, lookup) {
                    Ok(_) => return Ok(dialect),
                    Err(why) => refusal = refusal.or(Some(why)),
                }
            }
        }
        Err(refusal.unwrap_or_else(|| Refusal::at("", Why::NoDialect)))
    }

    /// A document of the dialect as an occurrence of a row that is known already.
    pub(crate) fn filled(self, doc: Value<'_>, row: &Arc<Entry>) -> Option<Fault> {
        let mut fault = Fault::of(row);
        self.shape().fill(doc, &mut fault).ok()?;
        Some(fault)
    }

    /// The row of a registry that a document names, if it has the dialect's form.
    pub(crate) fn row_in<'r>(
        self,
        doc: Value<'_>,
        registry: &'r Registry,
    ) -> Option<&'r Arc<Entry>> {
        let shape = self.shape();
        if !shape.claims(doc) || shape.check(doc).is_err() {
            return None;
        }
        let spelling = shape.spelled(doc)?;
        let is_it = |it: &&Arc<Entry>| self.spells(it).is_some_and(|it| it == spelling);
        let is_name = |it: &&Arc<Entry>| self.own_spelling(it).is_some_and(|it| it == spelling);
        let named = || registry.codes.values().find(is_name);
        registry.get(&spelling).or_else(|| registry.own().find(is_it)).or_else(named)
    }

    /// Reads a document. Any bytes give a fault or a refusal.
    pub fn read(self, bytes: &[u8], lookup: &Lookup) -> Result<Fault, Refusal> {
        let doc = parse(bytes)?;
        self.read_value(doc.root(), lookup)
    }

    /// Reads a document in whichever dialect it is.
    pub fn read_any(bytes: &[u8], lookup: &Lookup) -> Result<(Self, Fault), Refusal> {
        let doc = parse(bytes)?;
        let dialect = Self::detect(doc.root(), lookup)?;
        Ok((dialect, dialect.read_value(doc.root(), lookup)?))
    }

    /// Reads a document that is parsed already.
    pub fn read_value(self, doc: Value<'_>, lookup: &Lookup) -> Result<Fault, Refusal> {
        let shape = self.shape();
        shape.check(doc)?;
        let residue = shape.residue(doc).filter(|it| it.kind() == Kind::Object);
        let row = match residue.and_then(|it| residue::row(it, lookup)) {
            Some(row) => row?,
            None => shape.code(doc, lookup)?,
        };
        let mut fault = Fault::of(&row);
        shape.fill(doc, &mut fault)?;
        let mut unread = leftover::find(self, doc, &fault);
        if let Some(residue) = residue {
            residue::overlay(&mut fault, residue);
            if !unread.is_empty() {
                // A value can be written for what only the residue says, as a code for a class.
                let still_unread = leftover::find(self, doc, &fault);
                unread.retain(|it| still_unread.contains(it));
            }
        }
        fault.extra.extend(unread);
        // A residue can call unsaid what has another value than the row's; then it was said.
        fault.unsaid = Unsaid { hint: !fault.says_hint(), retry: !fault.says_retry() };
        Ok(fault)
    }

    /// Writes a fault in the dialect's canonical form. What the dialect has no place for is lost; see [`Self::carry`].
    pub fn write(self, fault: &Fault, stamp: Stamp<'_>) -> String {
        let mut out = String::with_capacity(512);
        self.write_into(fault, stamp, &mut out);
        out
    }

    /// The same into a text that is there already.
    pub fn write_into(self, fault: &Fault, stamp: Stamp<'_>, out: &mut String) {
        self.shape().write(&self.without_repeat(fault), stamp, "", out);
    }

    /// Writes a fault with a residue that holds whatever would be lost, so that reading gives the same fault.
    pub fn carry(self, fault: &Fault, stamp: Stamp<'_>, lookup: &Lookup) -> Carried {
        residue::carry(self, fault, stamp, lookup)
    }

    /// What would be lost if the fault were written without residue.
    pub fn losses(self, fault: &Fault, stamp: Stamp<'_>, lookup: &Lookup) -> Vec<Loss> {
        residue::losses(self, fault, stamp, lookup)
    }

    /// What `text`, a document of this dialect, has only to say that there is nothing (`null`), where `doc`, which it
    /// was made from, has no such member. Paths are those of the document.
    pub fn stand_ins(self, doc: &[u8], text: &str) -> Vec<Loss> {
        match (parse(doc), parse(text.as_bytes())) {
            (Ok(doc), Ok(text)) => leftover::stand_ins(doc.root(), text.root()),
            _ => Vec::new(),
        }
    }

    /// What this dialect has a place for.
    pub fn keeps(self) -> &'static Kept {
        self.shape().keeps()
    }

    /// What the dialect writes for a code: its alias, its own name at home, else the word for its class.
    pub fn spelling(self, row: &Entry) -> Cow<'_, str> {
        self.spells(row).unwrap_or_else(|| Cow::Borrowed(self.shape().fallback(row.class)))
    }

    /// What the dialect writes for just this code, if it has a word for it.
    pub(crate) fn spells(self, row: &Entry) -> Option<Cow<'_, str>> {
        row.spelling(self.name()).map(Cow::Borrowed).or_else(|| self.own_spelling(row))
    }

    /// The name of a row in the dialect's own way of writing, if it has one for rows without an alias.
    pub(crate) fn own_spelling(self, row: &Entry) -> Option<Cow<'_, str>> {
        self.shape().own_spelling(row)
    }

    /// The registry whose names the dialect writes as they are.
    pub(crate) fn home(self) -> Option<&'static str> {
        self.shape().home()
    }

    /// Its place in [`Self::ALL`].
    pub(crate) const fn place(self) -> usize {
        self as usize
    }
}

/// What the boundary knows and the library does not.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'a> {
    /// The time, ISO 8601 with milliseconds and `Z`, for dialects that cannot do without one.
    pub now: &'a str,
}

impl Default for Stamp<'_> {
    fn default() -> Self {
        Self { now: "1970-01-01T00:00:00.000Z" }
    }
}

/// What one dialect's file says about it.
trait Shape {
    /// Its form, and the wire form of a failed call, in the Markdown of its page.
    fn described(&self) -> [&'static str; 2];

    /// When an unknown document is tried as this dialect: the smaller the earlier. A form that one key tells goes before one that several keys tell.
    fn precedence(&self) -> u8;

    /// The registry whose names it writes as they are.
    fn home(&self) -> Option<&'static str>;

    /// How it writes the name of a row that has no alias, if it does.
    fn own_spelling<'r>(&self, row: &'r Entry) -> Option<Cow<'r, str>>;

    /// What it writes for a code that it has no word for: the code that means the class, else its general code.
    fn fallback(&self, class: Class) -> &'static str;

    /// Whether a document has its form.
    fn claims(&self, doc: Value<'_>) -> bool;

    /// How a document spells its code.
    fn spelled<'d>(&self, doc: Value<'d>) -> Option<Cow<'d, str>>;

    /// The row that a document names.
    fn code(&self, doc: Value<'_>, lookup: &Lookup) -> Result<Arc<Entry>, Refusal>;

    /// Puts what a document says onto a fresh fault of its row. A value that the writer would give for the row anyway
    /// leaves the row's own value, which may say more. What has no place here is found by comparing, not here.
    fn fill(&self, doc: Value<'_>, fault: &mut Fault) -> Result<(), Refusal>;

    /// Appends the document, with the residue as its last member unless it is empty.
    fn write(&self, fault: &Fault, stamp: Stamp<'_>, residue: &str, out: &mut String);

    /// The paths that it has a place for; a test measures them.
    fn keeps(&self) -> &'static Kept;

    /// The objects inside a document that may have each key once, by their keys.
    fn inner(&self) -> &'static [&'static [&'static str]] {
        &[]
    }

    /// Whether its readers know no codes but those of its own registry.
    fn has_closed_codes(&self) -> bool {
        false
    }

    /// Whether a spelling of a code does not tell its documents from others with the same keys.
    fn is_plain_word(&self, _spelling: &str) -> bool {
        false
    }

    /// Whether the text of an answer is the card, and not the envelope.
    fn shows_card(&self) -> bool {
        false
    }

    /// Whether an envelope is sent as structured content, too.
    fn is_structured(&self, _envelope: &str) -> bool {
        false
    }

    /// The key of `_meta` that has the envelope, if it has one of its own.
    fn meta_key(&self) -> Option<&'static str> {
        None
    }

    /// A fault within the bounds of the dialect.
    fn bounded<'f>(&self, fault: &'f Fault) -> Cow<'f, Fault> {
        Cow::Borrowed(fault)
    }

    /// The object that holds the residue.
    fn residue<'d>(&self, doc: Value<'d>) -> Option<Value<'d>> {
        doc.get(RESIDUE)
    }

    /// Refuses what is no object, or has a key twice.
    fn check(&self, doc: Value<'_>) -> Result<(), Refusal> {
        if doc.kind() != Kind::Object {
            return Err(Refusal::at("", Why::Type(Kind::Object)));
        }
        for keys in std::iter::once(&[] as &[&str]).chain(self.inner().iter().copied()) {
            if doc.path(keys).is_some_and(|it| it.unique_keys().is_err()) {
                let pointer: String = keys.iter().flat_map(|it| ["/", it]).collect();
                return Err(Refusal::at(pointer, Why::Duplicate));
            }
        }
        Ok(())
    }
}

/// A document within the limits. Only values that are carried as residue may stand deeper than they did before.
fn parse(bytes: &[u8]) -> Result<Doc<'_>, Refusal> {
    match Doc::parse(bytes, Limits::DOCUMENT) {
        Err(error) if error.kind == JsonErrorKind::TooDeep => {
            let nesting = Limits::DOCUMENT.nesting + RESIDUE_NESTING;
            let doc = Doc::parse(bytes, Limits { nesting, ..Limits::DOCUMENT })?;
            let residue = Dialect::ALL.iter().find_map(|it| it.shape().residue(doc.root()));
            if residue.is_some_and(residue::is_flat) { Ok(doc) } else { Err(error.into()) }
        }
        other => Ok(other?),
    }
}

/// The row that the string member `key` spells.
fn row_of(
    doc: Value<'_>,
    key: &str,
    dialect: Dialect,
    lookup: &Lookup,
) -> Result<Arc<Entry>, Refusal> {
    let spelling = text_of(doc, key)?;
    lookup
        .spelled(dialect, &spelling)
        .ok_or_else(|| unknown(format!("/{key}"), &spelling, dialect, lookup))
}

/// The row of an unregistered plugin code, in a dialect that writes the codes of plugins as they are.
fn unregistered(doc: Value<'_>, key: &str) -> Option<Arc<Entry>> {
    plugin::unregistered(&doc.get(key)?.as_str()?)
}

/// No registry has this spelling.
fn unknown(pointer: String, spelling: &str, dialect: Dialect, lookup: &Lookup) -> Refusal {
    let did_you_mean = lookup.near(dialect, spelling).map(str::to_owned);
    Refusal { did_you_mean, ..Refusal::at(pointer, Why::UnknownCode(spelling.to_owned())) }
}

/// A string member that the dialect never leaves out.
fn text_of<'d>(doc: Value<'d>, key: &str) -> Result<Cow<'d, str>, Refusal> {
    match doc.get(key) {
        None => Err(Refusal::at(format!("/{key}"), Why::Missing)),
        Some(value) => {
            value.as_str().ok_or_else(|| Refusal::at(format!("/{key}"), Why::Type(Kind::String)))
        }
    }
}

/// A string member that may be absent or null.
fn opt_text(doc: Value<'_>, key: &str) -> Option<String> {
    doc.get(key).and_then(Value::as_str).map(Cow::into_owned)
}

/// Whether a member says that a repeat helps. What is neither yes nor no is no yes.
fn is_yes(value: Value<'_>) -> bool {
    value.as_bool() == Some(true)
}

/// `details` for a dialect where they are an object.
fn boxed(details: &RawJson) -> Cow<'_, str> {
    if details.kind() == Kind::Object {
        return Cow::Borrowed(details.as_str());
    }
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.raw("value", details.as_str());
    members.close();
    Cow::Owned(out)
}

/// Closes a document, with its residue if there is any.
fn close(mut members: Members<'_>, residue: &str) {
    if !residue.is_empty() {
        members.raw(RESIDUE, residue);
    }
    members.close();
}
