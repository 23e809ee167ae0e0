//! `ErrorField`: what a field of an error is to its fault.

use proc_macro2::Span;
use redress_registry::ParamType;
use serde_json::Value as Json;
use syn::{Attribute, Member, Type, ext::IdentExt as _, spanned::Spanned as _};

use crate::{
    attributes::{At, Keys, doc},
    mistakes::Mistakes,
    names,
};

/// What a field is to the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// A parameter: part of the message and of `details`.
    Param,
    /// `#[similar]`: what was probably meant.
    Similar,
    /// `#[retry_after]`: how long to wait.
    RetryAfter,
    /// `#[next]`: what to call next.
    Next,
    /// `#[source]`: what it came from; private.
    Source,
    /// The error that a transparent variant passes on.
    Inner,
}

impl FieldRole {
    /// The attribute of the role.
    pub const fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Param | Self::Inner => None,
            Self::Similar => Some("similar"),
            Self::RetryAfter => Some("retry_after"),
            Self::Next => Some("next"),
            Self::Source => Some("source"),
        }
    }

    const MARKED: [Self; 4] = [Self::Similar, Self::RetryAfter, Self::Next, Self::Source];
}

/// A field of an error.
#[derive(Clone)]
pub struct ErrorField {
    /// How Rust names it.
    pub member: Member,
    /// How the registry names it; a field of a tuple may have no name.
    pub name: Option<At<String>>,
    /// Its type.
    pub ty: Type,
    /// What it is to the fault.
    pub role: FieldRole,
    /// Where `#[from]` is.
    pub from: Option<Span>,
    pub(crate) doc: String,
    pub(crate) facts: ParamFacts,
    /// The first fact on this field.
    pub(crate) first_fact: Option<At<&'static str>>,
}

/// What a field says of its parameter, where no registry file does.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParamFacts {
    pub(crate) kind: Option<At<ParamType>>,
    pub(crate) values: Vec<String>,
    pub(crate) example: Option<At<Json>>,
    pub(crate) untrusted: bool,
    pub(crate) secret: bool,
    pub(crate) max_chars: Option<At<u32>>,
}

/// The keys of the facts, called as in a registry file.
const FACTS: &[&str] = &["type", "enum", "example", "untrusted", "secret", "max_chars"];

impl ErrorField {
    /// Where it is blamed: its name, else its type.
    pub fn span(&self) -> Span {
        self.name.as_ref().map_or_else(|| self.ty.span(), |it| it.span)
    }

    /// Whether it may be absent.
    pub fn is_optional(&self) -> bool {
        names::is_option(&self.ty)
    }

    /// The JSON type of its parameter: what it says, else what its type tells.
    pub(crate) fn kind(&self) -> Option<ParamType> {
        self.facts.kind.as_ref().map(|it| it.value).or_else(|| names::kind(&self.ty))
    }
}

/// The fields of a variant.
pub(crate) fn read(fields: &syn::Fields, mistakes: &mut Mistakes) -> Vec<ErrorField> {
    let read: Vec<ErrorField> =
        fields.members().zip(fields).map(|(member, it)| one(member, it, mistakes)).collect();
    for role in FieldRole::MARKED {
        for twice in read.iter().filter(|it| it.role == role).skip(1) {
            let name = role.attribute().unwrap_or_default();
            mistakes.add(
                twice.span(),
                format!("Another field is `#[{name}]` already; there can be one."),
            );
        }
    }
    read
}

fn one(member: Member, field: &syn::Field, mistakes: &mut Mistakes) -> ErrorField {
    let mut keys = Keys::read(&field.attrs, mistakes);
    let (role, from) = role(&field.attrs, mistakes);
    let own = field.ident.as_ref().map(|it| At::new(it.unraw().to_string(), it.span()));
    let name = keys.text("param", mistakes).or(own);
    let first_fact = keys.first_of(FACTS);
    let types: Vec<&str> = ParamType::ALL.iter().map(|it| it.name()).collect();
    let facts = ParamFacts {
        kind: keys.one_of("type", &types, ParamType::parse, mistakes),
        values: keys.texts("enum", mistakes).map(|it| it.value).unwrap_or_default(),
        example: keys.value("example", mistakes),
        untrusted: keys.flag("untrusted", mistakes).is_some(),
        secret: keys.flag("secret", mistakes).is_some(),
        max_chars: keys.whole("max_chars", mistakes),
    };
    keys.close("A field", mistakes);
    if role == FieldRole::Source && names::kind(&field.ty).is_some() {
        let message = "`#[source]` and `#[from]` are for the error that this one came from, and this type is none.";
        mistakes.add(field.ty.span(), message);
    }
    let doc = doc(&field.attrs).replace('\n', " ");
    ErrorField { member, name, ty: field.ty.clone(), role, from, doc, facts, first_fact }
}

/// Refuses the marks of fields where no field is. Other derives have a `#[from]` for variants.
pub(crate) fn refuse_marks(attributes: &[Attribute], mistakes: &mut Mistakes) {
    for mark in FieldRole::MARKED.into_iter().filter_map(FieldRole::attribute) {
        for at in attributes.iter().filter(|it| it.path().is_ident(mark)) {
            mistakes.add(at.path().span(), format!("`#[{mark}]` marks a field."));
        }
    }
}

fn role(attributes: &[Attribute], mistakes: &mut Mistakes) -> (FieldRole, Option<Span>) {
    let mut found = None;
    let mut from = None;
    for attribute in attributes {
        let is = |name: &str| attribute.path().is_ident(name);
        let marked = FieldRole::MARKED.into_iter().find(|it| it.attribute().is_some_and(is));
        if marked.is_none() && !is("from") {
            continue;
        }
        if let Err(error) = attribute.meta.require_path_only() {
            mistakes.take(error);
        }
        match (marked, found) {
            (None, _) => from = Some(attribute.path().span()),
            (Some(_), Some(_)) => {
                mistakes.add(attribute.path().span(), "A field is one thing only.");
            }
            (Some(role), None) => found = Some(role),
        }
    }
    match (found, from) {
        (Some(FieldRole::Source) | None, Some(_)) => (FieldRole::Source, from),
        (Some(_), Some(at)) => {
            mistakes.add(at, "`#[from]` is for what the error came from.");
            (found.unwrap_or(FieldRole::Param), None)
        }
        (role, None) => (role.unwrap_or(FieldRole::Param), None),
    }
}
