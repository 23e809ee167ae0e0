//! Messages: those that go out, valid or not, and what those are that come in.

use serde_json::{Value, json};

use super::{greeting::Era, wire::Mirror};

/// Where a request names its revision, if it does.
const REVISION: &str = "/_meta/io.modelcontextprotocol~1protocolVersion";

/// A message on its way out: any bytes.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) bytes: Vec<u8>,
    /// The id under which its answer is expected.
    pub(crate) id: Option<Value>,
    pub(crate) mirror: Mirror,
    /// It is no request, and may be answered without an id, or not at all.
    is_broken: bool,
}

impl Outgoing {
    /// A well-formed request.
    pub(crate) fn request(era: &Era, id: Value, method: &str, params: Value) -> Self {
        let params = era.dressed(params);
        let name = params.get("name").and_then(Value::as_str).map(str::to_owned);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let mut mirror = era.mirror(method, name.filter(|_| method == "tools/call"));
        // A message that names another revision names it in both places.
        if let Some(revision) = params.pointer(REVISION).and_then(Value::as_str) {
            mirror.revision = Some(revision.to_owned());
        }
        Self { bytes: message.to_string().into(), id: Some(id), mirror, is_broken: false }
    }

    /// A well-formed notification.
    pub(crate) fn notification(era: &Era, method: &str, params: Value) -> Self {
        let params = era.dressed(params);
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        let mirror = era.mirror(method, None);
        Self { bytes: message.to_string().into(), id: None, mirror, is_broken: false }
    }

    /// A request with whatever members it has.
    pub(crate) fn odd(era: &Era, id: Value, message: &Value) -> Self {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or("tools/call");
        let mirror = era.mirror(text("method"), None);
        Self { bytes: message.to_string().into(), id: Some(id), mirror, is_broken: false }
    }

    /// Bytes that are no request.
    pub(crate) fn broken(era: &Era, bytes: Vec<u8>) -> Self {
        Self { bytes, id: None, mirror: era.mirror("tools/call", None), is_broken: true }
    }

    /// The same message, without the need of an answer.
    pub(crate) fn unowed(self) -> Self {
        Self { is_broken: true, ..self }
    }

    /// Whether it must be answered.
    pub(crate) const fn is_owed(&self) -> bool {
        self.id.is_some() && !self.is_broken
    }

    /// Whether an answer without an id can be its own.
    pub(crate) const fn takes_any(&self) -> bool {
        self.is_broken
    }
}

/// What came in.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Request {
        id: Value,
        method: String,
    },
    Notification,
    /// With its id; without, it has none, or null.
    Answer {
        id: Option<Value>,
    },
    /// No message.
    Noise,
}

impl Incoming {
    /// Total: any bytes are something.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let Ok(message) = serde_json::from_slice::<Value>(bytes) else { return Self::Noise };
        if message.as_array().is_some_and(|it| !it.is_empty()) {
            return Self::Answer { id: None };
        }
        let Some(members) = message.as_object() else { return Self::Noise };
        let id = members.get("id").filter(|it| !it.is_null()).cloned();
        match (members.get("method").and_then(Value::as_str), id) {
            (Some(method), Some(id)) => Self::Request { id, method: method.to_owned() },
            (Some(_), None) => Self::Notification,
            (None, id) if members.contains_key("result") || members.contains_key("error") => {
                Self::Answer { id }
            }
            (None, Some(id)) => Self::Answer { id: Some(id) },
            (None, None) => Self::Noise,
        }
    }
}

/// Whether an id is one of the first that a client gave out, also to a message that is no request: somebody may answer
/// it, and late.
pub(super) fn is_given(id: &Value, ids: u64) -> bool {
    let number = id.as_u64().filter(|it| !it.is_multiple_of(2));
    let text = id.as_str().and_then(|it| it.strip_prefix("probe-")?.parse::<u64>().ok());
    number.or(text.filter(|it| it.is_multiple_of(2))).is_some_and(|it| it <= ids)
}

/// What a client without capabilities answers a server.
pub(super) fn answer_to(era: &Era, id: &Value, method: &str) -> Outgoing {
    let answer = match method {
        "ping" => Ok(json!({})),
        "roots/list" => Ok(json!({"roots": []})),
        "elicitation/create" => Ok(json!({"action": "decline"})),
        "sampling/createMessage" => Err((-1, "User rejected sampling request")),
        _ => Err((-32601, "Method not found")),
    };
    let message = match answer {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, text)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})
        }
    };
    let mirror = Mirror { method: None, ..era.mirror("", None) };
    Outgoing { bytes: message.to_string().into(), id: None, mirror, is_broken: false }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Era, Incoming, answer_to};

    #[test]
    fn any_bytes_are_something() {
        let answer = |id| Incoming::Answer { id };
        for (bytes, what) in [
            (&br#"{"jsonrpc":"2.0","id":1,"result":{}}"#[..], answer(Some(json!(1)))),
            (br#"{"id":null,"error":{"code":-32700}}"#, answer(None)),
            (br#"[{"id":1,"result":{}}]"#, answer(None)),
            (br#"{"method":"notifications/message"}"#, Incoming::Notification),
            (
                br#"{"method":"ping","id":"a"}"#,
                Incoming::Request { id: json!("a"), method: "ping".into() },
            ),
            (b"listening on 3000", Incoming::Noise),
            (b"{}", Incoming::Noise),
            (b"\xff\xfe", Incoming::Noise),
            ("[".repeat(100_000).as_bytes(), Incoming::Noise),
        ] {
            assert_eq!(Incoming::read(bytes), what, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn what_a_server_asks_is_answered_or_refused() {
        let said = |method| {
            String::from_utf8(answer_to(&Era::default(), &json!(7), method).bytes).unwrap()
        };
        assert!(said("ping").contains(r#""id":7,"result":{}"#));
        assert!(said("elicitation/create").contains("decline"));
        assert!(said("sampling/createMessage").contains("rejected"));
        assert!(said("frob").contains("-32601"));
    }
}
