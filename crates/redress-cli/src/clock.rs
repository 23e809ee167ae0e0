//! The time, stamped at the boundary: the library has no clock.

/// Now, ISO 8601 with milliseconds and `Z`.
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
