//! How the tokens of known services start. One row each; the list is data.

use std::ops::Range;

use super::{
    MAX_SECRET,
    escapes::ends_with_colour,
    floor_boundary,
    login::{self, Logins},
    names::secrecy,
    option, pem, scheme,
    value::{Quote, is_placeholder},
};

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
    /// So many digits in base 16, and no more.
    Hex(usize),
    /// A block up to its `-----END`.
    Pem,
    /// Their number, and the lines of a key.
    Lines,
    /// The end of a block whose start is gone.
    PemEnd,
    /// `user:password@`
    Login,
    /// `user:password`, as an argument of a command.
    UserOption,
    /// `user/password@`
    Oracle,
    /// A text in quotes.
    Quoted,
    /// The digits before and the token behind.
    Telegram,
    /// What stands on the next line.
    Below,
    /// `user:password` before it.
    LoginBefore,
    /// A password, if the command before has one there.
    PasswordOption,
    /// What was given for the name on the line above.
    Input,
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

const fn base64(start: &'static str, least: usize) -> Start {
    Start { word: start, body: Body::Base64(least), keep: Keep::Nothing }
}

const fn rule(start: &'static str, body: Body) -> Start {
    Start { word: start, body, keep: Keep::Nothing }
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
    token("glcbt-", 16),
    token("glsoat-", 16),
    token("gloas-", 16),
    token("glft-", 16),
    token("glagent-", 16),
    token("glsa_", 30),
    token("xoxb-", 10),
    token("xoxc-", 10),
    token("xoxd-", 10),
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
    base64("ya29.", 15),
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
    token("sntryu_", 30),
    token("tskey-", 20),
    token("dp.pt.", 30),
    token("CFPAT-", 30),
    token("nfp_", 30),
    token("fo1_", 30),
    base64("fm2_", 30),
    token("sq0csp-", 30),
    token("phx_", 30),
    rule("pul-", Body::Hex(40)),
    rule(":AA", Body::Telegram),
    rule("key-", Body::Hex(32)),
    rule("SK", Body::Hex(32)),
    token("NRAK-", 20),
    token("PMAK-", 20),
    token("ATATT3x", 30),
    capitals("AGE-SECRET-KEY-1", 40),
    base64("hvs.", 20),
    base64("SG.", 40),
    rule("eyJ", Body::Jwt),
    rule("-----BEGIN ", Body::Pem),
    rule("-----END ", Body::PemEnd),
    keeping("Private-Lines: ", Body::Lines),
    keeping("Bearer ", Body::Base64(8)),
    keeping("Basic ", Body::Base64(8)),
    keeping("Bearer", Body::Below),
    keeping("Basic", Body::Below),
    keeping("://", Body::Login),
    rule("@tcp(", Body::LoginBefore),
    rule("@unix(", Body::LoginBefore),
    keeping("jdbc:oracle:thin:", Body::Oracle),
    keeping("IDENTIFIED BY ", Body::Quoted),
    keeping(" -u ", Body::UserOption),
    keeping(" -u", Body::UserOption),
    keeping(" -p", Body::PasswordOption),
    keeping(" -a", Body::PasswordOption),
    keeping(", input_value=", Body::Input),
    keeping("--user ", Body::UserOption),
    keeping("--user=", Body::UserOption),
    keeping("--proxy-user ", Body::UserOption),
];

/// The secret that starts at `at`, if the rule fits there.
pub(super) fn match_at(
    rule: &Start,
    text: &str,
    at: usize,
    logins: &mut Logins,
) -> Option<Range<usize>> {
    let after = at + rule.word.len();
    let spelled = text.get(at..after)?;
    let is_http_word =
        rule.word.ends_with(' ') && rule.keep == Keep::Start || matches!(rule.body, Body::Below);
    if spelled != rule.word && !is_http_word {
        return None;
    }
    if rule.word.starts_with(|it: char| it.is_ascii_alphanumeric())
        && is_inside_word(rule, text, at)
    {
        return None;
    }
    let rest = text.get(after..)?;
    let from = if rule.keep == Keep::Start { after } else { at };
    let length = match rule.body {
        Body::Token(_) if is_words(rest) => return None,
        Body::Token(least) => run(rest, least, is_token)?,
        Body::Capitals(least) => {
            run(rest, least, |it| it.is_ascii_uppercase() || it.is_ascii_digit())?
        }
        Body::Base64(least) => run(rest, least, is_base64)?,
        Body::Hex(count) => Some(count).filter(|it| is_hex(rest, *it))?,
        Body::Jwt => jwt(rest)?,
        Body::Pem => pem::length(rest)?,
        Body::Lines => return pem::lines(rest).map(|it| moved(&it, after)),
        Body::PemEnd => return pem::before_end(text, at),
        Body::Login => return logins.find(text, after),
        Body::PasswordOption => return option::password(text, at + 1),
        Body::Input => return input(text, at, after),
        Body::LoginBefore => return login::before(text, at),
        Body::UserOption if login::is_other_user(text.get(..at)?) => return None,
        Body::UserOption => return login::option(rest).map(|it| moved(&it, after)),
        Body::Oracle => return login::oracle(rest).map(|it| moved(&it, after)),
        Body::Quoted => return in_quotes(rest).map(|it| moved(&it, after)),
        Body::Telegram => return telegram(text, at),
        Body::Below => return scheme::below(rest).map(|it| moved(&it, after)),
    };
    let (body, next) = (rest.get(..length)?, rest.as_bytes().get(length));
    // `Bearer realm="…"` asks for a credential and is none, and neither is `basic authentication`.
    let is_asking = body.ends_with('=') && next == Some(&b'"');
    let is_prose = is_http_word && (is_asking || is_word(body));
    (!is_prose).then_some(from..after + length)
}

const fn moved(range: &Range<usize>, by: usize) -> Range<usize> {
    by + range.start..by + range.end
}

fn in_quotes(text: &str) -> Option<Range<usize>> {
    let (quote, start) = Quote::at(text)?;
    let length = quote.length(text.get(start..)?);
    let value = text.get(start..start + length)?;
    (!is_placeholder(value)).then_some(start..start + length)
}

/// The value that a validator shows of the field whose name is the line above: `password`, and below `… [type=…, input_value='…']`.
fn input(text: &str, at: usize, after: usize) -> Option<Range<usize>> {
    const LOOKED_AT: usize = 512;
    let near = text.get(floor_boundary(text, at.saturating_sub(LOOKED_AT))..at)?;
    let field = near.lines().rev().nth(1)?.trim();
    let name = field.rsplit('.').next().filter(|it| !it.contains(' '))?;
    secrecy(name)?;
    in_quotes(text.get(after..)?).map(|it| moved(&it, after))
}

/// `123456789:AA…`, whose sign is at `at`.
fn telegram(text: &str, at: usize) -> Option<Range<usize>> {
    const DIGITS: std::ops::RangeInclusive<usize> = 8..=10;
    const LEAST: usize = 33;
    let before = text.as_bytes().get(..at)?.iter().rev().take(DIGITS.end() + 1);
    let digits = before.take_while(|it| it.is_ascii_digit()).count();
    let length = run(text.get(at + 1..)?, LEAST, is_token)?;
    DIGITS.contains(&digits).then_some(at - digits..at + 1 + length)
}

/// Whether the word at `at` goes on there: a token starts with it. What colours a token is no part of it.
fn is_inside_word(rule: &Start, text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let joins = |it: u8| it == b'_' || it == b'-' && matches!(rule.body, Body::Jwt);
    before.last().is_some_and(|it| it.is_ascii_alphanumeric() || joins(*it))
        && !ends_with_colour(before)
}

/// The longest word of a language.
const LONGEST_WORD: usize = 20;

/// Whether it is a word of a language, maybe at the start of a sentence or at its end.
fn is_word(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ':']);
    text.len() < LONGEST_WORD
        && text.bytes().skip(1).all(|it| it.is_ascii_lowercase() || it == b'-')
        && text.bytes().next().is_some_and(|it| it.is_ascii_alphabetic())
}

/// Whether a text starts with several words, as in the names of packages.
fn is_words(text: &str) -> bool {
    const LOOKED_AT: usize = 48;
    let mut has_joint = false;
    for it in text.bytes().take(LOOKED_AT).take_while(|it| is_token(*it)) {
        match it {
            b'-' | b'_' => has_joint = true,
            it if it.is_ascii_lowercase() => (),
            _ => return false,
        }
    }
    has_joint
}

/// Whether a text starts with so many digits, and no more.
fn is_hex(text: &str, count: usize) -> bool {
    let mut near = text.bytes().take(count + 1);
    near.by_ref().take(count).filter(u8::is_ascii_hexdigit).count() == count
        && !near.next().is_some_and(is_token)
}

const fn is_token(it: u8) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-')
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
    let head = run(text, 8, is_token)?;
    let body = run(text.get(head..)?.strip_prefix('.')?, 8, is_token)?;
    let end = head + 1 + body;
    let tail = text.get(end..)?.strip_prefix('.').and_then(|it| run(it, 0, is_token));
    Some(tail.map_or(end, |it| end + 1 + it))
}
