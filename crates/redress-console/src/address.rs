//! The query of an address and the body of a form: pairs of names and values, percent-encoded.

use std::fmt::Write as _;

/// The most pairs that are read.
const MOST_PAIRS: usize = 64;

/// Names and values in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pairs(Vec<(String, String)>);

impl Pairs {
    /// Reads `a=b&c=d`. Pairs without a value are left out, and so is what a form sends for an empty field.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').take(MOST_PAIRS).filter_map(|it| {
            let (name, value) = it.split_once('=')?;
            let value = decoded(value);
            (!value.is_empty()).then(|| (decoded(name), value))
        });
        Self(pairs.collect())
    }

    /// The value of a name; of the first if there are several.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// Sets the value of a name.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.0.retain(|it| it.0 != name);
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|it| (it.0.as_str(), it.1.as_str()))
    }

    /// The text that [`Self::parse`] reads, with a `?` before it if it is not empty.
    pub(crate) fn query(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.0 {
            out.push(if out.is_empty() { '?' } else { '&' });
            encode(name, &mut out);
            out.push('=');
            encode(value, &mut out);
        }
        out
    }
}

/// Appends a text so that it is one name or value.
pub(crate) fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap_or_default();
        }
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => match after.split_at_checked(2).and_then(|it| Some((hex(it.0)?, it.1))) {
                Some((byte, after)) => {
                    bytes.push(byte);
                    rest = after;
                }
                None => bytes.push(byte),
            },
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::Pairs;

    #[test]
    fn what_browsers_send_is_read() {
        let pairs = Pairs::parse("tool=read+file&code=A%2fB&empty=&x&bad=%zz%4&tool=second");
        let all: Vec<_> = pairs.iter().collect();
        let expected =
            [("tool", "read file"), ("code", "A/B"), ("bad", "%zz%4"), ("tool", "second")];
        assert_eq!(all, expected);
        assert_eq!(pairs.get("tool"), Some("read file"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in "[a-z]{1,5}", value in any::<String>()) {
            let mut pairs = Pairs::default();
            if !value.is_empty() {
                pairs.set(&name, &value);
            }
            prop_assert_eq!(Pairs::parse(pairs.query().trim_start_matches('?')), pairs);
        }
    }
}
