//! `Access`: who may read the console, and who may write: by a link that works once, then by a cookie.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::{
    HeaderMap,
    header::{COOKIE, HOST, HeaderName, ORIGIN},
};
use sha2::{Digest as _, Sha256};

/// Where a request comes from, as browsers say it; no page can set it.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// How many browsers can be signed in at a time; one more ends the oldest.
const MOST_SESSIONS: usize = 64;

/// What a request may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Nothing.
    None,
    /// Read.
    Read,
    /// Read, and mark failures as checked.
    Write,
}

type Hashed = [u8; 32];

/// Who may read the console, and who may write.
#[derive(Debug)]
pub(crate) struct Access {
    /// The name of the cookie, one for each console: cookies do not know ports.
    cookie: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Links that were not used, each with what it gives.
    links: Vec<(Hashed, Grant)>,
    sessions: VecDeque<(Hashed, Grant)>,
}

/// What a person may do, and the name under which it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What the person may do.
    pub right: Right,
    /// The name.
    pub by: Arc<str>,
}

impl Grant {
    /// Nothing.
    pub fn none() -> Self {
        Self { right: Right::None, by: "".into() }
    }
}

impl Access {
    pub(crate) fn new() -> std::io::Result<Self> {
        let cookie = format!("redress_console_{}", random()?.get(..8).unwrap_or_default());
        Ok(Self { cookie, state: Mutex::default() })
    }

    /// The secret of a new link.
    pub(crate) fn link(&self, grant: Grant) -> std::io::Result<String> {
        let secret = random()?;
        let mut state = self.lock();
        state.links.push((hashed(&secret), grant));
        if state.links.len() > MOST_SESSIONS {
            state.links.remove(0);
        }
        Ok(secret)
    }

    /// Uses a link up, and gives the cookie for it.
    pub(crate) fn enter(&self, secret: &str) -> std::io::Result<Option<String>> {
        let secret = hashed(secret);
        let mut state = self.lock();
        let Some(at) = state.links.iter().position(|it| is_same(&it.0, &secret)) else {
            return Ok(None);
        };
        let (_, grant) = state.links.remove(at);
        drop(state);
        self.sign_in(grant).map(Some)
    }

    /// The cookie of a new session.
    pub(crate) fn sign_in(&self, grant: Grant) -> std::io::Result<String> {
        let session = random()?;
        let mut state = self.lock();
        state.sessions.push_back((hashed(&session), grant));
        if state.sessions.len() > MOST_SESSIONS {
            state.sessions.pop_front();
        }
        drop(state);
        Ok(format!("{}={session}; Path=/console; HttpOnly; SameSite=Strict", self.cookie))
    }

    /// What the cookie of a request gives.
    pub(crate) fn grant(&self, headers: &HeaderMap) -> Grant {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|it| it.to_str().ok());
        let pairs = cookies.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
        let secrets: Vec<Hashed> =
            pairs.filter(|it| it.0 == self.cookie).map(|it| hashed(it.1)).collect();
        let state = self.lock();
        let is_given = |session: &Hashed| secrets.iter().any(|it| is_same(it, session));
        let grants = state.sessions.iter().filter(|it| is_given(&it.0)).map(|it| &it.1);
        grants.max_by_key(|it| it.right).cloned().unwrap_or_else(Grant::none)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request that changes something comes from a page of this console. Our pages name no origin (`Referrer-Policy: no-referrer`), so that
/// `Sec-Fetch-Site` decides where a browser sends it.
pub(crate) fn is_own_page(headers: &HeaderMap) -> bool {
    let one = |name: &HeaderName| {
        let mut all = headers.get_all(name).iter();
        let first = all.next().and_then(|it| it.to_str().ok());
        first.filter(|_| all.next().is_none())
    };
    let is_given = |name: &HeaderName| headers.contains_key(name);
    let names_us = || {
        let origin = one(&ORIGIN).unwrap_or_default();
        let named = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        named.zip(one(&HOST)).is_some_and(|(named, host)| named.eq_ignore_ascii_case(host))
    };
    let is_silent = || !is_given(&ORIGIN) || one(&ORIGIN) == Some("null");
    if is_given(&SITE) {
        one(&SITE) == Some("same-origin") && (is_silent() || names_us())
    } else {
        names_us()
    }
}

fn hashed(secret: &str) -> Hashed {
    Sha256::digest(secret).into()
}

/// Compares all bytes, so that time tells nothing.
fn is_same(one: &Hashed, other: &Hashed) -> bool {
    one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// 128 random bits as hex digits.
fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if got != bytes.len() {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(u128::from_be_bytes(bytes)).map(|it| format!("{it:032x}"))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{Access, Grant, Right, is_own_page};

    fn grant(right: Right) -> Grant {
        Grant { right, by: "operator".into() }
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_link_works_once_and_gives_a_cookie() {
        let access = Access::new().unwrap();
        let link = access.link(grant(Right::Write)).unwrap();
        assert_eq!(access.enter("0").unwrap(), None);
        let cookie = access.enter(&link).unwrap().unwrap();
        assert!(cookie.ends_with("; Path=/console; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(access.enter(&link).unwrap(), None, "it was used");
        let pair = cookie.split(';').next().unwrap();
        let sent = headers(&[("cookie", &format!("a=b; {pair}"))]);
        assert_eq!(access.grant(&sent), grant(Right::Write));
        let other = Access::new().unwrap();
        assert_eq!(other.grant(&sent), Grant::none());
        let forged = headers(&[("cookie", &format!("{pair}0"))]);
        assert_eq!(access.grant(&forged), Grant::none());
        let reader = access.sign_in(grant(Right::Read)).unwrap();
        let sent = headers(&[("cookie", reader.split(';').next().unwrap())]);
        assert_eq!(access.grant(&sent), grant(Right::Read));
    }

    #[test]
    fn only_an_own_page_changes_something() {
        let host = ("host", "127.0.0.1:7333");
        for (origin, is_own) in [
            (Some("http://127.0.0.1:7333"), true),
            (Some("http://127.0.0.1:7334"), false),
            (Some("http://evil.example"), false),
            (Some("null"), false),
            (None, false),
        ] {
            let mut all = vec![host];
            all.extend(origin.map(|it| ("origin", it)));
            assert_eq!(is_own_page(&headers(&all)), is_own, "{origin:?}");
        }
        for (site, origin, is_own) in [
            ("same-origin", "null", true),
            ("same-origin", "http://127.0.0.1:7333", true),
            ("same-origin", "http://evil.example", false),
            ("same-site", "null", false),
            ("cross-site", "http://127.0.0.1:7333", false),
        ] {
            let all = [host, ("sec-fetch-site", site), ("origin", origin)];
            assert_eq!(is_own_page(&headers(&all)), is_own, "{site} {origin}");
        }
        let twice = [host, ("origin", "http://127.0.0.1:7333"), ("origin", "http://evil.example")];
        assert!(!is_own_page(&headers(&twice)));
    }
}
