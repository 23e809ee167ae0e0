//! What this disk gives: lines of the size of a record, written and synced, by one thread that groups or by itself.

use std::{
    fs::{File, OpenOptions},
    io::Write as _,
    path::Path,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{FallocateFlags, fallocate};

use crate::{fallible::Fallible, load::Tally};

/// About what a fault takes in the ledger.
const LINE: usize = 900;

/// Each line by itself, one after the other.
pub(super) fn one_by_one(path: &Path, time: Duration) -> Fallible<Tally> {
    let mut file = open(path)?;
    let mut tally = Tally::default();
    let start = Instant::now();
    while start.elapsed() < time {
        let before = Instant::now();
        file.write_all(&[b'x'; LINE])?;
        file.sync_data()?;
        tally.count(before.elapsed(), true, b"");
    }
    tally.seconds = start.elapsed().as_secs_f64();
    Ok(tally)
}

/// So many callers, who each wait until their line is synced; waiting lines share one sync.
pub(super) fn grouped(path: &Path, callers: usize, time: Duration) -> Fallible<Tally> {
    let file = open(path)?;
    let (lines, waiting) = sync_channel(callers);
    let writer = thread::spawn(move || write(file, &waiting));
    let tally = Arc::new(Mutex::new(Tally::default()));
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..callers {
            scope.spawn(|| {
                let (sender, synced) = sync_channel(1);
                while start.elapsed() < time {
                    let before = Instant::now();
                    if lines.send(sender.clone()).is_err() || synced.recv().is_err() {
                        return;
                    }
                    if let Ok(mut tally) = tally.lock() {
                        tally.count(before.elapsed(), true, b"");
                    }
                }
            });
        }
    });
    drop(lines);
    writer.join().map_err(|it| format!("the writer: {it:?}"))??;
    let mut tally = std::mem::take(&mut *tally.lock().map_err(|it| it.to_string())?);
    tally.seconds = start.elapsed().as_secs_f64();
    Ok(tally)
}

fn write(mut file: File, waiting: &Receiver<SyncSender<()>>) -> Fallible<()> {
    let mut bytes = Vec::new();
    while let Ok(first) = waiting.recv() {
        let batch: Vec<_> = [first].into_iter().chain(waiting.try_iter()).collect();
        bytes.resize(batch.len() * LINE, b'x');
        file.write_all(&bytes)?;
        file.sync_data()?;
        for caller in batch {
            caller.send(()).unwrap_or_default();
        }
    }
    Ok(())
}

/// A file with space set aside, as the ledger has it: without, each sync would also wait for the disk's own books.
fn open(path: &Path) -> Fallible<File> {
    const SPACE: u64 = 8 << 20;
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    fallocate(&file, FallocateFlags::KEEP_SIZE, 0, SPACE)?;
    file.sync_all()?;
    Ok(file)
}
