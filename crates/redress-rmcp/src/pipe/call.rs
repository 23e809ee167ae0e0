//! A call of a tool, read in one pass. rmcp tries what each of its requests would be in turn, which takes most of the time that a short call takes.

use redress_wire::{
    frame::members,
    json::{Doc, Kind, Value},
};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, RequestId,
};

/// The call that a message is, if there is no doubt about it: rmcp would read the same.
pub(super) fn call(doc: &Doc<'_>) -> Option<ClientJsonRpcMessage> {
    let [mut version, mut id, mut method, mut params] = [None; 4];
    for (key, value) in doc.root().members() {
        let slot = match &*key.as_str()? {
            "jsonrpc" => &mut version,
            "id" => &mut id,
            "method" => &mut method,
            "params" => &mut params,
            _ => return None,
        };
        if slot.replace(value).is_some() {
            return None;
        }
    }
    if !(version?.is_str("2.0") && method?.is_str("tools/call")) {
        return None;
    }
    let id = request_id(id?)?;
    let params = params.filter(|it| it.kind() == Kind::Object)?;
    // Who folds case would read another call.
    members(params, PARAMS).ok()?;
    let mut params: CallToolRequestParams = serde_json::from_str(params.raw()).ok()?;
    // There rmcp keeps it.
    let meta = params.meta.take();
    let mut call = CallToolRequest::new(params);
    if let Some(meta) = meta {
        call.extensions.insert(meta);
    }
    Some(ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(call), id))
}

/// What rmcp reads of the parameters.
const PARAMS: [&str; 6] = ["name", "arguments", "_meta", "task", "requestState", "inputResponses"];

pub(super) fn request_id(id: Value<'_>) -> Option<RequestId> {
    match id.kind() {
        Kind::String => Some(RequestId::String((*id.as_str()?).into())),
        _ => id.as_i64().map(RequestId::Number),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
    use redress_wire::{frame::limits, json::Doc};
    use rmcp::model::ClientJsonRpcMessage;
    use serde_json::{Map, Value, json};

    use super::call;

    /// What we read, and what rmcp reads.
    fn both(line: &str) -> (Option<ClientJsonRpcMessage>, Option<ClientJsonRpcMessage>) {
        let ours = Doc::parse(line.as_bytes(), limits(1 << 20)).ok().and_then(|it| call(&it));
        (ours, serde_json::from_str(line).ok())
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z~/\"]{0,4}", inner, 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    /// Members of a call, most of them of the right type.
    fn member() -> impl Strategy<Value = (String, Value)> {
        let meta = json!({"progressToken": 1, "traceparent": "00-a-b-01"});
        let known = prop_oneof![
            "[a-z]{0,5}".prop_map(|it| ("name".to_owned(), Value::from(it))),
            json().prop_map(|it| ("arguments".to_owned(), json!({"a": it}))),
            Just(("_meta".to_owned(), meta)),
            ".{0,4}".prop_map(|it| ("requestState".to_owned(), Value::from(it))),
        ];
        let key = "name|arguments|_meta|task|requestState|inputResponses|other";
        prop_oneof![3 => known, 1 => (key, json())]
    }

    proptest! {
        #[test]
        fn a_call_is_read_as_rmcp_reads_it(
            id in prop_oneof![any::<i64>().prop_map(Value::from), ".{0,6}".prop_map(Value::from), json()],
            members in prop::collection::vec(member(), 0..5),
        ) {
            let params = members.iter().map(|(key, value)| format!("{}:{value}", json!(key)));
            let params = params.collect::<Vec<_>>().join(",");
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{params}}}}}"#);
            if let (Some(ours), theirs) = both(&line) {
                prop_assert_eq!(format!("{:?}", Some(ours)), format!("{theirs:?}"));
            }
        }
    }

    #[test]
    fn plain_calls_are_read_here_and_nothing_else_is() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"params":{"arguments":{"b":[1]},"name":"a","_meta":{"c":1}},"method":"tools/call","id":"x","jsonrpc":"2.0"}"#,
        ] {
            let (ours, theirs) = both(line);
            assert!(ours.is_some(), "{line}");
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        }
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"result":{}}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","NAME":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["a"]}"#,
        ] {
            assert!(both(line).0.is_none(), "{line}");
        }
    }
}
