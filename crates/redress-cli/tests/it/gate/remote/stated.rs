//! A "no" in the body of a refusal is final, whatever its status is and whatever is around it.

use serde_json::json;

use super::{
    super::client::{Client, Via, fault},
    server::{Act, Server},
};

const NO: &str = r#"{"v":1,"code":"RATE_LIMITED","message":"rate limit exceeded, retry after 1 second","retryable":false,"effect":"done"}"#;

fn bodies() -> [String; 5] {
    let deep = format!("{{\"x\":{}{NO}{}}}", "[".repeat(70), "]".repeat(70));
    let quoted = json!({"message": NO}).to_string();
    let detail = format!("{{\"detail\":{NO}}}");
    [NO.to_owned(), detail, quoted, format!("Error: {NO}"), deep]
}

/// Makes one call of a tool that only reads, and tells what came of it.
fn is_final(client: &mut Client, server: &Server, act: Act) {
    let before = server.asked_for("tools/call").len();
    let what = format!("{act:?}");
    server.will(act);
    let told = fault(&client.call("look", &json!({}))).clone();
    assert_eq!(server.asked_for("tools/call").len(), before + 1, "{what}");
    assert_eq!((&told["retryable"], &told["effect"]), (&json!(false), &json!("done")), "{what}");
}

fn client(server: &Server) -> Client {
    let config = format!(
        "[server.far]\nurl = '{}'\ntrust_annotations = true\nbreaker = {{ failures = 0 }}\nloop = {{ enabled = false }}\n",
        server.url()
    );
    let mut client = Client::with_config(Via::Run, &config, "far", &[], &[]);
    client.initialize();
    client.request("tools/list", &json!({}));
    client
}

#[test]
fn a_no_in_the_body_of_a_refusal_is_final() {
    let server = Server::new();
    let mut client = client(&server);
    for status in ["429 Slow", "400 Bad", "403 No", "500 Broken", "502 Away", "503 Busy"] {
        for body in bodies() {
            let act = Act::http(status, "content-type: application/json\r\n", &body);
            is_final(&mut client, &server, act);
        }
    }
    client.end();
}

#[test]
fn a_no_wins_over_opening_a_lost_session_again() {
    let server = Server::new();
    let mut client = client(&server);
    for status in ["404 Not Found", "400 Session not found"] {
        for body in bodies() {
            let body = format!("Session not found. {body}");
            is_final(
                &mut client,
                &server,
                Act::http(status, "content-type: text/plain\r\n", &body),
            );
        }
    }
    client.end();
}
