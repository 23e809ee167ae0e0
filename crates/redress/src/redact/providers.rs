//! How the tokens of known services start. One row for all that go on alike; the list is data.

use std::ops::Range;

use super::{
    MAX_SECRET, behind, escapes::ends_with_colour, key_block, login, names::strength,
    score::is_placeholder, value::quoted,
};

/// What follows a start.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body {
    /// At least so many letters, digits, `_` and `-`.
    Token(usize),
    /// At least so many capitals and digits.
    Capitals(usize),
    /// At least so many characters of a base64 or a token with dots.
    Base64(usize),
    /// The same, and the start stays: it says what it is.
    Behind(usize),
    /// So many digits in base 16, and no more.
    Hex(usize),
    /// Three parts with dots between.
    Jwt,
    /// A block up to its `-----END`.
    Pem,
    /// The end of a block whose start is gone.
    PemEnd,
    /// The number of lines of a key, and these.
    Lines,
    /// `user:password@`
    Login,
    /// `user:password` before it.
    LoginBefore,
    /// `user/password@`
    Oracle,
    /// `user:password`, as an argument of a command.
    UserOption,
    /// A password, if the command before has one there.
    PasswordOption,
    /// A text in quotes.
    Quoted,
    /// What was given for the name on the line above.
    Input,
    /// The digits before and the token behind.
    Telegram,
}

/// Letter case counts, except in the words that HTTP does not distinguish.
#[rustfmt::skip]
pub(super) const STARTS: &[(&[&str], Body)] = &[
    (&["AKIA", "ASIA", "ABIA", "ACCA"], Body::Capitals(16)),
    (&["AGE-SECRET-KEY-1"], Body::Capitals(40)),
    (&["xoxb-", "xoxc-", "xoxd-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe.", "xapp-", "sk_live_", "sk_test_",
        "rk_live_", "rk_test_"], Body::Token(10)),
    (&["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "gloas-", "glft-", "glagent-", "whsec_", "GOCSPX-",
        "pypi-AgE", "tvly-", "shpat_", "shpss_", "shpca_", "EAAC", "EAAG"], Body::Token(15)),
    (&["sk-", "NRAK-", "PMAK-", "tskey-", "dckr_pat_", "dckr_oat_", "ATATT3x", "ATCTT3x", "ATBB", "pat-na1-", "pat-eu1-", "sdk-", "lsv2_pt_", "lsv2_sk_", "fc-",
        "apify_api_", "secret_", "pscale_pw_", "pscale_tkn_", "sgp_", "wandb_v1_", "jina_", "nvapi-", "key_live_",
        "rnd_", "r8_", "cfut_", "sq0atp-", "live_"], Body::Token(20)),
    (&["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glsa_", "npm_", "hf_", "gsk_", "xai-", "pplx-",
        "lin_api_", "ntn_", "figd_", "sbp_", "sntrys_", "sntryu_", "dp.pt.", "dp.st.", "CFPAT-", "nfp_", "fo1_",
        "sq0csp-", "phx_", "phc_", "AIza", "rubygems_", "dop_v1_", "doo_v1_", "dor_v1_", "dapi", "vercel_", "api_org_"], Body::Token(30)),
    (&["ya29."], Body::Base64(15)),
    (&["hvs.", "hvb.", "fm2_", "1//0"], Body::Base64(24)),
    (&["SG.", "dG9rOg"], Body::Base64(40)),
    (&["pat", "sl.", ".atlasv1.", "APA91b", "FlyV1 "], Body::Base64(60)),
    (&["hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
        "webhook.office.com/webhookb2/"], Body::Behind(20)),
    (&["api.telegram.org/bot", "hooks.zapier.com/hooks/catch/"], Body::Behind(10)),
    (&["Bearer ", "Basic "], Body::Behind(8)),
    (&["key-", "SK"], Body::Hex(32)),
    (&["pul-"], Body::Hex(40)),
    (&[":AA"], Body::Telegram),
    (&["eyJ"], Body::Jwt),
    (&["-----BEGIN "], Body::Pem),
    (&["-----END "], Body::PemEnd),
    (&["Private-Lines: "], Body::Lines),
    (&["://"], Body::Login),
    (&["@tcp(", "@unix("], Body::LoginBefore),
    (&["jdbc:oracle:thin:"], Body::Oracle),
    (&[" -u ", " -u", "--user ", "--user=", "--proxy-user "], Body::UserOption),
    (&[" -p", " -a"], Body::PasswordOption),
    (&["IDENTIFIED BY "], Body::Quoted),
    (&[", input_value="], Body::Input),
];

/// The secret that starts at `at`, if the row fits there.
pub(super) fn match_at(
    (start, body): (&str, Body),
    text: &str,
    at: usize,
    logins: &mut login::Logins,
) -> Option<Range<usize>> {
    let after = at + start.len();
    let is_scheme = matches!(body, Body::Behind(_)) && start.ends_with(' ');
    let is_spelled = text.get(at..after)? == start || is_scheme || matches!(body, Body::Quoted);
    (is_spelled && !is_inside_word(start, body, text, at)).then_some(())?;
    let rest = text.get(after..)?;
    let moved = |it: Range<usize>| after + it.start..after + it.end;
    let length = match body {
        Body::Token(least) if !is_words(rest) => run(rest, least, is_token)?,
        Body::Token(_) => return None,
        Body::Capitals(least) => {
            run(rest, least, |it| it.is_ascii_uppercase() || it.is_ascii_digit())?
        }
        Body::Base64(least) => run(rest, least, is_base64)?,
        Body::Hex(count) => {
            let is_digit = |it: &u8| it.is_ascii_hexdigit();
            let digits = rest.bytes().take(count + 1).take_while(is_digit).count();
            let is_whole =
                digits == count && !rest.as_bytes().get(count).is_some_and(|it| is_token(*it));
            is_whole.then_some(count)?
        }
        Body::Jwt => jwt(rest)?,
        Body::Pem => key_block::length(rest)?,
        Body::Behind(least) => {
            let length = run(rest, least, is_base64)?;
            let (body, next) = rest.split_at_checked(length)?;
            // `Bearer realm="…"` asks for a credential, and `basic authentication` is none.
            let is_asking = body.ends_with('=') && next.starts_with('"');
            return (!is_scheme || !is_asking && !is_word(body)).then_some(after..after + length);
        }
        Body::PemEnd => return key_block::before_end(text, at),
        Body::Lines => return key_block::lines(rest).map(moved),
        Body::Login => return logins.find(text, after),
        Body::LoginBefore => return login::before(text, at),
        Body::Oracle => return login::oracle(rest).map(moved),
        Body::UserOption => return login::user_option(text, at, after),
        Body::PasswordOption => return login::password_option(text, at + 1),
        Body::Quoted => return in_quotes(rest).map(moved),
        Body::Input => {
            // Its name is the line above: `password`, and below `… [type=…, input_value='…']`.
            let name = behind(text, at, 512).lines().rev().nth(1)?.trim().rsplit('.').next()?;
            strength(name).filter(|_| !name.contains(' '))?;
            return in_quotes(rest).map(moved);
        }
        Body::Telegram => {
            let before = text.as_bytes().get(..at)?.iter().rev().take(11);
            let digits = before.take_while(|it| it.is_ascii_digit()).count();
            let length = run(text.get(at + 1..)?, 33, is_token)?;
            return (8..=10).contains(&digits).then_some(at - digits..at + 1 + length);
        }
    };
    Some(at..after + length)
}

fn in_quotes(text: &str) -> Option<Range<usize>> {
    quoted(text, 0).filter(|it| !text.get(it.clone()).is_some_and(is_placeholder))
}

/// Whether the word at `at` goes on there: a token starts with it. What colours a token is no part of it.
fn is_inside_word(start: &str, body: Body, text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let joins = |it: u8| it == b'_' || it == b'-' && matches!(body, Body::Jwt);
    start.starts_with(|it: char| it.is_ascii_alphanumeric())
        && before.last().is_some_and(|it| it.is_ascii_alphanumeric() || joins(*it))
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
    let mut near = text.bytes().take(LOOKED_AT).take_while(|it| is_token(*it));
    let has_joint = near.clone().any(|it| matches!(it, b'-' | b'_'));
    has_joint && near.all(|it| it.is_ascii_lowercase() || matches!(it, b'-' | b'_'))
}

const fn is_token(it: u8) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-')
}

const fn is_base64(it: u8) -> bool {
    is_token(it) || matches!(it, b'.' | b'+' | b'/' | b'=' | b':' | b'~')
}

/// The length of the characters at the start, if there are enough.
fn run(text: &str, least: usize, fits: impl Fn(u8) -> bool) -> Option<usize> {
    let length = text.bytes().take(MAX_SECRET).take_while(|it| fits(*it)).count();
    (length >= least).then_some(length)
}

/// `eyJ` … `.` … `.` …, where each part is base64; the last may be empty.
fn jwt(text: &str) -> Option<usize> {
    let head = run(text, 8, is_token)?;
    let end = head + 1 + run(text.get(head..)?.strip_prefix('.')?, 8, is_token)?;
    let tail = text.get(end..)?.strip_prefix('.').and_then(|it| run(it, 0, is_token));
    Some(tail.map_or(end, |it| end + 1 + it))
}
