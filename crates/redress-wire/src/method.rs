//! The methods of the protocol.

/// Every method that a client can ask a server for, in any revision of MCP.
const METHODS: [&str; 20] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "tasks/get",
    "tasks/result",
    "tasks/list",
    "tasks/cancel",
    "tasks/update",
    "server/discover",
    "subscriptions/listen",
];

/// Whether the protocol itself has a request of this name; others are a server's own.
pub fn is_method(name: &str) -> bool {
    METHODS.contains(&name)
}
