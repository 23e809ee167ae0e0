//! `Tally`: the calls of one minute, by server, tool and outcome, so that rates have denominators after a restart.

use redress::text;
use redress_wire::json::{Members, Value, write_int, write_list};

use crate::{
    record::{Kind, Record},
    time::Time,
};

/// The upper ends of the latency buckets, in milliseconds; a last bucket counts what took longer.
pub const LATENCY_MILLIS: [u64; 15] =
    [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000];

/// One more than there are ends.
const BUCKETS: usize = LATENCY_MILLIS.len() + 1;

/// The longest name of a server or a tool; longer ones are cut.
const MAX_NAME: usize = 256;

/// How many tools one record tells of; the records of a minute add up.
const MAX_CALLS: usize = 256;

const MINUTE: u64 = 60_000;

/// The calls of one minute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// The start of the minute in which the calls ended.
    pub minute: Time,
    /// One line for each server and tool that was called.
    pub calls: Vec<Calls>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// Well.
    Ok,
    /// With a failure.
    Fault,
    /// With a failure before the server was asked.
    Refused,
    /// The client withdrew it.
    Cancelled,
    /// Well, after the gate repeated it.
    Repeated,
}

/// The calls of one tool in one minute. Each call has one outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calls {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// Calls that ended well.
    pub ok: u64,
    /// Calls that failed.
    pub fault: u64,
    /// Calls that were refused before the server was asked.
    pub refused: u64,
    /// Calls that the client withdrew.
    pub cancelled: u64,
    /// Calls that ended well after the gate repeated them.
    pub repeated: u64,
    /// The calls by duration: one count for each of [`LATENCY_MILLIS`], and one for what took longer.
    pub latency: [u64; BUCKETS],
}

impl Calls {
    /// All calls, whatever their outcome.
    pub const fn total(&self) -> u64 {
        let ended = self.ok.saturating_add(self.fault).saturating_add(self.refused);
        ended.saturating_add(self.cancelled).saturating_add(self.repeated)
    }

    /// Counts a call.
    pub const fn add(&mut self, outcome: CallOutcome) {
        *match outcome {
            CallOutcome::Ok => &mut self.ok,
            CallOutcome::Fault => &mut self.fault,
            CallOutcome::Refused => &mut self.refused,
            CallOutcome::Cancelled => &mut self.cancelled,
            CallOutcome::Repeated => &mut self.repeated,
        } += 1;
    }

    /// Counts how long a call took, rounded up to milliseconds.
    pub fn took(&mut self, millis: u64) {
        let bucket = LATENCY_MILLIS.iter().position(|it| millis <= *it);
        if let Some(count) = self.latency.get_mut(bucket.unwrap_or(LATENCY_MILLIS.len())) {
            *count += 1;
        }
    }

    fn read(object: Value<'_>) -> Self {
        let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
        let count = |key: &str| object.get(key).and_then(Value::as_u64).unwrap_or_default();
        let mut latency = [0; BUCKETS];
        let counts = object.get("ms").into_iter().flat_map(Value::elements);
        for (slot, count) in latency.iter_mut().zip(counts) {
            *slot = count.as_u64().unwrap_or_default();
        }
        Self {
            server: text("server").into_owned(),
            tool: text("tool").into_owned(),
            ok: count("ok"),
            fault: count("fault"),
            refused: count("refused"),
            cancelled: count("cancelled"),
            repeated: count("repeated"),
            latency,
        }
    }

    fn write(&self, out: &mut String) {
        let mut members = Members::open(out);
        members
            .str("server", &text::cut(&self.server, MAX_NAME))
            .str("tool", &text::cut(&self.tool, MAX_NAME))
            .int("ok", self.ok)
            .int("fault", self.fault)
            .int("refused", self.refused)
            .int("cancelled", self.cancelled)
            .int("repeated", self.repeated);
        write_list(members.key("ms"), self.latency, |it, out| write_int(out, it.into()));
        members.close();
    }
}

impl Tally {
    /// The start of the minute of a time.
    pub const fn minute_of(time: Time) -> Time {
        Time::from_millis(time.millis() / MINUTE * MINUTE)
    }

    /// Reads the object of a record; `None` if it names no minute.
    pub fn read(object: Value<'_>) -> Option<Self> {
        let minute = object.get("minute").and_then(Value::as_str)?;
        let minute = Self::minute_of(Time::parse(&minute)?);
        let calls = object.get("calls").into_iter().flat_map(Value::elements);
        Some(Self { minute, calls: calls.map(Calls::read).collect() })
    }

    /// The records of the minute: one, or several that add up if many tools were called.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let minute = self.minute.to_string();
        let minute = format!("{}Z", minute.get(..16).unwrap_or_default());
        self.calls.chunks(MAX_CALLS).map(move |calls| {
            Record::new(Kind::Tally, |it| {
                it.str("minute", &minute);
                write_list(it.key("calls"), calls, Calls::write);
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use redress_wire::json::Doc;

    use super::{Calls, LATENCY_MILLIS, Tally};
    use crate::{
        LINE_LIMITS, MAX_LINE,
        record::{Head, Record, RecordLine},
        time::Time,
    };

    fn calls(tool: &str) -> Calls {
        let mut calls = Calls { server: "files".into(), tool: tool.into(), ..Calls::default() };
        (calls.ok, calls.fault, calls.refused, calls.cancelled, calls.repeated) = (1, 2, 3, 4, 5);
        for millis in [0, 1, 2, 3, 50_000, 50_001, u64::MAX] {
            calls.took(millis);
        }
        calls
    }

    fn read(tally: &Tally) -> Vec<Tally> {
        let lines = tally.records().map(|record| {
            let mut line = Vec::new();
            Head::START.clone().write(&record, "2026-01-19T15:33:00.000Z", &mut line);
            assert!(line.len() < MAX_LINE);
            line.pop();
            assert!(RecordLine::read(&line).is_ok());
            let doc = Doc::parse(&line, LINE_LIMITS).unwrap();
            Tally::read(doc.root().get("tally").unwrap()).unwrap()
        });
        lines.collect()
    }

    #[test]
    fn what_is_written_of_a_minute_is_read() {
        let minute = Tally::minute_of(Time::parse("2026-01-19T15:32:59.999Z").unwrap());
        let tally = Tally { minute, calls: vec![calls("read_file"), calls("a \"b\"")] };
        let [first] = <[Tally; 1]>::try_from(read(&tally)).unwrap();
        assert_eq!(first, tally);
        assert_eq!(first.minute.to_string(), "2026-01-19T15:32:00.000Z");
        assert_eq!(first.calls[0].total(), 15);
        assert_eq!(first.calls[0].latency[..3], [2, 1, 1]);
        assert_eq!(first.calls[0].latency[LATENCY_MILLIS.len() - 1..], [1, 2]);
    }

    #[test]
    fn a_minute_has_its_golden_bytes() {
        let minute = Tally::minute_of(Time::parse("2026-01-19T15:32:59.999Z").unwrap());
        let tally = Tally { minute, calls: vec![calls("read_file")] };
        let [record] = <[Record; 1]>::try_from(tally.records().collect::<Vec<_>>()).unwrap();
        let mut line = Vec::new();
        Head::START.clone().write(&record, "2026-01-19T15:33:00.000Z", &mut line);
        let zeros = "0".repeat(64);
        let expected = format!(
            r#"{{"seq":0,"time":"2026-01-19T15:33:00.000Z","prev":"{zeros}","kind":"tally","tally":{{"minute":"2026-01-19T15:32Z","calls":[{{"server":"files","tool":"read_file","ok":1,"fault":2,"refused":3,"cancelled":4,"repeated":5,"ms":[2,1,1,0,0,0,0,0,0,0,0,0,0,0,1,2]}}]}},"hash":"HASH"}}"#
        );
        let text = String::from_utf8(line).unwrap();
        let hash = text.get(text.len() - 67..text.len() - 3).unwrap();
        assert_eq!(text.trim_end(), expected.replace("HASH", hash));
        assert_eq!(hash, "10592990086386b6e7161419b98a3443b3a1cf878a8e1439152532dd8bcbe0ad");
    }

    #[test]
    fn many_tools_are_told_by_several_records() {
        let long = "x".repeat(10_000);
        let tally = Tally { minute: Time::default(), calls: vec![calls(&long); 1_000] };
        let read = read(&tally);
        assert_eq!(read.len(), 4);
        assert_eq!(read.iter().map(|it| it.calls.len()).sum::<usize>(), 1_000);
    }

    #[test]
    fn a_minute_that_is_none_is_not_read() {
        for text in ["{}", r#"{"minute":"soon","calls":[]}"#, "[]", r#"{"minute":5}"#] {
            let doc = Doc::parse(text.as_bytes(), LINE_LIMITS).unwrap();
            assert_eq!(Tally::read(doc.root()), None);
        }
    }
}
