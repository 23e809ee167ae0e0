//! The forms in which an answer comes, and what comes with it.

use super::{
    ReplyToken, Rig, ToUpstream, UpstreamId,
    server::{Act, Server, json},
};

#[test]
fn an_answer_is_the_same_in_whatever_form_it_comes() {
    let forms: [fn(&str) -> Act; 6] = [
        |body| {
            let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: ";
            Act::Keep(format!("{head}{}\r\n\r\n{body}", body.len()).into_bytes())
        },
        |body| {
            let (start, end) = body.split_at(7);
            let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            let parts =
                format!("7;x=y\r\n{start}\r\n{:X}\r\n{end}\r\n0\r\nt: u\r\n\r\n", end.len());
            Act::Keep(format!("{head}{parts}").into_bytes())
        },
        |body| Act::Close(format!("HTTP/1.1 200 OK\r\n\r\n{body}").into_bytes()),
        |body| Act::Close(format!("HTTP/1.0 200 OK\r\n\r\n{body}").into_bytes()),
        |body| {
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ";
            Act::Close(format!("{head}{}\r\n\r\n{body}", body.len()).into_bytes())
        },
        |body| Act::Slow(json(body).bytes()),
    ];
    let server = Server::new(move |number, request| forms[number % 6](&request.answer()));
    let mut rig = Rig::new(&server.url());
    for number in 0..12 {
        let heard = rig.call("ping");
        assert!(heard.contains(r#""result""#), "{number}: {heard}");
    }
    assert_eq!(server.asked().len(), 12, "nothing was asked twice");
    assert_eq!(server.connections(), 7, "those that stay open are used again");
}

#[test]
fn what_stands_behind_an_answer_is_nobodys_answer() {
    let server = Server::new(|_, request| {
        let forged = json(&request.answer().replace("{}", r#"{"forged":1}"#)).bytes();
        Act::Keep([json(&request.answer()).bytes(), forged].concat())
    });
    let mut rig = Rig::new(&server.url());
    for _ in 0..4 {
        let heard = rig.call("ping");
        assert!(heard.contains(r#""result":{}"#), "{heard}");
    }
    assert_eq!((server.asked().len(), server.connections()), (4, 4));
}

#[test]
fn a_body_that_ends_early_or_has_two_lengths_is_a_failure() {
    let bodies: [&[u8]; 6] = [
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 O",
    ];
    let server = Server::new(move |number, _| Act::Close(bodies[number].to_vec()));
    let mut rig = Rig::new(&server.url());
    for (number, how) in
        ["cut", "cut", "malformed", "malformed", "malformed", "cut"].iter().enumerate()
    {
        let heard = rig.call("ping");
        assert!(heard.starts_with(how), "{number}: {heard}");
    }
    assert_eq!(server.asked().len(), 6, "somebody may have them, so that none is sent again");
}

#[test]
fn an_answer_that_comes_before_all_was_sent_is_the_answer() {
    let server = Server::new(|_, _| unreachable!("it does not read what is sent"));
    server.answers_unread("HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig");
    let rig = Rig::new(&server.url());
    let id = UpstreamId::read(b"00000000000001").expect("an id");
    rig.events.owed.lock().expect("unpoisoned").push(id);
    let line =
        format!(r#"{{"id":"00000000000001","method":"x","params":["{}"]}}"#, "y".repeat(20 << 20));
    rig.push(ToUpstream::Request(id, ReplyToken::default()), &line);
    assert_eq!(rig.hears(1), ["status 413 None big"]);
}
