//! Secrets in the address of a server: no answer, no record and no log tells them.

use serde_json::{Value, json};

use super::{
    super::client::{Client, Via, both_ways},
    server::{Act, Server},
};

both_ways! {
    a_secret_in_an_address_is_told_nowhere,
    a_variable_of_an_address_is_a_secret,
}

const IN_PATH: &str = "Zx81secretQ";
const IN_QUERY: &str = "k9Tq4mWv77";

/// What a server says of where it was asked.
fn bodies(path: &str, query: &str) -> [(&'static str, String); 4] {
    let escaped = path.bytes().fold(String::new(), |text, it| format!("{text}%{it:02X}"));
    let data = json!({"path": format!("/s/{path}/mcp"), "key": query});
    [
        ("text/html", format!("<pre>Cannot POST /s/{path}/mcp</pre>")),
        ("text/plain", format!("no route for /s/{escaped}/mcp, key {query}")),
        ("application/json", json!({"error": {"message": format!("bad key {query}"), "data": data}}).to_string()),
        ("application/json", json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": format!("bad {path}"), "data": data}}).to_string()),
    ]
}

fn assert_told_nowhere(client: &mut Client, server: &Server, [path, query]: [&str; 2]) {
    for status in ["500 Internal Server Error", "404 Not Found", "400 Bad Request"] {
        for (kind, body) in bodies(path, query) {
            server.will(Act::http(status, &format!("content-type: {kind}\r\n"), &body));
            let answer = client.call("call", &json!({})).to_string();
            for secret in [path, query] {
                assert!(!answer.contains(secret), "{status} {body}: {answer}");
            }
        }
    }
    let records = Value::from(client.records()).to_string();
    assert!(records.contains("fault"), "there are records");
    for secret in [path, query] {
        assert!(!records.contains(secret), "{records}");
    }
}

fn at(server: &Server, place: &str) -> String {
    server.url().replace("/hidden-path/mcp", place)
}

fn a_secret_in_an_address_is_told_nowhere(via: Via) {
    let server = Server::new();
    let url = at(&server, &format!("/s/{IN_PATH}/mcp?key={IN_QUERY}"));
    let mut client = Client::far_unopened(via, &url, &[], &[]);
    client.initialize();
    assert_told_nowhere(&mut client, &server, [IN_PATH, IN_QUERY]);
    client.end();
}

fn a_variable_of_an_address_is_a_secret(via: Via) {
    let server = Server::new();
    let url = at(&server, "/s/${MY_PLACE}/mcp?key=${MY_WORD}");
    let env = [("MY_PLACE", "somewhere"), ("MY_WORD", "openseseme")];
    let mut client = Client::far_unopened(via, &url, &[], &env);
    client.initialize();
    let asked = server.asked_for("initialize").remove(0).head;
    assert!(asked.starts_with("POST /s/somewhere/mcp?key=openseseme "), "{asked}");
    assert_told_nowhere(&mut client, &server, ["somewhere", "openseseme"]);
    client.end();
}
