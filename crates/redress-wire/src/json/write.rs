//! Writing JSON: strings with the fewest escapes, objects member by member.

use std::fmt::Write as _;

use super::steps::plain;

/// Appends `text` as a JSON string.
pub fn write_str(out: &mut String, text: &str) {
    out.push('"');
    escape_into(out, text);
    out.push('"');
}

/// A key as a step of a JSON pointer (RFC 6901), without the slash before it.
pub fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Appends `text` with the escapes that a JSON string needs, without the quotes.
pub fn escape_into(out: &mut String, text: &str) {
    let mut rest = text;
    loop {
        // What stops it is ASCII, so it is a character boundary.
        let length = plain(rest.as_bytes());
        out.push_str(rest.get(..length).unwrap_or_default());
        let Some(&byte) = rest.as_bytes().get(length) else { return };
        escape_byte(out, byte);
        rest = rest.get(length + 1..).unwrap_or_default();
    }
}

/// Appends a JSON array, each item as `write` appends it.
pub fn write_list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn escape_byte(out: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        other => {
            out.push_str("\\u00");
            for digit in [other >> 4, other & 15] {
                out.push(HEX.get(usize::from(digit)).copied().map_or('0', char::from));
            }
        }
    }
}

/// An object being written: commas and quotes are its business.
#[derive(Debug)]
pub struct Members<'o> {
    out: &'o mut String,
    empty: bool,
}

impl<'o> Members<'o> {
    /// Opens an object.
    pub fn open(out: &'o mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    /// Goes on with an object that has members already.
    pub fn more(out: &'o mut String) -> Self {
        Self { out, empty: false }
    }

    /// Starts a member; its value is to be written into what this gives.
    pub fn key(&mut self, key: &str) -> &mut String {
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
        write_str(self.out, key);
        self.out.push(':');
        self.out
    }

    /// A string member.
    pub fn str(&mut self, key: &str, value: &str) -> &mut Self {
        write_str(self.key(key), value);
        self
    }

    /// A string member, if there is one.
    pub fn opt_str(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.str(key, value);
        }
        self
    }

    /// A string member, `null` if there is none.
    pub fn str_or_null(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.str(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// A member whose value is JSON text already.
    pub fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        self.key(key).push_str(json);
        self
    }

    /// `true` or `false`.
    pub fn bool(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// A whole number.
    pub fn int(&mut self, key: &str, value: impl Into<i128>) -> &mut Self {
        let out = self.key(key);
        write_int(out, value.into());
        self
    }

    /// Closes the object.
    pub fn close(self) {
        self.out.push('}');
    }
}

/// Appends a whole number in decimal.
pub fn write_int(out: &mut String, value: i128) {
    write!(out, "{value}").unwrap_or_default();
}
