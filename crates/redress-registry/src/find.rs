//! The look-up behind `explain`: by code, number, alias or retired name, over any registries.

use std::sync::Arc;

use crate::{Entry, Registry, Retired, nearest::nearest_n};

/// Something that a query names.
#[derive(Debug, Clone)]
pub enum FoundCode<'a> {
    /// A code, and the registries that have it: the one that declares it or the first that took it in, then others.
    Code(&'a Arc<Entry>, Vec<&'a Registry>),
    /// A name that is gone, and the registry that remembers it.
    Retired(&'a str, &'a Retired, &'a Registry),
}

/// Everything that `query` names: codes first, then numbers, aliases, and names that are gone.
/// Case does not count.
pub fn find<'a>(
    query: &str,
    registries: impl IntoIterator<Item = &'a Arc<Registry>> + Clone,
) -> Vec<FoundCode<'a>> {
    let mut hits = codes(query, registries.clone());
    hits.extend(tombstones(query, registries));
    hits
}

fn codes<'a>(
    query: &str,
    registries: impl IntoIterator<Item = &'a Arc<Registry>>,
) -> Vec<FoundCode<'a>> {
    let mut found: Vec<(MatchedBy, &Arc<Entry>, Vec<&Registry>)> = Vec::new();
    for registry in registries {
        for entry in registry.codes.values() {
            let Some(by) = names(query, entry) else { continue };
            match found.iter_mut().find(|(_, it, _)| Arc::ptr_eq(it, entry)) {
                Some((_, _, holders)) => holders.push(registry),
                None => found.push((by, entry, vec![registry])),
            }
        }
    }
    found.sort_by_key(|(by, ..)| *by);
    found.into_iter().map(|(_, entry, holders)| FoundCode::Code(entry, holders)).collect()
}

fn tombstones<'a>(
    query: &str,
    registries: impl IntoIterator<Item = &'a Arc<Registry>>,
) -> Vec<FoundCode<'a>> {
    let mut found: Vec<(&str, &Retired, &Registry)> = Vec::new();
    for registry in registries {
        for (name, retired) in &registry.retired {
            let is_named = name.eq_ignore_ascii_case(query) || is_number(query, retired.number);
            let was_taken_in = found.iter().any(|it| (it.0, it.1) == (&**name, retired));
            if is_named && !was_taken_in {
                found.push((name, retired, registry));
            }
        }
    }
    found
        .into_iter()
        .map(|(name, retired, registry)| FoundCode::Retired(name, retired, registry))
        .collect()
}

/// Codes, aliases and retired names near to a query that names nothing, the nearest first.
pub fn suggest<'a>(
    query: &str,
    registries: impl IntoIterator<Item = &'a Arc<Registry>>,
) -> Vec<&'a str> {
    const MOST: usize = 5;
    let names = registries.into_iter().flat_map(|registry| {
        let codes = registry.codes.keys().map(|it| &**it);
        let spellings = registry.codes.values().flat_map(|it| spellings(it));
        codes.chain(spellings).chain(registry.retired.keys().map(|it| &**it))
    });
    nearest_n(query, names, MOST)
}

/// How a query names a code; the order is that of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchedBy {
    Code,
    CodeInOtherCase,
    Number,
    Alias,
}

fn names(query: &str, entry: &Entry) -> Option<MatchedBy> {
    if *entry.code == *query {
        Some(MatchedBy::Code)
    } else if entry.code.eq_ignore_ascii_case(query) {
        Some(MatchedBy::CodeInOtherCase)
    } else if is_number(query, entry.number) {
        Some(MatchedBy::Number)
    } else {
        spellings(entry).any(|it| it.eq_ignore_ascii_case(query)).then_some(MatchedBy::Alias)
    }
}

fn is_number(query: &str, number: Option<u32>) -> bool {
    number.is_some() && query.parse().ok() == number
}

fn spellings(entry: &Entry) -> impl Iterator<Item = &str> {
    entry.alias.iter().flat_map(|it| &it.spellings).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{FoundCode, find, suggest};
    use crate::{Registry, Source, read, resolve};

    fn registry(name: &str, extends: &[Arc<Registry>], body: &str) -> Arc<Registry> {
        let names: Vec<_> = extends.iter().map(|it| &*it.name).collect();
        let text = format!(
            "format = \"redress-registry/1\"\nextends = {names:?}\n[registry]\nname = \"{name}\"\nversion = \"1.0.0\"\n{body}"
        );
        let draft = read(&Source::new(name, &text)).unwrap();
        let found = |name: &str| extends.iter().find(|it| &*it.name == name).map(Arc::clone);
        Arc::new(resolve(&draft, &found).unwrap())
    }

    fn row(code: &str, more: &str) -> String {
        format!(
            "[code.{code}]\ndomain = \"d\"\nclass = \"internal\"\ntitle = \"T\"\nmessage = \"M.\"\nhint = \"H.\"\n{more}\n"
        )
    }

    fn world() -> Vec<Arc<Registry>> {
        let timeout = row("TIMEOUT", "number = 7\nalias.rpc = \"E_TIMEOUT\"");
        let core =
            registry("core", &[], &format!("[domain.d]\n{timeout}[retired.OLD]\nnumber = 9\n"));
        let ours = row("LATE", "number = 7\nalias.mailvault = [\"timeout\", \"late_mail\"]");
        let notes = registry("notes", &[Arc::clone(&core)], &ours);
        vec![core, notes]
    }

    fn shown(query: &str) -> Vec<String> {
        let world = world();
        find(query, &world)
            .into_iter()
            .map(|it| match it {
                FoundCode::Code(entry, holders) => {
                    let holders: Vec<_> = holders.iter().map(|it| &*it.name).collect();
                    format!("{} in {}", entry.code, holders.join(", "))
                }
                FoundCode::Retired(name, _, registry) => {
                    format!("{name} gone from {}", registry.name)
                }
            })
            .collect()
    }

    #[test]
    fn a_code_is_found_by_every_name_it_has() {
        let timeout = "TIMEOUT in core, notes";
        assert_eq!(shown("E_TIMEOUT"), [timeout]);
        assert_eq!(shown("late_mail"), ["LATE in notes"]);
        assert_eq!(shown("7"), [timeout, "LATE in notes"]);
        assert_eq!(shown("timeout"), [timeout, "LATE in notes"]);
        assert_eq!(shown("nothing"), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_is_gone_is_remembered_once() {
        assert_eq!(shown("OLD"), ["OLD gone from core"]);
        assert_eq!(shown("9"), ["OLD gone from core"]);
    }

    #[test]
    fn a_query_that_names_nothing_gets_what_is_near() {
        assert_eq!(suggest("TIMOUT", &world()), ["TIMEOUT", "timeout", "E_TIMEOUT"]);
    }
}
