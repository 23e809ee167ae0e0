//! Comments that allow a rule to be broken: `redress: allow CK007 until 2027-01-31: the reason`.
//!
//! Such a comment holds for its own line and for the next one, until its day is over.

use memchr::memmem;

use crate::span::{Span, span};

/// A day of the calendar, so that a scan needs no clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Day(u32);

impl Day {
    /// The day of a date that exists.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        let number = u32::from(year) * 10_000 + u32::from(month) * 100 + u32::from(day);
        (1..=days).contains(&day).then_some(Self(number))
    }

    /// Reads `2027-01-31`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let mut part = |length: usize| {
            parts.next().filter(|it| it.len() == length && it.bytes().all(|it| it.is_ascii_digit()))
        };
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0 / 10_000, self.0 / 100 % 100, self.0 % 100)
    }
}

/// An allowance as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// From `redress:` to the end of its line.
    pub span: Span,
    /// The line it is in, from 1.
    pub line: u32,
    /// What it says, or what is wrong with it.
    pub said: Result<Allowance, Mistake>,
}

/// What an allowance says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The ids of the rules.
    pub rules: Vec<Box<str>>,
    /// Its last day.
    pub until: Day,
    /// Why.
    pub reason: Box<str>,
}

/// Why an allowance is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// It names no rule.
    NoRule,
    /// It says no last day.
    NoEnd,
    /// Its last day is no date.
    BadEnd,
    /// It gives no reason.
    NoReason,
}

impl Mistake {
    /// What is wrong, to be read after "The allowance".
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoRule => "names no rule",
            Self::NoEnd => "says no last day",
            Self::BadEnd => "ends on a day that does not exist",
            Self::NoReason => "gives no reason",
        }
    }
}

const MARK: &str = "redress: allow";

/// The allowances of a text that begins at a byte and in a row, both from 0.
pub(crate) fn allowances(start: usize, row: usize, text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    if memmem::find(text.as_bytes(), MARK.as_bytes()).is_none() {
        return found;
    }
    let mut at = start;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if let Some(mark) = line.find(MARK) {
            let rest = line.get(mark + MARK.len()..).unwrap_or_default();
            let rest = rest.trim_end();
            let end = at + mark + MARK.len() + rest.len();
            found.push(Written {
                span: span(at + mark..end),
                line: u32::try_from(row + number + 1).unwrap_or(u32::MAX),
                said: parse(rest),
            });
        }
        at += line.len();
    }
    found
}

/// Reads what is behind `redress: allow`.
pub fn parse(text: &str) -> Result<Allowance, Mistake> {
    let text = ["*/", "-->"].iter().fold(text.trim(), |it, end| it.strip_suffix(end).unwrap_or(it));
    let (head, reason) = text.split_once(':').unwrap_or((text, ""));
    let (names, until) = match head.split_once("until") {
        Some((names, until)) => (names, Some(until.trim())),
        None => (head, None),
    };
    let rules: Vec<Box<str>> =
        names.split([',', ' ', '\t']).filter(|it| !it.is_empty()).map(Into::into).collect();
    if rules.is_empty() {
        return Err(Mistake::NoRule);
    }
    let until = Day::parse(until.ok_or(Mistake::NoEnd)?).ok_or(Mistake::BadEnd)?;
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Mistake::NoReason);
    }
    Ok(Allowance { rules, until, reason: reason.into() })
}

#[cfg(test)]
mod tests {
    use super::{Day, Mistake, parse};

    #[test]
    fn an_allowance_names_rules_a_day_and_a_reason() {
        let said = parse(" CK001, CK006 until 2027-01-31: the table comes with 2.0 */").unwrap();
        assert_eq!(said.rules, ["CK001".into(), "CK006".into()]);
        assert_eq!(said.until, Day::new(2027, 1, 31).unwrap());
        assert_eq!(&*said.reason, "the table comes with 2.0");
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(parse(" until 2027-01-31: x"), Err(Mistake::NoRule));
        assert_eq!(parse(" CK001: x"), Err(Mistake::NoEnd));
        assert_eq!(parse(" CK001 until 2027-02-29: x"), Err(Mistake::BadEnd));
        assert_eq!(parse(" CK001 until soon: x"), Err(Mistake::BadEnd));
        assert_eq!(parse(" CK001 until 2027-01-31"), Err(Mistake::NoReason));
        assert_eq!(parse(" CK001 until 2027-01-31: -->"), Err(Mistake::NoReason));
    }

    #[test]
    fn days_are_in_order_and_exist() {
        assert!(Day::new(2027, 1, 31) < Day::new(2027, 2, 1));
        assert!(Day::new(2028, 2, 29).is_some() && Day::new(2100, 2, 29).is_none());
        assert_eq!(Day::parse("2027-01-05").unwrap().to_string(), "2027-01-05");
    }
}
