//! How many records a second become durable, beside a bare loop of write and sync that groups what waits, on the same disk.
//!
//! `cargo run --release -p redress-ledger --example ledger_bench [DIRECTORY]`
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops when something fails"
)]

use std::{
    env,
    fs::{File, OpenOptions},
    io::Write as _,
    path::Path,
    sync::{Arc, Condvar, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use redress::codes;
use redress_ledger::{Ledger, Options, Record, Redactor, Time};

const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(700);

/// About what a fault takes in the ledger.
const LINE: usize = 900;

fn main() {
    let place = env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let dir = tempfile::tempdir_in(place).unwrap();
    println!("records of about {LINE} bytes; medians of {ROUNDS} interleaved rounds");
    println!(
        "{:>8} {:>12} {:>12} {:>7} {:>12} {:>12}",
        "callers", "bare/s", "ledger/s", "ratio", "bare p50", "ledger p50"
    );
    for callers in [1, 4, 16, 64, 256] {
        let mut bare = Vec::new();
        let mut ours = Vec::new();
        for round in 0..ROUNDS {
            bare.push(run_bare(&dir.path().join(format!("bare-{callers}-{round}")), callers));
            ours.push(run_ledger(dir.path(), callers));
        }
        let (bare, ours) = (median(bare), median(ours));
        println!(
            "{callers:>8} {:>12.0} {:>12.0} {:>7.2} {:>9.0} µs {:>9.0} µs",
            bare.rate,
            ours.rate,
            ours.rate / bare.rate,
            bare.p50,
            ours.p50
        );
    }
}

/// What one round gave.
#[derive(Clone, Copy)]
struct Measure {
    rate: f64,
    p50: f64,
}

fn median(mut rounds: Vec<Measure>) -> Measure {
    let mut middle = |key: fn(&Measure) -> f64| {
        rounds.sort_by(|a, b| key(a).total_cmp(&key(b)));
        key(&rounds[rounds.len() / 2])
    };
    Measure { rate: middle(|it| it.rate), p50: middle(|it| it.p50) }
}

fn run_ledger(dir: &Path, callers: usize) -> Measure {
    let start = Instant::now();
    let clock = Arc::new(move || {
        Time::from_millis(1_768_836_730_000 + u64::try_from(start.elapsed().as_millis()).unwrap())
    });
    let options = Options::new(dir.join("ledger"), dir.join("key/ledger.key"), clock);
    let ledger = Arc::new(Ledger::open(options).unwrap());
    let mut fault = codes::FILE_NOT_FOUND.raise([("path", "src/mian.rs")]);
    fault.server_text = Some("ENOENT: no such file or directory, open 'src/mian.rs'".to_owned());
    let record = Record::fault(&fault, &Redactor::default());
    let shared = Arc::clone(&ledger);
    let measure = measure(callers, move || {
        shared.append_wait(record.clone()).unwrap();
    });
    ledger.close().unwrap();
    measure
}

/// The same work without a ledger: one thread writes and syncs whatever waits.
fn run_bare(path: &Path, callers: usize) -> Measure {
    let bare = Arc::new(Bare::default());
    let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    let writer = thread::spawn({
        let bare = Arc::clone(&bare);
        move || bare.write(&file)
    });
    let shared = Arc::clone(&bare);
    let measure = measure(callers, move || shared.append(vec![b'x'; LINE]));
    bare.queue.lock().unwrap().stopping = true;
    bare.work.notify_one();
    writer.join().unwrap();
    measure
}

#[derive(Default)]
struct Bare {
    queue: Mutex<Queue>,
    work: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<(Vec<u8>, mpsc::SyncSender<()>)>,
    stopping: bool,
}

impl Bare {
    fn append(&self, line: Vec<u8>) {
        let (told, hear) = mpsc::sync_channel(1);
        self.queue.lock().unwrap().waiting.push((line, told));
        self.work.notify_one();
        hear.recv().unwrap();
    }

    fn write(&self, mut file: &File) {
        loop {
            let mut queue = self.queue.lock().unwrap();
            while queue.waiting.is_empty() && !queue.stopping {
                queue = self.work.wait(queue).unwrap();
            }
            if queue.waiting.is_empty() {
                return;
            }
            let batch = std::mem::take(&mut queue.waiting);
            drop(queue);
            let bytes: Vec<u8> = batch.iter().flat_map(|it| it.0.iter().copied()).collect();
            file.write_all(&bytes).unwrap();
            file.sync_data().unwrap();
            for (_, told) in batch {
                told.send(()).unwrap();
            }
        }
    }
}

/// Calls `work` from so many threads for one round.
fn measure(callers: usize, work: impl Fn() + Send + Clone + 'static) -> Measure {
    let start = Instant::now();
    let threads: Vec<_> = (0..callers)
        .map(|_| {
            let work = work.clone();
            thread::spawn(move || {
                let mut times = Vec::new();
                while start.elapsed() < ROUND {
                    let before = Instant::now();
                    work();
                    times.push(before.elapsed());
                }
                times
            })
        })
        .collect();
    let mut times: Vec<_> = threads.into_iter().flat_map(|it| it.join().unwrap()).collect();
    let elapsed = start.elapsed().as_secs_f64();
    times.sort_unstable();
    let p50 = times[times.len() / 2].as_secs_f64() * 1e6;
    #[expect(clippy::cast_precision_loss, reason = "a count of calls is small")]
    let rate = times.len() as f64 / elapsed;
    Measure { rate, p50 }
}
