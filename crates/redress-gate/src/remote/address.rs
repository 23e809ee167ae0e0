//! `RemoteAddress`: where a remote server is, and what is added to each request to it.

use std::{fmt, ops::Deref, sync::Arc};

use hyper::http::{HeaderMap, HeaderName, HeaderValue, header};
use redress_transport::http::{HttpClient, InvalidUrl};

use super::mirrored_headers::{SESSION, VERSION};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// The address of a remote server, and the client that asks it.
pub struct RemoteAddress {
    client: Arc<HttpClient>,
    /// What every request starts with: `Host`, and what the configuration adds.
    headers: HeaderMap,
    forwards_authorization: bool,
}

impl fmt::Debug for RemoteAddress {
    /// Shows nothing: addresses and headers may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").finish_non_exhaustive()
    }
}

/// Why an address or its headers cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidAddress {
    /// The URL is not one of a server.
    Url(InvalidUrl),
    /// What is wrong with a header.
    Header(&'static str),
}

impl fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(why) => write!(f, "the address {why}"),
            Self::Header(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for InvalidAddress {}

impl RemoteAddress {
    /// Whether the gate writes a header itself, so that the configuration cannot.
    pub fn writes(header: &str) -> bool {
        header.parse().is_ok_and(|it| is_ours(&it))
    }

    /// A server at an address, with what is added to each request. Nothing is opened yet.
    pub fn new(
        url: &str,
        headers: impl IntoIterator<Item = (String, String)>,
        forwards_authorization: bool,
    ) -> Result<Self, InvalidAddress> {
        let client = HttpClient::new(url).map_err(InvalidAddress::Url)?;
        let headers = all_headers(client.authority(), headers)?;
        Ok(Self { client: Arc::new(client), headers, forwards_authorization })
    }

    /// Whether a client's own `Authorization` goes to the server.
    pub(super) const fn forwards_authorization(&self) -> bool {
        self.forwards_authorization
    }

    /// What every request starts with.
    pub(super) fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }
}

impl Deref for RemoteAddress {
    type Target = Arc<HttpClient>;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

/// `Host`, and the configured headers but for those that are ours to write.
fn all_headers(
    host: &HeaderValue,
    given: impl IntoIterator<Item = (String, String)>,
) -> Result<HeaderMap, InvalidAddress> {
    let mut headers = HeaderMap::from_iter([(header::HOST, host.clone())]);
    for (name, value) in given {
        let no_name = InvalidAddress::Header("a header has a name that no header can have");
        let no_value = InvalidAddress::Header("a header has a value that no header can have");
        let name: HeaderName = name.parse().or(Err(no_name))?;
        let mut value: HeaderValue = value.parse().or(Err(no_value))?;
        value.set_sensitive(true);
        if !is_ours(&name) {
            headers.append(name, value);
        }
    }
    Ok(headers)
}

/// Whether a header is the gate's own: one of the transport or of the session.
fn is_ours(name: &HeaderName) -> bool {
    let of_transport = [
        header::HOST,
        header::CONTENT_LENGTH,
        header::CONTENT_TYPE,
        header::TRANSFER_ENCODING,
        header::CONNECTION,
        header::UPGRADE,
        header::TE,
        header::TRAILER,
        header::EXPECT,
        header::ACCEPT,
        header::ACCEPT_ENCODING,
    ];
    let of_session = [KEEP_ALIVE, SESSION, VERSION];
    of_transport.contains(name) || of_session.contains(name)
}

#[cfg(test)]
mod tests {
    use hyper::http::{HeaderName, header};
    use redress_transport::http::header_text;

    use super::{RemoteAddress, SESSION};

    #[test]
    fn a_configured_header_cannot_say_how_a_message_travels() {
        let given =
            [("Host", "evil"), ("content-length", "3"), ("Mcp-Session-Id", "s"), ("X-Key", "k")];
        let given = given.map(|it| (it.0.to_owned(), it.1.to_owned()));
        let headers =
            RemoteAddress::new("http://a.test/", given, false).expect("an address").headers();
        assert_eq!(headers.get_all(header::HOST).iter().collect::<Vec<_>>(), ["a.test"]);
        assert_eq!(header_text(&headers, &header::CONTENT_LENGTH), None);
        assert_eq!(header_text(&headers, &SESSION), None);
        assert!(RemoteAddress::writes("HOST") && !RemoteAddress::writes("X-Key"));
        assert_eq!(header_text(&headers, &HeaderName::from_static("x-key")), Some("k"));
        let bad = [("X".to_owned(), "a\nb".to_owned())];
        assert!(RemoteAddress::new("http://a.test/", bad, false).is_err());
    }
}
