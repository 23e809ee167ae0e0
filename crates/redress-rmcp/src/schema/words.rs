//! What serde says about arguments that fit their schema and are refused all the same: the same words as for a schema.

use redress::{Fault, codes, json::pointer_step};

use super::{UNKNOWN, Wrong, invalid_arguments};

/// How rmcp begins what serde says.
const PREFIX: &str = "failed to deserialize parameters: ";

/// The failure that such a text tells of.
pub(crate) fn refused_by_serde(text: &str) -> Option<Fault> {
    let said = text.strip_prefix(PREFIX)?;
    let mut fault = invalid_arguments(&[wrong(said)])?;
    fault.server_text = Some(text.to_owned());
    Some(fault)
}

fn wrong(said: &str) -> Wrong {
    let (what, expected) = match said.rsplit_once(", expected ") {
        Some((what, expected)) => (what, Some(expected.replace('`', ""))),
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
        // Serde does not say where in the arguments it was.
        _ if what.starts_with("invalid type") => {
            (codes::INVALID_INPUT_TYPE, String::new(), "wrong_type")
        }
        _ => (codes::INVALID_INPUT_VALUE, String::new(), "not_allowed"),
    };
    Wrong { code, pointer, reason, expected, near: None }
}

#[cfg(test)]
mod tests {
    use super::refused_by_serde;

    #[test]
    fn what_serde_says_is_a_violation() {
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
                r#"{"pointer":"","reason":"wrong_type","expected":"u32"}"#,
            ),
            (
                "invalid value: integer `-1`, expected u32",
                "INVALID_INPUT_VALUE",
                r#"{"pointer":"","reason":"not_allowed","expected":"u32"}"#,
            ),
        ] {
            let fault = refused_by_serde(&format!("failed to deserialize parameters: {said}"));
            let fault = fault.unwrap();
            assert_eq!(fault.code(), code, "{said}");
            let violations: Vec<_> = fault.violations.iter().map(|it| it.json().as_str()).collect();
            assert_eq!(violations, [violation], "{said}");
        }
        assert_eq!(refused_by_serde("missing field `id`"), None);
    }
}
