//! The fuzz targets of the ledger: its readers, its recovery, its redactor.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use redress_ledger::{
    Evidence, Follow, Format, Ledger, Options, Query, ReadError, Reader, Redactor, Stats, Time,
    export, tail, verify,
};
use redress_wire::json::RawJson;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Between two segments of a chain in one input.
const CUT: u8 = 0x0c;

/// The name that the records of the corpus carry.
const CHAIN: &str = "20260119T153210123Z-15901-875734eb0224";

/// A known secret, and one that is known by its form.
const PLANTED: [&str; 2] = ["correct-horse-battery", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"];

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(PLANTED.first()));

/// Every reader takes any segments and agrees with the others; also if every line hashes, as a forger would make it.
pub(super) fn segments(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), forged(bytes)] {
        if let Err(error) = Place::new(&bytes, false).and_then(|it| read(&it.ledger)) {
            no_space(&error);
        }
    }
}

/// A chain whose process is gone is finished or put aside; no record of it is lost.
pub(super) fn recover(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), forged(bytes)] {
        if let Err(error) = Place::new(&bytes, true).and_then(|it| reopen(&it)) {
            no_space(&error);
        }
    }
}

/// What was redacted stays as it is when it is redacted again, and no planted secret is left in it.
pub(super) fn redact(bytes: &[u8]) {
    let redactor = &*REDACTOR;
    let text = String::from_utf8_lossy(bytes);
    assert_stable(redactor, &text);
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |it| it.0);
    let (before, after) = text.split_at_checked(middle).unwrap_or_default();
    for secret in PLANTED {
        let planted = format!("{before} {secret} {after}");
        assert_stable(redactor, &planted);
        assert!(!redactor.text(&planted).contains(secret), "a secret is left");
        assert!(!redactor.start(planted.as_bytes(), 1 << 10).contains(secret), "a secret is left");
        if let Ok(json) = RawJson::parse(planted.as_bytes()) {
            assert!(!redactor.json(&json).as_str().contains(secret), "a secret is left");
        }
    }
}

fn assert_stable(redactor: &Redactor, text: &str) {
    let once = redactor.text(text);
    assert!(redactor.text(&once) == once, "redacting again changes a text");
    if let Ok(json) = RawJson::parse(text.as_bytes()) {
        let once = redactor.json(&json);
        assert!(redactor.json(&once) == once, "redacting again changes a document");
    }
}

/// A ledger with one chain, and a key beside it.
struct Place {
    root: TempDir,
    ledger: PathBuf,
}

impl Place {
    fn new(bytes: &[u8], is_locked: bool) -> io::Result<Self> {
        // In memory where there is such a place: syncs would take most of the time.
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }?;
        let ledger = root.path().join("ledger");
        let chain = ledger.join(CHAIN);
        fs::create_dir_all(&chain)?;
        for (at, segment) in bytes.split(|it| *it == CUT).take(8).enumerate() {
            fs::write(chain.join(format!("{:08}.jsonl", at + 1)), segment)?;
        }
        if is_locked {
            fs::write(chain.join("lock"), "")?;
        }
        Ok(Self { root, ledger })
    }
}

fn read(ledger: &Path) -> io::Result<()> {
    let open = || Reader::open(ledger).map_err(|it| io::Error::other(it.to_string()));
    let (sound, bad): (Vec<_>, Vec<_>) = open()?.partition(Result::is_ok);
    let mut errors = 0;
    let newest = tail(&[ledger], usize::MAX, &Query::default(), &mut |_| errors += 1);
    // Behind a format that is not known, the one that reads from the start sees less.
    let is_foreign = bad.iter().any(|it| matches!(it, Err(ReadError::Format { .. })));
    let is_same = newest.len() == sound.len() && errors == bad.len();
    assert!(is_foreign || is_same, "tail and reader differ");
    let stats = Stats::of(open()?);
    assert!(stats.records == sound.len() as u64, "stats and reader differ");
    for format in [Format::JsonLines, Format::Csv] {
        let damaged = export(open()?, format, &mut io::sink())?;
        assert!(damaged == bad.len() as u64, "export and reader differ");
    }
    let report = verify(ledger, &Evidence::default())?;
    if report.is_sound() {
        assert!(bad.is_empty(), "sound, but not readable");
        let followed = Follow::default().poll(&[ledger]);
        assert!(followed.len() == sound.len(), "follow and reader differ");
    }
    Ok(())
}

fn reopen(place: &Place) -> io::Result<()> {
    let records = || -> io::Result<BTreeSet<String>> {
        let reader = Reader::open(&place.ledger).map_err(|it| io::Error::other(it.to_string()))?;
        Ok(reader.flatten().map(|it| it.text).collect())
    };
    let before = records()?;
    let clock = Arc::new(|| Time::from_millis(1_800_000_000_000));
    let mut options = Options::new(&place.ledger, place.root.path().join("key"), clock);
    options.reserve_bytes = 4096;
    let ledger = Ledger::open(options).map_err(|it| io::Error::other(it.to_string()))?;
    ledger.close().map_err(|it| io::Error::other(it.to_string()))?;
    let after = records()?;
    assert!(before.is_subset(&after), "recovery lost a record");
    read(&place.ledger)
}

/// The same lines with the hashes that they should have.
fn forged(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|it| matches!(*it, b'\n' | CUT)) {
        const MARK: &[u8] = b",\"hash\":\"";
        let Some(at) = line.windows(MARK.len()).rposition(|it| it == MARK) else {
            out.extend_from_slice(line);
            continue;
        };
        let (body, rest) = line.split_at(at);
        out.extend_from_slice(body);
        out.extend_from_slice(MARK);
        for byte in Sha256::digest(body) {
            out.extend_from_slice(format!("{byte:02x}").as_bytes());
        }
        out.extend_from_slice(rest.get(MARK.len() + 64..).unwrap_or(b"\"}\n"));
    }
    out
}

/// The machine may have no room; anything else is a finding.
fn no_space(error: &io::Error) {
    assert!(error.kind() == io::ErrorKind::StorageFull, "{error}");
}
