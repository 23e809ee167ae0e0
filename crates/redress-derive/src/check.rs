//! A type against its registry: each code is there, each field has its parameter, each parameter its field.

use std::sync::Arc;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use redress_declare::{Declaration, DeclarationKind, ErrorField, FieldRole, Mistakes, Variant};
use redress_registry::{
    Entry, Param, ParamType, RetryKind,
    mirror::{RETIRED, UNREGISTERED},
    nearest::nearest,
    template,
};

use syn::spanned::Spanned as _;

use crate::{
    home::{FoundRegistry, RegistrySource},
    variant::{How, Passed, VariantRow},
};

/// What each variant tells, in order. A variant with a mistake is left out.
pub(crate) fn check<'a>(
    declaration: &'a Declaration,
    found: &FoundRegistry,
    mistakes: &mut Mistakes,
) -> Vec<VariantRow<'a>> {
    let variants = declaration.variants.iter();
    variants.filter_map(|it| told(it, declaration, found, mistakes)).collect()
}

fn told<'a>(
    variant: &'a Variant,
    declaration: &Declaration,
    found: &FoundRegistry,
    mistakes: &mut Mistakes,
) -> Option<VariantRow<'a>> {
    if matches!(variant.kind, DeclarationKind::Transparent) {
        for field in variant.fields.iter().filter(|it| borrows(&it.ty, declaration)) {
            let message =
                "An error that is passed on must not borrow: its codes are known without a value.";
            mistakes.add(field.ty.span(), message);
        }
        return Some(VariantRow { variant, entry: None, params: Vec::new() });
    }
    let entry = entry(variant, found, mistakes)?;
    if variant.fields.iter().any(|it| it.role == FieldRole::Param && it.name.is_none()) {
        return None;
    }
    let mut row = RowCheck { entry: &entry, shown: &found.shown, given: Vec::new(), mistakes };
    let params = row.params(variant);
    Some(VariantRow { variant, entry: Some(entry), params })
}

/// Whether a type names a lifetime of the declaration.
fn borrows(ty: &syn::Type, declaration: &Declaration) -> bool {
    let mut lifetimes = declaration.generics.lifetimes();
    lifetimes.any(|it| names(ty.to_token_stream(), &it.lifetime.ident))
}

fn names(tokens: TokenStream, lifetime: &Ident) -> bool {
    let mut after_tick = false;
    for token in tokens {
        match token {
            TokenTree::Ident(it) if after_tick && it == *lifetime => return true,
            TokenTree::Group(it) if names(it.stream(), lifetime) => return true,
            token => after_tick = matches!(token, TokenTree::Punct(it) if it.as_char() == '\''),
        }
    }
    false
}

/// The row of a variant: its code as written, else in the namespace of the plugin.
fn entry(variant: &Variant, found: &FoundRegistry, mistakes: &mut Mistakes) -> Option<Arc<Entry>> {
    let code = variant.code.value.as_str();
    let registry = &found.registry;
    let full = registry.namespace.as_ref().map(|it| format!("{it}.{code}"));
    let own = full.as_deref().and_then(|it| registry.get(it));
    if let Some(entry) = own.or_else(|| registry.get(code)) {
        return Some(Arc::clone(entry));
    }
    let retired = full.as_deref().and_then(|it| registry.retired.get(it));
    let message = match retired.or_else(|| registry.retired.get(code)) {
        Some(it) => {
            let to = it.to.as_ref().map(|it| format!(" Use {it}.")).unwrap_or_default();
            format!("[{}] {code} was retired in {}: {}{to}", RETIRED.id, it.since, it.why)
        }
        None => {
            let meant = nearest(code, registry.codes.keys().map(|it| &**it));
            let meant = meant.map(|it| format!(" Did you mean {it}?")).unwrap_or_default();
            let shown = &found.shown;
            format!(
                "[{}] {code} is not in {shown}.{meant} {}",
                UNREGISTERED.id,
                how_to_add(code, found)
            )
        }
    };
    mistakes.add(variant.code.span, message);
    None
}

fn how_to_add(code: &str, found: &FoundRegistry) -> String {
    match &found.origin {
        RegistrySource::Files(_) => {
            format!("Add it with: redress registry add {} {code} …", found.shown)
        }
        RegistrySource::BuiltIn(_) => {
            "Write a registry that extends it, and add the code there.".to_owned()
        }
        RegistrySource::Text(..) => {
            "Say what it is: `#[contract(class = …, retry = …, message = …, hint = …)]`, or name a \
                             registry: `#[contract(registry = \"errors.toml\")]` on the type."
                .to_owned()
        }
    }
}

/// A row, and what a variant gives it so far.
struct RowCheck<'a> {
    entry: &'a Entry,
    shown: &'a str,
    given: Vec<String>,
    mistakes: &'a mut Mistakes,
}

impl RowCheck<'_> {
    /// The fields that are passed on as parameters.
    fn params<'v>(&mut self, variant: &'v Variant) -> Vec<Passed<'v>> {
        let passed = variant.fields.iter().filter_map(|field| match field.role {
            FieldRole::Param => self.param(field, variant),
            FieldRole::RetryAfter => self.wait(field),
            FieldRole::Source | FieldRole::Similar | FieldRole::Next => {
                self.not_public(field);
                None
            }
            FieldRole::Inner => None,
        });
        let passed = passed.collect();
        self.all_given(variant);
        passed
    }

    fn param<'v>(&mut self, field: &'v ErrorField, variant: &Variant) -> Option<Passed<'v>> {
        let name = &field.name.as_ref()?.value;
        let Some(param) = self.entry.param(name) else {
            self.undeclared(field, name, variant);
            return None;
        };
        self.given.push(name.clone());
        if param.required && field.is_optional() {
            let (code, shown) = (&self.entry.code, self.shown);
            let message = format!(
                "`{name}` of {code} is required in {shown}, and an `Option` can be empty. Take the `Option` off, or \
                 set `required = false` there."
            );
            self.mistakes.add(field.span(), message);
        }
        Some(Passed { field, name: name.clone(), how: How::Typed(param.kind) })
    }

    fn undeclared(&mut self, field: &ErrorField, name: &str, variant: &Variant) {
        let is_taken = |it: &str| {
            let mut names = variant.fields.iter().filter_map(|it| it.name.as_ref());
            names.any(|other| other.value == it)
        };
        let free = self.entry.params.iter().map(|it| &*it.name).filter(|it| !is_taken(it));
        let meant = nearest(name, free).map(str::to_owned);
        let (code, shown) = (&self.entry.code, self.shown);
        let advice = match &meant {
            Some(it) => format!("Did you mean `{it}`?"),
            None => format!(
                "Declare `params.{name}` there, or mark the field: `#[source]` if the error came from it."
            ),
        };
        self.given.extend(meant);
        let message = format!("{code} has no parameter `{name}` in {shown}. {advice}");
        self.mistakes.add(field.span(), message);
    }

    /// The wait, which is a parameter too where the row has one for it.
    fn wait<'v>(&mut self, field: &'v ErrorField) -> Option<Passed<'v>> {
        let retry = self.entry.retry.kind;
        if retry != RetryKind::AfterDelay {
            let (code, shown, retry) = (&self.entry.code, self.shown, retry.name());
            let message = format!(
                "`#[retry_after]` is for a code with the retry `after_delay`; {code} has `{retry}` in {shown}."
            );
            self.mistakes.add(field.span(), message);
        }
        let known = [(RETRY_AFTER_MS, How::Millis), (RETRY_AFTER, How::Seconds)];
        let (name, how) = known.into_iter().find(|(name, _)| {
            self.entry.param(name).is_some_and(|it| it.kind == ParamType::Integer)
        })?;
        self.given.push(name.to_owned());
        Some(Passed { field, name: name.to_owned(), how })
    }

    /// What is no parameter must not be called like one.
    fn not_public(&mut self, field: &ErrorField) {
        let Some(name) = field.name.as_ref().map(|it| it.value.as_str()) else { return };
        if self.entry.param(name).is_none() {
            return;
        }
        self.given.push(name.to_owned());
        let role = field.role.attribute().unwrap_or_default();
        let (code, shown) = (&self.entry.code, self.shown);
        let message = if template::params(&self.entry.message).any(|it| it == name) {
            format!(
                "[CK205] The message of {code} shows {{{name}}}, and this field is `#[{role}]`, which is no parameter. \
                 Take the placeholder out of {shown}, or take the mark off the field."
            )
        } else {
            format!(
                "`{name}` is a parameter of {code} in {shown}, and this field is `#[{role}]`. Give it another name."
            )
        };
        self.mistakes.add(field.span(), message);
    }

    /// Every required parameter has a field.
    fn all_given(&mut self, variant: &Variant) {
        let required = self.entry.params.iter().filter(|it| it.required);
        let absent: Vec<&Param> =
            required.filter(|it| self.given.iter().all(|given| **given != *it.name)).collect();
        if absent.is_empty() {
            return;
        }
        let fields: Vec<String> = absent.iter().map(|it| declared(it)).collect();
        let (code, shown, fields) = (&self.entry.code, self.shown, fields.join(" and "));
        let message = format!("{code} needs {fields}: {shown} says that it is required.");
        self.mistakes.add(variant.ident.span(), message);
    }
}

/// The parameters that say how long to wait, in milliseconds or in seconds.
const RETRY_AFTER_MS: &str = "retry_after_ms";
const RETRY_AFTER: &str = "retry_after";

/// A field that fits, as Rust writes it.
fn declared(param: &Param) -> String {
    let name = &*param.name;
    let raw = if syn::parse_str::<Ident>(name).is_ok() { "" } else { "r#" };
    format!("`{raw}{name}: {}`", rust(param.kind))
}

/// A type of Rust that fits.
const fn rust(kind: ParamType) -> &'static str {
    match kind {
        ParamType::String => "String",
        ParamType::Integer => "u64",
        ParamType::Number => "f64",
        ParamType::Boolean => "bool",
        ParamType::Array => "Vec<String>",
        ParamType::Object => "BTreeMap<String, String>",
    }
}
