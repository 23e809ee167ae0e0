//! The same over HTTP: sessions, the newest revision, and errors that no handler sees.

use std::{net::SocketAddr, time::Duration};

use redress_registry::Operation;
use redress_rmcp::Contract;
use rmcp::{
    ServiceExt as _,
    transport::{
        StreamableHttpClientTransport, StreamableHttpServerConfig, StreamableHttpService,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::odd::{Odd, call, failed, refused, registry};

/// The odd server on a port of its own.
async fn serve(contract: Contract<Odd>) -> SocketAddr {
    let layer = contract.http_layer();
    let service = StreamableHttpService::new(
        move || Ok(contract.clone()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let service = tower_layer::Layer::layer(&layer, service);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let app = axum::Router::new().route_service("/mcp", service);
        axum::serve(listener, app).await.unwrap();
    });
    at
}

fn contract() -> Contract<Odd> {
    Contract::new(Odd::new(), registry()).operation("undeclared", Operation::Query)
}

/// Status, headers and body of one request.
async fn ask(at: SocketAddr, head: &str, body: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let length = body.len();
    let request = format!(
        "{head}\r\nHost: {at}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    tokio::time::timeout(Duration::from_secs(20), read).await.unwrap().unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), head.to_ascii_lowercase(), body.to_owned())
}

#[tokio::test]
async fn failures_are_told_over_http_as_over_a_pipe() {
    let at = serve(contract()).await;
    let transport = StreamableHttpClientTransport::from_uri(format!("http://{at}/mcp"));
    let client = ().serve(transport).await.unwrap();
    let (card, envelope) = failed(&call(&client, "panic", json!({})).await.unwrap());
    assert!(card.starts_with("INTERNAL_ERROR: "), "{card}");
    assert!(envelope["context"]["session_id"].is_string(), "{envelope}");
    let (code, envelope) = refused(&call(&client, "wel", json!({})).await.unwrap_err());
    assert_eq!((code, &envelope["code"]), (-32602, &json!("UNKNOWN_TOOL")));
    assert_eq!(call(&client, "well", json!({})).await.unwrap().is_error, Some(false));
}

#[tokio::test]
async fn the_newest_revision_is_answered_without_a_session() {
    let at = serve(contract()).await;
    let head = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: panic";
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "panic", "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let (status, _, answer) = ask(at, head, &body.to_string()).await;
    assert_eq!(status, 200, "{answer}");
    assert!(
        answer.contains("\"resultType\":\"complete\"") && answer.contains("INTERNAL_ERROR: "),
        "{answer}"
    );
}

#[tokio::test]
async fn errors_before_the_handler_have_a_body() {
    let at = serve(contract()).await;
    let both = "Accept: application/json, text/event-stream";
    let json_type = "Content-Type: application/json";
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let large = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(5 << 20));
    for (status, code, head, body) in [
        (406, "INVALID_REQUEST", format!("POST /mcp HTTP/1.1\r\n{json_type}"), list),
        (
            415,
            "INVALID_REQUEST",
            format!("POST /mcp HTTP/1.1\r\n{both}\r\nContent-Type: text/plain"),
            list,
        ),
        (415, "PARSE_FAILED", format!("POST /mcp HTTP/1.1\r\n{both}\r\n{json_type}"), "{nonsense"),
        (415, "INVALID_REQUEST", format!("POST /mcp HTTP/1.1\r\n{both}\r\n{json_type}"), "[]"),
        (
            415,
            "INVALID_REQUEST",
            format!("POST /mcp HTTP/1.1\r\n{both}\r\n{json_type}"),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#,
        ),
        (
            404,
            "SESSION_NOT_FOUND",
            format!("POST /mcp HTTP/1.1\r\n{both}\r\n{json_type}\r\nMcp-Session-Id: gone"),
            list,
        ),
        (400, "INVALID_REQUEST", format!("POST /mcp HTTP/1.1\r\n{both}\r\n{json_type}"), list),
        (405, "UNSUPPORTED", format!("PUT /mcp HTTP/1.1\r\n{both}"), ""),
        (400, "INVALID_REQUEST", "GET /mcp HTTP/1.1\r\nAccept: text/event-stream".to_owned(), ""),
        (413, "INPUT_TOO_LARGE", format!("POST /mcp HTTP/1.1\r\n{both}\r\n{json_type}"), &*large),
    ] {
        let (got, headers, text) = ask(at, &head, body).await;
        assert!(headers.contains("content-type: application/json"), "{status}: {headers}");
        assert_eq!(headers.contains("\r\nallow: "), status == 405, "{headers}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let envelope = &answer["error"]["data"]["dev.redress/fault"];
        assert_eq!((got, envelope["code"].as_str()), (status, Some(code)), "{answer}");
        assert!(answer["error"]["code"].is_i64() && envelope["origin"] == "client", "{answer}");
    }
}

#[tokio::test]
async fn json_errors_of_rmcp_keep_their_text_and_get_an_envelope() {
    let at = serve(contract()).await;
    let head = |version: &str, name: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: {version}\r\nMcp-Method: tools/call\r\nMcp-Name: {name}"
        )
    };
    let body = |version: &str| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": "well", "_meta": meta});
        json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}).to_string()
    };
    for (number, code, head, body) in [
        (-32022, "UNSUPPORTED", head("2099-01-01", "well"), body("2099-01-01")),
        (-32020, "INVALID_REQUEST", head("2026-07-28", "other"), body("2026-07-28")),
    ] {
        let (status, headers, text) = ask(at, &head, &body).await;
        assert!(headers.contains("content-type: application/json"), "{headers}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let (error, envelope) = (&answer["error"], &answer["error"]["data"]["dev.redress/fault"]);
        assert_eq!((status, &error["code"], &answer["id"]), (400, &json!(number), &json!(9)));
        assert_eq!(envelope["code"], code, "{answer}");
        for (key, expected) in
            [("http", json!(400)), ("origin", json!("client")), ("effect", json!("none"))]
        {
            assert_eq!(envelope[key], expected, "{answer}");
        }
        if number == -32022 {
            assert!(error["data"]["supported"].is_array(), "{answer}");
        }
    }
}
