//! The eval guard: code in the arguments of a tool that runs code is inspected, within a time.

use std::time::{Duration, Instant};

use redress::{Dialect, Fault, codes, fault::ParamValue};
use redress_wire::json::{Kind, Value};

use super::{Guard, GuardedRequest};
use crate::eval::{self, Language, MAX_MILLIS, Refusal};

/// The names under which tools take code.
const NAMES: &[&str] = &["body", "code", "script", "source", "expression", "javascript", "python"];

/// The names of texts that are about the code, and are not run.
const DATA: &[&str] = &[
    "title",
    "description",
    "name",
    "language",
    "id",
    "path",
    "url",
    "selector",
    "label",
    "comment",
    "reason",
    "intent",
];

/// What a text is by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Code(&'static str),
    Data,
    Unknown,
}

/// The code does nothing that is forbidden.
pub(super) struct EvalGuard;

impl Guard for EvalGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        match case.tool {
            Some(tool) if tool.is_eval() => judge(case.call.arguments, case.policy.dialect),
            _ => Ok(()),
        }
    }
}

/// Whether all code of a call may run. The language that the caller names does not count: the tool may not care.
fn judge(arguments: Option<Value<'_>>, dialect: Dialect) -> Result<(), Box<Fault>> {
    let Some(arguments) = arguments else { return Ok(()) };
    let mut found = Vec::new();
    collect(arguments, Given::Unknown, &mut found);
    // Beside code, other texts may be none; alone, one of them is it.
    let has_code = found.iter().any(|(given, _)| matches!(given, Given::Code(_)));
    eval::prepare();
    let until = Instant::now() + Duration::from_millis(MAX_MILLIS);
    for (given, code) in found {
        let mut expired = || Instant::now() >= until;
        let judged = match given {
            Given::Data if has_code => Ok(()),
            Given::Unknown if is_word(&code) => Ok(()),
            Given::Code("javascript") => eval::inspect(Language::JavaScript, &code, &mut expired),
            Given::Code("python") => eval::inspect(Language::Python, &code, &mut expired),
            _ => eval::inspect_any(&code, &mut expired),
        };
        match judged {
            Err(why) if given == Given::Unknown && has_code && why.is_no_code() => {}
            judged => judged.map_err(|it| refused(it, &code, dialect))?,
        }
    }
    Ok(())
}

/// Collects every text. All texts below a name that means code are code. Documents nest at most 64 deep.
fn collect(value: Value<'_>, given: Given, found: &mut Vec<(Given, String)>) {
    match value.kind() {
        Kind::Object => {
            for (key, value) in value.members() {
                let code = NAMES.iter().find(|it| key.is_str(it)).copied();
                let own = match (code, given) {
                    (Some(name), _) | (None, Given::Code(name)) => Given::Code(name),
                    _ if DATA.iter().any(|it| key.is_str(it)) => Given::Data,
                    _ => Given::Unknown,
                };
                collect(value, own, found);
            }
        }
        Kind::Array => value.elements().for_each(|it| collect(it, given, found)),
        Kind::String => found.extend(value.as_str().map(|it| (given, it.into_owned()))),
        _ => (),
    }
}

/// Whether a text is one word, such as `main-1`: neither language does anything by it but read it.
fn is_word(text: &str) -> bool {
    text.chars().all(|it| it.is_alphanumeric() || "_-./:".contains(it))
}

/// The fault of a payload, which tells its fingerprint and never the payload.
fn refused(why: Refusal, code: &str, dialect: Dialect) -> Box<Fault> {
    let hash = match dialect {
        Dialect::Stagewright => eval::fnv1a(code),
        _ => eval::sha256(code),
    };
    let number = |it: usize| ParamValue::from(u64::try_from(it).unwrap_or(u64::MAX));
    let (is_no_code, instead) = (why.is_no_code(), why.instead());
    Box::new(match why {
        Refusal::Keyword(keyword) => {
            codes::EVAL_BLOCKED_KEYWORD.raise([("keyword", keyword), ("code_hash", &hash)])
        }
        Refusal::Construct(construct) => {
            let params = [("construct", construct), ("code_hash", hash)];
            let mut fault = codes::EVAL_BLOCKED_CONSTRUCT.raise(params);
            if let Some(instead) = instead {
                instead.clone_into(&mut fault.hint);
            }
            fault
        }
        Refusal::Syntax { line, column, reason } => {
            let params =
                [("line", number(line)), ("column", number(column)), ("reason", reason.into())];
            let mut fault = codes::EVAL_SYNTAX_ERROR.raise(params);
            if is_no_code {
                fault.message = format!(
                    "The code has a syntax mistake in line {line}, column {column} ({reason}), and was not run."
                );
            } else {
                fault.message = format!("The code {reason}, so it was not run.");
                "Send less code, or simpler code.".clone_into(&mut fault.hint);
            }
            fault
        }
        Refusal::TooLarge { chars } => {
            let limit = number(eval::MAX_CHARS);
            codes::INPUT_TOO_LARGE.raise([("size_bytes", number(chars)), ("limit_bytes", limit)])
        }
    })
}

#[cfg(test)]
mod tests {
    use redress::Dialect;
    use redress_wire::json::{Doc, Limits};

    use super::judge;

    fn code(arguments: &str) -> String {
        let doc = Doc::parse(arguments.as_bytes(), Limits::DOCUMENT).unwrap();
        match judge(Some(doc.root()), Dialect::Stagewright) {
            Ok(()) => "fine".to_owned(),
            Err(fault) => fault.code().to_owned(),
        }
    }

    #[test]
    fn a_refusal_says_where_the_mistake_is_or_what_is_too_much() {
        let message = |code: &str| {
            let arguments = format!(r#"{{"javascript":"{code}"}}"#);
            let doc = Doc::parse(arguments.as_bytes(), Limits::DOCUMENT).unwrap();
            judge(Some(doc.root()), Dialect::Native).unwrap_err().message
        };
        let place = "The code has a syntax mistake in line 2, column ";
        assert!(message("a();\\nif (").starts_with(place), "{}", message("a();\\nif ("));
        assert_eq!(message(&"[".repeat(300)), "The code is nested too deep, so it was not run.");
    }

    #[test]
    fn a_refusal_says_what_to_write_instead() {
        let doc =
            Doc::parse(br#"{"code":"document.body.innerHTML = '<b>'"}"#, Limits::DOCUMENT).unwrap();
        let fault = judge(Some(doc.root()), Dialect::Native).unwrap_err();
        assert!(fault.message.contains("in line 1"), "{}", fault.message);
        assert!(fault.hint.contains("`textContent`"), "{}", fault.hint);
    }

    #[test]
    fn code_is_found_wherever_it_stands() {
        for (arguments, verdict) in [
            (r#"{"code":"1 + 1"}"#, "fine"),
            (r#"{"steps":[{"script":"process.exit(1)"}]}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"anything":"process.exit(1)"}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"title":"process.exit(1)","code":"1"}"#, "fine"),
            (r#"{"code":"1","cmd":"require('fs')"}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"code":"1","args":[{"Script":"x['con'+'structor']"}]}"#, "EVAL_BLOCKED_CONSTRUCT"),
            (r#"{"code":"1","input":"a text, and none that runs"}"#, "fine"),
            (r#"{"code":"document.title","mode":"strict","tab":"main-1"}"#, "fine"),
            (r#"{"anything":"document.title"}"#, "fine"),
            (r#"{"code":{"title":"eval('1')"}}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"code":{"lines":["eval('1')"]}}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"code":"if (","language":"js"}"#, "EVAL_SYNTAX_ERROR"),
            (r#"{"code":"process.exit(1)","language":"python"}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"python":"getattr(x, 'y' + z)"}"#, "EVAL_BLOCKED_CONSTRUCT"),
        ] {
            assert_eq!(code(arguments), verdict, "{arguments}");
        }
    }
}
