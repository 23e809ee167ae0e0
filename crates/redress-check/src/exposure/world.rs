//! What rules about failures ask of all files.

use super::graph::{around, class, is_fallible};
use crate::{
    conduct::{Act, Conduct, Promise, Within},
    language::Language,
    link::World,
    resolve::Target,
};

impl<'w> World<'w> {
    /// The conduct of every file that is judged.
    pub(crate) fn conducts(&self) -> impl Iterator<Item = (usize, &'w Conduct)> {
        let files = self.files().filter(|(file, _)| self.exposure.is_judged(*file));
        files.map(|(file, it)| (file, &it.facts.conduct))
    }

    /// Everything that is done about failures.
    pub(crate) fn acts(&self) -> impl Iterator<Item = (usize, &'w Conduct, &'w Act)> {
        self.conducts().flat_map(|(file, it)| it.acts.iter().map(move |act| (file, it, act)))
    }

    /// What a file is written in.
    pub(crate) fn language(&self, file: usize) -> Language {
        self.sources.files.get(file).map(|it| it.facts.language).unwrap_or_default()
    }

    /// Whether the function around something is there to find out whether something works.
    pub(crate) fn is_question(&self, file: usize, within: &Within) -> bool {
        const HEADS: [&str; 12] = [
            "is", "has", "can", "exists", "try", "safe", "maybe", "check", "detect", "probe",
            "should", "optional",
        ];
        let is_question = |name: &str| {
            let name = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_');
            let rest = HEADS.iter().find_map(|head| name.strip_prefix(head));
            rest.is_some_and(|rest| !rest.starts_with(|it: char| it.is_ascii_lowercase()))
                || name.to_ascii_lowercase().contains("exists")
        };
        let from = within.function.unwrap_or(u32::MAX);
        around(self.sources, file, from).any(|it| is_question(&it.name))
    }

    /// Whether a call that nobody looks at can fail: it is known to, or its signature says so.
    pub(crate) fn can_fail(&self, file: usize, within: &Within, callee: &str) -> bool {
        if callee.starts_with('.') || is_fallible(callee) {
            return true;
        }
        let own = callee.strip_prefix("self.").or_else(|| callee.strip_prefix("Self."));
        let path = match own.zip(within.function.and_then(|it| class(self.sources, file, it))) {
            Some((name, class)) => format!("{class}.{name}"),
            None => callee.to_owned(),
        };
        let Target::Function(home, function) = self.index.target(file, &path) else { return false };
        let facts = self.sources.files.get(home).map(|it| &it.facts);
        let promise = facts.and_then(|it| it.conduct.promise(function.span.start));
        promise.is_some_and(|it| it != Promise::Text)
    }

    /// Whether somebody of this name is declared in these sources.
    pub(crate) fn is_ours(&self, file: usize, callee: &str) -> bool {
        matches!(self.index.target(file, callee), Target::Function(..))
    }
}
