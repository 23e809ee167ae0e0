//! Residue: what a dialect would lose is measured by reading its document back, and carried under one key.
//!
//! `_x` holds, under their native keys, the members that a reader would otherwise not get right; `code` and `contract`
//! if the document names another row; and in `invented` the pointers of values that the document states and the fault
//! does not have.

use std::sync::Arc;

use redress_registry::{Entry, plugin};

use super::{Dialect, Lookup, Refusal, Stamp, unknown};
use crate::fault::{
    Context, Fault,
    fields::{self, CONTEXT, Field},
};
use redress_wire::json::{Doc, Kind, Limits, Members, RawJson, Value, pointer_step, write_str};

/// A fault as a document with its residue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// The document.
    pub text: String,
    /// What the residue makes good.
    pub losses: Vec<Loss>,
}

/// Something that a document does not say as the fault has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Where it is in the native envelope, as a JSON pointer.
    pub path: String,
    /// What happened to it.
    pub kind: LossKind,
}

/// What happens to a part that a dialect has no place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// It is gone.
    Lost,
    /// Less is left of it.
    Weakened,
    /// The document states it although the fault does not.
    Invented,
}

impl LossKind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Weakened => "weakened",
            Self::Invented => "invented",
        }
    }
}

/// What a dialect has a place for, as paths in the native envelope. The rest is lost there.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// It keeps these as they are, with all that is in them.
    pub whole: &'static [&'static str],
    /// It has a smaller place for these.
    pub weakened: &'static [&'static str],
    /// It states these even if the fault does not.
    pub invented: &'static [&'static str],
}

impl Kept {
    /// Whether the loss is one that the dialect admits.
    pub fn admits(&self, loss: &Loss) -> bool {
        let path = loss.path.as_str();
        match loss.kind {
            LossKind::Lost => !self.weakened.contains(&path) && !self.keeps_whole(path),
            LossKind::Weakened => self.weakened.contains(&path),
            LossKind::Invented => self.invented.contains(&path),
        }
    }

    fn keeps_whole(&self, path: &str) -> bool {
        let holds = |it: &&str| {
            path.strip_prefix(*it).is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        self.whole.iter().any(holds)
    }
}

pub(super) fn carry(dialect: Dialect, fault: &Fault, stamp: Stamp<'_>, lookup: &Lookup) -> Carried {
    let mut text = String::with_capacity(512);
    dialect.shape().write(fault, stamp, "", &mut text);
    let mut back = Fault::of(fault.entry());
    let mut losses = Vec::new();
    let mut residue = String::new();
    if let Ok(doc) = written(&text) {
        if dialect.shape().fill(doc.root(), &mut back).is_err() {
            back = Fault::of(fault.entry());
        }
        let named = dialect.shape().code(doc.root(), lookup).ok();
        losses = differences(dialect, fault, &back, named.as_ref());
        residue = text_of(fault, &back, named.as_ref(), lookup);
    }
    if residue.is_empty() {
        return Carried { text, losses };
    }
    let mut text = String::with_capacity(text.len() + residue.len() + 8);
    dialect.shape().write(fault, stamp, &residue, &mut text);
    Carried { text, losses }
}

pub(super) fn losses(
    dialect: Dialect,
    fault: &Fault,
    stamp: Stamp<'_>,
    lookup: &Lookup,
) -> Vec<Loss> {
    let text = dialect.write(fault, stamp);
    let read = written(&text).ok().and_then(|it| dialect.read_value(it.root(), lookup).ok());
    let named = read.as_ref().map(|it| Arc::clone(it.entry()));
    let back = read.unwrap_or_else(|| Fault::of(fault.entry()));
    differences(dialect, fault, &back, named.as_ref())
}

/// Where the faults differ, in the order of the native envelope.
fn differences(
    dialect: Dialect,
    fault: &Fault,
    back: &Fault,
    named: Option<&Arc<Entry>>,
) -> Vec<Loss> {
    let mut found = Vec::new();
    if !named.is_some_and(|it| is_row(it, fault.entry())) {
        let same_name = named.is_some_and(|it| it.code == fault.entry().code);
        let path = if same_name { "/contract" } else { "/code" };
        found.push(Loss { path: path.to_owned(), kind: LossKind::Weakened });
    }
    for field in differing(fault, back) {
        if field.key == CONTEXT {
            for (name, ours) in differing_context(fault, back) {
                found.push(loss(dialect, format!("/{CONTEXT}/{name}"), ours.is_some()));
            }
        } else {
            found.push(loss(dialect, field.path.to_owned(), (field.has)(fault)));
        }
    }
    found
}

/// What is not there can be lost too, as when a document stated no hint: only some dialects state one for it.
fn loss(dialect: Dialect, path: String, had: bool) -> Loss {
    let Kept { weakened, invented, .. } = dialect.keeps();
    let kind = match had {
        true if weakened.contains(&path.as_str()) => LossKind::Weakened,
        false if invented.contains(&path.as_str()) => LossKind::Invented,
        _ => LossKind::Lost,
    };
    Loss { path, kind }
}

/// The residue; empty if nothing is to be carried.
fn text_of(fault: &Fault, back: &Fault, named: Option<&Arc<Entry>>, lookup: &Lookup) -> String {
    let mut out = String::new();
    let mut invented: Vec<String> = Vec::new();
    let mut members = Members::open(&mut out);
    let row = fault.entry();
    if !named.is_some_and(|it| is_row(it, row)) {
        members.str("code", &row.code);
        if !lookup.row(None, &row.code).is_some_and(|it| is_row(&it, row)) {
            members.str("contract", &row.registry);
        }
    }
    for field in differing(fault, back) {
        if field.key == CONTEXT {
            let all: Vec<_> = differing_context(fault, back).collect();
            if all.iter().any(|(_, ours)| ours.is_some()) {
                let mut context = Members::open(members.key(CONTEXT));
                for (name, ours) in &all {
                    context.opt_str(name, ours.as_deref());
                }
                context.close();
            }
            let made_up = all.iter().filter(|(_, ours)| ours.is_none());
            invented.extend(made_up.map(|(name, ..)| format!("/{CONTEXT}/{name}")));
        } else if (field.has)(fault) {
            (field.write)(fault, members.key(field.key));
        } else {
            invented.push(field.path.to_owned());
        }
    }
    if !invented.is_empty() {
        let list = members.key(INVENTED);
        for (at, pointer) in invented.iter().enumerate() {
            list.push(if at == 0 { '[' } else { ',' });
            write_str(list, pointer);
        }
        list.push(']');
    }
    members.close();
    if out == "{}" { String::new() } else { out }
}

/// The row that a residue names, if it names one.
pub(super) fn row(residue: Value<'_>, lookup: &Lookup) -> Option<Result<Arc<Entry>, Refusal>> {
    let code = residue.get("code")?.as_str()?;
    let contract = residue.get("contract").and_then(Value::as_str);
    let plugins =
        || plugin::unregistered(&code).filter(|it| contract.as_deref() == Some(&*it.registry));
    Some(
        lookup
            .row(contract.as_deref(), &code)
            .or_else(plugins)
            .ok_or_else(|| unknown("/_x/code".to_owned(), &code, Dialect::Native, lookup)),
    )
}

/// Whether every value in a residue could stand in a document of its own.
pub(super) fn is_flat(residue: Value<'_>) -> bool {
    let limits = Limits { nesting: Limits::DOCUMENT.nesting - 1, ..Limits::DOCUMENT };
    let fits = |it: Value<'_>| Doc::parse(it.raw().as_bytes(), limits).is_ok();
    residue.members().all(|(key, value)| {
        if key.is_str("extra") && value.kind() == Kind::Object {
            value.members().all(|(_, it)| fits(it))
        } else {
            fits(value)
        }
    })
}

/// Puts back what a residue holds. What it holds and we do not understand is kept.
pub(super) fn overlay(fault: &mut Fault, residue: Value<'_>) {
    let mut unread: Vec<(String, RawJson)> = Vec::new();
    for (key, value) in residue.members() {
        let key = key.as_str().unwrap_or_default();
        let taken = match &*key {
            "code" | "contract" => value.as_str().is_some(),
            // One that is not understood takes nothing from the others.
            INVENTED => value.elements().filter(|it| !forget(fault, *it)).count() == 0,
            CONTEXT => value.members().filter(|it| !set_context(fault, it.0, it.1)).count() == 0,
            key => fields::get(key).is_some_and(|it| (it.read)(fault, Some(value))),
        };
        if !taken {
            unread.push((format!("/_x/{}", pointer_step(&key)), value.into()));
        }
    }
    fault.extra.extend(unread);
}

const INVENTED: &str = "invented";

/// Makes a value absent that a writer invented.
fn forget(fault: &mut Fault, pointer: Value<'_>) -> bool {
    let Some(pointer) = pointer.as_str() else { return false };
    match pointer.strip_prefix("/context/") {
        Some(name) => set_member(fault, name, None),
        // A document tells the retry rule of the row that it names; where a fault states none, that of its own row counts.
        None if &*pointer == "/retry" => {
            fault.retry = fault.entry().retry;
            fault.unsaid.retry = true;
            true
        }
        None => {
            let field = fields::all().find(|it| *it.path == *pointer);
            field.is_some_and(|it| (it.read)(fault, None))
        }
    }
}

fn set_context(fault: &mut Fault, name: Value<'_>, value: Value<'_>) -> bool {
    let (Some(name), Some(value)) = (name.as_str(), value.as_str()) else { return false };
    set_member(fault, &name, Some(value.into_owned()))
}

fn set_member(fault: &mut Fault, name: &str, value: Option<String>) -> bool {
    let mut members = Context::NAMES.into_iter().zip(fault.context.members_mut());
    match members.find(|(it, _)| *it == name) {
        Some((_, slot)) => {
            *slot = value;
            true
        }
        None => false,
    }
}

fn differing(a: &Fault, b: &Fault) -> impl Iterator<Item = &'static Field> {
    fields::all().filter(move |it| !(it.same)(a, b))
}

/// The members of the context that differ, with our value.
fn differing_context<'a>(
    ours: &'a Fault,
    theirs: &'a Fault,
) -> impl Iterator<Item = (&'static str, &'a Option<String>)> {
    let pairs = ours.context.members().into_iter().zip(theirs.context.members());
    Context::NAMES.into_iter().zip(pairs).filter(|(_, (a, b))| a != b).map(|(it, (a, _))| (it, a))
}

fn is_row(a: &Arc<Entry>, b: &Arc<Entry>) -> bool {
    Arc::ptr_eq(a, b) || (a.registry == b.registry && a.code == b.code)
}

/// A document of our own; it can nest deeper than one that we read.
fn written(text: &str) -> Result<Doc<'_>, redress_wire::json::JsonError> {
    Doc::parse(text.as_bytes(), Limits { bytes: usize::MAX, nesting: usize::MAX })
}
