//! What must hold of a ledger after a crash: it opens, verifies, and has every record that was acknowledged.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use redress::fault::Receipt;
use redress_ledger::{
    Clock, Evidence, Ledger, OpenError, Options, PublicKey, Reader, Recovery, Time, verify,
    with_disk,
};

use crate::{
    books::{Checked, violated},
    chance::Chance,
    disk::{Cut, SimulatedDisk},
};

/// The ledger, and its key.
pub(crate) const LEDGER: &str = "/state/ledger";
const KEY: &str = "/config/ledger.key";

/// The wall clock of a world, in milliseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wall(Arc<AtomicU64>);

impl Wall {
    pub(crate) fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::Relaxed))
    }

    fn clock(&self) -> Clock {
        let wall = self.clone();
        Arc::new(move || wall.now())
    }
}

/// How the ledger of a world is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keeping {
    pub(crate) segment_bytes: u64,
    pub(crate) reserve_bytes: u64,
}

/// Opens the ledger on the disk of this thread.
pub(crate) fn open(wall: &Wall, keeping: Keeping) -> Result<Ledger, OpenError> {
    let mut options = Options::new(LEDGER, KEY, wall.clock());
    options.segment_bytes = keeping.segment_bytes;
    options.reserve_bytes = keeping.reserve_bytes;
    Ledger::open_without_thread(options)
}

/// The records that clients were told of, by chain and number, with the start of their hashes.
#[derive(Debug, Default, Clone)]
pub(crate) struct Acknowledged(BTreeMap<(String, u64), String>);

impl Acknowledged {
    pub(crate) fn add(&mut self, chain: &str, receipts: Vec<Receipt>) {
        self.0.extend(receipts.into_iter().map(|it| ((chain.to_owned(), it.seq), it.hash)));
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether each of them is in the ledger.
    fn are_there(&self) -> Checked {
        let reader = Reader::open(Path::new(LEDGER))
            .map_err(|it| violated(format!("the ledger cannot be read: {it}")))?;
        let mut left = self.0.clone();
        for entry in reader {
            let entry = entry.map_err(|it| violated(format!("a record cannot be read: {it}")))?;
            let place = (entry.chain.to_string(), entry.seq);
            if let Some(hash) = left.remove(&place)
                && !entry.hash.to_string().starts_with(&hash)
            {
                return Err(violated(format!("{place:?} was acknowledged as another record")));
            }
        }
        match left.first_key_value() {
            None => Ok(()),
            Some(place) => Err(violated(format!("an acknowledged record is lost: {place:?}"))),
        }
    }
}

/// Whether the ledger on the disk of this thread verifies.
pub(crate) fn check_sound(key: PublicKey) -> Checked {
    let evidence =
        Evidence { keys: vec![key], key_file: Some(PathBuf::from(KEY)), ..Evidence::default() };
    let report = verify(Path::new(LEDGER), &evidence)
        .map_err(|it| violated(format!("the ledger cannot be verified: {it}")))?;
    if report.is_sound() {
        return Ok(());
    }
    let what = (report.first_problem(), &report.missing);
    Err(violated(format!("the ledger does not verify: {what:?}")))
}

/// What was recovered must be no sign of tampering.
pub(crate) fn check_recovered(recovered: &[Recovery]) -> Checked {
    match recovered.iter().find(|it| !matches!(it, Recovery::Repaired { .. })) {
        None => Ok(()),
        Some(other) => Err(violated(format!("after a crash, {other}"))),
    }
}

/// Plays one of the many ways in which a power cut can leave the disk: opens the ledger, also once more after a cut in the middle of that,
/// and checks what must hold. Gives how many cuts there were.
pub(crate) fn check_cut(
    disk: &SimulatedDisk,
    seed: u64,
    (wall, keeping): (&Wall, Keeping),
    acknowledged: &Acknowledged,
) -> Result<u64, crate::books::Violation> {
    let mut chance = Chance::new(seed);
    let mut image = Arc::new(disk.after_power_cut(chance.next()));
    let mut cuts = 1;
    image.enter(40_000);
    while cuts < 4 && chance.once_in(2) {
        image.cut_after(1 + chance.below(60), Cut::Power);
        // What it says does not count: its power goes off, or it is closed at once.
        with_disk(Arc::clone(&image) as _, || drop(open(wall, keeping)));
        image = Arc::new(image.after_power_cut(chance.next()));
        cuts += 1;
        image.enter(40_000 + u32::try_from(cuts).unwrap_or_default());
    }
    with_disk(Arc::clone(&image) as _, || check_opens(wall, keeping, acknowledged))?;
    Ok(cuts)
}

/// Opens the ledger on the disk of this thread, and checks what must hold.
fn check_opens(wall: &Wall, keeping: Keeping, acknowledged: &Acknowledged) -> Checked {
    let ledger = open(wall, keeping)
        .map_err(|it| violated(format!("the ledger does not open after a power cut: {it}")))?;
    check_recovered(ledger.recovered())?;
    acknowledged.are_there()?;
    let key = ledger.public_key();
    ledger.close().map_err(|it| violated(format!("the ledger does not close: {it}")))?;
    check_sound(key)
}

/// Checks the ledger on the disk of this thread as it is.
pub(crate) fn check_now(acknowledged: &Acknowledged) -> Checked {
    acknowledged.are_there()
}
