//! The forms in which a known value turns up in texts: plain, escaped for JSON or a URL, in base64, in hex.

use redress::json::escape_into;

use crate::hash::hex;

/// A shorter piece of base64 would take harmless words with it.
const SHORTEST: usize = 8;

/// Every form of the value. Letter case is the finder's business.
pub(super) fn all(value: &str) -> Vec<Vec<u8>> {
    let mut escaped = String::new();
    escape_into(&mut escaped, value);
    let mut forms = vec![
        value.as_bytes().to_vec(),
        escaped.into_bytes(),
        percent(value).into_bytes(),
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

fn percent(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&hex(&[byte]));
        }
    }
    out
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
    use super::all;

    #[test]
    fn a_value_is_known_in_every_disguise() {
        let forms = all("hunter2!pass");
        let has = |form: &str| forms.iter().any(|it| it == form.as_bytes());
        assert!(has("hunter2!pass"));
        assert!(has("hunter2%21pass"));
        assert!(has("68756e746572322170617373"));
        assert!(has("aHVudGVyMiFwYXNz"));
        // "a:hunter2!pass" is YTpodW50ZXIyIXBhc3M=
        assert!(
            has("odW50ZXIyIXBhc3"),
            "{:?}",
            forms.iter().map(|it| String::from_utf8_lossy(it)).collect::<Vec<_>>()
        );
    }
}
