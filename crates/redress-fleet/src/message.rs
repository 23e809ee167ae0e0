//! A message of the stream: records of one chain that follow each other, as the lines of the ledger, or what says that some are missing.

use async_nats::HeaderMap;
use bytes::Bytes;
use redress_ledger::{Hash, Portion, Skipped};
use serde_json::{Value, json};

use crate::error::FleetError;

/// The version of the messages.
pub(crate) const FORMAT: &str = "redress-fleet/1";

const FORMAT_HEADER: &str = "Redress-Format";
const RECORDS: &str = "Redress-Records";
const HEAD: &str = "Redress-Head";

/// What a message holds, as its headers say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The number of the first record.
    pub(crate) first: u64,
    /// The number of the last.
    pub(crate) last: u64,
    /// The hash of the last.
    pub(crate) head: Hash,
}

/// Records that the stream lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// The hash of the last.
    pub head: Hash,
    /// Why they are not there.
    pub why: String,
}

/// A message that is to be sent.
pub(crate) struct Outgoing {
    pub(crate) span: Span,
    pub(crate) body: Bytes,
}

impl Outgoing {
    /// The records of a portion.
    pub(crate) fn of_portion(portion: Portion) -> Self {
        let span = Span { first: portion.first, last: portion.last, head: portion.head };
        Self { span, body: portion.lines.into() }
    }

    /// What says that records are missing.
    pub(crate) fn of_missing(skipped: Skipped, why: &str) -> Self {
        let Skipped { first, last, head } = skipped;
        let line = json!({
            "missing": { "first": first, "last": last, "head": head.to_string(), "why": why },
        });
        Self { span: Span { first, last, head }, body: format!("{line}\n").into() }
    }

    /// The headers, with the id by which the engine knows a message that it was sent twice.
    pub(crate) fn headers(&self, chain: &str) -> HeaderMap {
        let Span { first, last, head } = self.span;
        let mut headers = HeaderMap::new();
        headers.insert(async_nats::header::NATS_MESSAGE_ID, format!("{chain}:{first}-{last}"));
        headers.insert(FORMAT_HEADER, FORMAT);
        headers.insert(RECORDS, format!("{first}-{last}"));
        headers.insert(HEAD, head.to_string());
        headers
    }
}

/// What the headers of a message say.
///
/// # Errors
/// It is of a format that this version does not know, or none of ours.
pub(crate) fn span(subject: &str, headers: Option<&HeaderMap>) -> Result<Span, FleetError> {
    let get = |name| headers.and_then(|it| it.get(name)).map(|it| it.as_str().to_owned());
    let format = get(FORMAT_HEADER).unwrap_or_default();
    let unknown = || FleetError::Format { subject: subject.to_owned(), format: format.clone() };
    if format != FORMAT {
        return Err(unknown());
    }
    let read = || {
        let records = get(RECORDS)?;
        let (first, last) = records.split_once('-')?;
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        let head = Hash::parse(&get(HEAD)?)?;
        (first <= last).then_some(Span { first, last, head })
    };
    read().ok_or_else(unknown)
}

/// A line that says that records are missing; `None` if it is another one.
pub(crate) fn missing(line: &[u8]) -> Option<Missing> {
    if !line.starts_with(b"{\"missing\":") {
        return None;
    }
    let line: Value = serde_json::from_slice(line).ok()?;
    let missing = line.get("missing")?;
    Some(Missing {
        first: missing.get("first")?.as_u64()?,
        last: missing.get("last")?.as_u64()?,
        head: Hash::parse(missing.get("head")?.as_str()?)?,
        why: missing.get("why")?.as_str()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use redress_ledger::{Hash, Skipped};

    use super::{Outgoing, missing, span};

    #[test]
    fn what_is_missing_is_read_as_it_was_written() {
        let head = Hash::parse(&"7".repeat(64)).unwrap();
        let sent = Outgoing::of_missing(Skipped { first: 3, last: 9, head }, "pruned");
        let headers = sent.headers("chain");
        assert_eq!(span("s", Some(&headers)).unwrap(), sent.span);
        let read = missing(&sent.body).unwrap();
        assert_eq!((read.first, read.last, read.head, read.why.as_str()), (3, 9, head, "pruned"));
        assert_eq!(missing(b"{\"seq\":0}"), None);
    }

    #[test]
    fn another_format_is_named() {
        let head = Hash::parse(&"7".repeat(64)).unwrap();
        let sent = Outgoing::of_missing(Skipped { first: 3, last: 9, head }, "pruned");
        let mut headers = sent.headers("chain");
        headers.insert("Redress-Format", "redress-fleet/9");
        assert!(span("s", Some(&headers)).unwrap_err().to_string().contains("redress-fleet/9"));
        assert!(span("s", None).is_err());
        for bad in ["", "3", "9-3", "-", "a-b", "1-99999999999999999999"] {
            let mut headers = sent.headers("chain");
            headers.insert("Redress-Records", bad);
            assert!(span("s", Some(&headers)).is_err(), "{bad}");
        }
    }
}
