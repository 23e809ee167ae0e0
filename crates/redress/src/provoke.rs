//! Whether a server really answers with each code that it declares: for each a call that provokes it, or a reason why not.
//!
//! The calls are one JSON file for the tests of every language:
//!
//! ```json
//! {
//!   "server": { "command": ["my-server"] },
//!   "calls": {
//!     "NOTE_NOT_FOUND": { "tool": "read_note", "arguments": { "id": "n-0" }, "first": [{ "tool": "list_notes" }] },
//!     "NOTE_LOCKED": { "skip": "It needs a second writer." }
//!   }
//! }
//! ```

use std::sync::Arc;

use redress_registry::Registry;
use serde_json::{Map, Value};

use crate::{
    Lookup,
    outcome::Asked,
    recover::{Reading, read},
};

/// What came of a contract test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provoked {
    /// What is wrong, a sentence each.
    pub problems: Vec<String>,
    /// The codes that nothing provokes, and why.
    pub skipped: Vec<(String, String)>,
    /// The codes that came as they should.
    pub seen: Vec<String>,
}

/// Makes the calls and compares the answers. `call` gets the tool and its arguments as JSON, and gives the answer as JSON:
/// the result, the response or the error.
pub fn provoke<A: AsRef<[u8]>>(
    registry: &Arc<Registry>,
    calls: &str,
    mut call: impl FnMut(&str, &str) -> A,
) -> Provoked {
    let mut provoked = Provoked::default();
    let file: Value = match serde_json::from_str(calls) {
        Ok(file) => file,
        Err(error) => {
            provoked.problems.push(format!("The calls are not JSON: {error}."));
            return provoked;
        }
    };
    let none = Map::new();
    let calls = file.get("calls").and_then(Value::as_object).unwrap_or(&none);
    for code in calls.keys().filter(|it| registry.get(it).is_none()) {
        provoked.problems.push(format!("{code} is no code of {}.", registry.name));
    }
    let lookup = Lookup::with([Arc::clone(registry)]);
    for row in registry.codes.values() {
        let code = &*row.code;
        match calls.get(code) {
            None if row.registry != registry.name => (),
            None => provoked.problems.push(format!("No call provokes {code}.")),
            Some(it) => match it.get("skip").and_then(Value::as_str) {
                Some(why) => provoked.skipped.push((code.to_owned(), why.to_owned())),
                None => match judge(code, &answer(it, &mut call), &lookup) {
                    Ok(()) => provoked.seen.push(code.to_owned()),
                    Err(problem) => provoked.problems.push(problem),
                },
            },
        }
    }
    provoked
}

/// The answer to the last of the calls.
fn answer<A: AsRef<[u8]>>(provocation: &Value, call: &mut impl FnMut(&str, &str) -> A) -> Vec<u8> {
    let mut make = |it: &Value| {
        let tool = it.get("tool").and_then(Value::as_str).unwrap_or_default();
        let arguments = it.get("arguments").map_or_else(|| "{}".to_owned(), Value::to_string);
        call(tool, &arguments).as_ref().to_vec()
    };
    for first in provocation.get("first").and_then(Value::as_array).into_iter().flatten() {
        make(first);
    }
    make(provocation)
}

fn judge(code: &str, answer: &[u8], lookup: &Lookup) -> Result<(), String> {
    match read(answer, &Asked::default(), lookup) {
        Reading::Fault(fault, _) if fault.code() == code => Ok(()),
        Reading::Fault(fault, _) => Err(format!("{} came instead of {code}.", fault.code())),
        Reading::Unrecognised(_) => {
            Err(format!("A failure without a code came instead of {code}."))
        }
        Reading::Fine => Err(format!("The call that should fail with {code} succeeded.")),
    }
}

/// A test that a server answers with each code that its registry declares; see [`provoke()`].
///
/// ```
/// redress::contract_tests!(
///     redress_registry::shipped::get("mailvault").unwrap(),
///     r#"{"calls":{"RATE_LIMITED":{"tool":"send_email"}}}"#,
///     |tool, arguments| format!(r#"{{"error":"rate_limited","message":"{tool} {}"}}"#, arguments.len()),
/// );
/// ```
#[macro_export]
macro_rules! contract_tests {
    ($registry:expr, $calls:expr, $call:expr $(,)?) => {
        #[test]
        fn the_server_answers_with_each_code_that_it_declares() {
            let provoked = $crate::provoke($registry, $calls, $call);
            assert!(provoked.problems.is_empty(), "{}", provoked.problems.join("\n"));
        }
    };
}

#[cfg(test)]
mod tests {
    use redress_registry::shipped;

    use super::provoke;

    const CALLS: &str = r#"{"calls":{
        "RATE_LIMITED":{"tool":"limited","first":[{"tool":"first"}]},
        "NOT_FOUND":{"tool":"limited"},
        "SEND_FAILED":{"skip":"It costs money."},
        "AUTH_REQUIRED":{"tool":"fine"},
        "PARSE_ERROR":{"tool":"prose"},
        "FROBBED":{"tool":"fine"}
    }}"#;

    #[test]
    fn missing_wrong_and_unknown_are_told_and_a_reason_suffices() {
        let mut made = Vec::new();
        let mailvault = shipped::get("mailvault").unwrap();
        let provoked = provoke(mailvault, CALLS, |tool, _| {
            made.push(tool.to_owned());
            match tool {
                "limited" => r#"{"error":"rate_limited","message":"x"}"#,
                "prose" => r#"{"isError":true,"content":[{"type":"text","text":"boom"}]}"#,
                _ => "{}",
            }
        });
        assert_eq!(provoked.seen, ["RATE_LIMITED"]);
        assert_eq!(provoked.skipped, [("SEND_FAILED".to_owned(), "It costs money.".to_owned())]);
        assert_eq!(made[1..3], ["first", "limited"]);
        for problem in [
            "FROBBED is no code of mailvault.",
            "The call that should fail with AUTH_REQUIRED succeeded.",
            "RATE_LIMITED came instead of NOT_FOUND.",
            "A failure without a code came instead of PARSE_ERROR.",
            "No call provokes INTERNAL_ERROR.",
        ] {
            assert!(
                provoked.problems.iter().any(|it| it == problem),
                "{problem}: {:#?}",
                provoked.problems
            );
        }
    }
}
