//! `Retry-After`: a date becomes the seconds until then, and more than a day is a day.

use redress_ledger::Time;

/// The longest wait that a client is asked for.
const MOST_SECONDS: u64 = 86_400;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The header in its form of seconds; what is neither seconds nor a date stays as it is.
pub(super) fn in_seconds(value: &str, now: Time) -> String {
    let value = value.trim();
    let is_number = !value.is_empty() && value.bytes().all(|it| it.is_ascii_digit());
    let seconds = if is_number {
        Some(value.parse().unwrap_or(u64::MAX))
    } else {
        date(value).map(|then| then.since(now).div_ceil(1000))
    };
    seconds.map_or_else(|| value.to_owned(), |it| it.min(MOST_SECONDS).to_string())
}

/// A date of HTTP, in any of its three spellings.
fn date(text: &str) -> Option<Time> {
    let words: Vec<&str> = text.split([' ', '-']).filter(|it| !it.is_empty()).collect();
    let ([_, day, month, year, clock, "GMT"] | [_, month, day, clock, year]) = *words.as_slice()
    else {
        return None;
    };
    let month = MONTHS.iter().position(|it| *it == month)? + 1;
    let century = if year.len() == 2 { "20" } else { "" };
    Time::parse(&format!("{century}{year}-{month:02}-{day:0>2}T{clock}Z"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;
    use redress_ledger::Time;

    use super::in_seconds;

    #[test]
    fn a_date_becomes_the_seconds_until_then_and_a_day_is_the_most() {
        let now = Time::parse("2026-11-16T03:00:00.500Z").unwrap();
        for (value, seconds) in [
            ("120", "120"),
            (" 0 ", "0"),
            ("86401", "86400"),
            ("99999999999999999999999", "86400"),
            ("Mon, 16 Nov 2026 03:01:00 GMT", "60"),
            ("Monday, 16-Nov-26 03:01:00 GMT", "60"),
            ("Mon Nov 16 03:01:00 2026", "60"),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "0"),
            ("Sun Dec  6 08:49:37 2026", "86400"),
            ("soon", "soon"),
            ("", ""),
            ("Mon, 99 Nov 2026 03:01:00 GMT", "Mon, 99 Nov 2026 03:01:00 GMT"),
        ] {
            assert_eq!(in_seconds(value, now), seconds, "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(value in ".{0,60}") {
            in_seconds(&value, Time::from_millis(1_768_836_730_123));
        }
    }
}
