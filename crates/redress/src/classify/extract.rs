//! What a JSON payload says: its messages first, then its codes; keys and echoed arguments are left out.

use std::borrow::Cow;

use super::request::is_among;
use crate::redact::{self, Hidden};
use redress_wire::json::{Doc, Kind, Limits, Value};

/// Keys whose text is for a reader.
const TEXTS: &str = " message msg error errors errormessage detail details description errordescription reason text cause err exception \
    stderr data title issues ";
/// Keys whose value names the failure.
const NAMES: &str = " code status statuscode httpstatus httpstatuscode errorcode errortype type name kind category errno expected received \
    keyword validation subcode ";
const LIMITS: Limits = Limits { bytes: 64 << 10, nesting: 32 };
const DEEPEST: usize = 5;
const MOST_ELEMENTS: usize = 24;

/// The text with the first JSON object or list in it replaced by what that says.
pub(crate) fn said(text: Cow<'_, str>) -> Cow<'_, str> {
    let Some((start, end)) = span(&text) else { return text };
    let Some(inner) = payload(&text).and_then(|doc| words(doc.root())) else { return text };
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    Cow::Owned(format!("{before}{inner}\n{after}"))
}

/// The first JSON object or list in a text.
pub(crate) fn payload(text: &str) -> Option<Doc<'_>> {
    let (start, end) = span(text)?;
    Doc::parse(text.get(start..end)?.as_bytes(), LIMITS).ok()
}

/// The words of a payload, if it is one: an object, or a list of objects.
pub(crate) fn words(value: Value<'_>) -> Option<String> {
    let is_payload = value.kind() == Kind::Object
        || value.kind() == Kind::Array
            && value.elements().next().is_some_and(|it| it.kind() == Kind::Object);
    if !is_payload {
        return None;
    }
    let mut words = Words::default();
    words.take(value, 0);
    if words.texts.is_empty() && words.names.is_empty() {
        words.take_all(value, 0);
    }
    words.texts.push_str(&words.names);
    Some(words.texts)
}

#[derive(Default)]
struct Words {
    texts: String,
    names: String,
}

impl Words {
    fn take(&mut self, value: Value<'_>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for element in open_elements(value).take(MOST_ELEMENTS) {
            match element.kind() {
                Kind::String => push(&mut self.texts, &element.as_str().unwrap_or_default()),
                _ => self.take(element, depth + 1),
            }
        }
        for (key, value) in open_members(value) {
            let key = folded(&key);
            if is_among(&key, TEXTS) {
                match value.kind() {
                    Kind::String => push(&mut self.texts, &value.as_str().unwrap_or_default()),
                    _ => self.take(value, depth + 1),
                }
            } else if is_among(&key, NAMES) {
                self.name(&key, value);
            } else if key == "path"
                && value.kind() == Kind::Array
                && value.elements().next().is_none()
            {
                push(&mut self.names, "at the root");
            } else if key.contains("retryafter") && value.kind() == Kind::Number {
                let unit = if key.ends_with("ms") { "ms" } else { "seconds" };
                push(&mut self.names, &format!("retry after {} {unit}", value.raw()));
            } else if matches!(value.kind(), Kind::Array | Kind::Object) && depth == 0 {
                self.inside(value);
            }
        }
    }

    /// A part of the payload that has an error of its own.
    fn inside(&mut self, value: Value<'_>) {
        let mut parts: Vec<Value<'_>> = value.elements().take(MOST_ELEMENTS).collect();
        parts.push(value);
        for part in parts {
            if let Some(error) = part.get("error").filter(|it| !it.is_null()) {
                match error.kind() {
                    Kind::String => push(&mut self.texts, &error.as_str().unwrap_or_default()),
                    _ => self.take(error, 1),
                }
            }
        }
    }

    fn name(&mut self, key: &str, value: Value<'_>) {
        match value.kind() {
            Kind::String => {
                let text = value.as_str().unwrap_or_default();
                let is_status = text.parse::<u16>().is_ok_and(|it| (400..600).contains(&it));
                let label = match key {
                    "expected" | "received" => key,
                    _ if is_status => "status",
                    _ => "",
                };
                if !matches!(&*text, "error" | "failed" | "failure" | "fail" | "text") {
                    push(&mut self.names, &format!("{label} {text}"));
                }
            }
            Kind::Number => {
                let is_status = value.as_i64().is_some_and(|it| (400..600).contains(&it));
                let label = if is_status { "status" } else { "code" };
                push(&mut self.names, &format!("{label} {}", value.raw()));
            }
            _ => (),
        }
    }

    fn take_all(&mut self, value: Value<'_>, depth: usize) {
        if let Some(text) = value.as_str() {
            push(&mut self.texts, &text);
        }
        if depth <= DEEPEST {
            open_elements(value).take(MOST_ELEMENTS).for_each(|it| self.take_all(it, depth + 1));
            open_members(value)
                .take(MOST_ELEMENTS)
                .for_each(|(_, it)| self.take_all(it, depth + 1));
        }
    }
}

/// The members that no key and no name beside them hides. Words lose their keys here, so later steps cannot tell.
fn open_members(value: Value<'_>) -> impl Iterator<Item = (Cow<'_, str>, Value<'_>)> {
    redact::members(value)
        .filter(|it| !redact::is_secret_name(&it.0) && !hides(it.2, it.1))
        .map(|it| (it.0, it.1))
}

/// The elements that nothing before them hides.
fn open_elements(value: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    redact::elements(value).filter(|it| !hides(it.1, it.0)).map(|it| it.0)
}

fn hides(by: Option<Hidden>, value: Value<'_>) -> bool {
    by.is_some_and(|by| value.as_str().is_none_or(|it| by.hides_text(&it)))
}

fn push(out: &mut String, text: &str) {
    if !text.trim().is_empty() {
        out.push_str(text.trim());
        out.push('\n');
    }
}

/// A key without what people vary: case, `_` and `-`.
pub(crate) fn folded(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
}

/// Where the first whole JSON object, or list of objects, is.
fn span(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let start = memchr::memchr2_iter(b'{', b'[', bytes).take(4).find(|at| {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let next = rest.iter().find(|it| !it.is_ascii_whitespace());
        match bytes.get(*at) {
            Some(b'{') => next == Some(&b'"'),
            _ => next == Some(&b'{'),
        }
    })?;
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => (),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some((start, at + 1));
                }
            }
            _ => (),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{said, words};
    use redress_wire::json::{Doc, Limits};

    #[test]
    fn a_payload_is_reduced_to_what_it_says() {
        let text = r#"API error: {"path":"a.md","error":"Invalid URL: zzz","code":-3}  end"#;
        assert_eq!(said(text.into()), "API error: Invalid URL: zzz\ncode -3\n\n  end");
        let issues =
            r#"[{"code":"invalid_type","received":"undefined","path":["x"],"message":"Required"}]"#;
        assert_eq!(said(issues.into()), "Required\ninvalid_type\nreceived undefined\n\n");
        assert_eq!(said(r#"{"message":"no","status":"409"}"#.into()), "no\nstatus 409\n\n");
        assert_eq!(said("no { json } here".into()), "no { json } here");
    }

    fn words_of(text: &str) -> String {
        let doc = Doc::parse(text.as_bytes(), Limits::DOCUMENT).unwrap();
        words(doc.root()).unwrap()
    }

    #[test]
    fn a_value_that_a_name_beside_it_hides_is_no_word() {
        for form in [
            r#"{"env":[{"name":"DB_PASSWORD","value":"hunter"}]}"#,
            r#"{"field":"password","value":"hunter"}"#,
            r#"{"value":{"x":"hunter"},"key":"api_key"}"#,
            r#"{"errors":[{"header":"Authorization","value":"hunter"}]}"#,
            r#"{"variables":{"name":"secret","content":"hunter"}}"#,
            r#"{"args":["--password","hunter"]}"#,
            r#"{"data":["x-api-key","hunterZ99"]}"#,
        ] {
            assert!(!words_of(form).contains("hunter"), "{form}");
        }
        assert_eq!(
            words_of(r#"{"a":{"field":"password","value":"is too short"}}"#),
            "password\nis too short\n"
        );
        assert_eq!(words_of(r#"{"a":{"field":"color","value":"red"}}"#), "color\nred\n");
    }

    #[test]
    fn a_value_whose_key_names_a_secret_is_no_word() {
        let secrets = [
            "password",
            "api_key",
            "db_password",
            "client_secret",
            "private_key",
            "cookie",
            "authorization",
        ];
        for key in secrets {
            let forms = [
                format!(r#"{{"{key}":"hunter2","author":"ann"}}"#),
                format!(r#"{{"nested":{{"{key}":"hunter2"}},"author":"ann"}}"#),
                format!(r#"[{{"{key}":["hunter2",{{"x":"hunter2"}}]}},{{"author":"ann"}}]"#),
                format!(r#"{{"list":[{{"{key}":{{"x":"hunter2"}}}}],"author":"ann"}}"#),
                format!(r#"{{"message":"ann","{key}":{{"error":"hunter2"}}}}"#),
            ];
            for form in forms {
                assert_eq!(words_of(&form), "ann\n", "{form}");
                assert!(!said(form.as_str().into()).contains("hunter2"), "{form}");
            }
        }
    }
}
