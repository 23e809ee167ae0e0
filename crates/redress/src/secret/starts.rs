//! How the tokens of known services start. One row each; the list is data.

use std::ops::Range;

use super::{MAX_SECRET, floor_boundary};

/// A way in which a secret starts.
#[derive(Debug)]
pub(super) struct Start {
    pub word: &'static str,
    pub body: Body,
    /// What of it stays readable.
    pub keep: Keep,
}

/// What follows the start.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body {
    /// At least so many letters, digits, `_` and `-`.
    Token(usize),
    /// At least so many capitals and digits.
    Capitals(usize),
    /// At least so many characters of a base64 or a token with dots.
    Base64(usize),
    /// Three parts with dots between.
    Jwt,
    /// A block up to its `-----END`.
    Pem,
    /// `user:password@`
    Login,
}

/// What stays of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Nothing,
    /// The start says what it is and is no secret.
    Start,
}

const fn token(start: &'static str, least: usize) -> Start {
    Start { word: start, body: Body::Token(least), keep: Keep::Nothing }
}

const fn keeping(start: &'static str, body: Body) -> Start {
    Start { word: start, body, keep: Keep::Start }
}

const fn capitals(start: &'static str, least: usize) -> Start {
    Start { word: start, body: Body::Capitals(least), keep: Keep::Nothing }
}

/// Letter case counts, except in the words that HTTP does not distinguish.
pub(super) const STARTS: &[Start] = &[
    capitals("AKIA", 16),
    capitals("ASIA", 16),
    capitals("ABIA", 16),
    capitals("ACCA", 16),
    token("ghp_", 30),
    token("gho_", 30),
    token("ghu_", 30),
    token("ghs_", 30),
    token("ghr_", 30),
    token("github_pat_", 36),
    token("glpat-", 16),
    token("gldt-", 16),
    token("glrt-", 16),
    token("glptt-", 16),
    token("xoxb-", 10),
    token("xoxp-", 10),
    token("xoxa-", 10),
    token("xoxr-", 10),
    token("xoxs-", 10),
    token("xoxe.", 10),
    token("xapp-", 10),
    keeping("hooks.slack.com/services/", Body::Base64(20)),
    keeping("discord.com/api/webhooks/", Body::Base64(20)),
    keeping("api.telegram.org/bot", Body::Base64(10)),
    token("sk-", 20),
    token("sk_live_", 10),
    token("sk_test_", 10),
    token("rk_live_", 10),
    token("rk_test_", 10),
    token("whsec_", 16),
    token("AIza", 31),
    token("GOCSPX-", 16),
    Start { word: "ya29.", body: Body::Base64(15), keep: Keep::Nothing },
    token("npm_", 30),
    token("pypi-AgE", 16),
    token("dop_v1_", 32),
    token("doo_v1_", 32),
    token("hf_", 30),
    token("gsk_", 30),
    token("r8_", 30),
    token("xai-", 30),
    token("pplx-", 30),
    token("tvly-", 15),
    token("lin_api_", 30),
    token("ntn_", 30),
    token("secret_", 32),
    token("shpat_", 30),
    token("shpss_", 30),
    token("dckr_pat_", 20),
    token("figd_", 30),
    token("rubygems_", 40),
    token("sbp_", 30),
    token("sntrys_", 30),
    token("NRAK-", 20),
    token("PMAK-", 20),
    token("ATATT3x", 30),
    capitals("AGE-SECRET-KEY-1", 40),
    Start { word: "hvs.", body: Body::Base64(20), keep: Keep::Nothing },
    Start { word: "SG.", body: Body::Base64(40), keep: Keep::Nothing },
    Start { word: "eyJ", body: Body::Jwt, keep: Keep::Nothing },
    Start { word: "-----BEGIN ", body: Body::Pem, keep: Keep::Nothing },
    keeping("Bearer ", Body::Base64(8)),
    keeping("Basic ", Body::Base64(8)),
    keeping("://", Body::Login),
];

/// The secret that starts at `at`, if the rule fits there.
pub(super) fn match_at(rule: &Start, text: &str, at: usize) -> Option<Range<usize>> {
    let after = at + rule.word.len();
    let spelled = text.get(at..after)?;
    let is_http_word = rule.word.ends_with(' ') && rule.keep == Keep::Start;
    if spelled != rule.word && !is_http_word {
        return None;
    }
    let before = text.get(..at)?.as_bytes().last();
    let joins = |it: &u8| *it == b'_' || *it == b'-' && matches!(rule.body, Body::Jwt);
    let is_inside_word = before.is_some_and(|it| it.is_ascii_alphanumeric() || joins(it));
    let has_word_start = rule.word.starts_with(|it: char| it.is_ascii_alphanumeric());
    if is_inside_word && has_word_start {
        return None;
    }
    let rest = text.get(after..)?;
    let from = if rule.keep == Keep::Start { after } else { at };
    if let Body::Login = rule.body {
        return login(rest).map(|it| after + it.start..after + it.end);
    }
    let length = match rule.body {
        Body::Token(least) => {
            run(rest, least, |it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-'))
        }
        Body::Capitals(least) => {
            run(rest, least, |it| it.is_ascii_uppercase() || it.is_ascii_digit())
        }
        Body::Base64(least) => run(rest, least, is_base64),
        Body::Jwt => jwt(rest),
        Body::Pem => pem(rest),
        Body::Login => None,
    }?;
    // `Bearer realm="…"` asks for a credential and is none.
    let (body, next) = (rest.get(..length)?, rest.as_bytes().get(length));
    if body.ends_with('=') && next == Some(&b'"') {
        return None;
    }
    Some(from..after + length)
}

/// The length of the characters at the start, if there are enough.
fn run(text: &str, least: usize, fits: impl Fn(u8) -> bool) -> Option<usize> {
    let length = text.bytes().take(MAX_SECRET).take_while(|it| fits(*it)).count();
    (length >= least).then_some(length)
}

const fn is_base64(it: u8) -> bool {
    it.is_ascii_alphanumeric()
        || matches!(it, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b':' | b'~')
}

/// `eyJ` … `.` … `.` …, where each part is base64; the last may be empty.
fn jwt(text: &str) -> Option<usize> {
    let part = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
    let head = run(text, 8, part)?;
    let body = run(text.get(head..)?.strip_prefix('.')?, 8, part)?;
    let end = head + 1 + body;
    let tail = text.get(end..)?.strip_prefix('.').and_then(|it| run(it, 0, part));
    Some(tail.map_or(end, |it| end + 1 + it))
}

/// Everything to the end of the block; of a block that was cut, everything there is.
fn pem(text: &str) -> Option<usize> {
    let label = text.get(..floor_boundary(text, 40))?;
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let block = text.get(..floor_boundary(text, MAX_SECRET))?;
    let Some(end) = block.find("-----END ") else { return Some(block.len()) };
    let after = end + "-----END ".len();
    let close = block.get(after..)?.find("-----").map_or(block.len(), |it| after + it + 5);
    Some(close)
}

/// The password of `user:password@host`; a long name without a password is a token.
fn login(rest: &str) -> Option<Range<usize>> {
    let stops = |it: char| {
        it.is_whitespace() || matches!(it, '/' | '"' | '\'' | '?' | '#' | '<' | '>' | '\\')
    };
    let near = rest.get(..floor_boundary(rest, 1024))?;
    let authority = near.split(stops).next()?;
    let (login, _) = authority.rsplit_once('@')?;
    let hidden = |it: &str| it.is_empty() || it.starts_with(['<', '$', '{', '[', '*']);
    match login.split_once(':') {
        Some((_, password)) if hidden(password) => None,
        Some((user, _)) => Some(user.len() + 1..login.len()),
        None => (login.len() >= 16).then_some(0..login.len()),
    }
}
