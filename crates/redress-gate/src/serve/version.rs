//! Protocol versions in the headers of a request.

use hyper::{HeaderMap, header::HeaderName};

use super::{access::one, refusal::RefusedRequest};

/// The header that names the version.
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Versions with sessions.
const WITH_SESSIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Whether the headers say that a request is stateless, as in every version without sessions.
pub(super) fn is_stateless(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|it| it.to_str().ok());
    version.is_some_and(|it| !WITH_SESSIONS.contains(&it) && it > "2026")
}

/// Whether a client knows events that only have an id, which older ones take for broken messages.
pub(super) fn knows_primed_streams(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|it| it.to_str().ok());
    version.is_some_and(has_primed_streams)
}

/// Whether clients of a version know them.
pub(super) fn has_primed_streams(version: &str) -> bool {
    version == "2025-11-25"
}

/// Whether the version of a request that belongs to a session is one that we know.
pub(super) fn check(headers: &HeaderMap) -> Result<(), RefusedRequest> {
    match one(headers, &VERSION)? {
        Some(version) if !WITH_SESSIONS.contains(&version) => {
            let version: String = version.chars().take(40).collect();
            Err(RefusedRequest::bad(format!(
                "The protocol version {version:?} has no sessions here."
            ))
            .fix(format!("Use one of: {}.", WITH_SESSIONS.join(", "))))
        }
        _ => Ok(()),
    }
}
