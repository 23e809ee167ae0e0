//! `Shipper`: sends the chains of a ledger to the stream, each in order and each record once.
//!
//! The last message of a chain's subject says how far it came, so that a process that was killed leaves nothing to repair. Each message
//! names the one that it follows; the engine refuses it if another one came between.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    fs::{self, File},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use async_nats::jetstream::{
    context::PublishErrorKind,
    message::PublishMessage,
    stream::{DirectGetErrorKind, Stream},
};
use redress_ledger::{Chain, ChainCursor, Clock, Hash, Next, Skipped};
use tokio::{sync::Notify, time};

use crate::{
    engine::Connection,
    error::FleetError,
    message::{self, Outgoing},
    progress::{Progress, State},
};

/// How many bytes of lines a message has at most: enough that one message after the other keeps up with a ledger.
const MOST_BYTES: usize = 512 << 10;

/// What the headers of a message take, at most.
const HEADERS: usize = 1 << 10;

/// How long nothing may come before the ledger is looked at again: other processes leave chains, too.
const LOOK: Duration = Duration::from_secs(1);

/// How often a place is asked for again that a replica does not know yet.
const STALE_LOOKS: u32 = 60;

/// Which ledger is shipped, by whom.
#[derive(Clone)]
pub struct Source {
    /// The name of the node.
    pub node: String,
    /// The directory of the ledger.
    pub ledger: PathBuf,
    /// The chain that this process writes, if it writes one.
    pub own: Option<Arc<str>>,
    /// Tells the time.
    pub clock: Clock,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("node", &self.node).finish_non_exhaustive()
    }
}

/// Sends the chains of one ledger.
pub(crate) struct Shipper<'c> {
    pub(crate) source: &'c Source,
    pub(crate) connection: &'c Connection,
    pub(crate) stream: Stream,
    pub(crate) progress: &'c Progress,
    /// Woken when the own chain has more.
    pub(crate) wake: &'c Notify,
    /// Chains that are on their way.
    chains: BTreeMap<Arc<str>, Shipment>,
    /// Chains of which the engine has all.
    complete: BTreeSet<Arc<str>>,
    /// Chains that cannot be shipped on.
    stopped: BTreeSet<Arc<str>>,
    /// Held by the one process that ships what other processes left.
    turn: Option<File>,
}

/// A chain on its way.
struct Shipment {
    chain: Chain,
    cursor: ChainCursor,
    /// The number of the last message of its subject; 0 if there is none.
    sequence: u64,
}

/// What became of a step.
enum Step {
    Shipped,
    Nothing,
}

impl<'c> Shipper<'c> {
    pub(crate) fn new(
        source: &'c Source,
        (connection, stream): (&'c Connection, Stream),
        progress: &'c Progress,
        wake: &'c Notify,
    ) -> Self {
        Self {
            source,
            connection,
            stream,
            progress,
            wake,
            chains: BTreeMap::new(),
            complete: BTreeSet::new(),
            stopped: BTreeSet::new(),
            turn: None,
        }
    }

    /// Ships until everything is there, and then what comes, until `is_ending` and nothing is left.
    pub(crate) async fn run(
        &mut self,
        mut is_ending: impl FnMut() -> bool,
        mut say: impl FnMut(&str),
    ) -> Result<(), FleetError> {
        self.progress.set(State::Connected);
        loop {
            // Before the look at the ledger: what comes later is found by the next look.
            let ends = is_ending();
            let moved = self.round(&mut say).await?;
            if let Some(denied) = self.connection.denied() {
                return Err(denied);
            }
            if !moved {
                if ends {
                    return Ok(());
                }
                // What comes is worth a look at once; the rest is looked for now and then.
                drop(time::timeout(LOOK, self.wake.notified()).await);
            }
        }
    }

    /// One step of the own chain and one of the oldest other. Gives whether anything was sent.
    async fn round(&mut self, say: &mut impl FnMut(&str)) -> Result<bool, FleetError> {
        let mut moved = false;
        let own = self.source.own.clone();
        let chains = Chain::all(&self.source.ledger)?;
        if let Some(chain) = chains.iter().find(|it| Some(&it.name) == own.as_ref()) {
            moved |= self.advance(chain, say).await?;
        }
        if !self.has_turn() {
            return Ok(moved);
        }
        let mut rest = chains.iter().filter(|it| {
            Some(&it.name) != own.as_ref()
                && (it.is_closed || it.is_aside)
                && !self.complete.contains(&it.name)
                && !self.stopped.contains(&it.name)
        });
        if let Some(chain) = rest.next().cloned() {
            let is_last = rest.next().is_none();
            moved |= self.advance(&chain, say).await? || !is_last;
        }
        Ok(moved)
    }

    /// Whether this process ships what others left: one of a ledger does.
    fn has_turn(&mut self) -> bool {
        if self.turn.is_none() {
            let path = self.source.ledger.join("shipping.lock");
            let file = fs::OpenOptions::new().create(true).append(true).open(path);
            self.turn = file.ok().filter(|it| it.try_lock().is_ok());
        }
        self.turn.is_some()
    }

    /// One step of a chain. What is wrong with the chain alone stops the chain alone.
    async fn advance(
        &mut self,
        chain: &Chain,
        say: &mut impl FnMut(&str),
    ) -> Result<bool, FleetError> {
        if self.complete.contains(&chain.name) || self.stopped.contains(&chain.name) {
            return Ok(false);
        }
        match self.step(chain).await {
            Ok(Step::Shipped) => Ok(true),
            Ok(Step::Nothing) => {
                if chain.is_closed || chain.is_aside {
                    self.progress.completed(&chain.name);
                    self.chains.remove(&chain.name);
                    self.complete.insert(Arc::clone(&chain.name));
                }
                Ok(false)
            }
            Err(
                error @ (FleetError::Diverged { .. }
                | FleetError::Format { .. }
                | FleetError::Ledger(_)),
            ) => {
                say(&format!("{error}; the chain is shipped no further"));
                self.progress.stopped(error.to_string());
                self.stopped.insert(Arc::clone(&chain.name));
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    async fn step(&mut self, chain: &Chain) -> Result<Step, FleetError> {
        let mut shipment = match self.chains.remove(&chain.name) {
            Some(it) => it,
            None => self.find(chain, None).await?,
        };
        shipment.chain = chain.clone();
        let is_own = Some(&chain.name) == self.source.own.as_ref();
        let until = if is_own && !chain.is_closed { self.progress.durable() } else { u64::MAX };
        let most = MOST_BYTES.min(self.most_line());
        let (outgoing, recorded) = match shipment.cursor.read(until, most)? {
            Next::Portion(portion) if portion.lines.len() > self.most_line() => {
                let Some(missing) = self.too_long(&portion) else {
                    return Err(diverged(chain, portion.first));
                };
                (missing, portion.time)
            }
            Next::Portion(portion) => {
                let time = portion.time;
                (Outgoing::of_portion(portion), time)
            }
            Next::Skipped(skipped) => {
                self.progress.skipped(skipped.last - skipped.first + 1);
                (Outgoing::of_missing(skipped, "pruned"), (self.source.clock)())
            }
            Next::Nothing => {
                self.chains.insert(Arc::clone(&chain.name), shipment);
                return Ok(Step::Nothing);
            }
            Next::Diverged(seq) => return Err(diverged(chain, seq)),
            // What was put aside is sent as far as it is sound; another chain is damaged.
            Next::Damaged(_) if chain.is_aside => return Ok(Step::Nothing),
            Next::Damaged(why) => {
                return Err(FleetError::Ledger(redress_ledger::ReadError::Line {
                    file: chain.path.clone(),
                    line: 0,
                    why,
                }));
            }
        };
        let span = outgoing.span;
        shipment = self.send(shipment, outgoing).await?;
        self.progress.shipped(span.last - span.first + 1, recorded, (self.source.clock)());
        self.chains.insert(Arc::clone(&chain.name), shipment);
        Ok(Step::Shipped)
    }

    /// Sends a message, and finds out where the chain is if it is not known whether the engine took it.
    async fn send(
        &self,
        mut shipment: Shipment,
        outgoing: Outgoing,
    ) -> Result<Shipment, FleetError> {
        let chain = shipment.chain.clone();
        let span = outgoing.span;
        let subject = self.connection.names.subject(&self.source.node, &chain.name);
        let message = PublishMessage::build()
            .headers(outgoing.headers(&chain.name))
            .payload(outgoing.body)
            .expected_stream(self.connection.names.stream())
            .expected_last_subject_sequence(shipment.sequence);
        let sent = async { self.connection.context.send_publish(subject, message).await?.await };
        match sent.await {
            Ok(ack) => {
                shipment.sequence = ack.sequence;
                self.progress.reached(&chain.name, span.last + 1);
                Ok(shipment)
            }
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => {
                self.find(&chain, Some(shipment.sequence)).await
            }
            Err(error) if error.kind() == PublishErrorKind::StreamNotFound => {
                Err(self.connection.failed("take a record", &error))
            }
            Err(error) => {
                let failed = self.connection.failed("take a record", &error);
                Err(failed)
            }
        }
    }

    /// Where a chain is, by the last message of its subject. `not` is a message that is known not to be the last one: a replica may be late.
    async fn find(&self, chain: &Chain, not: Option<u64>) -> Result<Shipment, FleetError> {
        let subject = self.connection.names.subject(&self.source.node, &chain.name);
        for look in 0..STALE_LOOKS {
            let last = self.stream.direct_get_last_for_subject(subject.as_str()).await;
            let (sequence, cursor) = match last {
                Ok(last) => {
                    let span = message::span(&subject, Some(&last.headers))?;
                    self.progress.reached(&chain.name, span.last + 1);
                    (last.sequence, ChainCursor::after(chain, span.last, span.head))
                }
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => {
                    self.progress.reached(&chain.name, 0);
                    (0, ChainCursor::start(chain))
                }
                Err(error) => return Err(self.connection.failed("say what it has", &error)),
            };
            if not != Some(sequence) {
                return Ok(Shipment { chain: chain.clone(), cursor, sequence });
            }
            time::sleep(Duration::from_millis(u64::from(10 * (look + 1)).min(200))).await;
        }
        Err(FleetError::engine("say what it has", "its replicas do not catch up"))
    }

    /// The longest line that fits into a message.
    fn most_line(&self) -> usize {
        self.connection.most_bytes().saturating_sub(HEADERS)
    }

    /// What is sent in the place of a record that no message can hold: its number and its hash, by which the next one follows it.
    fn too_long(&self, portion: &redress_ledger::Portion) -> Option<Outgoing> {
        if portion.first != portion.last {
            return None;
        }
        self.progress.skipped(1);
        let (first, last, head): (u64, u64, Hash) = (portion.first, portion.last, portion.head);
        Some(Outgoing::of_missing(
            Skipped { first, last, head },
            "longer than a message of the engine may be (`max_payload`)",
        ))
    }
}

fn diverged(chain: &Chain, seq: u64) -> FleetError {
    FleetError::Diverged { chain: chain.name.as_ref().to_owned(), seq }
}
