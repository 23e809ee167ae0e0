//! Callers with a connection each, all in one thread.

use std::{
    io::{ErrorKind, Write as _},
    net::{SocketAddr, TcpStream},
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::{
    buffer::spare_capacity,
    event::{
        Timespec,
        epoll::{self, CreateFlags, EventData, EventFlags},
    },
};

use super::{
    Callers, INITIALIZED, Phase, REVISION, Tally, Until, Work, is_answered, write_call,
    write_initialize, write_list,
};
use crate::{
    fallible::Fallible,
    http::{Connection, Http, Kind},
    scan::{member, number},
};

/// How long nothing may be heard.
const STALL: Duration = Duration::from_secs(20);

/// One session of one server.
#[derive(Debug)]
pub(crate) struct Target {
    /// The head of every request but for the length of its body.
    head: Vec<u8>,
}

impl Target {
    /// Opens a session.
    pub(crate) fn open(address: SocketAddr, path: &str) -> Fallible<Self> {
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
        stream.set_read_timeout(Some(STALL))?;
        let mut connection = Connection::new(stream)?;
        let mut body = Vec::new();
        write_initialize(1, &mut body);
        let session = ask(&mut connection, &head(address, path, ""), &body)?;
        let session = session.map_or_else(String::new, |it| format!("mcp-session-id: {it}\r\n"));
        let common = format!("{session}mcp-protocol-version: {REVISION}\r\n");
        let target = Self { head: head(address, path, &common) };
        ask(&mut connection, &target.head, INITIALIZED)?;
        Ok(target)
    }

    /// Sends a request without the last byte of its body. The other side may close the connection before.
    pub(crate) fn unfinished(&self, address: SocketAddr, length: usize) -> Fallible<TcpStream> {
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
        stream.set_write_timeout(Some(STALL))?;
        stream.write_all(&self.head)?;
        write!(stream, "{length}\r\n\r\n")?;
        let piece = vec![b' '; 64 << 10];
        let mut left = length.saturating_sub(1);
        while left > 0 {
            let now = left.min(piece.len());
            if stream.write_all(piece.get(..now).unwrap_or_default()).is_err() {
                break;
            }
            left -= now;
        }
        Ok(stream)
    }

    /// Sends a call without reading its answer.
    pub(crate) fn unread(&self, address: SocketAddr, work: Work, id: u64) -> Fallible<TcpStream> {
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
        let (mut body, mut out) = (Vec::new(), Vec::new());
        write_call(work, "", id, &mut body);
        write_request(&self.head, &body, &mut out);
        stream.write_all(&out)?;
        Ok(stream)
    }

    /// Asks for the tools, as every client does before it calls one.
    pub(crate) fn list_tools(&self, address: SocketAddr) -> Fallible<()> {
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
        stream.set_read_timeout(Some(STALL))?;
        let mut body = Vec::new();
        write_list(2, &mut body);
        ask(&mut Connection::new(stream)?, &self.head, &body).map(|_| ())
    }
}

fn head(address: SocketAddr, path: &str, more: &str) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n{more}content-length: ").into_bytes()
}

fn write_request(head: &[u8], body: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(head);
    write!(out, "{}\r\n\r\n", body.len()).unwrap_or_default();
    out.extend_from_slice(body);
}

/// One exchange, waited for; the session that the answer names.
fn ask(connection: &mut Connection, head: &[u8], body: &[u8]) -> Fallible<Option<String>> {
    let mut out = Vec::new();
    write_request(head, body, &mut out);
    connection.stream.write_all(&out)?;
    let answer = connection.next(Kind::Answer)?.ok_or("the server closed the connection")?;
    let status = answer.status(&connection.bytes);
    if status / 100 != 2 {
        let body = String::from_utf8_lossy(answer.body(&connection.bytes)).into_owned();
        return Err(format!("HTTP {status}: {body}").into());
    }
    let session = answer.session(&connection.bytes);
    let session = session.map(|it| String::from_utf8_lossy(it).into_owned());
    connection.drop_message(&answer);
    Ok(session)
}

/// Callers that take the targets in turn.
#[derive(Debug)]
pub(crate) struct HttpCallers {
    address: SocketAddr,
    prefix: String,
    targets: Vec<Target>,
    epoll: OwnedFd,
    callers: Vec<Caller>,
    next: u64,
    body: Vec<u8>,
    out: Vec<u8>,
}

#[derive(Debug)]
struct Caller {
    connection: Connection,
    id: u64,
    since: Instant,
}

impl HttpCallers {
    pub(crate) fn new(address: SocketAddr, prefix: &str, targets: Vec<Target>) -> Fallible<Self> {
        Ok(Self {
            address,
            prefix: prefix.to_owned(),
            targets,
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            callers: Vec::new(),
            next: 1_000,
            body: Vec::new(),
            out: Vec::new(),
        })
    }

    fn connect(&self, slot: usize) -> Fallible<Connection> {
        let stream = TcpStream::connect_timeout(&self.address, Duration::from_secs(2))?;
        stream.set_nonblocking(true)?;
        epoll::add(&self.epoll, &stream, EventData::new_u64(slot as u64), EventFlags::IN)?;
        Connection::new(stream)
    }

    fn send(&mut self, work: Work, slot: usize) -> Fallible<()> {
        self.next += 1;
        let id = self.next;
        let turn = usize::try_from(id % self.targets.len().max(1) as u64)?;
        let target = self.targets.get(turn).ok_or("there is no session")?;
        self.body.clear();
        write_call(work, &self.prefix, id, &mut self.body);
        write_request(&target.head, &self.body, &mut self.out);
        let caller = self.callers.get_mut(slot).ok_or("there is no such caller")?;
        (caller.id, caller.since) = (id, Instant::now());
        // A request fits the buffers of a connection on which nothing else waits.
        caller.connection.stream.write_all(&self.out)?;
        Ok(())
    }

    /// Looks at what a caller has read; says whether it has its whole answer.
    fn hear(&mut self, work: Work, slot: usize, phase: &mut Phase) -> Fallible<Heard> {
        let caller = self.callers.get_mut(slot).ok_or("there is no such caller")?;
        let is_end = match caller.connection.fill() {
            Ok(read) => read == 0,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Heard::Nothing),
            Err(error) => return Err(error.into()),
        };
        let bytes = &caller.connection.bytes;
        let Some(answer) = Http::read(bytes, Kind::Answer, is_end)? else {
            return if is_end {
                Err("the connection was closed".into())
            } else {
                Ok(Heard::Nothing)
            };
        };
        let is_own = |it: &&[u8]| member(it, b"id").and_then(number) == Some(caller.id);
        let own = answer.messages(bytes).find(is_own);
        let is_expected = own.is_some_and(|it| is_answered(work, caller.id, it));
        let goes_on = phase.answered(caller.since, is_expected, own.unwrap_or(bytes));
        caller.connection.drop_message(&answer);
        if answer.is_last || is_end {
            let connection = self.connect(slot)?;
            self.callers.get_mut(slot).ok_or("there is no such caller")?.connection = connection;
        }
        Ok(if goes_on { Heard::Answer } else { Heard::LastAnswer })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Nothing,
    Answer,
    LastAnswer,
}

impl Callers for HttpCallers {
    fn call(&mut self, work: Work, until: Until) -> Fallible<Tally> {
        while self.callers.len() < work.callers {
            let connection = self.connect(self.callers.len())?;
            self.callers.push(Caller { connection, id: 0, since: Instant::now() });
        }
        let mut phase = Phase::new(until);
        for slot in 0..work.callers {
            self.send(work, slot)?;
        }
        let mut open = work.callers;
        let mut events = Vec::with_capacity(256);
        let stall = Timespec { tv_sec: i64::try_from(STALL.as_secs())?, tv_nsec: 0 };
        while open > 0 {
            events.clear();
            epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&stall))?;
            if events.is_empty() {
                return Err("no answer for 20 s".into());
            }
            for event in &events {
                let slot = usize::try_from(event.data.u64())?;
                match self.hear(work, slot, &mut phase)? {
                    Heard::Nothing => (),
                    Heard::Answer => self.send(work, slot)?,
                    Heard::LastAnswer => open -= 1,
                }
            }
        }
        Ok(phase.tally)
    }
}
