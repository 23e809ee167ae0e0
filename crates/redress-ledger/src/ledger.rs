//! `Ledger`: the handle that callers hold. It may be shared; it has no runtime and no clock.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
};

use redress::fault::Receipt;

use crate::{
    arguments::ArgumentsKey,
    call_counter::{CallCounter, CallCounters},
    commit::{self, By, OnChange, OnCommit, Outside, Queue, Recording, RefusalKind, Scribe},
    disk,
    error::{Failure, LedgerError, OpenError},
    gap::{Gap, Untold},
    keys::Keys,
    record::Record,
    recover::{self, Recovery},
    retain::{self, Hold, Keep},
    sign::PublicKey,
    time::{Clock, Time},
    witness::{Witness, WitnessFile},
    writer::{Tools, Writer},
};

/// The usual length of a segment.
pub const SEGMENT_BYTES: u64 = 16 << 20;

/// How old a record is at least that is removed for the size of its ledger: seven days.
const YOUNG_MILLIS: u64 = 7 * 86_400_000;

/// Where a ledger is and how it is kept.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The directory of the ledger; made if it is not there.
    pub dir: PathBuf,
    /// The file of the signing key, outside of `dir`; made if it is not there. This process must be able to replace it.
    pub key: PathBuf,
    /// Tells the time.
    pub clock: Clock,
    /// A segment that is longer is followed by a new one.
    pub segment_bytes: u64,
    /// A segment that is older, in milliseconds, is followed by a new one.
    pub segment_millis: u64,
    /// Space on the disk that is kept set aside, so that failures of calls in flight can be recorded when it is full.
    pub reserve_bytes: u64,
    /// What all chains may take; the oldest segments are pruned. `None`: everything is kept.
    pub keep_bytes: Option<u64>,
    /// For its size a segment is only pruned if its newest record is older than so many milliseconds: a flood cannot push out new records.
    pub young_millis: u64,
    /// How old a segment may be, in milliseconds; older ones are pruned. `None`: everything is kept.
    pub keep_millis: Option<u64>,
    /// A file to which every checkpoint is also written, to be kept elsewhere.
    pub witness: Option<PathBuf>,
    /// Whether the arguments of failed calls are recorded, without their secrets.
    pub arguments: bool,
    /// What an earlier ledger of this process could not record.
    pub gap: Option<Gap>,
    /// Who hears when new calls are refused, and when they are taken again.
    pub on_change: Option<OnChange>,
    /// Who hears how much of the chain is durable.
    pub on_commit: Option<OnCommit>,
    /// What is not pruned yet, since a copy elsewhere lacks it.
    pub hold: Option<Hold>,
}

impl Options {
    /// A ledger with the usual sizes.
    pub fn new(dir: impl Into<PathBuf>, key: impl Into<PathBuf>, clock: Clock) -> Self {
        Self {
            dir: dir.into(),
            key: key.into(),
            clock,
            segment_bytes: SEGMENT_BYTES,
            segment_millis: 24 * 3_600_000,
            reserve_bytes: 4 << 20,
            keep_bytes: None,
            young_millis: YOUNG_MILLIS,
            keep_millis: None,
            witness: None,
            arguments: false,
            gap: None,
            on_change: None,
            on_commit: None,
            hold: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("dir", &self.dir)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// An open ledger: one chain, written by one thread at a time.
pub struct Ledger {
    queue: Arc<Queue>,
    committer: Mutex<Option<Committer>>,
    chain: String,
    public_key: PublicKey,
    arguments_key: ArgumentsKey,
    keeps_arguments: bool,
    calls: CallCounters,
    recovered: Vec<Recovery>,
}

/// Who commits what no caller commits.
enum Committer {
    Thread(JoinHandle<Result<(), LedgerError>>),
    /// The caller of [`Ledger::take_turn`].
    Caller,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("chain", &self.chain).finish_non_exhaustive()
    }
}

impl Ledger {
    /// Finishes the chains of processes that are gone, then begins one for this process.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let dir = options.dir.clone();
        let mut ledger = Self::open_without_thread(options)?;
        let shared = Arc::clone(&ledger.queue);
        let committer = thread::Builder::new()
            .name("redress-ledger".to_owned())
            .spawn(move || commit::run(&shared))
            .map_err(|error| Failure::new("start the committer of", &dir, error))?;
        ledger.committer = Mutex::new(Some(Committer::Thread(committer)));
        Ok(ledger)
    }

    /// The same without a thread: what no caller commits waits for [`Self::take_turn`]. For simulations that are repeated.
    pub fn open_without_thread(options: Options) -> Result<Self, OpenError> {
        let dir = prepare(&options.dir)?;
        refuse_key_beside_ledger(&options.key, &dir)?;
        let keys = Keys::new(&options.key);
        let public_key = keys.check(&dir)?;
        let arguments_key = ArgumentsKey::open(&options.key)?;
        let keeps_arguments = options.arguments;
        let tools = Tools {
            witness: Witness::new(&options.key, &dir),
            keys,
            ledger: dir.clone(),
            witness_file: options.witness.as_deref().map(WitnessFile::open).transpose()?,
            segment_bytes: options.segment_bytes,
            segment_millis: options.segment_millis,
            reserve_bytes: options.reserve_bytes,
        };
        let now = (options.clock)();
        let recovered = recover::recover_all(&dir, &tools, now)
            .map_err(|error| Failure::new("read", &dir, error))?;
        let mut first: Vec<Record> = recovered.iter().filter_map(Recovery::record).collect();
        let untold = Untold::new(&options.key, &dir);
        let left_behind = untold.left_behind();
        first.extend(left_behind.iter().map(|it| it.1.record()));
        first.extend(options.gap.map(|it| it.record()));
        let mut writer = Writer::begin(tools, now, &first)?;
        for (chain, _) in &left_behind {
            untold.forget(chain);
        }
        let chain = writer.name.clone();
        let keep = Keep {
            bytes: options.keep_bytes,
            young: options.young_millis,
            millis: options.keep_millis,
            hold: options.hold,
        };
        retain::prune(&keep, public_key, &mut writer, now)?;
        let prune = move |writer: &mut Writer, now| retain::prune(&keep, public_key, writer, now);
        let after_rotation = |writer: &mut Writer, now| {
            writer.next_epoch(now);
            Ok(())
        };
        if let Some(hear) = &options.on_commit {
            hear(writer.next_seq());
        }
        let scribe =
            Scribe { writer, after_rotation: Box::new(after_rotation), prune: Box::new(prune) };
        let (clock, on_change, on_commit) = (options.clock, options.on_change, options.on_commit);
        let outside = Outside { clock, on_change, on_commit, untold, chain: chain.clone() };
        let queue = Arc::new(Queue::new(outside, scribe));
        let committer = Mutex::new(Some(Committer::Caller));
        let calls = CallCounters::default();
        Ok(Self {
            queue,
            committer,
            chain,
            public_key,
            arguments_key,
            keeps_arguments,
            calls,
            recovered,
        })
    }

    /// Whether a new call may begin. Who refuses one answers with the constant fault that has no record, and counts it with
    /// [`Self::miss`].
    pub fn admit(&self) -> Result<(), LedgerError> {
        self.queue.admit()
    }

    /// Counts a failure that was answered without a record: a gap record reports it as soon as there can be one.
    pub fn miss(&self) {
        self.queue.miss();
    }

    /// Queues a record. `on_durable` is called once, when the record is durable or will never be; it should only pass the
    /// result on, since it may run on the committer's thread. Never waits.
    pub fn append(
        &self,
        record: Record,
        on_durable: impl FnOnce(Result<Receipt, LedgerError>) + Send + 'static,
    ) {
        self.queue.push(record, Box::new(|result, _| on_durable(result)));
    }

    /// Queues a record without a waiting caller: `write` is called a moment later, when it becomes durable with others. Never waits.
    pub fn append_later(&self, write: impl FnOnce() -> Record + Send + 'static) {
        self.queue.push_later(Box::new(write));
    }

    /// Whether a refusal of a kind gets a record of its own. If not, [`Self::count`] counts it.
    pub fn may_record(&self, kind: &RefusalKind) -> Option<Recording> {
        commit::may_record(&self.queue, kind)
    }

    /// Counts a failure: a `refusals` record says how many there were, at most once a second. `then` is called once, when the client may be
    /// answered: after the record before it is durable, or will never be. Never waits.
    pub fn count(
        &self,
        kind: RefusalKind,
        then: impl FnOnce(Result<(), LedgerError>) + Send + 'static,
    ) {
        commit::count(&self.queue, kind, Box::new(then));
    }

    /// Where the calls of a server are counted. [`Self::tell_calls`] records them.
    pub fn calls_of(&self, server: &str) -> Arc<CallCounter> {
        self.calls.of(server)
    }

    /// Records the calls of the minutes that are over, one record for each; to be called every minute. Never waits. What cannot be
    /// recorded now is recorded later.
    pub fn tell_calls(&self) {
        self.tell_calls_until(Some(self.queue.now()));
    }

    fn tell_calls_until(&self, now: Option<Time>) {
        if self.admit().is_ok() {
            for record in self.calls.take(now).flat_map(|it| it.records().collect::<Vec<_>>()) {
                self.append_later(move || record);
            }
        }
    }

    /// Queues a record that the caller makes durable itself: [`Self::commit`] must follow. Never waits.
    pub fn enqueue(
        &self,
        record: Record,
        on_durable: impl FnOnce(Result<Receipt, LedgerError>, By) + Send + 'static,
    ) {
        self.queue.push_silently(record, Box::new(on_durable));
    }

    /// Makes the queued records durable on this thread, of all threads: a record need not wait until another thread wakes up. Gives `false`
    /// at once if nothing is queued, or if another thread is committing, which then takes what is queued, too. Call it until it gives
    /// `false`, since other threads may have left theirs to this one. Blocks for as long as the disk takes, and at most as long again, two
    /// milliseconds at most, for callers that were answered a moment ago and may be back with their next record.
    pub fn commit(&self) -> bool {
        self.queue.commit()
    }

    /// Does what the thread of a ledger does that has one: commits what no caller commits, and records counts. Gives whether there was
    /// anything to do.
    pub fn take_turn(&self) -> bool {
        commit::take_turn(&self.queue)
    }

    /// Appends a record and waits until it is durable; also waits for a place in the queue.
    pub fn append_wait(&self, record: Record) -> Result<Receipt, LedgerError> {
        let (told, hear) = mpsc::sync_channel(1);
        let tell = move |result, _| drop(told.send(result));
        self.queue.push_when_free(record, Box::new(tell));
        hear.recv().unwrap_or(Err(LedgerError::Closed))
    }

    /// Prunes what is over the limits soon, and not only when a segment ends.
    pub fn prune_soon(&self) {
        self.queue.expect_pruning();
    }

    /// What could not be recorded and is in no gap record yet.
    pub fn gap(&self) -> Option<Gap> {
        self.queue.gap()
    }

    /// The name of this process's chain.
    pub fn chain(&self) -> &str {
        &self.chain
    }

    /// The first public key of this installation, which certifies those that sign its chains.
    pub const fn public_key(&self) -> PublicKey {
        self.public_key
    }

    /// The first 128 bits of an HMAC of the arguments of a call under a key of this installation, in 32 hex digits.
    pub fn digest_of_arguments(&self, canonical: &str) -> String {
        self.arguments_key.digest(canonical)
    }

    /// Whether the arguments of failed calls are recorded, without their secrets.
    pub const fn keeps_arguments(&self) -> bool {
        self.keeps_arguments
    }

    /// What was done about the chains of processes that were gone.
    pub fn recovered(&self) -> &[Recovery] {
        &self.recovered
    }

    /// Makes everything durable that waits, signs it, and closes the chain. Later appends are refused.
    pub fn close(&self) -> Result<(), LedgerError> {
        self.tell_calls_until(None);
        commit::tell_counts(&self.queue);
        self.queue.stop();
        let committer = self.committer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let result = match committer {
            None => return Ok(()),
            Some(Committer::Thread(thread)) => thread.join().unwrap_or(Err(LedgerError::Closed)),
            Some(Committer::Caller) => commit::run(&self.queue),
        };
        self.queue.note_gap();
        result
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // Who wants to know whether it went well calls `close`.
        drop(self.close());
    }
}

/// Makes the directory and gives its one true path.
fn prepare(dir: &Path) -> Result<PathBuf, OpenError> {
    let made = disk::create_private_dirs(dir);
    made.and_then(|()| disk::canonicalize(dir))
        .map_err(|error| Failure::new("create", dir, error).into())
}

/// A process that can write the ledger must not thereby be able to sign it.
fn refuse_key_beside_ledger(key: &Path, ledger: &Path) -> Result<(), OpenError> {
    let place = key.ancestors().skip(1).find_map(|it| disk::canonicalize(it).ok());
    if place.is_some_and(|it| it.starts_with(ledger)) {
        let why = "lies in the directory of the ledger: it must lie elsewhere";
        return Err(OpenError::Key { path: key.to_owned(), why });
    }
    Ok(())
}
