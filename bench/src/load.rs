//! The callers: each sends its next request as soon as its last one is answered, and every answer is looked at.

mod over_http;
mod over_stdio;
mod request;

use std::time::{Duration, Instant};

use crate::{fallible::Fallible, stats::Histogram};

pub(crate) use over_http::{HttpCallers, Target};
pub(crate) use over_stdio::StdioCallers;
pub(crate) use request::{
    INITIALIZED, REVISION, is_answered, write_begin, write_call, write_initialize, write_list,
};

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Echo,
    /// The same with a path among its arguments.
    Path,
    Fail,
    RpcFail,
    Big,
    Dense,
    Sleep,
}

impl Tool {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Echo | Self::Path => "echo",
            Self::Fail => "fail",
            Self::RpcFail => "rpcfail",
            Self::Big => "big",
            Self::Dense => "dense",
            Self::Sleep => "sleep",
        }
    }
}

/// One kind of load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its name for people.
    pub(crate) title: &'static str,
    pub(crate) tool: Tool,
    /// Bytes of text, KiB of an answer, or milliseconds, as the tool has it.
    pub(crate) size: usize,
    /// How many call at the same time.
    pub(crate) callers: usize,
}

/// Every kind of load.
pub(crate) const WORKS: [Work; 10] = [
    work("echo1", "64 B, C=1", Tool::Echo, 64, 1),
    work("echo16", "64 B, C=16", Tool::Echo, 64, 16),
    work("echo64", "64 B, C=64", Tool::Echo, 64, 64),
    work("path1", "64 B and a path, C=1", Tool::Path, 64, 1),
    work("fail1", "isError, C=1", Tool::Fail, 0, 1),
    work("fail16", "isError, C=16", Tool::Fail, 0, 16),
    work("rpcfail16", "JSON-RPC error, C=16", Tool::RpcFail, 0, 16),
    work("big4", "256 KiB of text, C=4", Tool::Big, 256, 4),
    work("dense4", "256 KiB of dense values, C=4", Tool::Dense, 256, 4),
    work("sleep64", "50 ms each, C=64", Tool::Sleep, 50, 64),
];

const fn work(
    name: &'static str,
    title: &'static str,
    tool: Tool,
    size: usize,
    callers: usize,
) -> Work {
    Work { name, title, tool, size, callers }
}

/// The load of that name.
pub(crate) fn work_named(name: &str) -> Fallible<Work> {
    let known = || WORKS.map(|it| it.name).join(", ");
    let found = WORKS.into_iter().find(|it| it.name == name);
    found.ok_or_else(|| format!("no work is called `{name}`; there are {}", known()).into())
}

/// How long a phase lasts: whichever comes first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until {
    pub(crate) time: Duration,
    pub(crate) calls: u64,
}

impl Until {
    pub(crate) const fn time(time: Duration) -> Self {
        Self { time, calls: u64::MAX }
    }

    pub(crate) const fn calls(calls: u64) -> Self {
        Self { time: Duration::from_hours(1), calls }
    }
}

/// What a phase gave.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) calls: u64,
    pub(crate) seconds: f64,
    pub(crate) times: Histogram,
    /// Answers that are not what the tool answers, and the first of them.
    pub(crate) odd: u64,
    pub(crate) first_odd: Option<String>,
}

impl Tally {
    pub(crate) fn rate(&self) -> f64 {
        self.calls as f64 / self.seconds
    }

    pub(crate) fn count(&mut self, time: Duration, is_expected: bool, answer: &[u8]) {
        self.calls += 1;
        self.times.record(time);
        if !is_expected {
            self.odd += 1;
            let start = answer.get(..answer.len().min(300)).unwrap_or_default();
            self.first_odd.get_or_insert_with(|| String::from_utf8_lossy(start).into_owned());
        }
    }
}

/// When a phase ends, and what it has given so far.
#[derive(Debug)]
struct Phase {
    start: Instant,
    until: Until,
    is_over: bool,
    tally: Tally,
}

impl Phase {
    fn new(until: Until) -> Self {
        Self { start: Instant::now(), until, is_over: false, tally: Tally::default() }
    }

    /// Counts an answer; says whether the caller is to go on.
    fn answered(&mut self, since: Instant, is_expected: bool, answer: &[u8]) -> bool {
        if self.is_over {
            return false;
        }
        let now = Instant::now();
        self.tally.count(now - since, is_expected, answer);
        self.is_over = now - self.start >= self.until.time || self.tally.calls >= self.until.calls;
        if self.is_over {
            self.tally.seconds = (now - self.start).as_secs_f64();
        }
        !self.is_over
    }
}

/// Callers that are connected and have introduced themselves.
pub(crate) trait Callers {
    /// Calls until the phase is over and everything that was asked is answered.
    fn call(&mut self, work: Work, until: Until) -> Fallible<Tally>;
}
