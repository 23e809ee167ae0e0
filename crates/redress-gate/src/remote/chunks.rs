//! `Chunks`: a body in parts that each say their own length.

use hyper::body::Bytes;
use memchr::memchr;

use super::{buffer::Buffer, head::Malformed};

/// The most that a line between parts may take, and all lines after the last part together.
const MOST_BYTES: usize = 16 << 10;

/// How far a body in parts was read.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    at: At,
}

#[derive(Debug, Default, Clone, Copy)]
enum At {
    /// Before the length of a part.
    #[default]
    Length,
    /// In a part of which so much is left.
    Part(u64),
    /// After a part.
    Break,
    /// In the lines after the last part, of which so much was passed over.
    Trailer(usize),
    /// At the end.
    End,
}

/// What the bytes that are there give.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    Some(Bytes),
    /// More has to come first.
    Nothing,
    End,
}

impl Chunks {
    /// Takes from the front what is whole.
    pub(super) fn next(&mut self, buffer: &mut Buffer) -> Result<Part, Malformed> {
        loop {
            let is_over = match self.at {
                At::Length => self.length(buffer)?,
                At::Part(left) => {
                    let Some(bytes) = buffer.take(left) else { return Ok(Part::Nothing) };
                    let taken = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                    let left = left.saturating_sub(taken);
                    self.at = if left == 0 { At::Break } else { At::Part(left) };
                    return Ok(Part::Some(bytes));
                }
                At::Break => self.line_break(buffer)?,
                At::Trailer(passed) => self.trailer(buffer, passed)?,
                At::End => return Ok(Part::End),
            };
            if !is_over {
                return Ok(Part::Nothing);
            }
        }
    }

    fn length(&mut self, buffer: &mut Buffer) -> Result<bool, Malformed> {
        let start = buffer.bytes();
        let Some(end) = memchr(b'\n', start) else {
            return if start.len() > MOST_BYTES { Err(TOO_LONG) } else { Ok(false) };
        };
        let line = start.get(..end).and_then(|it| it.strip_suffix(b"\r"));
        let length = line.and_then(length_of).ok_or(NO_LENGTH)?;
        buffer.skip(end + 1);
        self.at = if length == 0 { At::Trailer(0) } else { At::Part(length) };
        Ok(true)
    }

    fn line_break(&mut self, buffer: &mut Buffer) -> Result<bool, Malformed> {
        match buffer.bytes() {
            [b'\r', b'\n', ..] => {
                buffer.skip(2);
                self.at = At::Length;
                Ok(true)
            }
            [] | [b'\r'] => Ok(false),
            _ => Err(Malformed("a part of the body is longer than it says")),
        }
    }

    /// Nothing that stands here is used.
    fn trailer(&mut self, buffer: &mut Buffer, passed: usize) -> Result<bool, Malformed> {
        let rest = buffer.bytes();
        let Some(end) = memchr(b'\n', rest) else {
            return if passed + rest.len() > MOST_BYTES { Err(TOO_LONG) } else { Ok(false) };
        };
        let is_last = matches!(rest.get(..end), Some([] | [b'\r']));
        let passed = passed + end + 1;
        if passed > MOST_BYTES {
            return Err(TOO_LONG);
        }
        buffer.skip(end + 1);
        self.at = if is_last { At::End } else { At::Trailer(passed) };
        Ok(true)
    }
}

/// The length of a part, from its line. Nothing but digits is one, and what may follow says nothing that we use.
fn length_of(line: &[u8]) -> Option<u64> {
    let mut halves = line.splitn(2, |it| *it == b';');
    let digits = halves.next()?.trim_ascii_end();
    let is_plain = halves.all(|it| it.iter().all(|it| *it == b'\t' || !it.is_ascii_control()));
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_plain && is_number)?;
    u64::from_str_radix(digits, 16).ok()
}

const TOO_LONG: Malformed = Malformed("a line between the parts of the body is too long");
const NO_LENGTH: Malformed = Malformed("a part of the body does not say its length");

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop, proptest};

    use super::{Buffer, Chunks, MOST_BYTES, Malformed, Part};

    /// A body, and what is left behind it.
    type Whole = (Vec<u8>, Vec<u8>);

    /// Reads bytes that come in steps, until the body is whole.
    fn read(bytes: &[u8], step: usize) -> Result<Option<Whole>, Malformed> {
        let (mut chunks, mut buffer, mut body) = (Chunks::default(), Buffer::default(), Vec::new());
        for some in bytes.chunks(step) {
            buffer.push(some);
            loop {
                match chunks.next(&mut buffer)? {
                    Part::Some(bytes) => body.extend_from_slice(&bytes),
                    Part::Nothing => break,
                    Part::End => return Ok(Some((body, buffer.bytes().to_vec()))),
                }
            }
        }
        Ok(None)
    }

    #[test]
    fn parts_are_joined_however_their_bytes_come() {
        let text = b"3\r\nabc\r\n0a;x=\"y\"\r\n0123456789\r\n0\r\nt: u\r\n\r\n";
        for step in 1..=text.len() {
            let (body, left) = read(text, step).expect("well-formed").expect("whole");
            assert_eq!((&*body, &*left), (b"abc0123456789".as_slice(), b"".as_slice()), "{step}");
        }
        assert_eq!(read(&text[..text.len() - 1], 4), Ok(None), "the end is missing");
        let (_, left) = read(b"0\r\n\r\nHTTP/1.1", 99).expect("well-formed").expect("whole");
        assert_eq!(left, b"HTTP/1.1", "what follows is not part of it");
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for text in [
            "3\r\nabcd\r\n0\r\n\r\n",
            "3\r\nabc0\r\n\r\n",
            "+3\r\nabc\r\n0\r\n\r\n",
            "-1\r\nabc\r\n0\r\n\r\n",
            "0x3\r\nabc\r\n0\r\n\r\n",
            "\r\nabc\r\n0\r\n\r\n",
            "3\nabc\r\n0\r\n\r\n",
            "fffffffffffffffff\r\nabc",
            "3 3\r\nabc\r\n0\r\n\r\n",
            "3;\n0\r\nabc\r\n0\r\n\r\n",
            "3;\rx\r\nabc\r\n0\r\n\r\n",
            ";x\r\n\r\n",
        ] {
            assert!(read(text.as_bytes(), text.len()).is_err(), "{text:?}");
        }
        let endless = format!("3;{}", "x".repeat(MOST_BYTES));
        assert!(read(endless.as_bytes(), 1_000).is_err());
        let endless = format!("0\r\n{}", "x: y\r\n".repeat(MOST_BYTES));
        assert!(read(endless.as_bytes(), 1_000).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_bytes_give_the_same_in_any_steps(
            bytes in prop::collection::vec(prop::sample::select(b"0123af;\r\n x".to_vec()), 0..60),
            step in 1_usize..9,
            whole in any::<bool>(),
        ) {
            let step = if whole { bytes.len().max(1) } else { step };
            let (some, all) = (read(&bytes, step), read(&bytes, bytes.len().max(1)));
            let body = |it: Result<Option<Whole>, Malformed>| it.ok().map(|it| it.map(|it| it.0));
            assert_eq!(body(some), body(all));
        }
    }
}
