//! Server-sent events: bytes in, the data of each event out, in bounded memory.

/// An event is longer than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong(pub(crate) usize);

/// Reads a stream of events.
#[derive(Debug)]
pub(crate) struct Events {
    longest: usize,
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    /// The line break before was a carriage return, which a line feed may complete.
    is_after_cr: bool,
}

impl Events {
    /// A new stream, no event of which is longer than so many bytes.
    pub(crate) const fn new(longest: usize) -> Self {
        Self { longest, line: Vec::new(), data: None, is_after_cr: false }
    }

    /// Takes bytes in, and gives the data of every event that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut told = Vec::new();
        for &byte in bytes {
            let completes = std::mem::take(&mut self.is_after_cr) && byte == b'\n';
            match byte {
                _ if completes => (),
                b'\n' | b'\r' => {
                    self.is_after_cr = byte == b'\r';
                    told.extend(self.end_line());
                }
                _ => self.line.push(byte),
            }
            let length = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
            if length > self.longest {
                return Err(TooLong(length));
            }
        }
        Ok(told)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take().filter(|it| !it.is_empty());
        }
        let value = line.strip_prefix(b"data:").or((line == b"data").then_some(&[]));
        if let Some(value) = value {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            match &mut self.data {
                Some(data) => data.extend([b"\n", value].concat()),
                None => self.data = Some(value.to_vec()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Events, TooLong};

    #[test]
    fn events_are_read_wherever_the_bytes_are_cut() {
        let text =
            b": hi\nid: 1\ndata: a\ndata: b\n\nevent: x\r\ndata:c\r\n\r\nretry: 5\n\ndata\n\n";
        for cut in 0..text.len() {
            let mut events = Events::new(100);
            let (first, second) = text.split_at(cut);
            let told = [events.push(first).unwrap(), events.push(second).unwrap()].concat();
            assert_eq!(told, [b"a\nb".to_vec(), b"c".to_vec()], "{cut}");
        }
    }

    #[test]
    fn an_event_that_is_too_long_is_refused_in_bounded_memory() {
        let mut events = Events::new(10);
        assert!(matches!(events.push(b"data: 0123456789abc"), Err(TooLong(_))));
        assert!(Events::new(10).push(b"data: a\n\ndata: b\n\n").is_ok());
    }
}
