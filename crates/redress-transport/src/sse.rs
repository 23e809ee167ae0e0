//! Server-sent events: bytes in, events out, in bounded memory; and one event as bytes.

use std::mem;

use redress_wire::frame::MARK;

/// The longest name of a field that means something.
const LONGEST_NAME: usize = 5;

/// One event of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamEvent<'a> {
    /// Its data, lines joined by line breaks; empty if it has none.
    pub data: &'a [u8],
    /// What it is called, so that the stream can be taken up again after it.
    pub id: Option<&'a str>,
    /// Its type; `message` if it has none.
    pub kind: Option<&'a str>,
    /// How long to wait before the stream is taken up again, in milliseconds.
    pub retry_ms: Option<u64>,
}

/// An event is longer than allowed. Nothing more can be read of this stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

/// Reads a stream of events.
#[derive(Debug)]
pub struct Events {
    longest: usize,
    at: At,
    /// A line break that belongs to the one before it is still to come.
    is_after_cr: bool,
    parts: PartialEvent,
    /// The event was given out, and its parts are to be thrown away.
    is_given: bool,
}

/// Where in a line we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// So many bytes of a mark that the very first line may start with.
    Mark(usize),
    /// So many bytes of the name of a field.
    Name([u8; LONGEST_NAME], usize),
    /// After the colon of a field.
    Colon(EventField),
    /// In the value of a field.
    Value(EventField),
    /// An event was too long.
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventField {
    Data,
    Id,
    Kind,
    Retry,
    /// A comment, or an unknown field.
    Other,
}

/// What is known of the event in progress.
#[derive(Debug, Default)]
struct PartialEvent {
    data: Vec<u8>,
    has_data: bool,
    /// The value of the line in progress, if it is not data.
    value: Vec<u8>,
    id: Option<String>,
    kind: Option<String>,
    retry_ms: Option<u64>,
}

const LINE_START: At = At::Name([0; LONGEST_NAME], 0);

impl Events {
    /// A new stream; no event is longer than so many bytes.
    pub fn new(longest: usize) -> Self {
        let parts = PartialEvent::default();
        Self { longest, at: At::Mark(0), is_after_cr: false, parts, is_given: false }
    }

    /// The next event, as far as it is in `bytes`; what was read is taken off their front. An event that
    /// says nothing is not given out.
    pub fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<StreamEvent<'_>>, TooLong> {
        if mem::take(&mut self.is_given) {
            self.parts.clear();
        }
        while let Some(&byte) = bytes.first() {
            let read = match self.at {
                At::Lost => return Err(TooLong),
                At::Mark(seen) => self.mark(seen, byte),
                At::Name(name, seen) => self.name(name, seen, byte),
                At::Colon(field) => {
                    self.at = At::Value(field);
                    usize::from(byte == b' ')
                }
                At::Value(field) => self.value(field, bytes)?,
            };
            *bytes = bytes.get(read..).unwrap_or_default();
            if self.is_given {
                return Ok(Some(self.parts.event()));
            }
        }
        Ok(None)
    }

    /// How many bytes are kept of an event that has not ended.
    pub const fn unfinished_bytes(&self) -> usize {
        self.parts.data.len()
    }

    /// Whether the stream is between two events: nothing is lost if it ends here.
    pub fn is_between(&self) -> bool {
        let is_line_start = matches!(self.at, At::Mark(_) | At::Name(_, 0));
        is_line_start && (self.is_given || self.parts.is_empty())
    }

    fn mark(&mut self, seen: usize, byte: u8) -> usize {
        if MARK.get(seen) == Some(&byte) {
            self.at = if seen + 1 == MARK.len() { LINE_START } else { At::Mark(seen + 1) };
            return 1;
        }
        // The start of a mark without its end names no field that we know.
        self.at = if seen == 0 { LINE_START } else { At::Value(EventField::Other) };
        0
    }

    fn name(&mut self, mut name: [u8; LONGEST_NAME], seen: usize, byte: u8) -> usize {
        if mem::take(&mut self.is_after_cr) && byte == b'\n' {
            return 1;
        }
        match byte {
            b'\n' | b'\r' if seen == 0 => {
                self.is_after_cr = byte == b'\r';
                self.is_given = !self.parts.is_empty();
                if !self.is_given {
                    self.parts.clear();
                }
                return 1;
            }
            b'\n' | b'\r' => {
                // A name without a colon has an empty value.
                self.at = At::Value(EventField::of(name.get(..seen)));
                return 0;
            }
            b':' => self.at = At::Colon(EventField::of(name.get(..seen))),
            _ => match name.get_mut(seen) {
                Some(place) => {
                    *place = byte;
                    self.at = At::Name(name, seen + 1);
                }
                None => self.at = At::Value(EventField::Other),
            },
        }
        1
    }

    fn value(&mut self, field: EventField, bytes: &[u8]) -> Result<usize, TooLong> {
        let end = memchr::memchr2(b'\n', b'\r', bytes);
        let value = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let room = self.longest.saturating_sub(self.parts.len());
        match field {
            EventField::Other => (),
            _ if value.len() > room => {
                self.at = At::Lost;
                return Err(TooLong);
            }
            EventField::Data => self.parts.data.extend_from_slice(value),
            EventField::Id | EventField::Kind | EventField::Retry => {
                self.parts.value.extend_from_slice(value);
            }
        }
        let Some(end) = end else { return Ok(bytes.len()) };
        self.is_after_cr = bytes.get(end) == Some(&b'\r');
        self.at = LINE_START;
        self.parts.end_line(field);
        Ok(end + 1)
    }
}

impl EventField {
    fn of(name: Option<&[u8]>) -> Self {
        match name {
            Some(b"data") => Self::Data,
            Some(b"id") => Self::Id,
            Some(b"event") => Self::Kind,
            Some(b"retry") => Self::Retry,
            _ => Self::Other,
        }
    }
}

impl PartialEvent {
    fn end_line(&mut self, field: EventField) {
        if field == EventField::Data {
            // The last line break is taken off again when the event is given out.
            self.data.push(b'\n');
            self.has_data = true;
            return;
        }
        let value = mem::take(&mut self.value);
        match (field, String::from_utf8(value)) {
            (EventField::Id, Ok(id)) if !id.contains('\0') => self.id = Some(id),
            (EventField::Kind, Ok(kind)) => self.kind = Some(kind),
            (EventField::Retry, Ok(wait)) if wait.bytes().all(|it| it.is_ascii_digit()) => {
                self.retry_ms = wait.parse().ok();
            }
            _ => (),
        }
    }

    fn event(&self) -> StreamEvent<'_> {
        let data = self.data.strip_suffix(b"\n").unwrap_or(&self.data);
        let (id, kind) = (self.id.as_deref(), self.kind.as_deref());
        StreamEvent { data, id, kind, retry_ms: self.retry_ms }
    }

    fn len(&self) -> usize {
        let texts = [self.id.as_deref(), self.kind.as_deref()];
        let texts: usize = texts.into_iter().flatten().map(str::len).sum();
        self.data.len() + self.value.len() + texts
    }

    /// A type alone is no event.
    const fn is_empty(&self) -> bool {
        !self.has_data && self.id.is_none() && self.retry_ms.is_none()
    }

    fn clear(&mut self) {
        self.data.clear();
        self.has_data = false;
        self.id = None;
        self.kind = None;
        self.retry_ms = None;
    }
}

/// Writes one event. An id or a type with a line break in it would be another event: it is left out.
pub fn write(event: &StreamEvent<'_>, out: &mut Vec<u8>) {
    let is_line = |it: &&str| !it.contains(['\n', '\r', '\0']);
    let mut field = |name: &[u8], value: &[u8]| {
        out.extend_from_slice(name);
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.push(b'\n');
    };
    if let Some(kind) = event.kind.filter(is_line) {
        field(b"event", kind.as_bytes());
    }
    if let Some(id) = event.id.filter(is_line) {
        field(b"id", id.as_bytes());
    }
    if let Some(wait) = event.retry_ms {
        field(b"retry", wait.to_string().as_bytes());
    }
    for line in event.data.split(|it| matches!(it, b'\n' | b'\r')) {
        field(b"data", line);
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

    use super::{Events, StreamEvent, TooLong, write};

    /// Every event, and whether the stream ended between two.
    fn events(pieces: &[&[u8]], longest: usize) -> Result<(Vec<String>, bool), TooLong> {
        let mut events = Events::new(longest);
        let mut told = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while let Some(it) = events.next(&mut rest)? {
                told.push(show(&it));
            }
            assert!(rest.is_empty(), "something was left");
        }
        Ok((told, events.is_between()))
    }

    fn show(event: &StreamEvent<'_>) -> String {
        let data = String::from_utf8_lossy(event.data);
        format!("{data}|{:?}|{:?}|{:?}", event.id, event.kind, event.retry_ms)
    }

    fn read(text: &str) -> Vec<String> {
        events(&[text.as_bytes()], 1_000).expect("no event is too long").0
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        for (text, event) in [
            ("data: a\n\n", "a|None|None|None"),
            ("data:a\n\n", "a|None|None|None"),
            ("data:  a\n\n", " a|None|None|None"),
            ("data\n\n", "|None|None|None"),
            ("data: a\ndata: b\n\n", "a\nb|None|None|None"),
            ("data\ndata\n\n", "\n|None|None|None"),
            (
                "id: 7\nevent: message\nretry: 250\ndata: a\n\n",
                "a|Some(\"7\")|Some(\"message\")|Some(250)",
            ),
            ("id: 7\nid\ndata: a\n\n", "a|Some(\"\")|None|None"),
            ("id: 7\n\n", "|Some(\"7\")|None|None"),
            ("retry: 5\n\n", "|None|None|Some(5)"),
            ("retry: 5s\nretry: -1\nid: a\0b\ndata: a\n\n", "a|None|None|None"),
            ("retry: 99999999999999999999\ndata: a\n\n", "a|None|None|None"),
            (": comment\ndata: a\n:\n\n", "a|None|None|None"),
            ("dat: x\ndatax: y\ndataxxxxx: z\n data: w\ndata: a\n\n", "a|None|None|None"),
            ("data: a:b: c\n\n", "a:b: c|None|None|None"),
            ("\u{feff}data: a\n\n", "a|None|None|None"),
        ] {
            assert_eq!(read(text), [event], "{text:?}");
        }
        assert_eq!(read("\u{feff}\u{feff}data: a\n\n"), [""; 0], "only the first mark is none");
        assert_eq!(read(": ping\n\n\n\nevent: message\n\n"), [""; 0]);
        assert_eq!(read("data: a\n\ndata: b\n\n"), ["a|None|None|None", "b|None|None|None"]);
        assert_eq!(read("event: x\n\ndata: b\n\n"), ["b|None|None|None"]);
    }

    #[test]
    fn every_line_break_breaks_a_line_wherever_the_bytes_were_cut() {
        let plain = "\u{feff}: hi\nid: 1\ndata: a\ndata: \u{e9}b\n\nevent: x\nretry: 9\ndata\n\n\ndata: c\n\n";
        let whole = read(plain);
        assert_eq!(whole.len(), 3);
        for end in ["\n", "\r", "\r\n"] {
            let text = plain.replace('\n', end);
            for cut in 0..=text.len() {
                let (first, second) = text.as_bytes().split_at(cut);
                let (told, is_between) = events(&[first, second], 1_000).expect("short");
                assert_eq!(told, whole, "{end:?} at {cut}");
                assert!(is_between);
            }
            let bytes: Vec<_> = text.as_bytes().chunks(1).collect();
            assert_eq!(events(&bytes, 1_000).expect("short").0, whole, "{end:?} byte by byte");
        }
    }

    #[test]
    fn a_stream_cut_inside_an_event_gives_no_half_of_it() {
        let text = b"data: a\n\nid: 2\ndata: b\n\n";
        for cut in 0..=text.len() {
            let (told, is_between) = events(&[&text[..cut]], 1_000).expect("short");
            assert_eq!(told.len(), usize::from(cut >= 9) + usize::from(cut == text.len()), "{cut}");
            assert_eq!(is_between, [0, 9, text.len()].contains(&cut), "{cut}");
        }
    }

    #[test]
    fn a_long_event_ends_the_stream_and_a_long_comment_does_not() {
        assert!(events(&[b"data: 12345\n\n"], 5).is_ok());
        for text in [
            "data: 123456\n\n",
            "data: 123\ndata: 456\n\n",
            "id: 1234\ndata: 56\n\n",
            "data: 123456",
        ] {
            assert_eq!(events(&[text.as_bytes()], 5), Err(TooLong), "{text:?}");
        }
        let mut reader = Events::new(5);
        assert_eq!(reader.next(&mut b"data: 123456".as_slice()), Err(TooLong));
        assert_eq!(reader.next(&mut b"\n\ndata: 1\n\n".as_slice()), Err(TooLong), "for good");
        let comment = format!(": {}\nother: {}\ndata: 1\n\n", "x".repeat(50), "y".repeat(50));
        assert_eq!(events(&[comment.as_bytes()], 5).expect("short").0, ["1|None|None|None"]);
    }

    #[test]
    fn an_event_cannot_be_smuggled_into_an_id_or_a_type() {
        let mut out = Vec::new();
        let event =
            StreamEvent { data: b"a", id: Some("1\ndata: b"), kind: Some("x\r\n"), retry_ms: None };
        write(&event, &mut out);
        assert_eq!(out, b"data: a\n\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            lines in prop::collection::vec("[^\r\n]{0,9}", 1..4),
            id in prop::option::of("[^\r\n\0]{0,9}"),
            kind in prop::option::of("[a-z]{1,9}"),
            retry_ms in any::<Option<u64>>(),
        ) {
            let data = lines.join("\n");
            let event = StreamEvent { data: data.as_bytes(), id: id.as_deref(), kind: kind.as_deref(), retry_ms };
            let mut out = Vec::new();
            write(&event, &mut out);
            prop_assert_eq!(events(&[&out], 1_000), Ok((vec![show(&event)], true)));
        }

        #[test]
        fn any_bytes_give_the_same_events_however_they_are_cut(bytes in any::<Vec<u8>>(), piece in 1usize..9) {
            let pieces: Vec<_> = bytes.chunks(piece).collect();
            let whole = events(&[&bytes], 1_000);
            prop_assert!(whole.is_ok());
            prop_assert_eq!(events(&pieces, 1_000), whole);
        }
    }
}
