//! Values that are known to be secret: what of the environment and the configuration is, the parts of it that servers repeat, and the
//! encodings in which it turns up.

use super::{
    find, is_wordlike,
    score::{holds_secret, is_plain_word},
};

/// A shorter line would take harmless words with it.
const SHORTEST_LINE: usize = 8;

/// A shorter piece of an encoding would, too.
const SHORTEST_CODE: usize = 8;

/// What is secret of a variable: its value if the name says so, and credentials that stand in it, such as the password of a URL.
pub(super) fn of_variable<'v>(name: &str, value: &'v str) -> Vec<&'v str> {
    let within = find(value).into_iter().filter_map(|it| value.get(it));
    let whole = holds_secret(name, value).then_some(value);
    within.chain(whole).chain(whole.and_then(password)).collect()
}

/// What is secret of a header that is configured: all of it, a token without the word before it, and the values in it.
pub(super) fn of_header(header: &str) -> Vec<&str> {
    const PLAIN: [&str; 12] = [
        "algorithm",
        "charset",
        "domain",
        "expires",
        "nc",
        "opaque",
        "path",
        "qop",
        "realm",
        "uri",
        "username",
        "version",
    ];
    let values = header.split([';', ',']).filter_map(|it| {
        let (name, value) = it.trim().split_once('=')?;
        let name = name.rsplit(' ').next().unwrap_or_default();
        let is_name = name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-.".contains(&it));
        let is_plain = PLAIN.iter().any(|it| it.eq_ignore_ascii_case(name));
        (is_name && !name.is_empty() && !is_plain).then(|| value.trim_matches(['"', ' ']))
    });
    [header].into_iter().chain(header.split_once(' ').map(|it| it.1)).chain(values).collect()
}

/// What is secret of an address: parts of its path and values of its query, unless they are words, short numbers or versions.
pub(super) fn of_url(url: &str) -> impl Iterator<Item = &str> {
    let rest = url.split_once("://").map_or(url, |it| it.1);
    let rest = rest.split('#').next().unwrap_or_default();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = place.split('/').skip(1).filter(|it| is_secret_part(it));
    let query = query.split(['&', ';']).filter_map(|it| {
        let (name, value) = it.split_once('=').unwrap_or(("", it));
        (holds_secret(name, value) || is_secret_part(value)).then_some(value)
    });
    path.chain(query)
}

/// Whether a part of an address is made like a credential.
pub(super) fn is_secret_part(part: &str) -> bool {
    const LONGEST_VERSION: usize = 8;
    let is_version = |it: &str| {
        let number = it.strip_prefix('v').filter(|_| it.len() <= LONGEST_VERSION);
        number.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
    };
    let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    let is_plain =
        |it: &str| is_plain_word(it) && (is_wordlike(it) || is_number(it)) || is_version(it);
    !part.split(|it: char| !it.is_ascii_alphanumeric()).all(is_plain)
}

/// The password of `user:password`.
pub(super) fn password(value: &str) -> Option<&str> {
    let (user, password) = value.split_once(':')?;
    let is_user =
        !user.is_empty() && user.chars().all(|it| it.is_alphanumeric() || "_-.@+".contains(it));
    (is_user && !password.starts_with("//")).then_some(password)
}

/// The password in the base64 of `user:password`, as a `Basic` header has it.
pub(super) fn basic_password(value: &str) -> Option<String> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in value.rsplit(' ').next()?.trim_end_matches('=').bytes() {
        let digit = STANDARD.iter().position(|it| *it == digit)?;
        bits = bits << 6 | u32::try_from(digit).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    let login = String::from_utf8(bytes).ok().filter(|it| !it.contains(char::is_control))?;
    login.split_once(':').map(|it| it.1.to_owned())
}

/// The lines of a value that has several: programs write them one by one. Those of a document, and those around a key, tell nothing.
pub(super) fn lines(value: &str) -> impl Iterator<Item = &str> {
    let has_several = value.contains('\n') && !value.starts_with(['{', '[']);
    let lines = value.lines().filter(move |_| has_several).map(str::trim);
    lines.filter(|it| it.len() >= SHORTEST_LINE && !it.starts_with("-----"))
}

/// The codes of a value without signs between their digits: hex, and base64 once and twice.
pub(super) fn codes(value: &str) -> Vec<Vec<u8>> {
    let hex = value.bytes().flat_map(|it| format!("{it:02x}").into_bytes()).collect();
    let once = bases(value.as_bytes());
    let twice: Vec<_> = once.iter().step_by(2).flat_map(|it| bases(it)).step_by(2).collect();
    let mut codes: Vec<Vec<u8>> =
        [hex].into_iter().chain(once).chain(twice).map(|it| squeezed(&it)).collect();
    codes.retain(|it| it.len() >= SHORTEST_CODE);
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// What is left of a text when only the digits of codes are.
fn squeezed(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|it| is_digit(*it)).collect()
}

/// Whether a byte is a digit of a code. The `-` of one alphabet of base64 is none: it joins digits of hex.
pub(super) const fn is_digit(it: u8) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/' | b'_')
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The digits that a value alone decides, at each of the three places that it may have in a group of three bytes: `user:value` in
/// base64 holds the value at one of these, whatever the user is called.
fn bases(value: &[u8]) -> Vec<Vec<u8>> {
    let base = |before: usize, alphabet: &[u8; 64]| -> Vec<u8> {
        let padded: Vec<u8> = std::iter::repeat_n(0, before).chain(value.iter().copied()).collect();
        let digit = |at: usize| {
            let pair = [padded.get(at * 6 / 8), padded.get(at * 6 / 8 + 1)];
            let [high, low] = pair.map(|it| u16::from(it.copied().unwrap_or_default()));
            let index = ((high << 8 | low) >> (10 - at * 6 % 8)) & 63;
            alphabet.get(usize::from(index)).copied().unwrap_or(b'=')
        };
        ((before * 8).div_ceil(6)..padded.len() * 8 / 6).map(digit).collect()
    };
    (0..3).flat_map(|it| [base(it, STANDARD), base(it, URL_SAFE)]).collect()
}
