//! `#[contract(…)]` as keys and values: each reader takes the keys that it knows, and what is left is reported.

use proc_macro2::{Ident, Span};
use redress_registry::nearest::nearest;
use serde_json::Value as Json;
use syn::{
    Attribute, Lit, LitStr, Token, bracketed,
    ext::IdentExt as _,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use crate::mistakes::{Mistakes, meant};

/// A value and where it was written.
#[derive(Debug, Clone)]
pub struct At<T> {
    /// What was written.
    pub value: T,
    /// Where.
    pub span: Span,
}

impl<T> At<T> {
    /// Puts a value at its place.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// The keys of all `#[contract(…)]` of one item.
pub(crate) struct Keys {
    pairs: Vec<KeyValue>,
    known: Vec<&'static str>,
}

struct KeyValue {
    key: Ident,
    value: Option<At<Json>>,
}

impl Keys {
    pub(crate) fn read(attributes: &[Attribute], mistakes: &mut Mistakes) -> Self {
        let mut pairs: Vec<KeyValue> = Vec::new();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("contract")) {
            match attribute.parse_args_with(Punctuated::<KeyValue, Token![,]>::parse_terminated) {
                Err(error) => mistakes.take(error),
                Ok(found) => {
                    for pair in found {
                        if pairs.iter().any(|it| it.key == pair.key) {
                            mistakes.add(pair.key.span(), format!("`{}` stands twice.", pair.key));
                        } else {
                            pairs.push(pair);
                        }
                    }
                }
            }
        }
        Self { pairs, known: Vec::new() }
    }

    /// Where the first of these keys is, and which it is.
    pub(crate) fn first_of(&self, keys: &[&'static str]) -> Option<At<&'static str>> {
        self.pairs.iter().find_map(|pair| {
            let key = keys.iter().find(|it| pair.key == **it)?;
            Some(At::new(*key, pair.key.span()))
        })
    }

    /// Takes these keys without a look.
    pub(crate) fn skip(&mut self, keys: &[&'static str]) {
        self.known.extend(keys);
        self.pairs.retain(|pair| keys.iter().all(|it| pair.key != *it));
    }

    /// Takes a key that has no value.
    pub(crate) fn flag(&mut self, key: &'static str, mistakes: &mut Mistakes) -> Option<Span> {
        let pair = self.pair(key)?;
        if let Some(value) = pair.value {
            mistakes.add(value.span, format!("`{key}` takes no value."));
        }
        Some(pair.key.span())
    }

    /// Takes any value.
    pub(crate) fn value(&mut self, key: &'static str, mistakes: &mut Mistakes) -> Option<At<Json>> {
        let pair = self.pair(key)?;
        if pair.value.is_none() {
            mistakes.add(pair.key.span(), format!("`{key}` needs a value: `{key} = …`."));
        }
        pair.value
    }

    /// Takes a text.
    pub(crate) fn text(
        &mut self,
        key: &'static str,
        mistakes: &mut Mistakes,
    ) -> Option<At<String>> {
        self.typed(key, "a text", mistakes, |it| it.as_str().map(str::to_owned))
    }

    /// Takes a whole number.
    pub(crate) fn whole<T: TryFrom<i64>>(
        &mut self,
        key: &'static str,
        mistakes: &mut Mistakes,
    ) -> Option<At<T>> {
        self.typed(key, "a whole number in its range", mistakes, |it| {
            it.as_i64().and_then(|it| T::try_from(it).ok())
        })
    }

    /// Takes a list of texts; a single one needs no brackets.
    pub(crate) fn texts(
        &mut self,
        key: &'static str,
        mistakes: &mut Mistakes,
    ) -> Option<At<Vec<String>>> {
        self.typed(key, "a text or a list of texts", mistakes, |it| match it {
            Json::String(one) => Some(vec![one.clone()]),
            Json::Array(many) => many.iter().map(|it| it.as_str().map(str::to_owned)).collect(),
            _ => None,
        })
    }

    /// Takes one of a closed set of names.
    pub(crate) fn one_of<T>(
        &mut self,
        key: &'static str,
        names: &[&'static str],
        parse: impl Fn(&str) -> Option<T>,
        mistakes: &mut Mistakes,
    ) -> Option<At<T>> {
        let text = self.text(key, mistakes)?;
        let parsed = parse(&text.value);
        if parsed.is_none() {
            let (word, all) = (&text.value, names.join(", "));
            let meant = meant(word, names.iter().copied());
            mistakes.add(text.span, format!("`{word}` is no `{key}`.{meant} It is one of {all}."));
        }
        parsed.map(|it| At::new(it, text.span))
    }

    /// The keys that the unused ones were probably meant to be.
    pub(crate) fn misspelt(&self) -> Vec<&'static str> {
        let words = self.pairs.iter().map(|it| it.key.to_string());
        words.filter_map(|it| nearest(&it, self.known.iter().copied())).collect()
    }

    /// The text of a key that was probably meant for this one. It stays, to be reported.
    pub(crate) fn misspelt_text(&self, key: &'static str) -> Option<At<String>> {
        let known = || self.known.iter().copied();
        let is_it = |it: &&KeyValue| nearest(&it.key.to_string(), known()) == Some(key);
        let value = self.pairs.iter().find(is_it)?.value.as_ref()?;
        Some(At::new(value.value.as_str()?.to_owned(), value.span))
    }

    /// Reports unused keys.
    pub(crate) fn close(self, owner: &str, mistakes: &mut Mistakes) {
        for KeyValue { key, .. } in self.pairs {
            let meant = meant(&key.to_string(), self.known.iter().copied());
            mistakes.add(key.span(), format!("{owner} has no `{key}`.{meant}"));
        }
    }

    fn typed<T>(
        &mut self,
        key: &'static str,
        what: &str,
        mistakes: &mut Mistakes,
        read: impl Fn(&Json) -> Option<T>,
    ) -> Option<At<T>> {
        let value = self.value(key, mistakes)?;
        let typed = read(&value.value);
        if typed.is_none() {
            mistakes.add(value.span, format!("`{key}` must be {what}."));
        }
        typed.map(|it| At::new(it, value.span))
    }

    fn pair(&mut self, key: &'static str) -> Option<KeyValue> {
        self.known.push(key);
        let at = self.pairs.iter().position(|it| it.key == key)?;
        Some(self.pairs.remove(at))
    }
}

impl Parse for KeyValue {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let value =
            if input.parse::<Option<Token![=]>>()?.is_some() { Some(value(input)?) } else { None };
        Ok(Self { key, value })
    }
}

/// Texts, numbers, flags, and lists of them, as JSON. The compiler has bounded how deep lists are.
fn value(input: ParseStream<'_>) -> syn::Result<At<Json>> {
    if input.peek(syn::token::Bracket) {
        let content;
        let brackets = bracketed!(content in input);
        let items = Punctuated::<Item, Token![,]>::parse_terminated(&content)?;
        let items = items.into_iter().map(|it| it.0.value).collect();
        return Ok(At::new(Json::Array(items), brackets.span.join()));
    }
    let minus = input.parse::<Option<Token![-]>>()?;
    let literal = input.parse::<Lit>().map_err(|it| {
        syn::Error::new(
            it.span(),
            "A value is a text, a number, `true`, `false`, or a list of them.",
        )
    })?;
    let number = |digits: &str| {
        let sign = if minus.is_some() { "-" } else { "" };
        serde_json::from_str::<Json>(&format!("{sign}{digits}")).ok()
    };
    let json = match &literal {
        Lit::Str(it) if minus.is_none() => Some(Json::String(it.value())),
        Lit::Bool(it) if minus.is_none() => Some(Json::Bool(it.value)),
        Lit::Int(it) => number(it.base10_digits()),
        Lit::Float(it) => number(it.base10_digits()),
        _ => None,
    };
    match json {
        Some(json) => Ok(At::new(json, literal.span())),
        None => Err(syn::Error::new(literal.span(), "This is no value that JSON has.")),
    }
}

struct Item(At<Json>);

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        value(input).map(Self)
    }
}

/// The text of the doc comments, as Markdown.
pub(crate) fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|it| match &it.meta {
        syn::Meta::NameValue(it) if it.path.is_ident("doc") => text_of(&it.value),
        _ => None,
    });
    let lines: Vec<String> = lines.flat_map(|it| lines_of(&it.value())).collect();
    lines.join("\n").trim().to_owned()
}

fn text_of(expression: &syn::Expr) -> Option<&LitStr> {
    match expression {
        syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(it), .. }) => Some(it),
        _ => None,
    }
}

/// Each line without the space behind the slashes.
fn lines_of(text: &str) -> Vec<String> {
    text.split('\n').map(|it| it.strip_prefix(' ').unwrap_or(it).trim_end().to_owned()).collect()
}
