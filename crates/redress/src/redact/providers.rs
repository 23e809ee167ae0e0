//! How the tokens of known services start. One row for all that go on alike; the list is data.

use std::ops::Range;

use super::{
    MAX_SECRET, behind, escapes::ends_with_colour, key_block, login, names::strength, near,
    score::is_placeholder, value::quoted,
};

/// What follows a start.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body {
    /// At least so many of these characters.
    Run(Digits, usize),
    /// The same of a token with dots, and the start stays: it says what it is.
    Behind(usize),
    /// What a function finds around the place of the start.
    By(fn(&str, Range<usize>) -> Option<Range<usize>>),
}

/// The characters of a token.
#[derive(Debug, Clone, Copy)]
pub(super) enum Digits {
    /// Letters, digits, `_` and `-`.
    Token,
    /// Capitals and digits.
    Capitals,
    /// Those of base64, or of a token with dots.
    Base64,
    /// Those of base 16, exactly as many as the row says.
    Hex,
}

/// Letter case counts, except in what a space ends: words of HTTP and of SQL.
#[rustfmt::skip]
pub(super) const STARTS: &[(&[&str], Body)] = &[
    (&["AKIA", "ASIA", "ABIA", "ACCA"], Body::Run(Digits::Capitals, 16)),
    (&["AGE-SECRET-KEY-1"], Body::Run(Digits::Capitals, 40)),
    (&["xoxb-", "xoxc-", "xoxd-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe.", "xapp-", "sk_live_", "sk_test_",
        "rk_live_", "rk_test_"], Body::Run(Digits::Token, 10)),
    (&["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "gloas-", "glft-", "glagent-", "whsec_", "GOCSPX-",
        "pypi-AgE", "tvly-", "shpat_", "shpss_", "shpca_", "EAAC", "EAAG"], Body::Run(Digits::Token, 15)),
    (&["sk-", "NRAK-", "PMAK-", "tskey-", "dckr_pat_", "dckr_oat_", "ATATT3x", "ATCTT3x", "ATBB", "pat-na1-", "pat-eu1-",
        "sdk-", "lsv2_pt_", "lsv2_sk_", "fc-", "apify_api_", "secret_", "pscale_pw_", "pscale_tkn_", "sgp_", "wandb_v1_", "jina_", "nvapi-", "key_live_",
        "rnd_", "r8_", "cfut_", "sq0atp-", "live_"], Body::Run(Digits::Token, 20)),
    (&["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glsa_", "npm_", "hf_", "gsk_", "xai-", "pplx-",
        "lin_api_", "ntn_", "figd_", "sbp_", "sntrys_", "sntryu_", "dp.pt.", "dp.st.", "CFPAT-", "nfp_", "fo1_",
        "sq0csp-", "phx_", "phc_", "AIza", "rubygems_", "dop_v1_", "doo_v1_", "dor_v1_", "dapi", "vercel_", "api_org_"], Body::Run(Digits::Token, 30)),
    (&["ya29."], Body::Run(Digits::Base64, 15)),
    (&["hvs.", "hvb.", "fm2_", "1//0"], Body::Run(Digits::Base64, 24)),
    (&["SG.", "dG9rOg"], Body::Run(Digits::Base64, 40)),
    (&["pat", "sl.", ".atlasv1.", "APA91b", "FlyV1 "], Body::Run(Digits::Base64, 60)),
    (&["hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
        "webhook.office.com/webhookb2/"], Body::Behind(20)),
    (&["api.telegram.org/bot", "hooks.zapier.com/hooks/catch/"], Body::Behind(10)),
    (&["Bearer ", "Basic "], Body::Behind(8)),
    (&["key-", "SK"], Body::Run(Digits::Hex, 32)),
    (&["pul-"], Body::Run(Digits::Hex, 40)),
    (&[":AA"], Body::By(telegram)),
    (&["eyJ"], Body::By(jwt)),
    (&["-----BEGIN "], Body::By(key_block::from_begin)),
    (&["-----END "], Body::By(key_block::before_end)),
    (&["Private-Lines: "], Body::By(key_block::lines)),
    (&["://"], Body::By(login::url)),
    (&["@tcp(", "@unix("], Body::By(login::before)),
    (&["jdbc:oracle:thin:"], Body::By(login::oracle)),
    (&[" -u ", " -u", "--user ", "--user=", "--proxy-user "], Body::By(login::user_option)),
    (&[" -p", " -a"], Body::By(login::password_option)),
    (&["IDENTIFIED BY "], Body::By(in_quotes)),
    (&[", input_value="], Body::By(input)),
];

/// The secret that starts at a place, if the row fits there.
pub(super) fn match_at(
    (start, body): (&str, Body),
    text: &str,
    at: Range<usize>,
) -> Option<Range<usize>> {
    let is_spelled = start.ends_with(' ') || text.get(at.clone())? == start;
    (is_spelled && !is_inside_word(start, text, at.start)).then_some(())?;
    let rest = text.get(at.end..)?;
    match body {
        Body::Run(digits, least) => Some(at.start..at.end + digits.run(rest, least)?),
        Body::Behind(least) => {
            let length = Digits::Base64.run(rest, least)?;
            let (body, next) = rest.split_at_checked(length)?;
            // `Bearer realm="…"` asks for a credential, and `basic authentication` is none.
            let is_asking = body.ends_with('=') && next.starts_with('"');
            let is_word = start.ends_with(' ') && (is_asking || is_word(body));
            (!is_word).then_some(at.end..at.end + length)
        }
        Body::By(find) => find(text, at),
    }
}

impl Digits {
    /// The length of the run that a text starts with, if it is long enough.
    fn run(self, text: &str, least: usize) -> Option<usize> {
        let fits = match self {
            Self::Token => !is_words(text),
            Self::Hex => Self::Token.count(near(text, 0, least + 1)) == least,
            Self::Capitals | Self::Base64 => true,
        };
        let length = if fits { self.count(text) } else { 0 };
        (length >= least).then_some(length)
    }

    fn count(self, text: &str) -> usize {
        let is_token = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
        let fits = |it: &u8| match self {
            Self::Token => is_token(*it),
            Self::Capitals => it.is_ascii_uppercase() || it.is_ascii_digit(),
            Self::Base64 => is_token(*it) || b".+/=:~".contains(it),
            Self::Hex => it.is_ascii_hexdigit(),
        };
        text.bytes().take(MAX_SECRET).take_while(fits).count()
    }
}

/// A text in quotes that is no placeholder.
fn in_quotes(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    quoted(text, at.end).filter(|it| !text.get(it.clone()).is_some_and(is_placeholder))
}

/// What was given for the name on the line above: `password`, and below `… [type=…, input_value='…']`.
fn input(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let name = behind(text, at.start, 512).lines().rev().nth(1)?.trim().rsplit('.').next()?;
    strength(name).filter(|_| !name.contains(' '))?;
    in_quotes(text, at)
}

/// The digits before and the token behind.
fn telegram(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let before = text.as_bytes().get(..at.start)?.iter().rev().take(11);
    let digits = before.take_while(|it| it.is_ascii_digit()).count();
    let length = Digits::Token.run(text.get(at.start + 1..)?, 33)?;
    (8..=10).contains(&digits).then_some(at.start - digits..at.start + 1 + length)
}

/// `eyJ` … `.` … `.` …, where each part is base64; the last may be empty.
fn jwt(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    (!text.get(..at.start)?.ends_with('-')).then_some(())?;
    let part = |from: usize, least: usize| {
        let length = Digits::Token.count(text.get(from..)?);
        (length >= least).then_some(from + length)
    };
    let next = |end: usize| text.get(end..)?.starts_with('.').then_some(end + 1);
    let body = part(next(part(at.end, 8)?)?, 8)?;
    let end = next(body).and_then(|it| part(it, 0)).unwrap_or(body);
    Some(at.start..end)
}

/// Whether the word at `at` goes on there: a token starts with it. What colours a token is no part of it.
fn is_inside_word(start: &str, text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    start.starts_with(|it: char| it.is_ascii_alphanumeric())
        && before.last().is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_')
        && !ends_with_colour(before)
}

/// Whether it is a word of a language, maybe at the start of a sentence or at its end.
fn is_word(text: &str) -> bool {
    const LONGEST: usize = 20;
    let text = text.trim_end_matches(['.', ':']);
    text.len() < LONGEST
        && text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.bytes().skip(1).all(|it| it.is_ascii_lowercase() || it == b'-')
}

/// Whether a text starts with several words, as in the names of packages.
fn is_words(text: &str) -> bool {
    const LOOKED_AT: usize = 48;
    let near = near(text, 0, LOOKED_AT);
    let words = near.get(..Digits::Token.count(near)).unwrap_or_default();
    let is_joint = |it: u8| matches!(it, b'-' | b'_');
    words.bytes().any(is_joint) && words.bytes().all(|it| it.is_ascii_lowercase() || is_joint(it))
}
