//! What serde says about arguments that fit their schema and are refused all the same: the same words as for a schema.

use redress::{Fault, codes};
use redress_wire::json::{Kind, Value, pointer_step};

use super::{Mismatch, UNKNOWN, invalid_arguments};

/// How rmcp begins what serde says.
const PREFIX: &str = "failed to deserialize parameters: ";

/// Whether a text tells of such arguments.
pub(crate) fn is_of_serde(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// The failure that such a text tells of. The arguments show where it was: serde does not say so.
pub(crate) fn refused_by_serde(text: &str, arguments: Option<Value<'_>>) -> Option<Fault> {
    let said = text.strip_prefix(PREFIX)?;
    let mut fault = invalid_arguments(&[wrong(said, arguments)])?;
    fault.server_text = Some(text.to_owned());
    Some(fault)
}

fn wrong(said: &str, arguments: Option<Value<'_>>) -> Mismatch {
    let (what, expected) = match said.rsplit_once(", expected ") {
        Some((what, expected)) => (what, Some(in_json(&expected.replace('`', "")))),
        None => (said, None),
    };
    let named = what.split('`').nth(1).unwrap_or_default();
    let field = |name: &str| format!("/{}", pointer_step(name));
    let (code, pointer, reason) = match what {
        _ if what.starts_with("missing field") => {
            (codes::MISSING_REQUIRED_FIELD, field(named), "missing")
        }
        _ if what.starts_with("unknown field") => {
            (codes::INVALID_INPUT_VALUE, field(named), UNKNOWN)
        }
        _ if what.starts_with("invalid type") => {
            (codes::INVALID_INPUT_TYPE, place(what, arguments), "wrong_type")
        }
        _ => (codes::INVALID_INPUT_VALUE, place(what, arguments), "not_allowed"),
    };
    Mismatch { code, pointer, reason, expected, near: None }
}

/// What serde expects, in words of JSON.
fn in_json(expected: &str) -> String {
    let whole = |least: i128, most: u128| format!("an integer from {least} to {most}");
    match expected {
        "u8" => whole(0, u8::MAX.into()),
        "u16" => whole(0, u16::MAX.into()),
        "u32" => whole(0, u32::MAX.into()),
        "u64" | "usize" => whole(0, u64::MAX.into()),
        "i8" => whole(i8::MIN.into(), i8::MAX.unsigned_abs().into()),
        "i16" => whole(i16::MIN.into(), i16::MAX.unsigned_abs().into()),
        "i32" => whole(i32::MIN.into(), i32::MAX.unsigned_abs().into()),
        "i64" | "isize" => whole(i64::MIN.into(), i64::MAX.unsigned_abs().into()),
        "u128" | "i128" => "an integer".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        _ if expected.starts_with("struct ") => "an object".to_owned(),
        other => other.to_owned(),
    }
}

/// Where the value is that serde means; nothing if there is none or several.
fn place(what: &str, arguments: Option<Value<'_>>) -> String {
    let described = what.split_once(": ").map_or(what, |it| it.1);
    let mut found = Vec::new();
    if let Some(arguments) = arguments {
        search(arguments, "", described, &mut found);
    }
    match &mut *found {
        [one] => std::mem::take(one),
        _ => String::new(),
    }
}

/// Looks below a value. Documents nest at most 64 deep.
fn search(value: Value<'_>, at: &str, described: &str, found: &mut Vec<String>) {
    let mut look = |step: &str, value: Value<'_>| {
        if found.len() > 1 {
            return;
        }
        let at = format!("{at}/{}", pointer_step(step));
        if is_described(value, described) {
            found.push(at.clone());
        }
        search(value, &at, described, found);
    };
    match value.kind() {
        Kind::Object => {
            value.members().for_each(|(key, it)| look(&key.as_str().unwrap_or_default(), it));
        }
        Kind::Array => {
            value.elements().enumerate().for_each(|(step, it)| look(&step.to_string(), it));
        }
        _ => (),
    }
}

/// Whether serde would describe a value so.
fn is_described(value: Value<'_>, described: &str) -> bool {
    let quoted = described.split('`').nth(1).unwrap_or_default();
    let number = |it: &str| it.parse().map(f64::to_bits).ok();
    match value.kind() {
        Kind::Number if described.starts_with("floating point ") => {
            number(quoted).is_some_and(|it| number(value.raw()) == Some(it))
        }
        Kind::Number => described.starts_with("integer ") && value.raw() == quoted,
        Kind::String => value.as_str().is_some_and(|it| {
            described == format!("string {it:?}")
                || described.starts_with("unknown variant ") && *it == *quoted
        }),
        Kind::Bool => described == format!("boolean `{}`", value.raw()),
        Kind::Null => described == "null",
        Kind::Array => described == "sequence",
        Kind::Object => described == "map",
    }
}

#[cfg(test)]
mod tests {
    use redress_wire::json::RawJson;

    use super::refused_by_serde;

    #[test]
    fn what_serde_says_is_a_violation() {
        let arguments =
            br#"{"b":["a, expected b",-1,-1],"ms":1.0,"c/d":18446744073709551616,"unit":"plums"}"#;
        let arguments = RawJson::parse(arguments).unwrap();
        for (said, code, violation) in [
            (
                "missing field `id`",
                "MISSING_REQUIRED_FIELD",
                r#"{"pointer":"/id","reason":"missing"}"#,
            ),
            (
                "unknown field `ids`, expected `id`",
                "INVALID_INPUT_VALUE",
                r#"{"pointer":"/ids","reason":"unknown","expected":"id"}"#,
            ),
            (
                "invalid type: string \"a, expected b\", expected u32",
                "INVALID_INPUT_TYPE",
                r#"{"pointer":"/b/0","reason":"wrong_type","expected":"an integer from 0 to 4294967295"}"#,
            ),
            (
                "invalid value: integer `-1`, expected u32",
                "INVALID_INPUT_VALUE",
                r#"{"pointer":"","reason":"not_allowed","expected":"an integer from 0 to 4294967295"}"#,
            ),
            (
                "invalid type: floating point `1.0`, expected u8",
                "INVALID_INPUT_TYPE",
                r#"{"pointer":"/ms","reason":"wrong_type","expected":"an integer from 0 to 255"}"#,
            ),
            (
                "invalid value: floating point `1.8446744073709552e19`, expected i8",
                "INVALID_INPUT_VALUE",
                r#"{"pointer":"/c~1d","reason":"not_allowed","expected":"an integer from -128 to 127"}"#,
            ),
            (
                "unknown variant `plums`, expected one of `a`, `b`",
                "INVALID_INPUT_VALUE",
                r#"{"pointer":"/unit","reason":"not_allowed","expected":"one of a, b"}"#,
            ),
        ] {
            let text = format!("failed to deserialize parameters: {said}");
            let fault = arguments.with(|it| refused_by_serde(&text, Some(it))).flatten().unwrap();
            assert_eq!(fault.code(), code, "{said}");
            let violations: Vec<_> = fault.violations.iter().map(|it| it.json().as_str()).collect();
            assert_eq!(violations, [violation], "{said}");
        }
        assert_eq!(refused_by_serde("missing field `id`", None), None);
    }
}
