//! `Declaration`: an error type as it was written, each name at its place, nothing looked up.

use proc_macro2::{Ident, Span};
use syn::{
    Attribute, Data, DeriveInput, Expr, Generics, Token, ext::IdentExt as _, spanned::Spanned as _,
};

use crate::{
    attributes::{At, Keys, doc},
    field::{self, ErrorField, FieldRole},
    mistakes::Mistakes,
    names,
    row::{self, DeclaredRow},
};

/// An error type.
#[derive(Clone)]
pub struct Declaration {
    /// Its name.
    pub ident: Ident,
    /// Its lifetimes.
    pub generics: Generics,
    /// Whether it is an enum; a struct is its own only variant.
    pub is_enum: bool,
    /// Where its codes stand.
    pub home: Home,
    /// Its variants, in order.
    pub variants: Vec<Variant>,
}

/// Where the codes of a type stand.
#[derive(Debug, Clone)]
pub enum Home {
    /// In a registry file, or in a registry that ships with the library.
    Registry(At<String>),
    /// In its own attributes, and in the registries that it takes in.
    Inline {
        /// The name of the registry, if not the package's.
        name: Option<At<String>>,
        /// Its version, if not the package's.
        version: Option<At<String>>,
        /// What it takes in, if not `core`.
        extends: Option<At<Vec<String>>>,
    },
}

/// One way to fail.
#[derive(Clone)]
pub struct Variant {
    /// How Rust names it.
    pub ident: Ident,
    /// Its code.
    pub code: At<String>,
    /// What it holds.
    pub fields: Vec<ErrorField>,
    /// What it declares.
    pub kind: DeclarationKind,
    /// Whether its author knows that its code is on its way out: it, or its type, is deprecated itself or allowed to be.
    pub is_known_deprecated: bool,
    pub(crate) doc: String,
}

/// What a variant declares.
#[derive(Debug, Clone)]
pub enum DeclarationKind {
    /// Another error, which it passes on as it is.
    Transparent,
    /// A code of the registry.
    Code,
    /// A code that it declares itself.
    Row(Box<DeclaredRow>),
}

/// What a type declares. Mistakes are left out and reported.
pub fn read(input: &DeriveInput, mistakes: &mut Mistakes) -> Declaration {
    let mut keys = Keys::read(&input.attrs, mistakes);
    let home = home(&mut keys, mistakes);
    checked_generics(&input.generics, mistakes);
    field::refuse_marks(&input.attrs, mistakes);
    let variants = match &input.data {
        Data::Enum(it) => {
            let variants = it.variants.iter().map(|it| {
                field::refuse_marks(&it.attrs, mistakes);
                let mut keys = Keys::read(&it.attrs, mistakes);
                let mut variant = variant((&it.ident, &it.attrs), &it.fields, &mut keys, mistakes);
                variant.is_known_deprecated |= names_deprecated(&input.attrs);
                keys.close("A variant", mistakes);
                variant
            });
            variants.collect()
        }
        Data::Struct(it) => {
            vec![variant((&input.ident, &input.attrs), &it.fields, &mut keys, mistakes)]
        }
        Data::Union(it) => {
            let message = "A union cannot be an error of a contract; use an enum.";
            mistakes.add(it.union_token.span(), message);
            Vec::new()
        }
    };
    let is_enum = matches!(input.data, Data::Enum(_));
    keys.close(if is_enum { "An enum" } else { "A struct" }, mistakes);
    let declaration = Declaration {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        is_enum,
        home,
        variants,
    };
    refuse_second_home(&declaration, mistakes);
    declaration
}

fn home(keys: &mut Keys, mistakes: &mut Mistakes) -> Home {
    const OWN: &[&str] = &["name", "version", "extends"];
    let own = keys.first_of(OWN);
    match (keys.text("registry", mistakes), own) {
        (None, _) => Home::Inline {
            name: keys.text("name", mistakes),
            version: keys.text("version", mistakes),
            extends: keys.texts("extends", mistakes),
        },
        (Some(file), own) => {
            if let Some(At { value: key, span }) = own {
                mistakes.add(span, format!("`{key}` stands in {}; take it out here.", file.value));
            }
            keys.skip(OWN);
            Home::Registry(file)
        }
    }
}

/// A row is in one place. One message for a variant is enough.
fn refuse_second_home(declaration: &Declaration, mistakes: &mut Mistakes) {
    let Home::Registry(file) = &declaration.home else { return };
    for variant in &declaration.variants {
        let facts = variant.fields.iter().find_map(|it| it.first_fact.clone());
        let first = match &variant.kind {
            DeclarationKind::Row(row) => {
                let at = row::KEYS.iter().find_map(|key| Some(At::new(*key, row.place(key)?)));
                at.or(facts)
            }
            DeclarationKind::Transparent => None,
            DeclarationKind::Code => facts,
        };
        if let Some(At { value: key, span }) = first {
            let (file, code) = (&file.value, &variant.code.value);
            let message = format!("`{key}` of {code} stands in {file}; take it out here.");
            mistakes.add(span, message);
        }
    }
}

fn variant(
    (ident, attrs): (&Ident, &[Attribute]),
    fields: &syn::Fields,
    keys: &mut Keys,
    mistakes: &mut Mistakes,
) -> Variant {
    let (doc, is_known_deprecated) = (doc(attrs), names_deprecated(attrs));
    let name = names::code(&ident.unraw().to_string());
    let transparent = keys.flag("transparent", mistakes);
    let code = keys.text("code", mistakes);
    let row = row::read(keys, mistakes);
    // So that a typing mistake in the key does not make the name of the variant wrong, too.
    let code = code.or_else(|| keys.misspelt_text("code"));
    let mut fields = field::read(fields, mistakes);
    let kind = match (transparent, row) {
        (Some(at), row) => {
            passes_on(at, ident, &mut fields, code.is_some() || row.is_some(), mistakes);
            DeclarationKind::Transparent
        }
        (None, Some(row)) => DeclarationKind::Row(Box::new(row)),
        (None, None) => DeclarationKind::Code,
    };
    if matches!(kind, DeclarationKind::Transparent) {
        return Variant {
            ident: ident.clone(),
            code: At::new(name, ident.span()),
            fields,
            kind,
            is_known_deprecated,
            doc,
        };
    }
    for field in fields.iter().filter(|it| it.role == FieldRole::Param && it.name.is_none()) {
        let message =
            "A parameter needs a name: `#[contract(param = \"…\")]`, or a field with a name.";
        mistakes.add(field.ty.span(), message);
    }
    if let Some(from) = fields.iter().find_map(|it| it.from).filter(|_| fields.len() > 1) {
        mistakes.add(from, "`#[from]` fills one field; this variant has more.");
    }
    let code = code.unwrap_or_else(|| At::new(name, ident.span()));
    Variant { ident: ident.clone(), code, fields, kind, is_known_deprecated, doc }
}

/// Whether attributes say `#[deprecated]` or `#[allow(deprecated)]`.
fn names_deprecated(attrs: &[Attribute]) -> bool {
    let is_allowed = |it: &Attribute| {
        let mut is_named = false;
        let read = it.parse_nested_meta(|it| {
            is_named |= it.path.is_ident("deprecated");
            if it.input.peek(Token![=]) {
                it.value()?.parse::<Expr>()?;
            }
            Ok(())
        });
        read.is_ok() && is_named && it.path().is_ident("allow")
    };
    attrs.iter().any(|it| it.path().is_ident("deprecated") || is_allowed(it))
}

fn passes_on(
    at: Span,
    ident: &Ident,
    fields: &mut [ErrorField],
    says_more: bool,
    mistakes: &mut Mistakes,
) {
    if says_more {
        mistakes.add(at, "A transparent variant has the codes of the error that it passes on, and nothing of its own.");
    }
    match fields {
        [only] => only.role = FieldRole::Inner,
        _ => mistakes
            .add(ident.span(), "A transparent variant has one field: the error that it passes on."),
    }
}

fn checked_generics(generics: &Generics, mistakes: &mut Mistakes) {
    let typed = generics.params.iter().find(|it| !matches!(it, syn::GenericParam::Lifetime(_)));
    if let Some(param) = typed {
        let message = "An error of a contract takes no type or const parameters: the registry says which types its \
                       parameters have.";
        mistakes.add(param.span(), message);
    }
}
