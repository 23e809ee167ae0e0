//! The time, stamped at the boundary: the library has no clock.

/// Now, in milliseconds since 1970.
pub(crate) fn millis() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default()
}

/// Now, ISO 8601 with milliseconds and `Z`.
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
