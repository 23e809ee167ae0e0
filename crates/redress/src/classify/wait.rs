//! How long to wait, where an answer says so: `Retry-After`, "retry in 30 seconds", "try again in 2 minutes".

/// What comes before the time in a text in our spelling.
const LEADS: [&str; 7] = [
    "retry after",
    "retry in",
    "try again in",
    "try again after",
    "wait",
    "resets in",
    "available in",
];
/// Units by the start of their name, longest first, and their milliseconds.
const UNITS: [(&str, f64); 5] =
    [("ms", 1.0), ("millis", 1.0), ("m", 60_000.0), ("h", 3_600_000.0), ("s", 1000.0)];
/// A longer time is no advice to a program.
const MOST_MS: f64 = 86_400_000.0;

/// The time that a text in our spelling asks to wait, in milliseconds.
pub(crate) fn find(text: &str) -> Option<u64> {
    LEADS.iter().find_map(|lead| {
        let at = text.find(lead)? + lead.len();
        time(text.get(at..)?.trim_start_matches([' ', ':', '=', '"', '\'', '(']))
    })
}

/// A `Retry-After` header in its form of seconds; a date needs a clock, which we do not have.
pub(crate) fn header(value: &str) -> Option<u64> {
    time(value.trim())
}

fn time(text: &str) -> Option<u64> {
    let number = text.split(|it: char| !it.is_ascii_digit() && it != '.').next()?;
    let rest = text.get(number.len()..)?.trim_start();
    let unit = UNITS.iter().find(|(name, _)| rest.starts_with(name)).map_or(1000.0, |(_, ms)| *ms);
    let ms = number.trim_end_matches('.').parse::<f64>().ok()? * unit;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "in range by the test before it"
    )]
    (ms.is_finite() && (0.0..=MOST_MS).contains(&ms)).then_some(ms.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::{find, header};

    #[test]
    fn a_time_is_read_with_its_unit() {
        assert_eq!(find("please wait 60 seconds before retrying"), Some(60_000));
        assert_eq!(find("retry after 1.5 seconds"), Some(1500));
        assert_eq!(find("try again in 2 minutes"), Some(120_000));
        assert_eq!(find("retry after 250 ms"), Some(250));
        assert_eq!(find("please try again later"), None);
        assert_eq!(header("120"), Some(120_000));
        assert_eq!(header("Wed, 21 Oct 2026 07:28:00 GMT"), None);
    }
}
