//! The forms in which a known value turns up in texts, besides escapes: plain, with `+` for a space, in base64, in hex.

use crate::hash::hex;

/// A shorter piece of base64 would take harmless words with it.
const SHORTEST: usize = 8;

/// Every form of the value. Letter case is the finder's business.
pub(super) fn all(value: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![
        value.as_bytes().to_vec(),
        value.replace(' ', "+").into_bytes(),
        hex(value.as_bytes()).into_bytes(),
    ];
    for before in 0..3 {
        for alphabet in [STANDARD, URL_SAFE] {
            forms.push(base64_inside(value.as_bytes(), before, alphabet));
        }
    }
    forms.retain(|it| it.len() >= SHORTEST || it == value.as_bytes());
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// The password in the base64 of `user:password`, as a `Basic` header has it.
pub(super) fn password(value: &str) -> Option<String> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    let credential = value.rsplit(' ').next()?.trim_end_matches('=');
    for digit in credential.bytes() {
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

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The digits that the value alone decides when so many bytes stand before it in its group of three: `user:value` in base64
/// holds the value at one of three offsets, whatever the user is called.
fn base64_inside(value: &[u8], before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let padded: Vec<u8> = std::iter::repeat_n(0, before).chain(value.iter().copied()).collect();
    let digit = |at: usize| {
        let bits = at * 6;
        let pair = [padded.get(bits / 8), padded.get(bits / 8 + 1)];
        let [high, low] = pair.map(|it| u16::from(it.copied().unwrap_or_default()));
        let index = ((high << 8 | low) >> (10 - bits % 8)) & 63;
        alphabet.get(usize::from(index)).copied().unwrap_or(b'=')
    };
    let first = (before * 8).div_ceil(6);
    let end = padded.len() * 8 / 6;
    (first..end).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::{all, password};

    #[test]
    fn a_value_is_known_in_every_disguise() {
        let forms = all("hunter2!pass");
        let has = |form: &str| forms.iter().any(|it| it == form.as_bytes());
        assert!(has("hunter2!pass"));
        assert!(has("68756e746572322170617373"));
        assert!(has("aHVudGVyMiFwYXNz"));
        // "a:hunter2!pass" is YTpodW50ZXIyIXBhc3M=
        assert!(
            has("odW50ZXIyIXBhc3"),
            "{:?}",
            forms.iter().map(|it| String::from_utf8_lossy(it)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_password_of_a_basic_header_is_read() {
        assert_eq!(password("Basic dXNlcjpwYXNzOndvcmQxMjM=").as_deref(), Some("pass:word123"));
        assert_eq!(password("dXNlcjpwYXNz").as_deref(), Some("pass"));
        for other in ["", "Bearer abc.def", "dXNlcg==", "/////w==", "correct horse"] {
            assert_eq!(password(other), None, "{other}");
        }
    }
}
