//! `TraceId`: the trace to which a request belongs, as `traceparent` names it.

use std::{fmt, num::NonZeroU128};

/// The id of a trace, as the recommendation "Trace Context" of the W3C has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(NonZeroU128);

impl TraceId {
    /// Reads `traceparent`; `None` if it has not the form.
    pub fn read(traceparent: &str) -> Option<Self> {
        let is_digit = |it: u8| it.is_ascii_digit() || (b'a'..=b'f').contains(&it);
        let mut parts = traceparent.splitn(5, '-');
        let mut digits =
            |count: usize| parts.next().filter(|it| it.len() == count && it.bytes().all(is_digit));
        let (version, id) = (digits(2)?, digits(32)?);
        let (_parent, _flags) = (digits(16)?, digits(2)?);
        // Later versions may have more parts.
        if version == "ff" || version == "00" && parts.next().is_some() {
            return None;
        }
        NonZeroU128::new(u128::from_str_radix(id, 16).ok()?).map(Self)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::TraceId;

    #[test]
    fn only_the_form_of_the_recommendation_is_read() {
        let id = "0af7651916cd43dd8448eb211c80319c";
        for rest in ["00-ID-b7ad6b7169203331-01", "01-ID-b7ad6b7169203331-01-what-will-be"] {
            let read = TraceId::read(&rest.replace("ID", id)).unwrap();
            assert_eq!(read.to_string(), id);
        }
        for wrong in [
            "",
            id,
            "00-ID-b7ad6b7169203331",
            "00-ID-b7ad6b7169203331-01-more",
            "ff-ID-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceId::read(&wrong.replace("ID", id)), None, "{wrong}");
        }
    }
}
