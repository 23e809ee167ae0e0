//! The answer to a request that the server does not finish, because it ends.

use redress::{
    Dialect, codes,
    dialect::rpc,
    dialect::wire,
    fault::{Context, Origin},
};
use redress_wire::json::Members;
use rmcp::model::RequestId;

use super::flight::RequestKind;
use crate::{contract::Books, tell::tell};

/// The answer to a request that is given up, once it is recorded.
pub(super) async fn told(
    id: RequestId,
    asked: RequestKind,
    (settings, state, session): &Books,
) -> String {
    let tool = if let RequestKind::Call(tool) = &asked { Some(&**tool) } else { None };
    let known = tool.and_then(|it| state.catalog.get(it));
    let mut fault = codes::SHUTTING_DOWN.raise([] as [(&str, &str); 0]);
    fault.origin = Origin::Server;
    if known.as_ref().is_some_and(|it| it.traits.harmless()) {
        fault.nothing_changed();
    }
    fault.context.fill_absent(&Context {
        tool: tool.map(str::to_owned),
        request_id: Some(id.to_string()),
        session_id: Some(session.to_string()),
        ..Context::default()
    });
    let told = tell(fault, settings, state).await;
    let id = serde_json::to_string(&id).unwrap_or_else(|_| "null".to_owned());
    if tool.is_none() {
        return wire::rpc_error(&told.fault, Some(&id));
    }
    let mut out = String::with_capacity(1024);
    let mut members = Members::open(&mut out);
    members.str("jsonrpc", "2.0").raw("id", &id);
    if settings.dialect == Dialect::Rpc {
        members.raw("error", &rpc::error(&told.fault));
    } else {
        let how = wire::Answer {
            dialect: settings.dialect,
            has_output_schema: known.is_none_or(|it| it.output.is_some()) || told.is_unrecorded,
            stamp: told.stamp(),
            meta: None,
            said: None,
        };
        members.raw("result", &wire::tool_result(&told.fault, how));
    }
    members.close();
    out
}
