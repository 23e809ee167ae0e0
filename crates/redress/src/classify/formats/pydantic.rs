//! pydantic, in Python: `2 validation errors for MODEL`, then for each place a line with it and one with what is wrong.

use super::places::{MISSING, Places, UNKNOWN, WRONG_TYPE, quoted_names};

const HEADER: [&str; 2] = ["validation error for ", "validation errors for "];
/// How the models end that SDKs and servers make of arguments.
const OF_CALLS: [&str; 6] = ["Arguments", "Args", "Input", "Params", "Request", "]"];

/// What a model is that did not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    /// The arguments, which the SDK checks before the tool sees them.
    Arguments,
    /// The configuration of the server.
    Settings,
    Other,
}

/// The model that a text is about.
pub(super) fn model(text: &str) -> Option<Model> {
    let rest = HEADER.iter().find_map(|it| text.split_once(it))?.1;
    let name = rest.lines().next()?.trim();
    Some(match name {
        _ if OF_CALLS.iter().any(|it| name.ends_with(it)) => Model::Arguments,
        _ if ["Settings", "Config"].iter().any(|it| name.ends_with(it)) => Model::Settings,
        _ => Model::Other,
    })
}

pub(super) fn places(places: &mut Places<'_>, text: &str) {
    if let Some((_, names)) = text.split_once("nexpected keyword argument") {
        for it in &quoted_names(names) {
            places.add(&[it], UNKNOWN, "");
        }
    }
    let Some(rest) = HEADER.iter().find_map(|it| text.split_once(it)) else { return };
    let mut lines = rest.1.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        if next.starts_with("  ") && !line.starts_with(' ') {
            let reason = reason(next).unwrap_or(places.reason);
            // The value shows what was checked: an object with keys that the call has not is something else.
            places.is_elsewhere |= reason == MISSING && has_foreign_keys(places, next);
            places.add(&line.trim_end().split('.').collect::<Vec<_>>(), reason, next);
        }
    }
}

fn reason(line: &str) -> Option<&'static str> {
    let kind = line.split_once("[type=")?.1.split([',', ']']).next()?;
    Some(match kind {
        "missing" | "missing_argument" => MISSING,
        "extra_forbidden" | "unexpected_keyword_argument" => UNKNOWN,
        _ if kind.ends_with("_type") || kind.ends_with("_parsing") => WRONG_TYPE,
        _ => return None,
    })
}

fn has_foreign_keys(places: &Places<'_>, line: &str) -> bool {
    let Some((_, value)) = line.split_once("input_value={'") else { return false };
    let value = value.split("input_type").next().unwrap_or_default();
    value.split('\'').next().is_some_and(|it| !places.has(&[it]))
}
