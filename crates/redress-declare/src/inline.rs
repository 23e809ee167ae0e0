//! The registry that a declaration makes by itself, under the same lint as a file.

use std::sync::Arc;

use proc_macro2::Span;
use redress_registry::{
    Level, NextStep, Param, ParamType, Registry, Retry, Source,
    edit::{self, NewCode, NewFile},
    lint::lint,
    name, read, resolve, shipped, template,
};
use serde_json::Value as Json;

use crate::{
    Mistakes,
    attributes::At,
    declaration::{Declaration, DeclarationKind, Home, Variant},
    field::{ErrorField, FieldRole},
    row::DeclaredRow,
};

/// The package that declares the codes.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Package {
    /// The name of its registry, unless the type gives another one.
    pub fn registry(&self) -> String {
        self.name.to_ascii_lowercase().replace('_', "-")
    }
}

/// The registry of a declaration, and its file.
#[derive(Debug)]
pub struct Made {
    /// The file as it would be written.
    pub text: String,
    /// What it means.
    pub registry: Arc<Registry>,
}

/// The registry of a type without a registry file, if all of it can be read. What the lint forbids is a mistake.
pub fn make(declaration: &Declaration, package: &Package, mistakes: &mut Mistakes) -> Option<Made> {
    let file = file(declaration, package, mistakes)?;
    let text = edit::write(&file);
    let source = Source::new(&file.name, &text);
    let find = |name: &str| shipped::get(name).map(Arc::clone);
    let mut places = LinePlaces { declaration, text: &text, told: Vec::new() };
    let draft = match read(&source) {
        Ok(draft) => draft,
        Err(problems) => {
            for it in problems {
                places.tell(it.place.line, &it.to_string(), mistakes);
            }
            return None;
        }
    };
    let resolved = resolve(&draft, &find);
    let problems = resolved.as_ref().err().map(Vec::as_slice).unwrap_or_default();
    // A wrong head, such as a version that is none, makes every row look wrong.
    if problems.iter().all(|it| !places.key(it.place.line).0.is_empty()) {
        for it in lint(&draft, &find).into_iter().filter(|it| it.level == Level::Violation) {
            let message = format!("[{}] {} {}", it.rule, it.message, it.fix);
            places.tell(it.place.line, &message, mistakes);
        }
    }
    for it in problems {
        let meant = it.did_you_mean.as_ref().map(|it| format!(" Did you mean `{it}`?"));
        let message = format!("{}{}", it.message, meant.unwrap_or_default());
        places.tell(it.place.line, &message, mistakes);
    }
    let registry = resolved.ok().filter(|_| mistakes.is_empty())?;
    Some(Made { text, registry: Arc::new(registry) })
}

/// The rows that a declaration makes itself.
pub fn rows(declaration: &Declaration, domain: &str, mistakes: &mut Mistakes) -> Vec<NewCode> {
    let rows = declaration.variants.iter().filter_map(|variant| match &variant.kind {
        DeclarationKind::Row(row) => row_of(variant, row, domain, mistakes),
        DeclarationKind::Code | DeclarationKind::Transparent => None,
    });
    let mut distinct: Vec<NewCode> = Vec::new();
    for row in rows {
        if distinct.iter().all(|it| it.code != row.code) {
            distinct.push(row);
        }
    }
    distinct
}

fn file(declaration: &Declaration, package: &Package, mistakes: &mut Mistakes) -> Option<NewFile> {
    let Home::Inline { name, version, extends } = &declaration.home else { return None };
    let name = name.as_ref().map_or_else(|| package.registry(), |it| it.value.clone());
    let version = version.as_ref().map_or_else(|| package.version.clone(), |it| it.value.clone());
    let extends = extends.as_ref().map_or_else(|| vec!["core".to_owned()], |it| it.value.clone());
    refuse_twice(declaration, mistakes);
    let codes = rows(declaration, &name, mistakes);
    Some(NewFile { name, version, extends, codes })
}

/// Two variants may have one code, but only one of them says what it is.
fn refuse_twice(declaration: &Declaration, mistakes: &mut Mistakes) {
    let mut seen: Vec<&str> = Vec::new();
    for variant in
        declaration.variants.iter().filter(|it| matches!(it.kind, DeclarationKind::Row(_)))
    {
        let code = variant.code.value.as_str();
        if seen.contains(&code) {
            let message = format!("Another variant says what {code} is; name only the code here.");
            mistakes.add(variant.code.span, message);
        }
        seen.push(code);
    }
}

fn row_of(
    variant: &Variant,
    row: &DeclaredRow,
    domain: &str,
    mistakes: &mut Mistakes,
) -> Option<NewCode> {
    let code = &variant.code.value;
    if let Some(first) = row.missing.first() {
        let rule = if *first == "retry" { "CK301" } else { "CK201" };
        let missing = row.missing.join("`, `");
        let message = format!(
            "[{rule}] {code} has no `{missing}`. Add it to `#[contract(…)]`; a hint says what to do, a verb first."
        );
        mistakes.add(variant.ident.span(), message);
        return None;
    }
    let shown = row.message.as_ref()?;
    if shows_private(variant, shown, mistakes) {
        return None;
    }
    let explain = row.explain.as_ref().map(|it| it.value.clone()).or_else(|| said(&variant.doc));
    if explain.is_none() {
        let message = format!(
            "[CK210] {code} has no page for people. Write it as a doc comment: when it happens, why, and how to get \
             out of it."
        );
        mistakes.add(variant.ident.span(), message);
    }
    let params: Vec<Option<Param>> =
        params(variant).map(|field| param_of(field, mistakes)).collect();
    let mut params: Vec<Param> = params.into_iter().collect::<Option<_>>()?;
    params.extend(wait_of(variant));
    Some(NewCode {
        code: code.clone(),
        number: row.number.as_ref().map(|it| it.value),
        domain: row.domain.as_ref().map_or_else(|| domain.to_owned(), |it| it.value.clone()),
        class: row.class.as_ref()?.value,
        http: row.http.as_ref().map(|it| it.value),
        retry: Retry {
            kind: row.retry.as_ref()?.value,
            after_ms: row.after_ms.as_ref().map(|it| it.value),
            max: row.max.as_ref().map(|it| it.value),
        },
        effect: row.effect.as_ref().map(|it| it.value),
        severity: row.severity.as_ref().map(|it| it.value),
        title: row.title.as_ref().map_or_else(|| name::title(code), |it| it.value.clone()),
        message: shown.value.clone(),
        hint: row.hint.as_ref()?.value.clone(),
        next: row.next.iter().flat_map(|it| &it.value).map(|it| step(it)).collect(),
        similar: row.similar.as_ref().map(|it| it.value.clone()),
        example: params.iter().map(|it| example(variant, it)).collect(),
        params,
        explain: Some(explain?),
        since: row.since.as_ref().map(|it| it.value.clone()),
        stability: row.stability.as_ref().map(|it| it.value),
    })
}

fn params(variant: &Variant) -> impl Iterator<Item = &ErrorField> {
    variant.fields.iter().filter(|it| it.role == FieldRole::Param)
}

/// Whether the message shows a private field. The lint would only say that it knows no such parameter.
fn shows_private(variant: &Variant, message: &At<String>, mistakes: &mut Mistakes) -> bool {
    let placeholders: Vec<&str> = template::params(&message.value).collect();
    let shown =
        variant.fields.iter().filter_map(|it| Some((it, it.name.as_ref()?, it.role.attribute()?)));
    let private =
        shown.into_iter().find(|(_, name, _)| placeholders.contains(&name.value.as_str()));
    if let Some((field, name, role)) = &private {
        let name = &name.value;
        let message = format!(
            "[CK205] The message shows {{{name}}}, which is `#[{role}]` and no parameter. Take the placeholder out."
        );
        mistakes.add(field.span(), message);
    }
    private.is_some()
}

fn param_of(field: &ErrorField, mistakes: &mut Mistakes) -> Option<Param> {
    let name = field.name.as_ref()?;
    let Some(kind) = field.kind() else {
        let message = format!(
            "Which type has the parameter `{}`? Say it: `#[contract(type = \"string\")]`, or `#[source]` if the error came from it.",
            name.value
        );
        mistakes.add(field.span(), message);
        return None;
    };
    let doc =
        said(&field.doc).unwrap_or_else(|| format!("{}.", name::title(&name.value.to_uppercase())));
    Some(Param {
        required: !field.is_optional(),
        values: field.facts.values.clone(),
        untrusted: field.facts.untrusted,
        secret: field.facts.secret,
        max_chars: field.facts.max_chars.as_ref().map(|it| it.value),
        ..Param::new(&name.value, kind, &doc)
    })
}

/// A wait that each occurrence brings is a parameter.
fn wait_of(variant: &Variant) -> Option<Param> {
    const NAME: &str = "retry_after_ms";
    let field = variant.fields.iter().find(|it| it.role == FieldRole::RetryAfter)?;
    let is_there = params(variant).any(|it| it.name.as_ref().is_some_and(|it| it.value == NAME));
    let doc = said(&field.doc).unwrap_or_else(|| "How long to wait, in milliseconds.".to_owned());
    let wait =
        Param { required: !field.is_optional(), ..Param::new(NAME, ParamType::Integer, &doc) };
    (!is_there).then_some(wait)
}

fn said(text: &str) -> Option<String> {
    if text.is_empty() { None } else { Some(text.to_owned()) }
}

fn step(tool: &str) -> NextStep {
    NextStep { tool: tool.to_owned(), args: serde_json::Map::new() }
}

/// What the field says, else a value that has the type.
fn example(variant: &Variant, param: &Param) -> (String, Json) {
    let named = |it: &&ErrorField| it.name.as_ref().is_some_and(|it| *it.value == *param.name);
    let said = params(variant).find(named).and_then(|it| it.facts.example.as_ref());
    let any = || match param.kind {
        ParamType::String => param.values.first().map_or(&*param.name, |it| it.as_str()).into(),
        ParamType::Integer | ParamType::Number => 1.into(),
        ParamType::Boolean => true.into(),
        ParamType::Array => Json::Array(Vec::new()),
        ParamType::Object => Json::Object(serde_json::Map::new()),
    };
    (param.name.to_string(), said.map_or_else(any, |it| it.value.clone()))
}

/// Where the lines of the file come from. Only the first mistake of each line is reported.
struct LinePlaces<'a> {
    declaration: &'a Declaration,
    text: &'a str,
    told: Vec<(String, String)>,
}

impl LinePlaces<'_> {
    fn tell(&mut self, line: usize, message: &str, mistakes: &mut Mistakes) {
        let (code, key) = self.key(line);
        let told = (code.to_owned(), key.to_owned());
        if !self.told.contains(&told) {
            mistakes.add(self.span(code, key), message);
            self.told.push(told);
        }
    }

    /// The code and the key that stand on a line; a header has no key.
    fn key(&self, line: usize) -> (&str, &str) {
        let (mut code, mut key) = ("", "");
        for line in self.text.lines().take(line) {
            if let Some(header) = line.strip_prefix('[') {
                let row = header.strip_prefix("code.").unwrap_or_default();
                (code, key) = (row.trim_end_matches(']').trim_matches('"'), "");
            } else if let Some((before, _)) = line.split_once(" = ") {
                key = before.trim();
            }
        }
        (code, key)
    }

    fn span(&self, code: &str, key: &str) -> Span {
        let Some(variant) = self.declaration.variants.iter().find(|it| is_row(it, code)) else {
            return self.head(key);
        };
        let DeclarationKind::Row(row) = &variant.kind else { return variant.code.span };
        if let Some(at) = row.place(key) {
            return at;
        }
        let param = key.strip_prefix("params.").unwrap_or_default();
        let named = |it: &&ErrorField| it.name.as_ref().is_some_and(|it| it.value == param);
        variant.fields.iter().find(named).map_or(variant.code.span, ErrorField::span)
    }

    /// Where a key of `[registry]` comes from.
    fn head(&self, key: &str) -> Span {
        let Home::Inline { name, version, extends } = &self.declaration.home else {
            return self.declaration.ident.span();
        };
        let at = match key {
            "name" => name.as_ref().map(|it| it.span),
            "version" => version.as_ref().map(|it| it.span),
            "extends" => extends.as_ref().map(|it| it.span),
            _ => None,
        };
        at.unwrap_or_else(|| self.declaration.ident.span())
    }
}

fn is_row(variant: &Variant, code: &str) -> bool {
    matches!(variant.kind, DeclarationKind::Row(_)) && variant.code.value == code
}
