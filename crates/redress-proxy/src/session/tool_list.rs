//! The list of tools as clients see it: what a governed server serves, and each tool with its errors where that is wanted.

use redress::describe;
use redress_registry::Registry;
use redress_wire::json::{Doc, Kind, Value, write_str};

use super::{Context, verdict::UpstreamAnswer};
use crate::{
    exchange::{Exchange, Method},
    frame::{Edit, limits, rewrite, span},
    settings::Mode,
};

/// An answer with the list of tools as clients see it, under the client's id; `None` if the list stays as it is.
pub(super) fn tools_for_client(
    cx: Context<'_>,
    exchange: &Exchange,
    answer: &UpstreamAnswer<'_, '_>,
) -> Option<Vec<u8>> {
    if exchange.request.method != Method::ToolsList {
        return None;
    }
    let listed = answer.frame.payload.and_then(|it: Value<'_>| it.get("tools"))?;
    let is_first = exchange.request.cursor().is_none();
    let governed = cx.server.governor().map(|it| it.tools(listed, is_first));
    let tools = match &governed {
        Some(tools) => {
            let doc = Doc::parse(tools.as_bytes(), limits(tools.len())).ok();
            doc.and_then(|it| described_tools(cx, it.root()))
        }
        None => described_tools(cx, listed),
    };
    let tools = tools.or(governed)?;
    let id = Edit { at: span(answer.id), with: exchange.request.id().as_bytes() };
    let mut edits = [id, Edit { at: span(listed), with: tools.as_bytes() }];
    let mut line = Vec::new();
    rewrite(answer.line, &mut edits, &mut line);
    Some(line)
}

/// A list of tools with their errors, where that is wanted; `None` if it stays as it is.
fn described_tools(cx: Context<'_>, listed: Value<'_>) -> Option<String> {
    let settings = &cx.server.settings;
    // The other modes change nothing that a server says.
    let is_wanted = settings.describe && settings.mode == Mode::Enforce;
    is_wanted.then(|| described(listed, &settings.contract))?
}

/// A list of tools with the errors that the contract lists for each; every other byte stays.
fn described(listed: Value<'_>, contract: &Registry) -> Option<String> {
    let (mut out, mut done) = (String::new(), 0);
    let start = listed.offset();
    for tool in listed.elements().filter(|it| it.kind() == Kind::Object) {
        let Some((at, text)) = edit(tool, contract) else { continue };
        out.push_str(listed.raw().get(done..at.start - start)?);
        out.push_str(&text);
        done = at.end - start;
    }
    out.push_str(listed.raw().get(done..)?);
    (done > 0).then_some(out)
}

/// The edit that replaces the description of a tool.
fn edit(tool: Value<'_>, contract: &Registry) -> Option<(std::ops::Range<usize>, String)> {
    let name = tool.get("name").and_then(Value::as_str)?;
    let row = contract.tools.get(&*name)?;
    let mut text = String::new();
    match tool.get("description") {
        Some(said) => {
            write_str(&mut text, &describe(&said.as_str()?, row, contract)?);
            Some((span(said), text))
        }
        None => {
            text.push_str("\"description\":");
            write_str(&mut text, &describe("", row, contract)?);
            text.push(',');
            // Behind the brace that opens it: it has a name, so that a member follows.
            let at = tool.offset() + 1;
            Some((at..at, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use redress_registry::{Registry, Tool, shipped};
    use redress_wire::json::{Doc, Limits};

    fn described(list: &str) -> Option<String> {
        let mut contract = Registry::clone(shipped::core());
        let may = vec!["TIMEOUT".to_owned(), "RATE_LIMITED".to_owned()];
        contract.tools.insert("look".into(), Tool { may, ..Tool::default() });
        contract.tools.insert("idle".into(), Tool::default());
        let doc = Doc::parse(list.as_bytes(), Limits::DOCUMENT).unwrap();
        super::described(doc.root(), &contract)
    }

    #[test]
    fn seed_003_01_only_tools_with_codes_change_their_description() {
        let line = "Errors: TIMEOUT (retry later), RATE_LIMITED (retry later).";
        assert_eq!(
            described(
                r#"[ {"name":"idle"}, {"description" : "Looks\u0021" , "name":"look","x":1.0} ]"#
            ),
            Some(format!(
                r#"[ {{"name":"idle"}}, {{"description" : "Looks!\n{line}" , "name":"look","x":1.0}} ]"#
            ))
        );
        assert_eq!(
            described(r#"[{"name":"look"},{"name":"look","description":""}]"#),
            Some(format!(
                r#"[{{"description":"{line}","name":"look"}},{{"name":"look","description":"{line}"}}]"#
            ))
        );
    }

    #[test]
    fn a_list_without_such_a_tool_stays_as_it_is() {
        let said = r#"[{"name":"look","description":"Looks.\nErrors: TIMEOUT (retry later), RATE_LIMITED (retry later)."}]"#;
        for list in [
            "[]",
            "{}",
            "null",
            r#"[1,null,[],{"name":7},{"name":"other"},{"name":"idle","description":"x"}]"#,
            r#"[{"name":"look","description":7},{"name":"look","description":null}]"#,
            said,
        ] {
            assert_eq!(described(list), None, "{list}");
        }
    }
}
