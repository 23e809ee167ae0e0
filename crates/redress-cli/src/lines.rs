//! JSON lines in, JSON lines out: one answer for each line, whatever the line is.

use std::io::{self, BufRead, BufReader, Read};

use redress::{
    Fault, codes,
    dialect::{Dialect, Stamp},
    fault::Origin,
};
use redress_wire::json::Members;

use crate::{Status, failure::Failure, output::Out};

/// The longest line that is read; of a longer one only its size is known.
pub(crate) const MAX_LINE_BYTES: usize = 8 << 20;

/// Runs `answer` for each line of standard input, with its number. A line that it refuses gives
/// `{"line":n,"error":{fault}}` in its place, and the run goes on.
pub(crate) fn filter(
    out: &mut Out,
    mut answer: impl FnMut(u64, &[u8], &mut Vec<u8>) -> Result<(), Box<Fault>>,
) -> Result<Status, Failure> {
    let mut input = BufReader::with_capacity(1 << 18, io::stdin().lock());
    let mut line = Vec::new();
    let mut reply = Vec::new();
    let mut status = Status::Fine;
    for number in 1_u64.. {
        let Some(whole) = next_line(&mut input, &mut line).map_err(|it| Failure::stream(&it))?
        else {
            break;
        };
        if line.iter().all(u8::is_ascii_whitespace) && whole {
            continue;
        }
        reply.clear();
        let done = if whole { answer(number, &line, &mut reply) } else { Err(too_long()) };
        if let Err(mut fault) = done {
            fault.origin = Origin::Client;
            status = Status::BadInput;
            reply.clear();
            reply.extend_from_slice(refusal(number, &fault).as_bytes());
        }
        if reply.last() != Some(&b'\n') {
            reply.push(b'\n');
        }
        out.bytes(&reply).map_err(|it| it.after(status))?;
    }
    Ok(status)
}

/// Reads one line without its end. `Some(false)` when it was too long and was skipped.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let most = u64::try_from(MAX_LINE_BYTES + 1).unwrap_or(u64::MAX);
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|it| *it == b'\n').is_some() {
        line.pop_if(|it| *it == b'\r');
        return Ok(Some(true));
    }
    if line.len() <= MAX_LINE_BYTES {
        return Ok(Some(true));
    }
    line.clear();
    skip_line(input)?;
    Ok(Some(false))
}

/// Drops the rest of a line, a buffer at a time.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, ended) = match buffer.iter().position(|it| *it == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

fn too_long() -> Box<Fault> {
    Box::new(codes::INPUT_TOO_LARGE.raise([("limit_bytes", MAX_LINE_BYTES)]))
}

fn refusal(number: u64, fault: &Fault) -> String {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.int("line", number);
    Dialect::Native.write_into(fault, Stamp::default(), members.key("error"));
    members.close();
    out
}
