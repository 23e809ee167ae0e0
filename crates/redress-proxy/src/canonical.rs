//! The canonical JSON of a value: the same arguments have the same text, however a client writes them.

use std::borrow::Cow;

use redress_wire::json::{Kind, Value, write_list, write_str};

/// A value without spaces, its members by name and its texts in one spelling. Numbers keep their digits.
pub(crate) fn canonical(value: Value<'_>) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: Value<'_>, out: &mut String) {
    match value.kind() {
        Kind::Object => {
            let mut members: Vec<(Cow<'_, str>, Value<'_>)> = value
                .members()
                .map(|(key, value)| (key.as_str().unwrap_or_default(), value))
                .collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            let mut separator = '{';
            for (key, value) in &members {
                out.push(separator);
                write_str(out, key);
                out.push(':');
                write(*value, out);
                separator = ',';
            }
            out.push_str(if members.is_empty() { "{}" } else { "}" });
        }
        Kind::Array => {
            write_list(out, value.elements(), |it, out| write(it, out));
        }
        Kind::String => write_str(out, &value.as_str().unwrap_or_default()),
        Kind::Number | Kind::Bool | Kind::Null => out.push_str(value.raw()),
    }
}

#[cfg(test)]
mod tests {
    use redress_wire::json::{Doc, Limits};

    use super::canonical;

    #[test]
    fn spaces_order_and_escapes_do_not_matter() {
        let canonical =
            |text: &str| canonical(Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap().root());
        let expected = r#"{"a":[1,{},[],"x\"é"],"b":{"c":null,"d":true}}"#;
        for text in [
            expected,
            r#"{ "b" : {"d":true,"c":null}, "\u0061":[ 1, { }, [ ], "x\u0022\u00e9" ] }"#,
        ] {
            assert_eq!(canonical(text), expected);
        }
        assert_ne!(canonical(r#"{"a":"1"}"#), canonical(r#"{"a":1}"#));
    }
}
