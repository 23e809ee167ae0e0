//! `Fleet`: the part of a gate that talks to the engine, on a thread of its own, so that no call waits for it.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::{runtime::Builder, sync::Notify, time};

use crate::{
    engine::{Connection, Engine},
    error::FleetError,
    names::Names,
    nodes,
    progress::{Progress, State},
    shipper::{Shipper, Source},
};

/// How long is waited after a failure, at first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));

/// Tells the operator something.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// What a node needs to know of its fleet.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the engine is.
    pub engine: Engine,
    /// The names on it.
    pub names: Names,
    /// Whether a stream will do that can lose what it has acknowledged.
    pub accept_weak: bool,
}

/// The part of a gate that talks to the engine.
pub struct Fleet {
    control: Arc<Control>,
    thread: Option<JoinHandle<()>>,
    /// Hears when the thread has nothing left to do.
    ended: mpsc::Receiver<()>,
    progress: Arc<Progress>,
}

/// What the thread is told.
#[derive(Debug, Default)]
struct Control {
    wake: Notify,
    /// Ship what is there, then end.
    is_ending: AtomicBool,
    /// End now.
    is_over: AtomicBool,
    over: Notify,
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet").finish_non_exhaustive()
    }
}

/// Wakes the thread when there is more to ship.
#[derive(Debug, Clone)]
pub struct Waker(Arc<Control>);

impl Waker {
    /// Wakes it.
    pub fn wake(&self) {
        self.0.wake.notify_one();
    }
}

/// A fleet that is not started yet: the ledger must know it before it is opened.
#[derive(Debug, Default)]
pub struct Starting {
    control: Arc<Control>,
    progress: Arc<Progress>,
}

impl Starting {
    /// How far shipping is.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// What the ledger calls after each commit, with the number of its next record.
    pub fn on_commit(&self) -> Arc<dyn Fn(u64) + Send + Sync> {
        let (control, progress) = (Arc::clone(&self.control), Arc::clone(&self.progress));
        Arc::new(move |next| {
            progress.note_durable(next);
            control.wake.notify_one();
        })
    }

    /// Starts to ship.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub fn start(self, settings: Settings, source: Source, say: Say) -> io::Result<Fleet> {
        let Self { control, progress } = self;
        if let Some(own) = &source.own {
            progress.own(own);
        }
        let (told, ended) = mpsc::channel();
        let (inside, known) = (Arc::clone(&control), Arc::clone(&progress));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("redress-fleet".to_owned()).spawn(move || {
            let work = work(&settings, &source, &known, (&inside, &*say));
            runtime.block_on(async {
                tokio::select! {
                    () = work => (),
                    () = inside.over.notified() => (),
                }
            });
            // Connections are closed before the end is told.
            drop(runtime);
            // The gate may not wait any more.
            told.send(()).unwrap_or_default();
        })?;
        Ok(Fleet { control, thread: Some(thread), ended, progress })
    }
}

impl Fleet {
    /// How far shipping is.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Ships what is left, for as long as that takes and no longer than `limit`. Gives whether the engine has everything.
    pub fn finish(mut self, limit: Duration) -> bool {
        self.control.is_ending.store(true, Ordering::Release);
        self.control.wake.notify_one();
        let is_done = self.ended.recv_timeout(limit).is_ok();
        self.end();
        is_done
    }

    fn end(&mut self) {
        self.control.is_over.store(true, Ordering::Release);
        self.control.over.notify_one();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.end();
    }
}

/// Connects and ships, again and again, until it is told to end.
async fn work(
    settings: &Settings,
    source: &Source,
    progress: &Progress,
    (control, say): (&Control, &(dyn Fn(&str) + Send + Sync)),
) {
    let mut pause = PAUSES.0;
    let is_ending = || control.is_ending.load(Ordering::Acquire);
    loop {
        let error = match ship(settings, source, progress, (control, say)).await {
            Ok(()) => return,
            Err(error) => error,
        };
        let state = State::Waiting(error.to_string());
        if matches!(progress.snapshot().state, State::Connected) {
            pause = PAUSES.0;
        }
        if progress.set(state) {
            say(&format!("fleet: {error}"));
        }
        if is_ending() && error.is_lasting() {
            return;
        }
        // What comes meanwhile waits in the ledger.
        time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
    }
}

async fn ship(
    settings: &Settings,
    source: &Source,
    progress: &Progress,
    (control, say): (&Control, &(dyn Fn(&str) + Send + Sync)),
) -> Result<(), FleetError> {
    let connection = connect(settings, &source.node).await?;
    let stream = connection.sound_stream(settings.accept_weak).await?;
    if matches!(progress.snapshot().state, State::Waiting(_)) {
        say("fleet: the engine takes records again");
    }
    let mut shipper = Shipper::new(source, (&connection, stream), progress, &control.wake);
    let is_ending = || control.is_ending.load(Ordering::Acquire);
    let shipped = shipper.run(is_ending, |it| say(&format!("fleet: {it}")));
    tokio::select! {
        shipped = shipped => shipped?,
        () = nodes::tell(&connection, (source, progress), say) => (),
    }
    nodes::tell_end(&connection, source, progress).await;
    Ok(())
}

async fn connect(settings: &Settings, node: &str) -> Result<Connection, FleetError> {
    settings.engine.connect(&format!("redress {node}"), &settings.names).await
}
