//! Holding a case against the table: the first rule that fits names the failure.

use std::ops::Range;

use super::{
    facts::{Fact, Facts},
    message::Message,
    paths::names_file,
    phrase::Hits,
    table::{Naming, Row, Scope, Source, Table},
};

/// One answer, with all that a rule can ask about it.
#[derive(Debug)]
pub(crate) struct Case<'c> {
    pub(crate) message: &'c Message,
    pub(crate) hits: Hits<'c>,
    pub(crate) facts: Facts,
    pub(crate) source: Source,
    /// The JSON-RPC code.
    pub(crate) rpc: Option<i64>,
    /// The HTTP status of the answer itself.
    pub(crate) http: Option<u16>,
}

impl<'c> Case<'c> {
    pub(crate) fn of(message: &'c Message, facts: Facts, source: Source, table: &Table) -> Self {
        let hits = table.finder.find(&message.text);
        let mut facts = facts;
        facts.set(Fact::Bare, facts.has(Fact::Repeated) || message.is_hidden());
        let all = 0..message.text.len();
        let own = message.text.get(message.whole()).unwrap_or_default();
        facts.set(Fact::NamesFile, names_file(own));
        facts.set(Fact::Ran, table.ran.iter().any(|it| hits.has(it, &all)));
        Self { message, hits, facts, source, rpc: None, http: None }
    }

    /// The rule that names the failure. The server's own words come first, then what stands before them; rules about
    /// the first sentence see the rest only if nothing else fits.
    pub(crate) fn rule<'t>(&self, table: &'t Table) -> Option<&'t Row> {
        let (head, own, all) =
            (self.message.head(), self.message.whole(), 0..self.message.text.len());
        let candidates = table.candidates(&self.hits);
        let within = |head: &Range<usize>, own: &Range<usize>| {
            candidates.iter().copied().find(|row| match row.scope {
                Scope::Text => self.fits(row, &all),
                Scope::Own => self.fits(row, own),
                Scope::Head => self.fits(row, head),
                Scope::Last => false,
            })
        };
        let last =
            || candidates.iter().copied().find(|it| it.scope == Scope::Last && self.fits(it, &all));
        let by_words = within(&head, &own).or_else(|| within(&own, &own));
        by_words.or_else(|| within(&all, &all)).or_else(last)
    }

    /// The rule by a machine's own words alone: names of errors and fixed phrases, no prose.
    pub(crate) fn token_rule<'t>(&self, table: &'t Table) -> Option<&'t Row> {
        let whole = self.message.whole();
        let is_token = |row: &&Row| row.scope != Scope::Head && !row.any.is_empty();
        let mut candidates = table.candidates(&self.hits).into_iter();
        candidates.find(|row| is_token(row) && self.fits(row, &whole))
    }

    /// The sign that makes an unflagged answer a failure, given the rule that would name it.
    pub(crate) fn sign<'t>(&self, table: &'t Table, rule: Option<&Row>) -> Option<&'t Row> {
        if table.abouts.iter().any(|it| it.length(&self.message.text).is_some()) {
            return None;
        }
        let whole = self.message.whole();
        let named = match rule.map(|it| it.scope) {
            None => Naming::Nothing,
            Some(Scope::Head | Scope::Last) => Naming::Prose,
            Some(Scope::Own | Scope::Text) => Naming::Machine,
        };
        table.signs.iter().filter(|it| it.naming <= named).find(|row| self.fits(row, &whole))
    }

    /// Whether what failed is one step of several, as the text or the tool tells.
    pub(crate) fn is_a_step(&self, table: &Table) -> bool {
        let all = 0..self.message.text.len();
        table.steps.iter().any(|row| self.fits(row, &all))
    }

    fn fits(&self, row: &Row, window: &Range<usize>) -> bool {
        self.facts.fit(row.wanted, row.unwanted)
            && (row.from.is_empty() || row.from.contains(&self.source))
            && (row.rpc.is_empty() || self.rpc.is_some_and(|it| row.rpc.contains(&it)))
            && (row.http.is_empty() || self.status().is_some_and(|it| row.http.contains(&it)))
            && row.any.iter().all(|any| any.iter().any(|it| self.hits.has(it, window)))
            && !row.none.iter().any(|it| self.hits.has(it, window))
            && (row.starts.is_empty() || self.starts(row))
            && row.long.is_none_or(|it| self.message.text.len() <= it)
            && (row.words == 0 || self.message.text.split_whitespace().count() >= row.words)
    }

    /// A start may be meant with wrappers around it or without.
    fn starts(&self, row: &Row) -> bool {
        let Message { text, start, layers, .. } = self.message;
        layers.iter().chain([start]).any(|at| {
            let text = text.get(*at..).unwrap_or_default().trim_start_matches(['\n', ' ']);
            row.starts.iter().any(|it| it.length(text).is_some())
        })
    }

    fn status(&self) -> Option<u16> {
        self.http.filter(|it| *it >= 300).or(self.message.status)
    }
}
