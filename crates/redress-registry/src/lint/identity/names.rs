//! The shape of names: grammar, length, meaning, and what becomes of them in generated code.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    finding::part,
    lint::scope::{Hits, Scope},
    name,
};

/// Words that say "it is an error", which every code is.
const AFFIXES_BEFORE: &[&str] = &["E", "ERR", "ERROR"];
const AFFIXES_AFTER: &[&str] = &["ERROR", "ERR", "EXCEPTION"];

/// A code of nothing but these tells nothing.
const VAGUE: &[&str] = &[
    "BAD",
    "ERR",
    "ERROR",
    "EXCEPTION",
    "FAIL",
    "FAILED",
    "FAILURE",
    "FAULT",
    "GENERAL",
    "GENERIC",
    "INVALID",
    "ISSUE",
    "MISC",
    "OTHER",
    "PROBLEM",
    "UNEXPECTED",
    "UNKNOWN",
    "UNSPECIFIED",
];

/// CK101.
pub(super) fn malformed(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let (_, bare) = name::split(&code.name.value);
        if !name::is_screaming_snake(bare) {
            let suggested = screaming_snake(bare);
            hits.on(code, &code.name.span, "{name} is not SCREAMING_SNAKE.", [part("name", bare)]);
            if name::is_code(&suggested) {
                hits.fix(format!("Write it as {suggested}."));
            }
        }
        for param in code.params.iter().map(|it| &it.value.name) {
            if !name::is_param(&param.value) {
                let message = "The parameter {param} is not lower_snake of at most 64 characters.";
                hits.on(code, &param.span, message, [part("param", param.value.as_str())]);
            }
        }
    }
}

/// CK102.
pub(super) fn length(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let (_, bare) = name::split(&code.name.value);
        let chars = bare.chars().count();
        if !(3..=name::MAX_CODE).contains(&chars) {
            let message = "{name} has {chars} characters, not 3 to {max}.";
            let context = [part("name", bare), part("chars", chars), part("max", name::MAX_CODE)];
            hits.on(code, &code.name.span, message, context);
        }
    }
}

/// CK106.
pub(super) fn colliding(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let dead: BTreeSet<&str> = scope
        .taken_retired()
        .map(|it| it.0)
        .chain(scope.retired().map(|it| it.name.value.as_str()))
        .collect();
    let mut constants: BTreeMap<String, &str> = BTreeMap::new();
    let mut variants: BTreeMap<String, &str> = BTreeMap::new();
    for name in dead.iter().copied().chain(scope.taken_codes().map(|it| &*it.code)) {
        constants.entry(constant(name)).or_insert(name);
        variants.entry(variant(name)).or_insert(name);
    }
    for (name, code) in scope.named_codes() {
        let (constant, variant) = (constant(name), variant(name));
        let same_constant = *constants.entry(constant.clone()).or_insert(name);
        let same_variant = *variants.entry(variant.clone()).or_insert(name);
        if dead.contains(name) {
            let message = "{name} is the name of a tombstone.";
            hits.on(code, &code.name.span, message, [part("name", name)])
                .fix("Choose a name that was never used.".into());
        } else if same_constant != name {
            let message = "{name} and {other} are both the constant {constant}.";
            let context =
                [part("name", name), part("other", same_constant), part("constant", constant)];
            hits.on(code, &code.name.span, message, context);
        } else if same_variant != name {
            let message = "{name} and {other} are both the variant {variant}.";
            let context =
                [part("name", name), part("other", same_variant), part("variant", variant)];
            hits.on(code, &code.name.span, message, context);
        }
    }
}

/// CK108.
pub(super) fn vague(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    for code in scope.codes() {
        let (_, bare) = name::split(&code.name.value);
        let words: Vec<&str> = bare.split('_').collect();
        let (first, last) = (words.first().copied(), words.last().copied());
        let at = &code.name.span;
        if words.iter().all(|it| VAGUE.contains(it)) {
            hits.on(code, at, "{name} tells nothing.", [part("name", bare)]);
        } else if let Some(word) = first.filter(|it| AFFIXES_BEFORE.contains(it)) {
            let message = "{name} begins with {word}_, which every code could.";
            hits.on(code, at, message, [part("name", bare), part("word", word)]);
        } else if let Some(word) = last.filter(|it| AFFIXES_AFTER.contains(it)) {
            let message = "{name} ends with _{word}, which every code could.";
            hits.on(code, at, message, [part("name", bare), part("word", word)]);
        } else if let Some(word) = words.iter().copied().find(|it| is_version(it)) {
            let message = "{name} holds {word}, a number or version that will age.";
            hits.on(code, at, message, [part("name", bare), part("word", word)]);
        }
    }
}

/// CK110.
pub(super) fn bad_namespace(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let plugin = scope.draft.plugin.as_ref();
    let own = plugin.and_then(|it| it.namespace.as_ref());
    if plugin.is_some() && own.is_none() {
        hits.at(&scope.draft.head(), "The plugin has no namespace.", []);
    }
    if let Some(own) = own {
        let context = [part("namespace", own.value.as_str())];
        if name::RESERVED_NAMESPACES.contains(&own.value.as_str()) {
            hits.at(&own.span, "The namespace {namespace} is reserved.", context);
        } else if !name::is_namespace(&own.value) {
            hits.at(&own.span, "The namespace {namespace} is malformed.", context);
        }
    }
    for code in scope.codes() {
        let (Some(namespace), _) = name::split(&code.name.value) else { continue };
        let at = &code.name.span;
        let context = part("namespace", namespace);
        if let Some(own) = own.filter(|it| it.value != namespace) {
            let message = "The namespace {namespace} is not {own}, the plugin's.";
            hits.on(code, at, message, [context, part("own", own.value.as_str())]);
        } else if own.is_none() && name::RESERVED_NAMESPACES.contains(&namespace) {
            hits.on(code, at, "The namespace {namespace} is reserved.", [context]);
        } else if own.is_none() && !name::is_namespace(namespace) {
            hits.on(code, at, "The namespace {namespace} is malformed.", [context]);
        }
    }
}

/// The constant that generated code has for a name: `a-b.FILE_GONE` is `A_B_FILE_GONE`.
fn constant(name: &str) -> String {
    let letter = |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' };
    name.chars().map(letter).collect()
}

/// The variant that generated code has for a name: `FILE_GONE` is `FileGone`.
fn variant(name: &str) -> String {
    let mut variant = String::new();
    for word in name.split(|it: char| !it.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        variant.extend(letters.next().map(|it| it.to_ascii_uppercase()));
        variant.extend(letters.map(|it| it.to_ascii_lowercase()));
    }
    variant
}

/// `fileNotFound`, `file-not-found` and `File Not Found` as a code.
fn screaming_snake(name: &str) -> String {
    let mut snake = String::new();
    let mut after_small = false;
    for it in name.chars() {
        let new_word = !it.is_ascii_alphanumeric() || (it.is_ascii_uppercase() && after_small);
        if new_word && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        if it.is_ascii_alphanumeric() {
            snake.push(it.to_ascii_uppercase());
        }
        after_small = it.is_ascii_lowercase() || it.is_ascii_digit();
    }
    snake.trim_end_matches('_').to_owned()
}

/// `V2`, `404`.
fn is_version(word: &str) -> bool {
    let digits = word.strip_prefix('V').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
}
