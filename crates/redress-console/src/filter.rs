//! `Filter`: which failures are wanted, as the address of a page says it.

use redress_ledger::Time;

use crate::{
    address::Pairs,
    index::{Group, Index, Minute, Row, Symbol},
};

/// The properties that a filter names, each as it stands in an address.
pub(crate) const NAMES: [&str; 10] =
    ["server", "tool", "code", "class", "effect", "origin", "basis", "client", "session", "run"];

/// How many of [`NAMES`] every count knows; the rest is known of single failures only.
const COUNTED: usize = 8;

/// Which failures are wanted. What is not given does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    names: [Option<String>; NAMES.len()],
    flagged: Option<bool>,
    text: Option<String>,
    /// As it was written, so that a link keeps `24h`.
    from: Option<(String, When)>,
    to: Option<(String, When)>,
}

/// A point in time, or a time before now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    At(u64),
    Ago(u64),
}

/// A value of a filter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// The name of the value.
    pub name: &'static str,
    /// The value.
    pub value: String,
    /// What can be written.
    pub expected: &'static str,
}

const EXPECTED_TIME: &str = "2026-01-19, 2026-01-19T15:32, or 30m, 24h, 7d before now";

impl Filter {
    /// Reads a filter from the names and values of an address; names that are none of a filter are passed over.
    ///
    /// # Errors
    /// A time or a choice cannot be read.
    pub(crate) fn read(pairs: &Pairs) -> Result<Self, FilterError> {
        Self::of(|it| pairs.get(it).map(str::to_owned))
    }

    /// The same from any other place.
    ///
    /// # Errors
    /// A time or a choice cannot be read.
    pub fn of(get: impl Fn(&str) -> Option<String>) -> Result<Self, FilterError> {
        let flagged = match get("flagged").as_deref() {
            None => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(value) => {
                let value = value.to_owned();
                return Err(FilterError { name: "flagged", value, expected: "true or false" });
            }
        };
        let time = |name: &'static str| match get(name) {
            None => Ok(None),
            Some(text) => match When::parse(&text) {
                Some(when) => Ok(Some((text, when))),
                None => Err(FilterError { name, value: text, expected: EXPECTED_TIME }),
            },
        };
        let (from, to) = (time("from")?, time("to")?);
        Ok(Self { names: NAMES.map(&get), flagged, text: get("text"), from, to })
    }

    /// The value that a property must have.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let at = NAMES.iter().position(|it| *it == name)?;
        self.names.get(at)?.as_deref()
    }

    /// The same with another value of a property.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        let at = NAMES.iter().position(|it| *it == name);
        if let Some(slot) = at.and_then(|it| self.names.get_mut(it)) {
            *slot = Some(value.to_owned());
        }
        self
    }

    /// The filter as names and values of an address.
    pub(crate) fn pairs(&self) -> Pairs {
        let mut pairs = Pairs::default();
        for (name, value) in NAMES.iter().zip(&self.names) {
            if let Some(value) = value {
                pairs.set(name, value);
            }
        }
        if let Some(flagged) = self.flagged {
            pairs.set("flagged", if flagged { "true" } else { "false" });
        }
        for (name, value) in [("from", &self.from), ("to", &self.to)] {
            if let Some((text, _)) = value {
                pairs.set(name, text);
            }
        }
        if let Some(text) = &self.text {
            pairs.set("text", text);
        }
        pairs
    }

    /// The minutes that count: from the first, up to but not including the second. The last minute that is asked for counts whole.
    pub(crate) fn minutes(&self, now: u64) -> (Minute, Minute) {
        let minute = |millis: u64| Minute::try_from(millis / 60_000).unwrap_or(Minute::MAX);
        let at = |when: &(String, When)| when.1.millis(now);
        let from = self.from.as_ref().map_or(0, |it| minute(at(it)));
        let to = self.to.as_ref().map_or(Minute::MAX, |it| minute(at(it).saturating_add(59_999)));
        (from, to)
    }

    /// Whether it asks for something that calls are not counted by.
    pub(crate) fn needs_failures(&self) -> bool {
        let is_of_calls = |name: &str| name == "server" || name == "tool";
        let mut names = NAMES.iter().zip(&self.names);
        self.text.is_some()
            || self.flagged.is_some()
            || names.any(|(name, value)| value.is_some() && !is_of_calls(name))
    }

    /// Whether it asks for something that only single failures know.
    pub(crate) fn needs_rows(&self) -> bool {
        self.text.is_some() || self.names.iter().skip(COUNTED).any(Option::is_some)
    }

    /// The filter for one index, in which texts are numbers.
    pub(crate) fn resolve(&self, index: &Index, now: u64) -> Resolved {
        let missing = Symbol::MAX;
        let mut symbols = [None; NAMES.len()];
        for (symbol, name) in symbols.iter_mut().zip(&self.names) {
            *symbol = name.as_deref().map(|it| index.symbols.find(it).unwrap_or(missing));
        }
        let flagged = self.flagged.map(|it| if it { "true" } else { "false" });
        let flagged = flagged.map(|it| index.symbols.find(it).unwrap_or(missing));
        let text = self.text.as_deref().map(str::to_lowercase);
        Resolved { symbols, flagged, text, minutes: self.minutes(now) }
    }
}

/// A filter for one index.
#[derive(Debug)]
pub(crate) struct Resolved {
    symbols: [Option<Symbol>; NAMES.len()],
    flagged: Option<Symbol>,
    text: Option<String>,
    pub(crate) minutes: (Minute, Minute),
}

impl Resolved {
    /// Whether the failures of a group are wanted, as far as that is known of groups.
    pub(crate) fn takes_group(&self, group: &Group) -> bool {
        let Group { server, tool, code, class, effect, origin, basis, client, .. } = *group;
        let have = [server, tool, code, class, effect, origin, basis, client];
        self.symbols.iter().zip(have).all(|(wanted, have)| wanted.is_none_or(|it| it == have))
            && self.flagged.is_none_or(|it| it == group.flagged)
    }

    /// Whether calls of a tool are wanted.
    pub(crate) fn takes_tool(&self, (server, tool): (Symbol, Symbol)) -> bool {
        let have = [server, tool];
        self.symbols.iter().zip(have).all(|(wanted, have)| wanted.is_none_or(|it| it == have))
    }

    /// Whether a failure of a group that is wanted is wanted itself.
    pub(crate) fn takes_row(&self, index: &Index, row: &Row) -> bool {
        let minute = Minute::try_from(row.time / 60_000).unwrap_or(Minute::MAX);
        let [session, run] = [self.symbols.get(COUNTED), self.symbols.get(COUNTED + 1)];
        let is = |wanted: Option<&Option<Symbol>>, have: Symbol| {
            wanted.is_none_or(|it| it.is_none_or(|it| it == have))
        };
        (self.minutes.0..self.minutes.1).contains(&minute)
            && is(session, row.session)
            && is(run, row.run)
            && self.text.as_deref().is_none_or(|wanted| {
                let texts = [row.message, row.said, row.hint];
                texts.iter().any(|it| index.symbols.text(*it).to_lowercase().contains(wanted))
            })
    }
}

impl When {
    fn parse(text: &str) -> Option<Self> {
        let ago = || {
            let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
            let millis = match unit {
                "s" => 1_000,
                "m" => 60_000,
                "h" => 3_600_000,
                "d" => 86_400_000,
                "w" => 7 * 86_400_000,
                _ => return None,
            };
            number.parse::<u64>().ok()?.checked_mul(millis).map(Self::Ago)
        };
        ago().or_else(|| Time::parse(text).map(|it| Self::At(it.millis())))
    }

    const fn millis(self, now: u64) -> u64 {
        match self {
            Self::At(millis) => millis,
            Self::Ago(millis) => now.saturating_sub(millis),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Filter, FilterError};
    use crate::address::Pairs;

    #[test]
    fn a_filter_is_written_as_it_was_read() {
        let query = "?server=a&code=X&run=r&flagged=false&from=24h&to=2026-01-19T15%3A32&text=q";
        let filter = Filter::read(&Pairs::parse(&query[1..])).unwrap();
        assert_eq!(filter.pairs().query(), query);
        assert!(filter.needs_rows());
        let day = 86_400_000;
        assert_eq!(filter.minutes(10 * day).0, 9 * 1440);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (query, name) in [("from=soon", "from"), ("to=99", "to"), ("flagged=maybe", "flagged")]
        {
            let error = Filter::read(&Pairs::parse(query)).unwrap_err();
            assert!(matches!(error, FilterError { name: it, .. } if it == name), "{query}");
        }
    }
}
