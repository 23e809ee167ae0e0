//! Twins: names that a reader takes for one another.

use std::collections::BTreeMap;

use crate::{
    draft::DraftCode,
    finding::part,
    lint::scope::{Hits, Scope},
    name,
};

/// Shorter words that differ by a letter are different words.
const TYPO_CHARS: usize = 5;

/// Two letters that changed places are a slip in shorter words too.
const SWAP_CHARS: usize = 4;

/// From here on two letters may differ.
const LONG_TYPO_CHARS: usize = 9;

/// A name is compared with at most so many of its family, so that a hostile file stays cheap.
const FAMILY: usize = 32;

/// CK107.
pub(super) fn near_duplicate(scope: &Scope<'_>, hits: &mut Hits<'_>) {
    let mut known = KnownNames::default();
    for entry in scope.taken_codes() {
        known.learn(&entry.code);
    }
    // A code that is deprecated in favour of its twin is its old spelling, and meant to be near.
    let renames: BTreeMap<&str, String> = scope
        .named_codes()
        .filter_map(|(name, it)| Some((name, replacement(scope, it)?)))
        .collect();
    let leads = |from: &str, to: &str| renames.get(from).is_some_and(|it| it == to);
    for (name, code) in scope.named_codes().filter(|it| name::is_full_code(it.0)) {
        if let Some(twin) = known.twin(name)
            && !leads(name, twin)
            && !leads(twin, name)
        {
            let context = [part("name", name), part("other", twin)];
            hits.on(code, &code.name.span, "{name} is almost {other}.", context);
        }
        known.learn(name);
    }
}

fn replacement(scope: &Scope<'_>, code: &DraftCode) -> Option<String> {
    let to = code.deprecated.as_ref()?.value.to.as_ref()?;
    Some(scope.meant(&to.value))
}

/// The names so far, by what twins have in common.
#[derive(Default)]
struct KnownNames<'a> {
    by_words: BTreeMap<String, &'a str>,
    by_letters: BTreeMap<String, &'a str>,
    families: BTreeMap<String, Vec<(&'a str, &'a str)>>,
    by_initials: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> KnownNames<'a> {
    fn learn(&mut self, name: &'a str) {
        self.by_words.entry(words_in_any_order(name)).or_insert(name);
        self.by_letters.entry(letters(name)).or_insert(name);
        for (family, word) in families(name) {
            let family = self.families.entry(family).or_default();
            if family.len() < FAMILY {
                family.push((word, name));
            }
        }
        let alike = self.by_initials.entry(initials(name)).or_default();
        if alike.len() < FAMILY {
            alike.push(name);
        }
    }

    fn twin(&self, name: &str) -> Option<&'a str> {
        let same = self
            .by_words
            .get(&words_in_any_order(name))
            .or_else(|| self.by_letters.get(&letters(name)))
            .copied();
        let by_word = || {
            families(name).find_map(|(family, word)| {
                let members = self.families.get(&family)?;
                members.iter().find(|(other, _)| is_typo(word, other)).map(|it| it.1)
            })
        };
        let by_words = || {
            let alike = self.by_initials.get(&initials(name))?;
            alike.iter().copied().find(|it| are_typos(name, it))
        };
        same.filter(|it| *it != name).or_else(by_word).or_else(by_words)
    }
}

/// The same for `PATH_INVALID` and `INVALID_PATHS`.
fn words_in_any_order(full: &str) -> String {
    let (namespace, bare) = name::split(full);
    let mut words: Vec<&str> = bare.split('_').map(singular).collect();
    words.sort_unstable();
    format!("{}.{}", namespace.unwrap_or_default(), words.join("_"))
}

/// The same for `TIME_OUT` and `TIMEOUT`.
fn letters(full: &str) -> String {
    full.replace('_', "")
}

/// For each word, the name without it: names of a family differ in that word alone.
fn families(full: &str) -> impl Iterator<Item = (String, &str)> {
    let start = name::split(full).0.map_or(0, |it| it.len() + 1);
    let mut rest = start;
    full.get(start..).unwrap_or_default().split('_').filter_map(move |word| {
        let (at, end) = (rest, rest + word.len());
        rest = end + 1;
        let family = || Some(format!("{}*{}", full.get(..at)?, full.get(end..)?));
        if word.len() >= SWAP_CHARS { Some((family()?, word)) } else { None }
    })
}

/// The same for `CONNECTION_REFUSED` and `CONECTION_REFUSD`.
fn initials(full: &str) -> String {
    let (namespace, bare) = name::split(full);
    let letters: String = bare.split('_').filter_map(|it| it.chars().next()).collect();
    format!("{}.{letters}", namespace.unwrap_or_default())
}

/// Whether each word of one name is that of the other, some with a slip.
fn are_typos(a: &str, b: &str) -> bool {
    a != b && a.split('_').zip(b.split('_')).all(|(a, b)| a == b || is_typo(a, b))
}

fn singular(word: &str) -> &str {
    let is_plural = word.len() > 3
        && word.ends_with('S')
        && !["SS", "US", "IS"].iter().any(|it| word.ends_with(it));
    if is_plural { word.strip_suffix('S').unwrap_or(word) } else { word }
}

/// Whether two words are one with a slip. The first letter counts: `IMPORT` is no slip for
/// `EXPORT`, nor `UNAVAILABLE` for `AVAILABLE`.
fn is_typo(a: &str, b: &str) -> bool {
    let shorter = a.len().min(b.len());
    let allowed = if shorter >= LONG_TYPO_CHARS { 2 } else { 1 };
    let has_digit = |it: &str| it.bytes().any(|it| it.is_ascii_digit());
    a != b
        && (shorter >= TYPO_CHARS || (shorter >= SWAP_CHARS && has_same_letters(a, b)))
        && a.len().abs_diff(b.len()) <= allowed
        && a.chars().next() == b.chars().next()
        && !has_digit(a)
        && !has_digit(b)
        && strsim::osa_distance(a, b) <= allowed
}

fn has_same_letters(a: &str, b: &str) -> bool {
    let sorted = |it: &str| {
        let mut letters: Vec<u8> = it.bytes().collect();
        letters.sort_unstable();
        letters
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::KnownNames;

    fn twins(a: &str, b: &str) -> bool {
        let mut known = KnownNames::default();
        known.learn(a);
        known.twin(b) == Some(a)
    }

    #[test]
    fn names_that_a_reader_mixes_up_are_twins() {
        for (a, b) in [
            ("FILE_NOT_FOUND", "FILES_NOT_FOUND"),
            ("FILE_NOT_FOUND", "FILE_NOT_FUOND"),
            ("INVALID_PATH", "PATH_INVALID"),
            ("TIMEOUT", "TIME_OUT"),
            ("ELEMENT_NOT_VISIBLE", "ELEMENT_NOT_VISABLE"),
            ("PERMISSION_DENIED", "PERMISION_DENIED"),
            ("CONNECTION_REFUSED", "CONECTION_REFUSD"),
            ("FILE_MISSING", "FIEL_MISSING"),
            ("shop.ORDER_CLOSED", "shop.ORDERS_CLOSED"),
        ] {
            assert!(twins(a, b), "{a} {b}");
            assert!(twins(b, a), "{b} {a}");
        }
    }

    #[test]
    fn names_with_their_own_meaning_are_no_twins() {
        for (a, b) in [
            ("FILE_READ_FAILED", "FILE_WRITE_FAILED"),
            ("FILE_NOT_FOUND", "ROLE_NOT_FOUND"),
            ("SESSION_NOT_FOUND", "SESSION_NOT_READY"),
            ("IMPORT_FAILED", "EXPORT_FAILED"),
            ("ENCRYPTION_FAILED", "DECRYPTION_FAILED"),
            ("SERVER_UNAVAILABLE", "SERVER_AVAILABLE"),
            ("SHA256_MISMATCH", "SHA384_MISMATCH"),
            ("LOCK_HELD", "LOOK_HELD"),
            ("shop.ORDER_CLOSED", "bank.ORDER_CLOSED"),
            ("ACCESS_DENIED", "ACCES_DENIED_TWICE"),
        ] {
            assert!(!twins(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_family_of_thousands_is_cheap() {
        let names: Vec<String> = (0..10_000).map(|it| format!("FAILURES_OF_KIND{it}")).collect();
        let mut known = KnownNames::default();
        for name in &names {
            assert_eq!(known.twin(name), None);
            known.learn(name);
        }
    }
}
