//! Types of errors, signatures and decisions by code in Rust.

use tree_sitter::Node;

use super::super::{Mapping, Promise, record::Recorder, words};
use crate::{
    span::span,
    tree::{Field, MAX_PARTS, Trail},
};

/// What a return type says of errors. `any` if `Result` alone can hold any error in this file.
pub(super) fn promise(returned: &str, any: bool) -> Option<Promise> {
    let returned = returned.trim();
    if matches!(returned, "String" | "&str" | "&'static str") {
        return Some(Promise::Text);
    }
    let (path, arguments) = returned.split_once('<')?;
    if path.rsplit("::").next() != Some("Result") {
        return None;
    }
    if path.starts_with("anyhow") || path.starts_with("eyre") || path.starts_with("color_eyre") {
        return Some(Promise::Raw);
    }
    let Some(error) = second(arguments.strip_suffix('>')?) else {
        return Some(if any && path == "Result" { Promise::Raw } else { Promise::Typed });
    };
    let last = error.rsplit("::").next().unwrap_or(error);
    Some(match last {
        "String" | "&str" | "&'static str" => Promise::Raw,
        _ if error.starts_with("anyhow")
            || error.starts_with("eyre")
            || error.starts_with("Box<dyn") =>
        {
            Promise::Raw
        }
        "McpError" | "ErrorData" | "RmcpError" => Promise::Rpc,
        _ => Promise::Typed,
    })
}

/// What is behind the first comma that is in no brackets.
fn second(arguments: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, it) in arguments.char_indices() {
        match it {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                return arguments
                    .get(at + 1..)
                    .map(|it| it.trim().trim_end_matches(','))
                    .filter(|it| !it.is_empty());
            }
            _ => (),
        }
    }
    None
}

/// A type of errors, with its members.
pub(super) fn error_type<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    it.error_type_of(node, fields, |it, member| {
        let name = it.slice(fields.of(member, Field::Name)?);
        Some((member, name, it.slice(member).contains("Option<")))
    });
}

/// A `match` over codes whose last arm takes all others as they come.
pub(super) fn choice<'t>(it: &mut Recorder<'t>, node: Node<'t>, trail: &Trail<'t>) {
    let fields = Recorder::fields(trail);
    let Some(body) = fields.of(node, Field::Body) else { return };
    let mut cursor = body.walk();
    let (mut cases, mut rest) = (Vec::new(), None);
    for arm in body.named_children(&mut cursor).take(MAX_PARTS * 4) {
        let Some(pattern) = fields.of(arm, Field::Pattern).map(|pattern| it.slice(pattern)) else {
            continue;
        };
        if pattern == "_" {
            rest = (!words::refuses(it.slice(arm))).then(|| span(arm.byte_range()));
            continue;
        }
        for value in pattern.split('|').map(str::trim) {
            let (of, value) = value.rsplit_once("::").unwrap_or(("", value));
            let of = of.rsplit("::").next().unwrap_or(of);
            let text = value.trim_matches('"');
            if super::super::said::is_code(text) || of.ends_with("Code") || of == "codes" {
                cases.push(text.into());
            }
        }
    }
    if let Some(rest) = rest {
        it.mapping(Mapping { cases, rest, within: it.here });
    }
}

#[cfg(test)]
mod tests {
    use super::{Promise, promise};

    #[test]
    fn a_signature_tells_what_kind_of_error_comes_out() {
        for (returned, expected) in [
            ("Result<Vec<(u8, u8)>, String>", Some(Promise::Raw)),
            ("Result<(), Box<dyn std::error::Error + Send>>", Some(Promise::Raw)),
            ("anyhow::Result<()>", Some(Promise::Raw)),
            ("Result<CallToolResult, McpError>", Some(Promise::Rpc)),
            ("Result<CallToolResult, rmcp::ErrorData,>", Some(Promise::Rpc)),
            ("Result<Json<Found>, ToolFault>", Some(Promise::Typed)),
            ("Result<()>", Some(Promise::Typed)),
            ("String", Some(Promise::Text)),
            ("Option<String>", None),
        ] {
            assert_eq!(promise(returned, false), expected, "{returned}");
        }
        assert_eq!(promise("Result<()>", true), Some(Promise::Raw));
    }
}
