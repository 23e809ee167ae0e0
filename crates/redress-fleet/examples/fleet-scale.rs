//! A model of a large fleet: nodes that fail at random, one message under way for each, and streams that take so many messages a second.
//!
//! `fleet-scale [NODES FAILURES_A_MINUTE MESSAGES_A_SECOND BYTES_A_RECORD]` prints a line for each number of streams. The same numbers
//! give the same lines.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    env,
    error::Error,
    io::{self, Write as _},
};

/// How long is simulated, and what is left out at the start, in microseconds.
const END: u64 = 60_000_000;
const WARM: u64 = 5_000_000;

/// When the leader of the first stream is lost, and for how long none takes records.
const LOST: (u64, u64) = (20_000_000, 27_000_000);

/// How long a message takes there and back, besides its turn at the stream.
const ROUND: u64 = 10_000;

/// The most bytes of a message.
const MOST: u64 = 512 << 10;

/// What happens.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Failure(usize),
    Acknowledged(usize),
}

#[derive(Default)]
struct Node {
    waiting: VecDeque<u64>,
    under_way: Vec<u64>,
}

struct Model {
    rate: u64,
    messages: u64,
    bytes: u64,
    nodes: Vec<Node>,
    free: Vec<u64>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    seed: u64,
    lags: Vec<u64>,
    sent: u64,
    most_waiting: usize,
    waiting: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<u64> = env::args().skip(1).map(|it| it.parse()).collect::<Result<_, _>>()?;
    let (nodes, failures, messages, bytes) = match given.as_slice() {
        [] => (10_000, 1_000_000, 10_000, 1_500),
        [nodes, failures, messages, bytes] => (*nodes, *failures, *messages, *bytes),
        _ => return Err("usage: fleet-scale [NODES FAILURES MESSAGES BYTES]".into()),
    };
    let mut out = io::stdout();
    writeln!(
        out,
        "{nodes} nodes, {failures} failures a minute, {messages} messages/s a stream, {bytes} bytes a record"
    )?;
    writeln!(
        out,
        "streams  messages/s  records/message  lag p50 ms  p99 ms  max ms  most waiting"
    )?;
    for streams in [1, 2, 4, 8] {
        let mut model = Model {
            rate: failures,
            messages,
            bytes,
            nodes: (0..nodes).map(|_| Node::default()).collect(),
            free: vec![0; streams],
            events: BinaryHeap::new(),
            seed: 7,
            lags: Vec::new(),
            sent: 0,
            most_waiting: 0,
            waiting: 0,
        };
        model.run();
        model.lags.sort_unstable();
        let at = |share: usize| {
            let index = model.lags.len().saturating_sub(1) * share / 1000;
            model.lags.get(index).copied().unwrap_or_default() / 1000
        };
        let seconds = (END - WARM) / 1_000_000;
        writeln!(
            out,
            "{streams:7}  {:10}  {:15.2}  {:10}  {:6}  {:6}  {:12}",
            model.sent / seconds,
            ratio(model.lags.len() as u64, model.sent),
            at(500),
            at(990),
            at(1000),
            model.most_waiting,
        )?;
    }
    Ok(())
}

fn ratio(one: u64, other: u64) -> f64 {
    let small = |it: u64| f64::from(u32::try_from(it).unwrap_or(u32::MAX));
    small(one) / small(other.max(1))
}

impl Model {
    fn run(&mut self) {
        for node in 0..self.nodes.len() {
            let first = self.pause();
            self.events.push(Reverse((first, Event::Failure(node))));
        }
        while let Some(Reverse((now, event))) = self.events.pop() {
            if now > END {
                return;
            }
            match event {
                Event::Failure(node) => {
                    let next = now + self.pause();
                    self.events.push(Reverse((next, Event::Failure(node))));
                    self.waiting += 1;
                    self.most_waiting = self.most_waiting.max(self.waiting);
                    if let Some(it) = self.nodes.get_mut(node) {
                        it.waiting.push_back(now);
                    }
                    self.send(node, now);
                }
                Event::Acknowledged(node) => {
                    if let Some(it) = self.nodes.get_mut(node) {
                        let done = std::mem::take(&mut it.under_way);
                        self.waiting -= done.len();
                        if now > WARM {
                            self.lags.extend(done.iter().map(|it| now - it));
                        }
                    }
                    self.send(node, now);
                }
            }
        }
    }

    /// Sends what waits, unless a message is under way.
    fn send(&mut self, at: usize, now: u64) {
        let streams = self.free.len();
        let Some(node) = self.nodes.get_mut(at) else { return };
        let Some(free) = self.free.get_mut(at % streams) else { return };
        if node.waiting.is_empty() || !node.under_way.is_empty() {
            return;
        }
        let most = usize::try_from(MOST / self.bytes).unwrap_or(1).max(1).min(node.waiting.len());
        node.under_way = node.waiting.drain(..most).collect();
        let mut begin = (*free).max(now + ROUND / 2);
        if at.is_multiple_of(streams) && (LOST.0..LOST.1).contains(&begin) {
            begin = LOST.1;
        }
        *free = begin + 1_000_000 / self.messages;
        self.sent += u64::from(now > WARM);
        self.events.push(Reverse((*free + ROUND / 2, Event::Acknowledged(at))));
    }

    /// The time to a node's next failure: exponential, from a generator with a seed.
    fn pause(&mut self) -> u64 {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let chance =
            f64::from(u32::try_from(self.seed >> 33).unwrap_or(1).max(1)) / f64::from(1_u32 << 31);
        let mean = 60_000_000.0 * ratio(self.nodes.len() as u64, self.rate);
        let pause = -mean * chance.ln();
        std::time::Duration::from_secs_f64(pause / 1_000_000.0)
            .as_micros()
            .try_into()
            .unwrap_or(END)
    }
}
