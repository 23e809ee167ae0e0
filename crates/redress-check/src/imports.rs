//! Names that come from other files, as each language writes them.

use crate::facts::Import;

/// Longer lists of names are written by programs.
const MAX_NAMES: usize = 500;

/// `import a, { b as c } from "./d"`, `import * as e from "./d"`, `export { f } from "./d"`, `export * from "./d"`.
pub(crate) fn typescript(statement: &str) -> Vec<Import> {
    let is_exported = statement.starts_with("export");
    let Some((names, from)) = statement.rsplit_once("from") else { return Vec::new() };
    let from = from.trim().trim_end_matches(';').trim();
    let Some(from) = quoted(from) else { return Vec::new() };
    let names = names.trim_start_matches("export").trim_start_matches("import").trim();
    let names = names.strip_prefix("type ").unwrap_or(names);
    let (head, group) = match names.split_once('{') {
        Some((head, group)) => (head, group.split('}').next().unwrap_or_default()),
        None => (names, ""),
    };
    let mut found = Vec::new();
    for part in head.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let (name, local) = match part.strip_prefix('*') {
            Some(whole) => ("*", whole.trim().strip_prefix("as ").unwrap_or("*").trim()),
            None => ("default", part),
        };
        found.push(import(local, name, from, is_exported));
    }
    found.extend(group.split(',').take(MAX_NAMES).filter_map(|part| {
        let part = part.trim();
        let part = part.strip_prefix("type ").unwrap_or(part);
        let (name, local) = part.split_once(" as ").unwrap_or((part, part));
        (!name.is_empty()).then(|| import(local.trim(), name.trim(), from, is_exported))
    }));
    found
}

/// `{ a, b: c } = require("./d")`, `e = require("./d")`.
pub(crate) fn required(declarator: &str) -> Vec<Import> {
    let Some((names, call)) = declarator.split_once("= require(") else { return Vec::new() };
    let Some(from) = call.split(')').next().and_then(|it| quoted(it.trim())) else {
        return Vec::new();
    };
    let names = names.trim();
    let Some(group) = names.strip_prefix('{') else {
        return vec![import(names, "*", from, false)];
    };
    let parts = group.trim_end().trim_end_matches('}').split(',').map(str::trim);
    parts
        .filter(|it| !it.is_empty())
        .take(MAX_NAMES)
        .map(|part| {
            let (name, local) = part.split_once(':').unwrap_or((part, part));
            import(local.trim(), name.trim(), from, false)
        })
        .collect()
}

/// `from .a import b as c, d`, `import a.b as e`.
pub(crate) fn python(statement: &str) -> Vec<Import> {
    let split = |part: &str| {
        let part = part.trim().trim_matches(['(', ')']).trim();
        let (name, local) = part.split_once(" as ").unwrap_or((part, part));
        (name.trim().to_owned(), local.trim().to_owned())
    };
    let without_comments: String = statement
        .lines()
        .map(|it| it.split('#').next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join(" ");
    if let Some(rest) = without_comments.trim().strip_prefix("from ")
        && let Some((from, names)) = rest.split_once(" import ")
    {
        let names = names.split(',').take(MAX_NAMES).map(split).filter(|it| !it.0.is_empty());
        return names.map(|(name, local)| import(&local, &name, from.trim(), true)).collect();
    }
    let Some(rest) = without_comments.trim().strip_prefix("import ") else { return Vec::new() };
    rest.split(',').map(split).map(|(from, local)| import(&local, "*", &from, false)).collect()
}

/// `use a::b::{C, d as e, f::*}`.
pub(crate) fn rust(statement: &str) -> Vec<Import> {
    let is_exported = statement.starts_with("pub");
    let Some((_, tree)) = statement.split_once("use ") else { return Vec::new() };
    let mut found = Vec::new();
    let mut prefixes: Vec<usize> = Vec::new();
    let mut prefix = String::new();
    let mut word = String::new();
    for letter in tree.chars() {
        match letter {
            '{' => {
                prefixes.push(prefix.len());
                prefix.push_str(&word);
                word.clear();
            }
            ',' | '}' | ';' => {
                found.extend(used(&prefix, &word, is_exported));
                word.clear();
                if letter == '}' {
                    prefix.truncate(prefixes.pop().unwrap_or_default());
                }
            }
            letter => word.push(letter),
        }
        if found.len() > MAX_NAMES || prefix.len() > 1_000 {
            break;
        }
    }
    found
}

fn used(prefix: &str, word: &str, is_exported: bool) -> Option<Import> {
    if word.trim().is_empty() {
        return None;
    }
    let whole = format!("{prefix}{}", word.trim());
    let (path, alias) = match whole.split_once(" as ") {
        Some((path, alias)) => (path.trim().to_owned(), Some(alias.trim().to_owned())),
        None => (whole, None),
    };
    let path = path.replace("::", ".").replace(char::is_whitespace, "");
    let (from, name) = path.rsplit_once('.')?;
    let local = alias.unwrap_or_else(|| name.to_owned());
    Some(import(&local, name, from, is_exported))
}

fn import(local: &str, name: &str, from: &str, is_exported: bool) -> Import {
    Import { local: local.into(), name: name.into(), from: from.into(), is_exported }
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix(['"', '\'']).and_then(|it| it.strip_suffix(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::{python, required, rust, typescript};
    use crate::facts::Import;

    fn shown(imports: Vec<Import>) -> String {
        let shown: Vec<_> =
            imports.into_iter().map(|it| format!("{}={}:{}", it.local, it.from, it.name)).collect();
        shown.join(" ")
    }

    #[test]
    fn every_form_of_typescript_is_read() {
        assert_eq!(
            shown(typescript("import a, { type b as c, d } from './e.js';")),
            "a=./e.js:default c=./e.js:b d=./e.js:d"
        );
        assert_eq!(shown(typescript("import * as a from \"./e\"")), "a=./e:*");
        assert_eq!(shown(typescript("export * from './e'")), "*=./e:*");
        assert_eq!(shown(typescript("export const a = 1")), "");
        assert_eq!(shown(required("{ a, b: c } = require('./e')")), "a=./e:a c=./e:b");
        assert_eq!(shown(required("a = require('./e')")), "a=./e:*");
    }

    #[test]
    fn every_form_of_python_is_read() {
        assert_eq!(
            shown(python("from ..e import (\n    a as b,  # why\n    c,\n)")),
            "b=..e:a c=..e:c"
        );
        assert_eq!(shown(python("import a.b as c, d")), "c=a.b:* d=d:*");
    }

    #[test]
    fn every_form_of_rust_is_read() {
        assert_eq!(
            shown(rust("use crate::a::{b as c, d::{E, *}, f};")),
            "c=crate.a:b E=crate.a.d:E *=crate.a.d:* f=crate.a:f"
        );
        assert_eq!(shown(rust("pub use redress::codes;")), "codes=redress:codes");
    }
}
