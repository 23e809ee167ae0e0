//! Code that a call wants to have run: found in its arguments, and inspected within a time.

use std::time::{Duration, Instant};

use redress::{
    Dialect, Fault, codes,
    fault::ParamValue,
    json::{Kind, Value},
};
use redress_govern::eval::{self, Language, MAX_MILLIS, Refusal};

/// The names under which tools take code.
const NAMES: &[&str] = &["body", "code", "script", "source", "expression", "javascript", "python"];

/// Whether everything that a call wants to have run may be. What the caller says of its language does not count: the tool may not care.
pub(super) fn judge(arguments: Option<Value<'_>>, dialect: Dialect) -> Result<(), Box<Fault>> {
    let Some(arguments) = arguments else { return Ok(()) };
    let mut found = Vec::new();
    collect(arguments, None, false, &mut found);
    if found.is_empty() {
        collect(arguments, None, true, &mut found);
    }
    let until = Instant::now() + Duration::from_millis(MAX_MILLIS);
    for (name, code) in found {
        let mut expired = || Instant::now() >= until;
        let judged = match name.and_then(language) {
            Some(language) => eval::inspect(language, &code, &mut expired),
            None => eval::inspect_any(&code, &mut expired),
        };
        judged.map_err(|it| refused(it, &code, dialect))?;
    }
    Ok(())
}

/// Every text under a name that means code, or every text. Documents nest at most 64 deep.
fn collect(
    value: Value<'_>,
    name: Option<&'static str>,
    all: bool,
    found: &mut Vec<(Option<&'static str>, String)>,
) {
    match value.kind() {
        Kind::Object => {
            for (key, value) in value.members() {
                let own = NAMES.iter().find(|it| key.is_str(it)).copied();
                collect(value, own.or(name), all, found);
            }
        }
        Kind::Array => value.elements().for_each(|it| collect(it, name, all, found)),
        Kind::String if all || name.is_some() => {
            found.extend(value.as_str().map(|it| (name, it.into_owned())));
        }
        _ => (),
    }
}

/// What an argument of that name holds.
fn language(name: &str) -> Option<Language> {
    match name {
        "javascript" => Some(Language::JavaScript),
        "python" => Some(Language::Python),
        _ => None,
    }
}

/// The fault of a payload, which tells its fingerprint and never the payload.
fn refused(why: Refusal, code: &str, dialect: Dialect) -> Box<Fault> {
    let hash = match dialect {
        Dialect::Stagewright => eval::fnv1a(code),
        _ => eval::sha256(code),
    };
    let number = |it: usize| ParamValue::from(u64::try_from(it).unwrap_or(u64::MAX));
    Box::new(match why {
        Refusal::Keyword(keyword) => {
            codes::EVAL_BLOCKED_KEYWORD.raise([("keyword", keyword), ("code_hash", &hash)])
        }
        Refusal::Construct(construct) => {
            codes::EVAL_BLOCKED_CONSTRUCT.raise([("construct", construct), ("code_hash", hash)])
        }
        Refusal::Syntax { line, column, reason } => {
            let params =
                [("line", number(line)), ("column", number(column)), ("reason", reason.into())];
            codes::EVAL_SYNTAX_ERROR.raise(params)
        }
        Refusal::TooLarge { chars } => {
            let limit = number(eval::MAX_CHARS);
            codes::INPUT_TOO_LARGE.raise([("size_bytes", number(chars)), ("limit_bytes", limit)])
        }
    })
}

#[cfg(test)]
mod tests {
    use redress::{
        Dialect,
        json::{Doc, Limits},
    };

    use super::judge;

    fn code(arguments: &str) -> String {
        let doc = Doc::parse(arguments.as_bytes(), Limits::DOCUMENT).unwrap();
        match judge(Some(doc.root()), Dialect::Stagewright) {
            Ok(()) => "fine".to_owned(),
            Err(fault) => fault.code().to_owned(),
        }
    }

    #[test]
    fn code_is_found_wherever_it_stands() {
        for (arguments, verdict) in [
            (r#"{"code":"1 + 1"}"#, "fine"),
            (r#"{"steps":[{"script":"process.exit(1)"}]}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"anything":"process.exit(1)"}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"title":"process.exit(1)","code":"1"}"#, "fine"),
            (r#"{"code":{"lines":["eval('1')"]}}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"code":"if (","language":"js"}"#, "EVAL_SYNTAX_ERROR"),
            (r#"{"code":"process.exit(1)","language":"python"}"#, "EVAL_BLOCKED_KEYWORD"),
            (r#"{"python":"getattr(x, 'y' + z)"}"#, "EVAL_BLOCKED_CONSTRUCT"),
        ] {
            assert_eq!(code(arguments), verdict, "{arguments}");
        }
    }
}
