//! An answer read from bytes that come in steps, without a connection: what the fuzzer holds the readers of HTTP to.

use super::{
    buffer::Buffer,
    chunks::{Chunks, Part},
    head::{Length, Malformed, Search},
};

/// The status, the body as far as it came, and whether that is all of it; none if the bytes are no answer, or none yet.
pub fn heard_in_steps(bytes: &[u8], step: usize) -> Option<(u16, Vec<u8>, bool)> {
    let mut pieces = bytes.chunks(step.max(1));
    let mut buffer = Buffer::default();
    let mut search = Search::default();
    let head = loop {
        if let Some((head, length)) = search.find(buffer.bytes()).ok()? {
            buffer.skip(length);
            break head;
        }
        buffer.push(pieces.next()?);
    };
    let mut body = Vec::new();
    let is_whole = match head.length {
        Length::Chunked => chunked(&mut pieces, &mut buffer, &mut body).ok()?,
        Length::Exactly(_) | Length::UntilClose => {
            pieces.for_each(|it| buffer.push(it));
            let most = if let Length::Exactly(length) = head.length { length } else { u64::MAX };
            body.extend(buffer.take(most).unwrap_or_default());
            most == u64::MAX || u64::try_from(body.len()).is_ok_and(|it| it == most)
        }
    };
    Some((head.status.as_u16(), body, is_whole))
}

fn chunked<'b>(
    pieces: &mut impl Iterator<Item = &'b [u8]>,
    buffer: &mut Buffer,
    body: &mut Vec<u8>,
) -> Result<bool, Malformed> {
    let mut chunks = Chunks::default();
    loop {
        match chunks.next(buffer)? {
            Part::Some(bytes) => body.extend(bytes),
            Part::End => return Ok(true),
            Part::Nothing => match pieces.next() {
                Some(piece) => buffer.push(piece),
                None => return Ok(false),
            },
        }
    }
}
