//! `Mirror`: a copy of the stream in a directory, with one ledger for each node, so that whatever reads ledgers reads a fleet.

mod state;

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, DirBuilder, File, OpenOptions},
    io::Write as _,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use async_nats::jetstream::consumer::{DeliverPolicy, pull::OrderedConfig};
use futures_util::StreamExt as _;
use redress_ledger::{Hash, read_line};
use tokio::time;

use crate::{
    engine::Connection,
    error::FleetError,
    message::{self, Missing},
    names::Names,
};

/// How long the engine may take for the next message.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often the engine is asked, and how long is waited in between.
const ATTEMPTS: u32 = 6;
const PAUSE: Duration = Duration::from_secs(1);

/// Something in the stream that no node of ours sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamFinding {
    /// The number of the message in the stream.
    pub sequence: u64,
    /// The node.
    pub node: String,
    /// The chain.
    pub chain: String,
    /// The number of the record, if that is known.
    pub seq: Option<u64>,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for StreamFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {} of the stream", self.sequence)?;
        if let Some(seq) = self.seq {
            write!(f, " (record {seq})")?;
        }
        write!(f, ": {}", self.why)
    }
}

/// Records that a node could not send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamGap {
    /// The node.
    pub node: String,
    /// The chain.
    pub chain: String,
    /// Which, and why.
    pub missing: Missing,
}

/// A chain in the mirror.
#[derive(Debug)]
struct ChainCopy {
    /// The number of the next record.
    next: u64,
    /// The hash of the last.
    head: Hash,
    /// The segment that is written, and its length.
    segment: u32,
    bytes: u64,
    file: Option<File>,
}

/// A copy of the stream.
#[derive(Debug)]
pub struct Mirror {
    dir: PathBuf,
    /// When the stream was made: another one begins anew.
    created: String,
    /// The number of the last message that was taken.
    sequence: u64,
    chains: BTreeMap<(String, String), ChainCopy>,
    findings: Vec<StreamFinding>,
    gaps: Vec<StreamGap>,
}

impl Mirror {
    /// The mirror in a directory. What was written there and not finished is removed.
    ///
    /// # Errors
    /// The directory cannot be made or read.
    pub fn open(dir: &Path) -> Result<Self, FleetError> {
        make(dir)?;
        let mut mirror = state::read(dir).unwrap_or_else(|| Self::empty(dir));
        if !mirror.is_whole()? {
            mirror.clear()?;
        }
        Ok(mirror)
    }

    fn empty(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            created: String::new(),
            sequence: 0,
            chains: BTreeMap::new(),
            findings: Vec::new(),
            gaps: Vec::new(),
        }
    }

    /// Takes everything that the stream has now. Gives how many messages were new. An engine that chooses a leader is asked again.
    ///
    /// # Errors
    /// The engine does not give it, or it cannot be written.
    pub async fn pull(&mut self, connection: &Connection) -> Result<u64, FleetError> {
        let mut taken = 0;
        for _ in 1..ATTEMPTS {
            match self.pull_once(connection, &mut taken).await {
                Err(FleetError::Engine { .. }) => time::sleep(PAUSE).await,
                other => return other.map(|()| taken),
            }
        }
        self.pull_once(connection, &mut taken).await.map(|()| taken)
    }

    async fn pull_once(
        &mut self,
        connection: &Connection,
        taken: &mut u64,
    ) -> Result<(), FleetError> {
        let (stream, _) = connection.stream().await?;
        let info = stream.cached_info();
        let created = info.created.to_string();
        if created != self.created {
            self.clear()?;
            self.created = created;
        }
        let last = info.state.last_sequence;
        if last <= self.sequence {
            return Ok(());
        }
        let config = OrderedConfig {
            filter_subject: connection.names.of_node(None),
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.sequence + 1 },
            ..OrderedConfig::default()
        };
        let failed = |error: &dyn fmt::Display| connection.failed("give its records", error);
        let consumer = stream.create_consumer(config).await.map_err(|it| failed(&it))?;
        if consumer.cached_info().num_pending > 0 {
            let mut messages = consumer.messages().await.map_err(|it| failed(&it))?;
            loop {
                let next = time::timeout(PATIENCE, messages.next()).await;
                let next = next.map_err(|_elapsed| failed(&"nothing came in time"))?;
                let Some(message) = next else { break };
                let message = message.map_err(|it| failed(&it))?;
                let place = message.info().map_err(|it| failed(&it))?;
                let (sequence, pending) = (place.stream_sequence, place.pending);
                let message = &message.message;
                self.take(
                    &connection.names,
                    (sequence, message.subject.as_str()),
                    message.headers.as_ref(),
                    &message.payload,
                )?;
                *taken += 1;
                self.sequence = sequence;
                if pending == 0 || sequence >= last {
                    break;
                }
            }
        }
        self.sequence = self.sequence.max(last);
        self.keep()
    }

    /// The ledgers, by node.
    pub fn ledgers(&self) -> Vec<(String, PathBuf)> {
        let mut nodes: Vec<&String> = self.chains.keys().map(|it| &it.0).collect();
        nodes.dedup();
        nodes.into_iter().map(|it| (it.clone(), self.dir.join(it))).collect()
    }

    /// How many records of each node the stream has.
    pub fn records(&self) -> BTreeMap<String, u64> {
        let mut records = BTreeMap::new();
        for ((node, _), copy) in &self.chains {
            *records.entry(node.clone()).or_insert(0) += copy.next;
        }
        for gap in &self.gaps {
            if let Some(records) = records.get_mut(&gap.node) {
                *records -= (gap.missing.last - gap.missing.first + 1).min(*records);
            }
        }
        records
    }

    /// What no node of ours sent.
    pub fn findings(&self) -> &[StreamFinding] {
        &self.findings
    }

    /// What nodes could not send.
    pub fn gaps(&self) -> &[StreamGap] {
        &self.gaps
    }

    /// Takes one message.
    fn take(
        &mut self,
        names: &Names,
        (sequence, subject): (u64, &str),
        headers: Option<&async_nats::HeaderMap>,
        body: &[u8],
    ) -> Result<(), FleetError> {
        let Some((node, chain)) = names.place(subject) else {
            self.find((sequence, subject, ""), None, "its subject names no node and chain");
            return Ok(());
        };
        let span = match message::span(subject, headers) {
            Ok(span) => span,
            Err(error) => {
                self.find((sequence, node, chain), None, &error.to_string());
                return Ok(());
            }
        };
        let mut reached = None;
        for line in body.split(|it| *it == b'\n').filter(|it| !it.is_empty()) {
            if let Some(missing) = message::missing(line) {
                let copy = self.copy(node, chain);
                let is_next = missing.first == copy.next && missing.last >= missing.first;
                (copy.next, copy.head) = (missing.last.saturating_add(1), missing.head);
                reached = Some((missing.last, missing.head));
                if !is_next {
                    let seq = Some(missing.first);
                    self.find((sequence, node, chain), seq, "it does not follow the one before");
                }
                let (node, chain) = (node.to_owned(), chain.to_owned());
                self.gaps.push(StreamGap { node, chain, missing });
                continue;
            }
            match read_line(line, Path::new(subject)) {
                Ok(head) => {
                    let copy = self.copy(node, chain);
                    let follows = head.seq == copy.next && head.prev == copy.head;
                    (copy.next, copy.head) = (head.seq + 1, head.hash);
                    reached = Some((head.seq, head.hash));
                    if !follows {
                        let why = "the record does not follow the one before";
                        self.find((sequence, node, chain), Some(head.seq), why);
                    }
                    self.write((node, chain), line, head.segment)?;
                }
                Err(error) => {
                    self.find((sequence, node, chain), None, &error.to_string());
                    self.write((node, chain), line, None)?;
                }
            }
        }
        if reached != Some((span.last, span.head)) {
            let why = "its headers do not tell what is in it";
            self.find((sequence, node, chain), Some(span.last), why);
        }
        Ok(())
    }

    fn copy(&mut self, node: &str, chain: &str) -> &mut ChainCopy {
        self.chains.entry((node.to_owned(), chain.to_owned())).or_insert_with(|| ChainCopy {
            next: 0,
            head: Hash::start(),
            segment: 1,
            bytes: 0,
            file: None,
        })
    }

    fn find(&mut self, (sequence, node, chain): (u64, &str, &str), seq: Option<u64>, why: &str) {
        let (node, chain) = (node.to_owned(), chain.to_owned());
        self.findings.push(StreamFinding { sequence, node, chain, seq, why: why.to_owned() });
    }

    /// Adds a line to a chain; one that begins a segment begins a file.
    fn write(
        &mut self,
        (node, chain): (&str, &str),
        line: &[u8],
        segment: Option<u32>,
    ) -> Result<(), FleetError> {
        let dir = self.dir.join(node).join(chain);
        let copy = self.copy(node, chain);
        if let Some(segment) = segment.filter(|it| *it != copy.segment) {
            (copy.segment, copy.bytes, copy.file) = (segment, 0, None);
        }
        let path = dir.join(format!("{:08}.jsonl", copy.segment));
        let mut file = match copy.file.take() {
            Some(file) => file,
            None => {
                make(&dir)?;
                let mut options = OpenOptions::new();
                let file = options.append(true).create(true).mode(0o600).open(&path);
                file.map_err(FleetError::file(&path))?
            }
        };
        let whole = [line, b"\n"].concat();
        file.write_all(&whole).map_err(FleetError::file(&path))?;
        copy.bytes += whole.len() as u64;
        copy.file = Some(file);
        Ok(())
    }

    /// Keeps how far it is. Files are closed, since there may be many.
    fn keep(&mut self) -> Result<(), FleetError> {
        for copy in self.chains.values_mut() {
            copy.file = None;
        }
        state::write(self)
    }

    /// Whether the files are as long as the state says; longer ones are cut.
    fn is_whole(&self) -> Result<bool, FleetError> {
        for ((node, chain), copy) in &self.chains {
            if copy.bytes == 0 {
                continue;
            }
            let dir = self.dir.join(node).join(chain);
            let path = dir.join(format!("{:08}.jsonl", copy.segment));
            let Ok(file) = OpenOptions::new().write(true).open(&path) else { return Ok(false) };
            let length = file.metadata().map_err(FleetError::file(&path))?.len();
            if length < copy.bytes {
                return Ok(false);
            }
            if length > copy.bytes {
                file.set_len(copy.bytes).map_err(FleetError::file(&path))?;
            }
            let later = dir.join(format!("{:08}.jsonl", copy.segment + 1));
            if later.exists() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Forgets everything.
    fn clear(&mut self) -> Result<(), FleetError> {
        for (_, ledger) in self.ledgers() {
            fs::remove_dir_all(&ledger)
                .or_else(|it| if ledger.exists() { Err(it) } else { Ok(()) })
                .map_err(FleetError::file(&ledger))?;
        }
        *self = Self::empty(&self.dir);
        Ok(())
    }
}

fn make(dir: &Path) -> Result<(), FleetError> {
    let made = DirBuilder::new().mode(0o700).recursive(true).create(dir);
    made.map_err(FleetError::file(dir))
}

#[cfg(test)]
mod tests;
