//! Protocol versions in the headers of a request.

use hyper::{HeaderMap, header::HeaderName};

use super::{access::one, refusal::Refusal};

/// The header that names the version.
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The version in which every request stands alone.
pub(super) const MODERN: &str = "2026-07-28";

/// Versions with sessions.
const WITH_SESSIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Whether a request says that it stands alone.
pub(super) fn is_modern(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_some_and(|it| it == MODERN)
}

/// Whether the version of a request that belongs to a session is one that we know.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Refusal> {
    match one(headers, &VERSION)? {
        Some(version) if !WITH_SESSIONS.contains(&version) => {
            let version: String = version.chars().take(40).collect();
            Err(Refusal::bad(format!("The protocol version {version:?} is not supported here."))
                .fix(format!("Use one of: {}.", WITH_SESSIONS.join(", "))))
        }
        _ => Ok(()),
    }
}
