//! A server that answers at once: whatever a call costs beyond it is the proxy's.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::OnceLock,
    thread,
    time::Duration,
};

use memchr::memchr;

use crate::{
    fallible::Fallible,
    http::{Connection, Kind, write_answer},
    scan::{member, message, number, unquoted},
};

const FAILURE: &str = "EUPSTREAM: could not place the order: the inventory service did not answer within 2000 ms (attempt 3 of 3). Try again later or contact support with reference 7f3c-2291.";
const TOOLS: &str = r#"{"tools":[{"name":"echo","description":"Returns its text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},{"name":"fail","description":"Fails","inputSchema":{"type":"object"}},{"name":"rpcfail","description":"Fails with a JSON-RPC error","inputSchema":{"type":"object"}},{"name":"big","description":"Returns kib KiB of text","inputSchema":{"type":"object","properties":{"kib":{"type":"integer"}}}},{"name":"dense","description":"Returns kib KiB of small values","inputSchema":{"type":"object","properties":{"kib":{"type":"integer"}}}},{"name":"sleep","description":"Answers after ms milliseconds","inputSchema":{"type":"object","properties":{"ms":{"type":"integer"}}}}]}"#;
const REVISIONS: [&[u8]; 4] = [b"2024-11-05", b"2025-03-26", b"2025-06-18", b"2025-11-25"];

/// Lines in, lines out; what one read brought is answered with one write.
pub(super) fn on_stdio() -> Fallible<()> {
    let mut input = io::stdin().lock();
    let (mut bytes, mut room) = (Vec::new(), vec![0; 64 << 10]);
    let mut out = Vec::new();
    loop {
        let read = input.read(&mut room)?;
        if read == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(room.get(..read).unwrap_or_default());
        let mut done = 0;
        while let Some(length) = memchr(b'\n', bytes.get(done..).unwrap_or_default()) {
            let before = out.len();
            let wait = answer(bytes.get(done..done + length).unwrap_or_default(), &mut out);
            if out.len() > before {
                out.push(b'\n');
            }
            if let Some(wait) = wait {
                write_after(wait, out.split_off(before));
            }
            done += length + 1;
        }
        bytes.drain(..done);
        if !out.is_empty() {
            io::stdout().lock().write_all(&out)?;
            io::stdout().lock().flush()?;
            out.clear();
        }
    }
}

fn write_after(wait: Duration, line: Vec<u8>) {
    thread::spawn(move || {
        thread::sleep(wait);
        // The output is closed only when everything ends.
        let mut out = io::stdout().lock();
        out.write_all(&line).and_then(|()| out.flush()).unwrap_or_default();
    });
}

/// Streamable HTTP without sessions, one thread for each connection.
pub(super) fn at(address: SocketAddr) -> Fallible<()> {
    let listener = TcpListener::bind(address)?;
    for stream in listener.incoming() {
        let stream = stream?;
        thread::Builder::new().stack_size(256 << 10).spawn(move || serve(stream))?;
    }
    Ok(())
}

fn serve(stream: TcpStream) -> Fallible<()> {
    let mut connection = Connection::new(stream)?;
    let (mut body, mut out) = (Vec::new(), Vec::new());
    while let Some(request) = connection.next(Kind::Request)? {
        body.clear();
        let start = request.start(&connection.bytes);
        let wait = answer(request.body(&connection.bytes), &mut body);
        if start.starts_with(b"DELETE ") {
            write_answer(&mut out, "200 OK", &[]);
        } else if !start.starts_with(b"POST ") {
            write_answer(&mut out, "405 Method Not Allowed", &[]);
        } else if body.is_empty() {
            write_answer(&mut out, "202 Accepted", &[]);
        } else {
            write_answer(&mut out, "200 OK", &[&body]);
        }
        thread::sleep(wait.unwrap_or_default());
        connection.drop_message(&request);
        connection.stream.write_all(&out)?;
        if request.is_last {
            break;
        }
    }
    Ok(())
}

/// Appends the answer to a message, if it gets one, and says how long that takes.
fn answer(text: &[u8], out: &mut Vec<u8>) -> Option<Duration> {
    let request = message(text);
    let (id, method) = (request.id?, request.method?);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id);
    let params = request.params.unwrap_or_default();
    let wait = match method {
        b"tools/call" => call(params, out),
        b"initialize" => {
            let asked = member(params, b"protocolVersion").map(unquoted).unwrap_or_default();
            let revision = REVISIONS.into_iter().find(|it| *it == asked).unwrap_or(REVISIONS[3]);
            out.extend_from_slice(b",\"result\":{\"protocolVersion\":\"");
            out.extend_from_slice(revision);
            out.extend_from_slice(br#"","capabilities":{"tools":{}},"serverInfo":{"name":"bench-upstream","version":"1"}}"#);
            None
        }
        b"tools/list" => {
            out.extend_from_slice(b",\"result\":");
            out.extend_from_slice(TOOLS.as_bytes());
            None
        }
        b"ping" => {
            out.extend_from_slice(b",\"result\":{}");
            None
        }
        _ => {
            out.extend_from_slice(br#","error":{"code":-32601,"message":"method not found"}"#);
            None
        }
    };
    out.push(b'}');
    wait
}

fn call(params: &[u8], out: &mut Vec<u8>) -> Option<Duration> {
    let arguments = member(params, b"arguments").unwrap_or_default();
    let size = |name: &[u8]| member(arguments, name).and_then(number).unwrap_or_default();
    match member(params, b"name").map(unquoted).unwrap_or_default() {
        b"echo" => {
            let text = member(arguments, b"text").map(unquoted).unwrap_or_default();
            write_result(out, text, b"\"isError\":false");
        }
        b"fail" => write_result(out, FAILURE.as_bytes(), b"\"isError\":true"),
        b"rpcfail" => out.extend_from_slice(br#","error":{"code":-32050,"message":"EUPSTREAM: inventory service unavailable","data":{"retryable":true,"service":"inventory","attempt":3}}"#),
        b"big" => {
            static TEXT: OnceLock<Vec<u8>> = OnceLock::new();
            let text = TEXT.get_or_init(|| prose(size(b"kib")));
            write_result(out, text, b"\"isError\":false");
        }
        b"dense" => {
            static VALUES: OnceLock<Vec<u8>> = OnceLock::new();
            let values = VALUES.get_or_init(|| dense(size(b"kib")));
            write_result(out, b"the rows", values);
        }
        b"sleep" => {
            write_result(out, b"slept", b"\"isError\":false");
            return Some(Duration::from_millis(size(b"ms")));
        }
        _ => out.extend_from_slice(br#","error":{"code":-32602,"message":"unknown tool"}"#),
    }
    None
}

fn write_result(out: &mut Vec<u8>, text: &[u8], rest: &[u8]) {
    out.extend_from_slice(b",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
    out.extend_from_slice(text);
    out.extend_from_slice(b"\"}],");
    out.extend_from_slice(rest);
    out.push(b'}');
}

/// Lines of text, as a log or a source file has them, escaped.
fn prose(kib: u64) -> Vec<u8> {
    const LINE: &[u8] =
        br#"row 0042: the \"quick\" brown fox jumps over the lazy dog; status=ok, latency=17ms\n"#;
    filled(kib, Vec::new(), |_, out| out.extend_from_slice(LINE))
}

/// Small values, as the rows of a table have them: a value or a mark every three bytes.
fn dense(kib: u64) -> Vec<u8> {
    let start = b"\"structuredContent\":{\"rows\":[null".to_vec();
    let mut values = filled(kib, start, |row, out| {
        let (price, stock) = (row % 97, row % 31);
        write!(out, r#",{{"id":{row},"name":"widget-{row}","price":{price}.99,"stock":{stock},"active":true}}"#).unwrap_or_default();
    });
    values.extend_from_slice(b"]},\"isError\":false");
    values
}

fn filled(kib: u64, start: Vec<u8>, add: impl Fn(u64, &mut Vec<u8>)) -> Vec<u8> {
    let size = usize::try_from(kib << 10).unwrap_or_default();
    let mut bytes = start;
    for row in 0.. {
        if bytes.len() >= size {
            break;
        }
        add(row, &mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::scan;

    fn told(request: &str) -> Vec<u8> {
        let mut out = Vec::new();
        answer(request.as_bytes(), &mut out);
        out
    }

    #[test]
    fn every_tool_answers_in_one_line_with_the_id_of_its_request() {
        for (tool, is_failure) in
            [("echo", false), ("fail", true), ("rpcfail", true), ("big", false), ("dense", false)]
        {
            let line = told(&format!(
                r#"{{"id":"x7","method":"tools/call","params":{{"name":"{tool}","arguments":{{"text":"hi","kib":9}}}}}}"#
            ));
            let message = scan::message(&line);
            assert_eq!(message.id, Some(&b"\"x7\""[..]), "{tool}");
            assert_eq!(message.is_failure, is_failure, "{tool}");
            assert!(line.ends_with(b"}") && !line.contains(&b'\n'), "{tool}");
        }
    }

    #[test]
    fn a_notification_gets_no_answer() {
        assert!(told(r#"{"method":"notifications/initialized"}"#).is_empty());
        assert!(told("nonsense").is_empty());
    }
}
