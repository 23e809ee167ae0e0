//! What a question asks for that no record has: an empty answer to a misspelt name must not pass for good news.

use std::{collections::BTreeSet, path::PathBuf};

use redress::text;
use redress_ledger::{Kind, Query, Reader, members};
use redress_registry::nearest::nearest_n;
use redress_wire::json::Value;

use super::filter;
use crate::{failure::Failure, output::Err};

/// Names that are remembered for a did-you-mean.
const MAX_NAMES: usize = 1_000;

/// How many names are listed.
const MOST_TOLD: usize = 5;

/// The longest name that is shown whole.
const MAX_CHARS: usize = 80;

/// Says on standard error why nothing was found. Only an unknown code is a failure: a tool may never have failed.
pub(super) fn explain(ledgers: &[PathBuf], query: &Query) -> Result<(), Failure> {
    let mut asked: Vec<_> = query.names().map(AskedName::new).collect();
    if asked.is_empty() {
        return Ok(());
    }
    for entry in Reader::open_all(ledgers).flatten() {
        let kind = entry.kind;
        let look = |object: Value<'_>| asked.iter_mut().for_each(|it| it.look(kind, object));
        entry.with(look).unwrap_or_default();
        if asked.iter().all(|it| it.is_recorded) {
            say("every name is recorded, but no record has all of them in that time.");
            return Ok(());
        }
    }
    for it in asked.iter().filter(|it| !it.is_recorded) {
        if it.key == "code" && filter::is_strange(it.name) {
            return Err(filter::no_such_code(it.name, &it.others));
        }
        say(&it.told());
    }
    Ok(())
}

fn say(text: &str) {
    Err::new().line("Nothing found: ", text);
}

/// A name that was asked for.
struct AskedName<'q> {
    key: &'static str,
    name: &'q str,
    is_recorded: bool,
    /// What is recorded in its place.
    others: BTreeSet<String>,
}

impl<'q> AskedName<'q> {
    const fn new((key, name): (&'static str, &'q str)) -> Self {
        Self { key, name, is_recorded: false, others: BTreeSet::new() }
    }

    fn look(&mut self, kind: Kind, object: Value<'_>) {
        for name in members(kind, object, self.key) {
            if name == self.name {
                self.is_recorded = true;
            } else if self.others.len() < MAX_NAMES && !self.others.contains(&*name) {
                self.others.insert(name.into_owned());
            }
        }
    }

    /// That it is not recorded, and what is.
    fn told(&self) -> String {
        let option = self.key.trim_end_matches("_id");
        let others = || self.others.iter().map(String::as_str);
        let near = nearest_n(self.name, others(), MOST_TOLD);
        let (before, names, after) = if near.is_empty() {
            let some: Vec<_> = others().take(MOST_TOLD).collect();
            (" There is ", some, if self.others.len() > MOST_TOLD { " and more." } else { "." })
        } else {
            (" Did you mean ", near, "?")
        };
        let none = format!("no record has the {option} `{}`.", shown(self.name));
        if names.is_empty() {
            return none;
        }
        let names: Vec<String> = names.into_iter().map(shown).collect();
        format!("{none}{before}{}{after}", names.join(", "))
    }
}

/// A name, in which what a terminal would obey is made visible.
fn shown(name: &str) -> String {
    text::cut(&text::visible(name), MAX_CHARS).to_string()
}
