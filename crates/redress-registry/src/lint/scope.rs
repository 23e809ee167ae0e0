//! `Scope`: what a rule may look at, and `Hits`: where it puts what it finds.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

use semver::Version;
use serde_json::Value;

use crate::{
    Domain, Entry, ParamType, Place, Registry, Retired, Spanned,
    draft::{Draft, DraftCode, DraftDomain, DraftParam, DraftRetired},
    finding::{Finding, part},
    nearest::nearest,
    rule::Rule,
};

/// The file, and the registries that it takes in.
pub(crate) struct Scope<'a> {
    pub(crate) draft: &'a Draft,
    pub(crate) taken: Vec<Arc<Registry>>,
    /// The full names of the draft's codes, in order.
    names: Vec<String>,
    by_name: BTreeMap<String, &'a DraftCode>,
    dead: BTreeSet<String>,
    /// Where the exceptions stand that silence nothing; known once all other rules have run.
    pub(crate) idle: BTreeSet<usize>,
}

/// What has become of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Alive,
    Deprecated,
    Retired,
    Unknown,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(draft: &'a Draft, taken: Vec<Arc<Registry>>) -> Self {
        let codes = draft.codes.iter().map(|it| &it.value);
        let names: Vec<_> = codes.clone().map(|it| draft.full_name(&it.name.value)).collect();
        let by_name = names.iter().cloned().zip(codes).collect();
        let dead = draft.retired.iter().map(|it| draft.full_name(&it.value.name.value)).collect();
        Self { draft, taken, names, by_name, dead, idle: BTreeSet::new() }
    }

    /// The codes of the file, in order.
    pub(crate) fn codes(&self) -> impl Iterator<Item = &'a DraftCode> {
        self.draft.codes.iter().map(|it| &it.value)
    }

    /// The codes of the file with their full names, in order.
    pub(crate) fn named_codes(&self) -> impl Iterator<Item = (&str, &'a DraftCode)> {
        self.names.iter().map(String::as_str).zip(self.codes())
    }

    /// The full name that a reference means: a row of the file first, then what it takes in.
    pub(crate) fn meant(&self, written: &str) -> String {
        let full = self.draft.full_name(written);
        if self.by_name.contains_key(&full) { full } else { written.to_owned() }
    }

    /// The code of that name, unless it has another spelling in the dialect.
    pub(crate) fn spelt_by_name(&self, name: &str, dialect: &str) -> Option<&str> {
        if let Some((name, code)) = self.by_name.get_key_value(name) {
            let aliased = code.alias.iter().any(|(it, _)| it.value == dialect);
            return if aliased { None } else { Some(name) };
        }
        let entry = self.taken.iter().find_map(|it| it.get(name))?;
        if entry.spelling(dialect).is_some() { None } else { Some(&entry.code) }
    }

    /// The full names of all codes, those that the file takes in too.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).chain(self.taken_codes().map(|it| &*it.code))
    }

    /// What has become of a code.
    pub(crate) fn fate(&self, full: &str) -> Fate {
        let alive_or = |deprecated| if deprecated { Fate::Deprecated } else { Fate::Alive };
        if let Some(own) = self.by_name.get(full) {
            return alive_or(own.deprecated.is_some());
        }
        if let Some(taken) = self.taken.iter().find_map(|it| it.get(full)) {
            return alive_or(taken.deprecated.is_some());
        }
        let dead =
            self.dead.contains(full) || self.taken.iter().any(|it| it.retired.contains_key(full));
        if dead { Fate::Retired } else { Fate::Unknown }
    }

    /// The parameters of a code with their types.
    pub(crate) fn param_types(&self, full: &str) -> Option<BTreeMap<&str, Option<ParamType>>> {
        if let Some(own) = self.by_name.get(full) {
            let params = own.params.iter().map(|it| &it.value);
            let typed = |it: &'a DraftParam| (&*it.name.value, it.kind.as_ref().map(|it| it.value));
            return Some(params.map(typed).collect());
        }
        let taken = self.taken.iter().find_map(|it| it.get(full))?;
        Some(taken.params.iter().map(|it| (&*it.name, Some(it.kind))).collect())
    }

    /// The version of the file, if it is one: the only "now" that a lint has.
    pub(crate) fn version(&self) -> Option<Version> {
        Version::parse(text(self.draft.version.as_ref())).ok()
    }

    /// The codes that the file takes in.
    pub(crate) fn taken_codes(&self) -> impl Iterator<Item = &Entry> {
        self.taken.iter().flat_map(|it| it.codes.values()).map(|it| &**it)
    }

    /// The tombstones of the file, in order.
    pub(crate) fn retired(&self) -> impl Iterator<Item = &'a DraftRetired> {
        self.draft.retired.iter().map(|it| &it.value)
    }

    /// The tombstones of what the file takes in.
    pub(crate) fn taken_retired(&self) -> impl Iterator<Item = (&str, &Retired)> {
        self.taken.iter().flat_map(|it| it.retired.iter()).map(|(name, it)| (&**name, it))
    }

    /// The domains of the file, in order.
    pub(crate) fn domains(&self) -> impl Iterator<Item = &'a DraftDomain> {
        self.draft.domains.iter().map(|it| &it.value)
    }

    /// The domains that the file takes in.
    pub(crate) fn taken_domains(&self) -> impl Iterator<Item = (&str, &Domain)> {
        self.taken.iter().flat_map(|it| it.domains.iter()).map(|(name, it)| (&**name, it))
    }
}

/// The findings of one rule, as they come. Their places are looked up later, all in one go.
pub(crate) struct Hits<'a> {
    draft: &'a Draft,
    rule: &'static Rule,
    found: Vec<Finding>,
    unlisted: usize,
}

impl<'a> Hits<'a> {
    /// A hostile file has as many findings as bytes; a reader needs no more than this of one rule.
    const MOST: usize = 1000;

    /// Nor more suggestions than this, and each costs a walk over all that could be meant.
    const MOST_SUGGESTIONS: usize = 100;

    pub(crate) const fn new(draft: &'a Draft, rule: &'static Rule) -> Self {
        Self { draft, rule, found: Vec::new(), unlisted: 0 }
    }

    /// Something about the file; the message is a template over the context.
    pub(crate) fn at<const N: usize>(
        &mut self,
        span: &Range<usize>,
        message: &'static str,
        context: [(&'static str, Value); N],
    ) -> &mut Self {
        if self.found.len() < Self::MOST {
            let place = Place { file: Arc::clone(&self.draft.source.file), line: 0, column: 0 };
            let context = context.map(|(key, value)| (key.to_owned(), value));
            let context = context.into_iter().collect();
            self.found.push(Finding::new(self.rule, (place, span.clone()), message, context));
        } else {
            self.unlisted += 1;
        }
        self
    }

    /// Something about a code, blamed at a span.
    pub(crate) fn on<const N: usize>(
        &mut self,
        code: &DraftCode,
        span: &Range<usize>,
        message: &'static str,
        context: [(&'static str, Value); N],
    ) -> &mut Self {
        self.at(span, message, context).about(&code.name.value)
    }

    /// The finding just made is about this code.
    pub(crate) fn about(&mut self, written: &str) -> &mut Self {
        let full = self.draft.full_name(written);
        if let Some(last) = self.last() {
            last.code = Some(full);
        }
        self
    }

    /// How to fix the finding just made, in place of the rule's general advice.
    pub(crate) fn fix(&mut self, fix: String) {
        if let Some(last) = self.last() {
            last.fix = fix;
        }
    }

    fn last(&mut self) -> Option<&mut Finding> {
        if self.unlisted == 0 { self.found.last_mut() } else { None }
    }

    /// What a word of the finding just made was probably meant to be.
    pub(crate) fn nearest<'c>(
        &self,
        word: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<&'c str> {
        let affordable = self.found.len() <= Self::MOST_SUGGESTIONS;
        affordable.then(|| nearest(word, candidates)).flatten()
    }

    pub(crate) fn into_list(mut self) -> Vec<Finding> {
        if self.unlisted > 0 {
            let unlisted = std::mem::take(&mut self.unlisted);
            self.found.pop();
            let message = "{count} more findings of this rule are not listed.";
            self.at(&self.draft.head(), message, [part("count", unlisted + 1)]);
        }
        self.found
    }
}

/// The text of a field that may be missing.
pub(crate) fn text(field: Option<&Spanned<String>>) -> &str {
    field.map_or("", |it| it.value.as_str())
}

/// A flag that may be missing.
pub(crate) fn is_set(flag: Option<&Spanned<bool>>) -> bool {
    flag.is_some_and(|it| it.value)
}

/// The names of a code's parameters.
pub(crate) fn param_names(code: &DraftCode) -> BTreeSet<&str> {
    code.params.iter().map(|it| it.value.name.value.as_str()).collect()
}
