//! The limit of a gate with an HTTP side: reads HTTP, looks at each message, passes it on. A blocking thread for each client.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::Write as _,
    net::{SocketAddr, TcpListener, TcpStream},
    process::{ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use super::lines::{each_block, lines};
use crate::{
    fallible::Fallible,
    http::{Connection, Kind, write_answer},
    scan::{message, number},
};

/// Passes requests on to a server at an address, on one connection for each of the client's.
pub(super) fn to_http(listen: SocketAddr, target: SocketAddr) -> Fallible<()> {
    for stream in TcpListener::bind(listen)?.incoming() {
        let near = Connection::new(stream?)?;
        small_thread(move || pass_to_http(near, target))?;
    }
    Ok(())
}

fn pass_to_http(mut near: Connection, target: SocketAddr) -> Fallible<()> {
    let mut far = Connection::new(TcpStream::connect(target)?)?;
    let mut out = Vec::new();
    while let Some(request) = near.next(Kind::Request)? {
        let body = request.body(&near.bytes);
        std::hint::black_box(message(body));
        let verb = request.start(&near.bytes).split(|it| *it == b' ').next().unwrap_or_default();
        out.clear();
        out.extend_from_slice(verb);
        write!(
            out,
            " /mcp HTTP/1.1\r\nhost: {target}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )?;
        out.extend_from_slice(body);
        far.stream.write_all(&out)?;
        near.drop_message(&request);
        let Some(answer) = far.next(Kind::Answer)? else { return Ok(()) };
        let body = answer.body(&far.bytes);
        std::hint::black_box(message(body).is_failure);
        let status = match answer.status(&far.bytes) {
            200 => "200 OK",
            405 => "405 Method Not Allowed",
            _ => "202 Accepted",
        };
        write_answer(&mut out, status, &[body]);
        far.drop_message(&answer);
        near.stream.write_all(&out)?;
    }
    Ok(())
}

/// Who waits for which answer.
type Waiting = Mutex<BTreeMap<u64, SyncSender<Vec<u8>>>>;

/// One command for all clients: ids are replaced on the way in and put back on the way out.
struct Child {
    input: Mutex<ChildStdin>,
    waiting: Waiting,
    next: AtomicU64,
}

/// Passes requests on to one command.
pub(super) fn to_stdio(listen: SocketAddr, command: &[OsString]) -> Fallible<()> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let listener = TcpListener::bind(listen)?;
    let mut process = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = process.stdin.take().map(Mutex::new).ok_or("no input")?;
    let output = process.stdout.take().ok_or("no output")?;
    let child = Child { input, waiting: Mutex::default(), next: AtomicU64::new(1) };
    let child = Arc::new(child);
    small_thread({
        let child = Arc::clone(&child);
        move || hand_out(output, &child.waiting)
    })?;
    for stream in listener.incoming() {
        let near = Connection::new(stream?)?;
        let child = Arc::clone(&child);
        small_thread(move || pass_to_stdio(near, &child))?;
    }
    Ok(())
}

fn pass_to_stdio(mut near: Connection, child: &Child) -> Fallible<()> {
    let (mut out, mut line) = (Vec::new(), Vec::new());
    let (sender, answers) = sync_channel(1);
    while let Some(request) = near.next(Kind::Request)? {
        let body = request.body(&near.bytes);
        line.clear();
        match message(body).id {
            _ if !request.start(&near.bytes).starts_with(b"POST ") => {
                write_answer(&mut out, "405 Method Not Allowed", &[]);
            }
            None => {
                line.extend_from_slice(body);
                child.write(&mut line)?;
                write_answer(&mut out, "202 Accepted", &[]);
            }
            Some(id) => {
                let own = child.next.fetch_add(1, Ordering::Relaxed);
                let (before, after) = around(body, id);
                line.extend_from_slice(before);
                write!(line, "{own}")?;
                line.extend_from_slice(after);
                let mut waiting = child.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.insert(own, sender.clone());
                drop(waiting);
                child.write(&mut line)?;
                let answer = answers.recv()?;
                let own = message(&answer).id.unwrap_or_default();
                let (before, after) = around(&answer, own);
                write_answer(&mut out, "200 OK", &[before, id, after]);
            }
        }
        near.drop_message(&request);
        near.stream.write_all(&out)?;
    }
    Ok(())
}

impl Child {
    fn write(&self, line: &mut Vec<u8>) -> Fallible<()> {
        line.push(b'\n');
        self.input.lock().unwrap_or_else(PoisonError::into_inner).write_all(line)?;
        Ok(())
    }
}

/// What is before and after a part of a text.
fn around<'a>(text: &'a [u8], part: &[u8]) -> (&'a [u8], &'a [u8]) {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.get(..at).unwrap_or_default();
    (before, text.get(at + part.len()..).unwrap_or_default())
}

/// Gives each answer of the command to the request that waits for it.
fn hand_out(output: ChildStdout, waiting: &Waiting) -> Fallible<()> {
    each_block(output, |block| {
        for line in lines(block) {
            let own = message(line).id.and_then(number).unwrap_or_default();
            let sender = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&own);
            if let Some(sender) = sender {
                sender.send(line.to_vec())?;
            }
        }
        Ok(())
    })
}

fn small_thread(work: impl FnOnce() -> Fallible<()> + Send + 'static) -> Fallible<()> {
    thread::Builder::new().stack_size(256 << 10).spawn(work)?;
    Ok(())
}
