//! Callers that share one pair of pipes.

use std::{
    io::{Read as _, Write as _},
    path::Path,
    process::{ChildStdin, ChildStdout},
    time::Instant,
};

use memchr::memchr;

use super::{
    Callers, INITIALIZED, Phase, Tally, Until, Work, is_answered, write_begin, write_call,
    write_initialize, write_list,
};
use crate::{
    fallible::Fallible,
    scan::{member, message, number},
};

/// Callers on a process's standard streams.
#[derive(Debug)]
pub(crate) struct StdioCallers {
    input: ChildStdin,
    output: ChildStdout,
    bytes: Vec<u8>,
    /// How much of `bytes` has been handed out as lines, and how much has no end of line.
    done: usize,
    searched: usize,
    room: Vec<u8>,
    next: u64,
}

/// A request that waits for its answer.
#[derive(Debug, Clone, Copy)]
struct Asked {
    id: u64,
    since: Instant,
}

impl StdioCallers {
    pub(crate) fn new(input: ChildStdin, output: ChildStdout) -> Self {
        let (bytes, room) = (Vec::new(), vec![0; 256 << 10]);
        Self { input, output, bytes, done: 0, searched: 0, room, next: 1_000 }
    }

    /// Waits for the answer to `initialize`.
    pub(crate) fn first_answer(&mut self) -> Fallible<()> {
        let mut line = Vec::new();
        write_initialize(1, &mut line);
        self.ask(line, 1).map(drop)?;
        self.input.write_all(&[INITIALIZED, b"\n"].concat())?;
        Ok(())
    }

    /// Asks for the tools, as every client does before it calls one.
    pub(crate) fn list_tools(&mut self) -> Fallible<()> {
        let mut line = Vec::new();
        write_list(2, &mut line);
        self.ask(line, 2).map(drop)
    }

    /// Begins the session that a governed gate wants.
    pub(crate) fn begin(&mut self, workspace: &Path) -> Fallible<()> {
        let mut line = Vec::new();
        write_begin(3, workspace, &mut line);
        let is_begun = self.ask(line, 3)?;
        is_begun.then_some(()).ok_or_else(|| "the gate has refused the session".into())
    }

    /// Waits for an answer; says whether it is no failure.
    fn ask(&mut self, mut line: Vec<u8>, id: u64) -> Fallible<bool> {
        line.push(b'\n');
        self.input.write_all(&line)?;
        loop {
            while let Some(line) = self.line() {
                let answer = message(line);
                if answer.id.and_then(number) == Some(id) {
                    return Ok(!answer.is_failure);
                }
            }
            self.fill()?;
        }
    }

    /// The next whole line that has been read.
    fn line(&mut self) -> Option<&[u8]> {
        let Some(length) = memchr(b'\n', self.bytes.get(self.searched..)?) else {
            self.searched = self.bytes.len();
            return None;
        };
        let start = self.done;
        let end = self.searched + length;
        (self.done, self.searched) = (end + 1, end + 1);
        self.bytes.get(start..end)
    }

    fn fill(&mut self) -> Fallible<()> {
        self.bytes.drain(..self.done);
        self.searched -= self.done;
        self.done = 0;
        let read = self.output.read(&mut self.room)?;
        if read == 0 {
            return Err("the process has closed its output".into());
        }
        self.bytes.extend_from_slice(self.room.get(..read).unwrap_or_default());
        Ok(())
    }

    /// Sends the next request of a caller, with one write as clients do.
    fn send(&mut self, work: Work, slot: usize, line: &mut Vec<u8>) -> Fallible<Asked> {
        self.next += 1;
        let id = self.next * work.callers as u64 + slot as u64;
        line.clear();
        write_call(work, "", id, line);
        line.push(b'\n');
        let since = Instant::now();
        self.input.write_all(line)?;
        Ok(Asked { id, since })
    }
}

impl Callers for StdioCallers {
    fn call(&mut self, work: Work, until: Until) -> Fallible<Tally> {
        let mut out = Vec::new();
        let mut phase = Phase::new(until);
        let mut asked: Vec<Asked> = Vec::new();
        for slot in 0..work.callers {
            asked.push(self.send(work, slot, &mut out)?);
        }
        let mut open = asked.len();
        while open > 0 {
            while let Some(line) = self.line() {
                let Some(id) = member(line, b"id").and_then(number) else { continue };
                let slot = usize::try_from(id % work.callers as u64)?;
                let Some(Asked { since, .. }) = asked.get(slot).filter(|it| it.id == id) else {
                    return Err(format!("an answer to request {id}, which nobody has asked").into());
                };
                let is_expected = is_answered(work, id, line);
                if phase.answered(*since, is_expected, line) {
                    let next = self.send(work, slot, &mut out)?;
                    *asked.get_mut(slot).ok_or("there is no such caller")? = next;
                } else {
                    open -= 1;
                }
            }
            if open > 0 {
                self.fill()?;
            }
        }
        Ok(phase.tally)
    }
}
