//! The code that the derive writes.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use redress_declare::{Declaration, ErrorField, FieldRole};
use redress_registry::{mirror::DEPRECATED, name::split};
use syn::{parse_quote, spanned::Spanned as _};

use crate::{
    home::{FoundRegistry, RegistrySource},
    variant::VariantRow,
};

/// The implementations of a type without mistakes.
pub(crate) fn impls(
    declaration: &Declaration,
    found: &FoundRegistry,
    variants: &[VariantRow<'_>],
) -> TokenStream {
    let is_enum = declaration.is_enum;
    let faults = variants.iter().map(|it| it.fault(is_enum));
    let sources = variants.iter().map(|it| it.source(is_enum));
    let written = VariantTokens {
        codes: codes(variants),
        registry: with_inner(&registry(&found.origin), variants),
        fault: matched(declaration, faults),
        source: matched(declaration, sources),
    };
    let mut tokens = written.tokens(declaration);
    tokens.extend(variants.iter().filter_map(deprecation));
    tokens
}

/// A warning of the compiler that the code of a variant is on its way out. A macro can give none by itself, so it uses
/// something that is deprecated, at the place of the code.
fn deprecation(told: &VariantRow<'_>) -> Option<TokenStream> {
    let entry = told.entry.as_ref().filter(|_| !told.variant.is_known_deprecated)?;
    let gone = entry.deprecated.as_ref()?;
    let (id, code, since, reason) = (DEPRECATED.id, &entry.code, &gone.since, &gone.reason);
    let to = gone.to.as_ref().map(|it| format!(" Use {it}.")).unwrap_or_default();
    let note = format!("[{id}] {code} is deprecated since {since}: {reason}{to}");
    let name = Ident::new(split(code).1, told.variant.code.span);
    Some(quote! {
        const _: () = {
            #[deprecated = #note]
            const #name: () = ();
            #name
        };
    })
}

/// The same for a type with mistakes, so that whatever uses it makes no second message of them.
pub(crate) fn stand_in(declaration: &Declaration) -> TokenStream {
    let mut declaration = declaration.clone();
    // An error can be shown; a parameter that is refused must not be blamed for that, too.
    for param in declaration.generics.type_params_mut() {
        param.bounds.push(parse_quote!(::core::fmt::Debug));
    }
    let written = VariantTokens {
        codes: quote!(&[]),
        registry: registry(&RegistrySource::BuiltIn("core".to_owned())),
        fault: quote!(::core::unimplemented!()),
        source: quote!(::core::option::Option::None),
    };
    written.tokens(&declaration)
}

/// The parts that depend on the variants.
struct VariantTokens {
    codes: TokenStream,
    registry: TokenStream,
    fault: TokenStream,
    source: TokenStream,
}

impl VariantTokens {
    fn tokens(&self, declaration: &Declaration) -> TokenStream {
        let Self { codes, registry, fault, source } = self;
        let ident = &declaration.ident;
        let (generics, arguments, bounds) = declaration.generics.split_for_impl();
        let froms = declaration.variants.iter().flat_map(|variant| {
            let only = variant.fields.iter().filter(|_| variant.fields.len() == 1);
            only.filter(|it| it.from.is_some()).map(move |field| (variant, field))
        });
        let froms = froms.map(|(variant, field)| {
            let (ty, member, name) = (&field.ty, &field.member, &variant.ident);
            let path = if declaration.is_enum { quote!(Self::#name) } else { quote!(Self) };
            quote! {
                #[automatically_derived]
                impl #generics ::core::convert::From<#ty> for #ident #arguments #bounds {
                    fn from(it: #ty) -> Self {
                        #path { #member: it }
                    }
                }
            }
        });
        quote! {
            #[automatically_derived]
            impl #generics ::redress::Contract for #ident #arguments #bounds {
                const CODES: &'static [&'static ::core::primitive::str] = #codes;

                fn registry() -> &'static ::std::sync::Arc<::redress::contract::derived::Registry> {
                    static REGISTRY: ::redress::contract::derived::Home =
                        ::redress::contract::derived::Home::new(|| #registry);
                    &REGISTRY
                }

                fn to_fault(&self) -> ::redress::Fault {
                    #fault
                }
            }

            #[automatically_derived]
            impl #generics ::core::fmt::Display for #ident #arguments #bounds {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    ::redress::contract::derived::show(&::redress::Contract::to_fault(self), f)
                }
            }

            #[automatically_derived]
            impl #generics ::core::error::Error for #ident #arguments #bounds {
                fn source(&self) -> ::core::option::Option<&(dyn ::core::error::Error + 'static)> {
                    #source
                }
            }

            #(#froms)*
        }
    }
}

/// `match self { … }`; what has no variant has no arm either.
fn matched(declaration: &Declaration, arms: impl Iterator<Item = TokenStream>) -> TokenStream {
    if declaration.variants.is_empty() {
        return quote!(match *self {});
    }
    quote!(#[allow(unused_variables)] match self { #(#arms)* })
}

/// Own codes first, each once, then those of the errors that are passed on.
fn codes(variants: &[VariantRow<'_>]) -> TokenStream {
    let mut own: Vec<&str> = Vec::new();
    for code in variants.iter().filter_map(|it| it.entry.as_ref()).map(|it| &*it.code) {
        if !own.contains(&code) {
            own.push(code);
        }
    }
    let inner = inner(variants);
    if inner.is_empty() {
        return quote!(&[#(#own),*]);
    }
    let inner = inner.iter().map(|it| {
        let ty = &it.ty;
        quote_spanned!(ty.span()=> <#ty as ::redress::Contract>::CODES)
    });
    quote! {{
        const LISTS: &[&[&::core::primitive::str]] = &[&[#(#own),*], #(#inner),*];
        const ALL: [&::core::primitive::str; ::redress::contract::derived::count(LISTS)] =
            ::redress::contract::derived::joined(LISTS);
        &ALL
    }}
}

/// The errors that are passed on.
fn inner<'a>(variants: &'a [VariantRow<'_>]) -> Vec<&'a ErrorField> {
    let fields = variants.iter().flat_map(|it| &it.variant.fields);
    fields.filter(|it| it.role == FieldRole::Inner).collect()
}

/// The registry with the rows of the errors that are passed on.
fn with_inner(own: &TokenStream, variants: &[VariantRow<'_>]) -> TokenStream {
    let inner = inner(variants);
    if inner.is_empty() {
        return own.clone();
    }
    let inner = inner.iter().map(|it| {
        let ty = &it.ty;
        quote_spanned! {ty.span()=>
            (<#ty as ::redress::Contract>::CODES, <#ty as ::redress::Contract>::registry())
        }
    });
    quote!(::redress::contract::derived::with_rows(#own, &[#(#inner),*]))
}

/// How the program gets its registry.
fn registry(origin: &RegistrySource) -> TokenStream {
    match origin {
        RegistrySource::BuiltIn(name) => quote!(::redress::contract::derived::built_in(#name)),
        RegistrySource::Text(name, text) => {
            quote!(::redress::contract::derived::loaded(&[(#name, #text)]))
        }
        RegistrySource::Files(files) => {
            let files = files.iter().map(|(name, path)| {
                let path = path.to_string_lossy();
                quote!((#name, ::core::include_str!(#path)))
            });
            quote!(::redress::contract::derived::loaded(&[#(#files),*]))
        }
    }
}
