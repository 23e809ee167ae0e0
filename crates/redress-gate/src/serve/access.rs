//! `Access`: which requests are allowed. A page in a browser must not reach a server on the same machine under another name.

use hyper::{
    HeaderMap, StatusCode, Uri,
    header::{AUTHORIZATION, HOST, HeaderName, HeaderValue, ORIGIN, TRANSFER_ENCODING},
};
use redress::codes;
use redress_govern::TokenId;
use redress_proxy::metrics::CountedEvent;
use sha2::{Digest as _, Sha256};

use super::refusal::RefusedRequest;
use crate::pages::PageRight;

/// Names of the machine itself, which no page elsewhere can take.
const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "[::1]"];

/// Who may come in.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Names beside those of the machine itself under which clients may reach us, with or without a port.
    pub hosts: Vec<String>,
    /// Origins of cors that may use us, as `scheme://host:port`. No other page may, those of this machine included.
    pub origins: Vec<String>,
    /// The tokens that are accepted; an empty list accepts no request. `None` needs no token.
    pub tokens: Option<Tokens>,
    /// Those of them that may change something on the pages, by their hashes, with the names of their bearers.
    pub writers: Vec<([u8; 32], String)>,
}

/// Tokens, as hashes: comparing them tells nothing about them.
#[derive(Debug, Clone, Default)]
pub struct Tokens(Vec<[u8; 32]>);

impl Tokens {
    /// These tokens.
    pub fn new<T: AsRef<[u8]>>(tokens: impl IntoIterator<Item = T>) -> Self {
        Self(tokens.into_iter().map(|it| Sha256::digest(it).into()).collect())
    }

    /// The same with others, given by their hashes.
    #[must_use]
    pub fn with_hashes(mut self, hashes: impl IntoIterator<Item = [u8; 32]>) -> Self {
        self.0.extend(hashes);
        self
    }

    /// How many they are.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whose token it is, if it is one.
    fn owner(&self, token: &str) -> Option<Principal> {
        let given: [u8; 32] = Sha256::digest(token).into();
        // Every one is compared whole, so that time tells nothing.
        let differences = |it: &[u8; 32]| it.iter().zip(given).fold(0, |all, (a, b)| all | (a ^ b));
        let is_known = self.0.iter().fold(false, |found, it| found | (differences(it) == 0));
        is_known.then_some(Principal(Some(given)))
    }
}

/// The sender of a request, by its token. Without tokens all senders are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Principal(Option<[u8; 32]>);

impl Principal {
    /// Whose token it is.
    pub(super) fn token(self) -> Option<TokenId> {
        self.0.as_ref().map(TokenId::of)
    }
}

/// Why the sender of a request is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenError {
    /// It has no token.
    Missing,
    /// Its token is none of ours.
    Wrong,
}

impl TokenError {
    /// What is counted.
    pub(crate) const fn event(self) -> CountedEvent {
        match self {
            Self::Missing => CountedEvent::MissingToken,
            Self::Wrong => CountedEvent::WrongToken,
        }
    }
}

impl Access {
    /// Who makes a request.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Principal, TokenError> {
        let Some(tokens) = &self.tokens else { return Ok(Principal(None)) };
        let token = bearer(headers).ok_or(TokenError::Missing)?;
        tokens.owner(token).ok_or(TokenError::Wrong)
    }

    /// What a sender may do on the pages.
    pub(super) fn page_right(&self, who: Principal) -> PageRight {
        let writer = self.writers.iter().find(|it| who.0 == Some(it.0));
        writer.map_or(PageRight::Read, |it| PageRight::Write(it.1.clone()))
    }

    /// Checks host, origin and coding of a request, whatever its sender.
    pub(super) fn check_way(
        &self,
        target: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), RefusedRequest> {
        self.check_name(target, headers)?;
        self.check_origin(headers)?;
        check_coding(headers)
    }

    /// Checks the host under which a request reaches us.
    pub(super) fn check_name(
        &self,
        target: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), RefusedRequest> {
        // A target with a host in it counts more than the header.
        if let Some(host) = target.authority().filter(|it| !self.is_ours(it.as_str())) {
            return Err(forbidden("Host", host.as_str()));
        }
        self.check_host(headers)
    }

    /// Checks the host of a request for a page, and its coding; gives the status of its refusal. The page itself checks the origin of what changes something.
    pub(crate) fn admits_host(&self, target: &Uri, headers: &HeaderMap) -> Result<(), StatusCode> {
        let checked = self.check_name(target, headers).and_then(|()| check_coding(headers));
        checked.map_err(|it| it.status())
    }

    /// The origin of the page that makes a request, if its scripts may use us.
    pub(super) fn page(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        self.check_origin(headers).is_ok().then(|| origin.clone())
    }

    /// Checks a request, whatever its sender; gives the status of its refusal.
    pub(crate) fn admits(&self, target: &Uri, headers: &HeaderMap) -> Result<(), StatusCode> {
        self.check_way(target, headers).map_err(|it| it.status())
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), RefusedRequest> {
        let host = one(headers, &HOST)?.unwrap_or_default();
        if self.is_ours(host) { Ok(()) } else { Err(forbidden("Host", host)) }
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), RefusedRequest> {
        let Some(origin) = one(headers, &ORIGIN)? else { return Ok(()) };
        let is_listed = self.origins.iter().any(|it| it.eq_ignore_ascii_case(origin) || it == "*");
        if is_listed { Ok(()) } else { Err(forbidden("Origin", origin)) }
    }

    fn is_ours(&self, host: &str) -> bool {
        let is_listed = |it: &String| {
            it.eq_ignore_ascii_case(host)
                || it.eq_ignore_ascii_case(without_port(host))
                || it == "*"
        };
        is_loopback(host) || self.hosts.iter().any(is_listed)
    }
}

/// Allows only one transfer coding: a proxy in front may read another one as a body of another length.
fn check_coding(headers: &HeaderMap) -> Result<(), RefusedRequest> {
    match one(headers, &TRANSFER_ENCODING)? {
        Some(coding) if !coding.trim().eq_ignore_ascii_case("chunked") => {
            Err(RefusedRequest::bad("Only Transfer-Encoding: chunked is supported.").closing())
        }
        _ => Ok(()),
    }
}

/// The token that a client brings.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = one(headers, &AUTHORIZATION).ok()??;
    let (_, token) = value.split_once(' ').filter(|it| it.0.eq_ignore_ascii_case("bearer"))?;
    Some(token.trim())
}

/// The value of a header that may occur only once.
pub(super) fn one<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'h str>, RefusedRequest> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    if second.is_some() {
        return Err(RefusedRequest::bad(format!("Duplicate header {name}.")).closing());
    }
    let text = |it: &'h HeaderValue| it.to_str().ok();
    match first.map(text) {
        Some(None) => {
            Err(RefusedRequest::bad(format!("Header {name} is not valid text.")).closing())
        }
        first => Ok(first.flatten()),
    }
}

fn is_loopback(host: &str) -> bool {
    LOOPBACK.iter().any(|it| it.eq_ignore_ascii_case(without_port(host)))
}

/// A host without its port; an address in brackets keeps them.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => name,
        _ => host,
    }
}

fn forbidden(header: &str, value: &str) -> RefusedRequest {
    let value: String = value.chars().take(80).collect();
    let message = format!("The {header} {value:?} is not allowed here.");
    RefusedRequest::new(StatusCode::FORBIDDEN, codes::UNAUTHORIZED_ACTION, message)
        .fix(match header {
            "Origin" => "List this origin in `[listen] allowed_origins`.",
            _ => "Use a loopback address, or list this host in `[listen] allowed_hosts`.",
        })
        .closing()
}

#[cfg(test)]
mod tests {
    use hyper::{HeaderMap, Uri, header::HeaderValue};

    use super::{Access, Tokens};

    fn is_let_in(access: &Access, headers: &[(&'static str, &'static str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        access.admits(&Uri::default(), &map).is_ok() && access.caller(&map).is_ok()
    }

    #[test]
    fn only_names_of_ours_are_let_in() {
        let access = Access { hosts: vec!["gate.example".into()], ..Access::default() };
        for (host, is_fine) in [
            ("localhost", true),
            ("LOCALHOST:1", true),
            ("127.0.0.1:7332", true),
            ("[::1]:7332", true),
            ("gate.example:80", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost@evil.example", false),
            ("", false),
        ] {
            assert_eq!(is_let_in(&access, &[("host", host)]), is_fine, "{host}");
        }
        assert!(!is_let_in(&access, &[("host", "localhost"), ("host", "localhost")]));
    }

    #[test]
    fn only_pages_that_are_listed_are_let_in() {
        let access = Access { origins: vec!["https://app.example".into()], ..Access::default() };
        for (origin, is_fine) in [
            ("http://localhost:9999", false),
            ("https://localhost", false),
            ("http://127.0.0.1", false),
            ("http://[::1]:5", false),
            ("https://app.example", true),
            ("https://app.example.evil", false),
            ("http://evil.example", false),
            ("null", false),
            ("file://localhost", false),
        ] {
            let headers = [("host", "localhost"), ("origin", origin)];
            assert_eq!(is_let_in(&access, &headers), is_fine, "{origin}");
        }
    }

    #[test]
    fn only_a_token_lets_in_where_there_are_tokens() {
        let access = Access { tokens: Some(Tokens::new(["one", "two"])), ..Access::default() };
        for (value, is_fine) in [
            ("Bearer one", true),
            ("bearer two", true),
            ("Bearer three", false),
            ("Bearer ", false),
            ("Basic one", false),
            ("one", false),
        ] {
            let headers = [("host", "localhost"), ("authorization", value)];
            assert_eq!(is_let_in(&access, &headers), is_fine, "{value}");
        }
        assert!(!is_let_in(&access, &[("host", "localhost")]));
        let empty = Access { tokens: Some(Tokens::default()), ..access };
        assert!(!is_let_in(&empty, &[("host", "localhost")]), "no token is not no need of one");
    }

    #[test]
    fn only_one_coding_of_a_body_is_let_in() {
        for (codings, is_fine) in [
            (&["chunked"][..], true),
            (&["Chunked "], true),
            (&["gzip, chunked"], false),
            (&["gzip", "chunked"], false),
            (&["identity, chunked"], false),
            (&["foo;a=\"chunked\", chunked"], false),
            (&["chunked", "chunked"], false),
        ] {
            let mut headers = vec![("host", "localhost")];
            headers.extend(codings.iter().map(|it| ("transfer-encoding", *it)));
            assert_eq!(is_let_in(&Access::default(), &headers), is_fine, "{codings:?}");
        }
    }
}
