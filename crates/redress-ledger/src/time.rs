//! Points in time as the ledger writes them: UTC, with milliseconds.

use std::{fmt, sync::Arc};

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Time + Send + Sync>;

/// A point in time, in milliseconds since 1970. The ledger has no clock of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// The last millisecond of the year 9999: later times do not fit the form.
const LAST: u64 = 253_402_300_799_999;
const DAY: u64 = 86_400_000;

impl Time {
    /// The time so many milliseconds after 1970.
    pub const fn from_millis(millis: u64) -> Self {
        Self(if millis > LAST { LAST } else { millis })
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// Milliseconds from `earlier` to here; 0 if the clock went back.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// `2026-01-19`, `2026-01-19T15:32`, `2026-01-19T15:32:10`, `2026-01-19T15:32:10.123`, each with or without `Z`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('Z').unwrap_or(text);
        let (date, clock) = text.split_once('T').unwrap_or((text, "00:00"));
        let [year, month, day] = fields(date, '-')?;
        let (whole, millis) = clock.split_once('.').unwrap_or((clock, "000"));
        let [hour, minute, second] = fields(whole, ':').or_else(|| {
            let [hour, minute] = fields(whole, ':')?;
            Some([hour, minute, 0])
        })?;
        let [millis] = fields(millis, '.')?;
        let fits = (1970..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=month_length(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60
            && millis < 1000;
        fits.then(|| {
            let clock = ((hour * 60 + minute) * 60 + second) * 1000 + millis;
            Self(days_from_civil(year, month, day) * DAY + clock)
        })
    }

    /// `20260119T153210123Z`, for names of files.
    pub(crate) fn compact(self) -> String {
        self.to_string().chars().filter(|it| !matches!(it, '-' | ':' | '.')).collect()
    }

    /// The time that [`Self::compact`] wrote.
    pub(crate) fn parse_compact(text: &str) -> Option<Self> {
        let part = |from: usize, to: usize| text.get(from..to);
        let iso = format!(
            "{}-{}-{}T{}:{}:{}.{}",
            part(0, 4)?,
            part(4, 6)?,
            part(6, 8)?,
            part(9, 11)?,
            part(11, 13)?,
            part(13, 15)?,
            part(15, 18)?
        );
        Self::parse(&iso)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil_from_days(self.0 / DAY);
        let clock = self.0 % DAY;
        let (hour, minute) = (clock / 3_600_000, clock / 60_000 % 60);
        let (second, milli) = (clock / 1000 % 60, clock % 1000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

/// Exactly `N` whole numbers with `between` between them.
fn fields<const N: usize>(text: &str, between: char) -> Option<[u64; N]> {
    let mut parts = text.split(between);
    let mut numbers = [0; N];
    for slot in &mut numbers {
        let part = parts.next().filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()))?;
        *slot = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

fn month_length(year: u64, month: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970. Years are counted from March, so that the leap day is the last of its year.
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) =
        if month < 10 { (year + era * 400, month + 3) } else { (year + era * 400 + 1, month - 9) };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{LAST, Time};

    #[test]
    fn times_are_written_as_everybody_reads_them() {
        assert_eq!(Time::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Time::from_millis(1_768_836_730_123).to_string(), "2026-01-19T15:32:10.123Z");
        assert_eq!(Time::from_millis(u64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Time::parse("2024-02-29").map(Time::millis), Some(1_709_164_800_000));
        assert_eq!(
            Time::parse("2026-01-19T15:32:10.123Z").map(Time::millis),
            Some(1_768_836_730_123)
        );
        for bad in [
            "",
            "2023-02-29",
            "2026-13-01",
            "2026-01-19T24:00",
            "2026-01-19T1",
            "1969-12-31",
            "+026-01-01",
        ] {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(millis in 0..=LAST) {
            let time = Time::from_millis(millis);
            prop_assert_eq!(Time::parse(&time.to_string()), Some(time));
            prop_assert_eq!(Time::parse_compact(&time.compact()), Some(time));
        }
    }
}
