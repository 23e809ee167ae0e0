//! `--since`, `--code` and the like: which records a command takes.

use std::collections::BTreeSet;

use redress::codes;
use redress_ledger::{Kind, Query, Time};
use redress_registry::{Class, nearest::nearest_n, shipped};

use crate::{choice::one_of, clock, failure::Failure};

/// Which records. What is not given does not matter.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Which records")]
pub(super) struct Filter {
    /// Not before this time: 2026-01-19, 2026-01-19T15:32:10+01:00, or 90s, 30m, 2h, 7d, 1w before now.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Before this time, written likewise.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// With this code.
    #[arg(long)]
    code: Option<String>,
    /// With this class.
    #[arg(long, value_parser = one_of(Class::ALL.map(Class::name), Class::parse))]
    class: Option<Class>,
    /// Of this tool.
    #[arg(long)]
    tool: Option<String>,
    /// Of the session with this id: the `session_id` of a record.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Of this server.
    #[arg(long)]
    server: Option<String>,
    /// Of this kind.
    #[arg(long, value_parser = one_of(Kind::ALL.map(Kind::name), Kind::parse))]
    kind: Option<Kind>,
}

impl Filter {
    pub(super) fn query(&self) -> Result<Query, Failure> {
        let now = clock::millis();
        let time = |option, text: &Option<String>| {
            text.as_deref().map(|it| time(option, it, now)).transpose()
        };
        let (from, to) = (time("--since", &self.since)?, time("--until", &self.until)?);
        if let (Some(from), Some(to)) = (from, to)
            && from >= to
        {
            let problem = format!(
                "--since {from} is not before --until {to}, so that nothing is between them"
            );
            return Err(
                Failure::option(&problem).fix("Give an earlier --since or a later --until.")
            );
        }
        Ok(Query {
            from,
            to,
            kind: self.kind,
            code: self.code.clone(),
            class: self.class.map(|it| it.name().to_owned()),
            tool: self.tool.clone(),
            session: self.session.clone(),
            server: self.server.clone(),
        })
    }
}

/// A code that no built-in registry has. A server's own contract may have it, so it is wrong only if no record has it.
pub(super) fn is_strange(code: &str) -> bool {
    !shipped::all().any(|it| it.codes.contains_key(code))
}

/// Nothing has that code, neither a registry nor a record.
pub(super) fn no_such_code(code: &str, recorded: &BTreeSet<String>) -> Failure {
    const MOST: usize = 3;
    let known = shipped::all().flat_map(|it| it.codes.keys().map(|it| &**it));
    let near = nearest_n(code, recorded.iter().map(String::as_str).chain(known), MOST);
    let mut failure = Failure::input(codes::NOT_FOUND.raise([("kind", "code"), ("id", code)]))
        .note(format!("`{code}` is in no record and in no built-in registry."));
    if !near.is_empty() {
        failure = failure.note(format!("Did you mean {}?", near.join(", ")));
    }
    failure.fix("Give a code as `redress ledger stats` lists it.")
}

fn time(option: &str, text: &str, now: u64) -> Result<Time, Failure> {
    let ago = before_now(text).map(|it| Time::from_millis(now.saturating_sub(it)));
    ago.or_else(|| Time::parse(text)).or_else(|| with_offset(text)).ok_or_else(|| {
        Failure::option(&format!("{option} {text:?} is no time"))
            .fix("Write 2026-01-19, 2026-01-19T15:32:10Z, 2026-01-19T15:32:10+01:00, or 90s, 30m, 2h, 7d, 1w before now.")
    })
}

/// RFC 3339 with any offset and any fraction.
fn with_offset(text: &str) -> Option<Time> {
    let stamp: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(stamp.as_millisecond()).ok().map(Time::from_millis)
}

/// `2h`, `1h30m`, `7d`: milliseconds.
fn before_now(text: &str) -> Option<u64> {
    let mut total = 0_u64;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at_checked(digits)?;
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at_checked(letters)?;
        let unit = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 7 * 86_400_000,
            _ => return None,
        };
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::{Time, before_now, time};

    #[test]
    fn times_are_read_as_people_write_them() {
        let now = 1_768_836_730_123;
        for (text, millis) in [
            ("2026-01-19T15:32:10.123Z", now),
            ("2026-01-19T16:32:10.123+01:00", now),
            ("2026-01-19T15:32:10.123456789Z", now),
            ("2026-01-19t15:32:10.123z", now),
            ("2026-01-19", 1_768_780_800_000),
            ("2h", now - 7_200_000),
            ("1h30m", now - 5_400_000),
            ("1w", now - 604_800_000),
            ("9999999999999s", 0),
        ] {
            assert_eq!(time("--since", text, now).ok().map(Time::millis), Some(millis), "{text}");
        }
        for bad in [
            "",
            "h",
            "2",
            "2x",
            "2h30",
            "yesterday",
            "-2h",
            "99999999999999999999h",
            "2026-02-30",
            "é",
        ] {
            assert!(time("--since", bad, now).is_err(), "{bad}");
        }
        assert_eq!(before_now("18446744073709551615w"), None);
    }
}
