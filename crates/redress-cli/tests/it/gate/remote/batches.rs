//! Several messages of a server behind a URL in one array.

use serde_json::json;

use super::{
    super::client::{Client, Via, assert_fault, both_ways},
    assert_fine, call,
    server::{Act, Server},
};

both_ways! {
    an_answer_can_stand_in_an_array,
    an_array_without_the_answer_is_none,
}

const ANSWER: &str =
    r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}"#;
const NOTICE: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;

fn whole(body: &str) -> Act {
    Act::http("200 OK", "content-type: application/json\r\n", body)
}

fn an_answer_can_stand_in_an_array(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    for array in [
        format!("[{ANSWER}]"),
        format!("[\n {NOTICE},\n {ANSWER}\n]\n"),
        format!(r#"[3, {{"jsonrpc":"2.0","id":7,"result":{{}}}}, {ANSWER}, null]"#),
    ] {
        server.will(whole(&array));
        assert_fine(&mut client);
        server.will(Act::events(&format!("data: {}\n\n", array.replace('\n', " "))));
        assert_fine(&mut client);
    }
    let notices = client.others.iter().filter(|it| it["method"] == "notifications/message");
    assert_eq!(notices.count(), 2);
    let failed = r#"[{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"Missing required argument: path"}}]"#;
    server.will(Act::http("400 Bad Request", "content-type: application/json\r\n", failed));
    let answer = call(&mut client);
    assert_fault(&answer, "MISSING_REQUIRED_FIELD", "after_change", "none", "server");
    assert_fine(&mut client);
    client.end();
}

fn an_array_without_the_answer_is_none(via: Via) {
    let server = Server::new();
    let mut client = Client::far(via, &server, &[]);
    for array in ["[]".to_owned(), "[3]".to_owned(), format!("[[{ANSWER}]]"), format!("[{NOTICE}]")]
    {
        server.will(whole(&array));
        let answer = call(&mut client);
        assert_fault(&answer, "UPSTREAM_PROTOCOL_ERROR", "never", "unknown", "server");
    }
    assert_fine(&mut client);
    assert_eq!(client.request("tools/list", &json!({}))["error"], json!(null));
    client.end();
}
