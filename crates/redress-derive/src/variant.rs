//! `VariantRow`: one variant with all that is known of it, and the arms that it gives to each `match`.

use std::sync::Arc;

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use redress_declare::{DeclarationKind, ErrorField, FieldRole, Variant};
use redress_registry::{Entry, ParamType};
use syn::{Ident, spanned::Spanned as _};

/// A variant and its row.
pub(crate) struct VariantRow<'a> {
    pub(crate) variant: &'a Variant,
    /// A transparent variant has none.
    pub(crate) entry: Option<Arc<Entry>>,
    pub(crate) params: Vec<Passed<'a>>,
}

/// A field that becomes a parameter.
pub(crate) struct Passed<'a> {
    pub(crate) field: &'a ErrorField,
    pub(crate) name: String,
    pub(crate) how: How,
}

/// How a field becomes a parameter.
#[derive(Clone, Copy)]
pub(crate) enum How {
    /// As a value of this type.
    Typed(ParamType),
    /// As a time to wait, in milliseconds.
    Millis,
    /// As a time to wait, in seconds.
    Seconds,
}

impl VariantRow<'_> {
    /// The arm of `to_fault`.
    pub(crate) fn fault(&self, is_enum: bool) -> TokenStream {
        let pattern = pattern(self.variant, is_enum);
        let Some(entry) = &self.entry else {
            let inner = inner(self.variant).map(|field| {
                let (ty, bound) = (&field.ty, bound(field));
                quote_spanned!(ty.span()=> <#ty as ::redress::Contract>::to_fault(#bound))
            });
            return quote!(#pattern => #inner,);
        };
        let code = &*entry.code;
        let params = self.params.iter().map(Passed::tokens);
        let parts = self.variant.fields.iter().filter_map(part);
        quote! {
            #pattern => {
                #[allow(unused_mut)]
                let mut fault = ::redress::contract::derived::raise(
                    <Self as ::redress::Contract>::registry(),
                    #code,
                    [#(#params),*],
                );
                #(#parts)*
                fault
            }
        }
    }

    /// The arm of `Error::source`.
    pub(crate) fn source(&self, is_enum: bool) -> TokenStream {
        let pattern = pattern(self.variant, is_enum);
        let source = if matches!(self.variant.kind, DeclarationKind::Transparent) {
            inner(self.variant).map(|field| {
                let bound = bound(field);
                let ty = &field.ty;
                quote_spanned!(ty.span()=> <#ty as ::redress::Contract>::below(#bound))
            })
        } else {
            self.variant.fields.iter().find(|it| it.role == FieldRole::Source).map(as_source)
        };
        let source = source.unwrap_or_else(|| quote!(::core::option::Option::None));
        quote!(#pattern => #source,)
    }
}

impl Passed<'_> {
    fn tokens(&self) -> TokenStream {
        let (name, ty, bound) = (&self.name, &self.field.ty, bound(self.field));
        let value = match self.how {
            How::Typed(kind) => {
                let kind = marker(kind);
                quote_spanned! {ty.span()=>
                    <#ty as ::redress::contract::Param<::redress::contract::kind::#kind>>::to_param(#bound)
                }
            }
            How::Millis => quote!(::redress::contract::derived::wait_millis(#bound)),
            How::Seconds => quote!(::redress::contract::derived::wait_seconds(#bound)),
        };
        quote!((#name, #value))
    }
}

/// `Self::X { 0: field_0, .. }`, for fields with and without names.
fn pattern(variant: &Variant, is_enum: bool) -> TokenStream {
    let ident = &variant.ident;
    let path = if is_enum { quote!(Self::#ident) } else { quote!(Self) };
    let fields = variant.fields.iter().map(|it| {
        let (member, bound) = (&it.member, bound(it));
        quote!(#member: #bound)
    });
    quote!(#path { #(#fields,)* })
}

/// The name of a field inside an arm.
fn bound(field: &ErrorField) -> Ident {
    match &field.member {
        syn::Member::Named(it) => format_ident!("field_{}", it),
        syn::Member::Unnamed(it) => format_ident!("field_{}", it.index),
    }
}

fn inner(variant: &Variant) -> Option<&ErrorField> {
    variant.fields.iter().find(|it| it.role == FieldRole::Inner)
}

/// What a field that is no parameter does to the fault.
fn part(field: &ErrorField) -> Option<TokenStream> {
    let bound = bound(field);
    let span = field.ty.span();
    Some(match field.role {
        FieldRole::Param | FieldRole::Inner => return None,
        FieldRole::Similar => {
            quote_spanned!(span=> ::redress::contract::derived::similar(&mut fault, #bound);)
        }
        FieldRole::RetryAfter => {
            quote_spanned!(span=> ::redress::contract::derived::retry_after(&mut fault, #bound);)
        }
        FieldRole::Next => {
            quote_spanned!(span=> ::redress::contract::derived::next(&mut fault, #bound);)
        }
        FieldRole::Source => {
            quote!(::redress::contract::derived::source(&mut fault, ::core::error::Error::source(self));)
        }
    })
}

/// The source as a trait object, whatever it is behind.
fn as_source(field: &ErrorField) -> TokenStream {
    let bound = bound(field);
    let span = field.ty.span();
    let source = quote_spanned!(span=> source.as_source());
    let given = if field.is_optional() {
        quote!(::core::option::Option::as_ref(#bound))
    } else {
        quote!(::core::option::Option::Some(#bound))
    };
    quote! {{
        use ::redress::contract::derived::AsSource as _;
        match #given {
            ::core::option::Option::Some(source) => ::core::option::Option::Some(#source),
            ::core::option::Option::None => ::core::option::Option::None,
        }
    }}
}

/// The type of Rust for a type of the registry.
fn marker(kind: ParamType) -> Ident {
    format_ident!(
        "{}",
        match kind {
            ParamType::String => "Text",
            ParamType::Integer => "Integer",
            ParamType::Number => "Number",
            ParamType::Boolean => "Boolean",
            ParamType::Array => "Array",
            ParamType::Object => "Object",
        }
    )
}
