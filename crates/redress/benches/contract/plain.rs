//! The envelope as a plain struct, for `serde_json` to write.

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Envelope {
    v: u8,
    code: String,
    message: String,
    hint: String,
    class: String,
    http: u16,
    retryable: bool,
    retry: Retry,
    effect: String,
    origin: String,
    next_actions: Vec<Next>,
    similar_refs: Vec<Similar>,
    violations: Vec<Violation>,
    details: Details,
    server_text: String,
    context: Context,
    timestamp: String,
    elapsed_ms: u64,
    estimated_tokens: u64,
}

#[derive(Serialize)]
struct Retry {
    kind: String,
}

#[derive(Serialize)]
struct Next {
    tool: String,
    args: Details,
}

#[derive(Serialize)]
struct Similar {
    r#ref: String,
}

#[derive(Serialize)]
struct Violation {
    pointer: String,
    reason: String,
}

#[derive(Serialize)]
struct Details {
    path: String,
}

#[derive(Serialize)]
struct Context {
    server: String,
    tool: String,
    request_id: String,
}

impl Envelope {
    pub(crate) fn example() -> Self {
        let text = str::to_owned;
        Self {
            v: 1,
            code: text("FILE_NOT_FOUND"),
            message: text("No file at \"src/mian.rs\"."),
            hint: text("Check the path, or list the directory first."),
            class: text("not_found"),
            http: 404,
            retryable: false,
            retry: Retry { kind: text("after_change") },
            effect: text("none"),
            origin: text("tool"),
            next_actions: vec![Next {
                tool: text("list_directory"),
                args: Details { path: text("src") },
            }],
            similar_refs: vec![Similar { r#ref: text("src/main.rs") }],
            violations: vec![Violation { pointer: text("/path"), reason: text("not_found") }],
            details: Details { path: text("src/mian.rs") },
            server_text: text("ENOENT: no such file or directory, open 'src/mian.rs'"),
            context: Context {
                server: text("files"),
                tool: text("read_file"),
                request_id: text("7"),
            },
            timestamp: text("2026-01-19T15:32:10.123Z"),
            elapsed_ms: 3,
            estimated_tokens: 58,
        }
    }
}
