//! The signing keys of an installation: one secret on disk, that of the next epoch, which every use replaces.

use std::{
    collections::BTreeSet,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crate::{
    disk::{self, File, OpenOptions},
    epoch::{Epoch, EpochEntry, Event},
    epochs::{self, Log, Sequence},
    error::{Failure, OpenError},
    lock::Brief,
    notes,
    record::{Head, RecordLine},
    sign::{self, PublicKey, Signer},
    time::Time,
};

/// What a key file begins with, unless it is the one of an older version: 64 hex digits, the secret of epoch 0.
const FORMAT: &str = "redress-key/2";

/// How long a process waits for its turn.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How often it asks meanwhile.
const PAUSE: Duration = Duration::from_millis(2);

/// The file of the signing key, and what lies beside it.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    path: PathBuf,
}

/// What the key file holds.
struct State {
    /// The number of the epoch whose secret it is, and the hash of the `epoch` record before.
    head: Head,
    /// The key of epoch 0.
    first: PublicKey,
    signer: Arc<Signer>,
    /// The `epoch` record before, with its newline: after a crash it may not be in the log.
    last: Option<String>,
}

/// What a turn of the key gives to the one who asked for it.
pub(crate) struct Turn<T> {
    pub done: T,
    /// The retired key, which is in the memory of this process and nowhere else.
    pub signer: Arc<Signer>,
}

impl Keys {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Makes the key if there is none, says what is wrong with the one that is there, and ends a turn that a crash cut off. Gives the key of epoch 0.
    pub(crate) fn check(&self, ledger: &Path) -> Result<PublicKey, OpenError> {
        let _lock = self.lock(LONGEST_WAIT)?;
        let state = self.load()?;
        self.log(&state, ledger)?;
        Ok(state.first)
    }

    /// The log, which ends where the key goes on.
    fn log(&self, state: &State, ledger: &Path) -> Result<Log, OpenError> {
        let mut log = Log::open(&epochs::beside(&self.path), state.first)?;
        log.repair(state.last.as_deref(), &epochs::copy_in(ledger, state.first))?;
        Ok(log)
    }

    /// Does something with the key on disk, replaces that key, and tells of it in the log of epochs. Processes take turns.
    ///
    /// # Errors
    /// Those of `work`, and of the files. The key is not used then, and what `work` did does not count.
    pub(crate) fn turn<T>(
        &self,
        (ledger, now): (&Path, Time),
        wait: Duration,
        work: impl FnOnce(&Arc<Signer>) -> Result<(T, EpochEntry), OpenError>,
    ) -> Result<Turn<T>, OpenError> {
        let _lock = self.lock(wait)?;
        let state = self.load()?;
        let mut log = self.log(&state, ledger)?;
        let State { head, first, signer, .. } = state;
        let (done, entry) = work(&signer)?;
        let next = Signer::generate().map_err(|it| Failure::new("replace", &self.path, it))?;
        let line = Epoch::write(head, &signer, next.public(), &entry, now);
        self.replace(head.next + 1, first, &next, &line)
            .map_err(|it| Failure::new("replace", &self.path, it))?;
        // From here on the old secret is gone. What fails now is repaired by the next turn, from the key file.
        drop(log.append(&line));
        drop(log.copy_to(&epochs::copy_in(ledger, first)));
        Ok(Turn { done, signer })
    }

    /// The chains that the logs say began.
    pub(crate) fn chains_begun(&self) -> BTreeSet<String> {
        let begun = self.logged().filter(|it| it.event == Event::Begin);
        begun.flat_map(|it| it.chains).collect()
    }

    /// What the logs say of a chain.
    pub(crate) fn told_of(&self, chain: &str) -> Vec<EpochEntry> {
        self.logged().filter(|it| it.chains.iter().any(|it| it == chain)).collect()
    }

    fn logged(&self) -> impl Iterator<Item = EpochEntry> {
        let logs = epochs::files(&epochs::beside(&self.path)).into_iter();
        let epochs = logs.filter_map(|it| Some(Sequence::read_fast(&it).ok()?.epochs)).flatten();
        epochs.map(|it| it.entry)
    }

    /// The file of the key.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for this process's turn.
    #[expect(
        clippy::disallowed_methods,
        reason = "no event tells that a lock is free within a time, and a ledger is opened on a thread of its own"
    )]
    fn lock(&self, longest: Duration) -> Result<Brief, OpenError> {
        let path = self.path.with_extension("lock");
        let failed = |error| Failure::new("lock", &path, error);
        let folder = folder(&self.path);
        let made = disk::create_private_dirs(folder);
        made.map_err(|it| Failure::new("create", folder, it))?;
        let mut options = OpenOptions::new();
        match options.write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
            made => drop(made.map_err(failed)?),
        }
        // A pipe would have us wait for ever.
        if !disk::metadata(&path).map_err(failed)?.is_file() {
            return Err(OpenError::Key { path, why: "is no file" });
        }
        let begun = Instant::now();
        loop {
            if let Some(lock) = Brief::take(&path).map_err(failed)? {
                return Ok(lock);
            }
            if begun.elapsed() >= longest {
                let why = "is held by another process";
                return Err(OpenError::Key { path, why });
            }
            thread::sleep(PAUSE);
        }
    }

    fn load(&self) -> Result<State, OpenError> {
        let text = match sign::read_secret(&self.path) {
            Err(OpenError::Io(failure)) if failure.error.kind() == io::ErrorKind::NotFound => {
                sign::create(&self.path).map_err(|it| Failure::new("create", &self.path, it))?;
                sign::read_secret(&self.path)
            }
            other => other,
        }?;
        let state = self.parse(&text)?;
        state.first.publish(&self.path.with_extension("pub"))?;
        Ok(state)
    }

    fn parse(&self, text: &str) -> Result<State, OpenError> {
        let why = "is neither 64 hex digits nor the key of an epoch";
        State::parse(text).ok_or_else(|| OpenError::Key { path: self.path.clone(), why })
    }

    /// Puts the next secret in the place of the one before, which is overwritten.
    fn replace(&self, number: u64, first: PublicKey, next: &Signer, line: &[u8]) -> io::Result<()> {
        let old = OpenOptions::new().write(true).open(&self.path)?;
        // The lock keeps other writers out; a draft that is there was left by a crash.
        let draft = self.path.with_extension("next");
        drop(disk::remove_file(&draft));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        let mut text = format!("{FORMAT} {number} {first} {}\n", next.secret()).into_bytes();
        text.extend_from_slice(line);
        file.write_all(&text)?;
        file.sync_all()?;
        // A write that lies must not cost the sequence its next key.
        if disk::read(&draft)? != text {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not what was written"));
        }
        disk::rename(&draft, &self.path)?;
        File::open(folder(&self.path))?.sync_all()?;
        drop(erase(old));
        Ok(())
    }
}

impl State {
    fn parse(text: &str) -> Option<Self> {
        let Some(rest) = text.strip_prefix(FORMAT) else {
            let signer = Arc::new(Signer::parse(text.trim_end())?);
            return Some(Self { head: Head::START, first: signer.public(), signer, last: None });
        };
        let (words, last) = rest.split_once('\n')?;
        let mut words = words.strip_prefix(' ')?.split(' ');
        let number: u64 = words.next()?.parse().ok()?;
        let first = PublicKey::parse(words.next()?)?;
        let signer = Arc::new(Signer::parse(words.next()?)?);
        let line = RecordLine::read(last.strip_suffix('\n')?.as_bytes()).ok()?;
        let head = line.head();
        let epoch = Epoch::read(line.text.as_bytes())?;
        let is_next = head.next == number && epoch.next == signer.public();
        let last = Some(last.to_owned());
        (is_next && words.next().is_none()).then_some(Self { head, first, signer, last })
    }
}

/// The first public key beside the file of a signing key, as that file says or as the key itself does. `None` if there is neither.
pub(crate) fn first_public(key: &Path) -> io::Result<Option<PublicKey>> {
    let read = |path: &Path| match notes::read(path) {
        Err(error) if notes::is_damage(&error) => Ok(String::new()),
        other => other.map(|it| String::from_utf8(it.unwrap_or_default()).unwrap_or_default()),
    };
    match PublicKey::parse(&read(&key.with_extension("pub"))?) {
        None => Ok(first_key(&read(key)?)),
        public => Ok(public),
    }
}

/// The key of epoch 0, as the text of a key file says.
fn first_key(text: &str) -> Option<PublicKey> {
    State::parse(text).map(|it| it.first)
}

/// The `epoch` record that a key file holds, which a crash may have kept out of the log.
pub(crate) fn last_epoch(key: &Path) -> Option<Epoch> {
    let text = sign::read_secret(key).ok()?;
    Epoch::read(State::parse(&text)?.last?.trim_end().as_bytes())
}

/// Whether the signing key in a file can be used; if there is none, it can.
///
/// # Errors
/// Others can read it, it is no key, or it can not be read.
pub fn check_key(path: &Path) -> Result<(), OpenError> {
    match sign::read_secret(path) {
        Err(OpenError::Io(failure)) if failure.error.kind() == io::ErrorKind::NotFound => Ok(()),
        read => Keys::new(path).parse(&read?).map(|_state| ()),
    }
}

/// Keeps other processes of this user from reading the memory of this one, in which the key of the open epoch is: they can not trace it, and the
/// system writes no core.
///
/// # Errors
/// What the system says where it does not know that.
pub fn protect_memory() -> io::Result<()> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Whether that is the text of a key file, which only its owner may know.
pub fn is_secret_key(text: &str) -> bool {
    text.starts_with(FORMAT)
}

/// Overwrites a file that has no name any more. A medium may keep the bytes all the same; no process can read them any more.
fn erase(mut file: File) -> io::Result<()> {
    let zeros = vec![0; usize::try_from(file.metadata()?.len).unwrap_or_default()];
    file.write_all(&zeros)?;
    file.sync_data()
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

    use super::{Keys, LONGEST_WAIT, State};
    use crate::{
        epoch::{EpochEntry, Event, Position},
        error::OpenError,
        hash::Hash,
        sign::PublicKey,
        time::Time,
    };

    fn turn(keys: &Keys, ledger: &Path) -> Result<PublicKey, OpenError> {
        let position = Position { seq: 1, hash: Hash::ZERO };
        let entry = EpochEntry::of(Event::Begin, "00", "20260119T153210000Z-1-aa", position);
        Ok(keys.turn((ledger, Time::default()), LONGEST_WAIT, |_| Ok(((), entry)))?.signer.public())
    }

    #[test]
    fn every_turn_replaces_the_secret_but_not_the_first_public_key() {
        let dir = tempfile::tempdir().unwrap();
        let (path, ledger) = (dir.path().join("config/ledger.key"), dir.path().join("ledger"));
        fs::create_dir(&ledger).unwrap();
        let keys = Keys::new(&path);
        keys.check(&ledger).unwrap();
        let first = PublicKey::of_private(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut seen = vec![fs::read_to_string(&path).unwrap()];
        assert_eq!(turn(&keys, &ledger).unwrap(), first);
        for number in 1..4 {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!seen.contains(&text));
            let state = State::parse(&text).unwrap();
            assert_eq!((state.head.next, state.first), (number, first));
            seen.push(text);
            assert_eq!(turn(&keys, &ledger).unwrap(), state.signer.public());
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let public = fs::read_to_string(path.with_extension("pub")).unwrap();
        assert_eq!(PublicKey::parse(&public), Some(first));
        let log = super::epochs::beside(&path).join(format!("{}.jsonl", first.short()));
        let log = fs::read_to_string(log).unwrap();
        assert_eq!(log.lines().count(), 4);
        assert_eq!(fs::read_to_string(super::epochs::copy_in(&ledger, first)).unwrap(), log);
    }

    #[test]
    fn a_key_file_that_is_none_is_refused_with_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.key");
        let keys = Keys::new(&path);
        turn(&keys, dir.path()).unwrap();
        let good = fs::read_to_string(&path).unwrap();
        let bad = [
            "",
            "no key",
            &good[..good.len() / 2],
            &good.replacen(" 1 ", " 2 ", 1),
            &good.replacen("begin", "close", 1),
            &good.replacen("redress-key/2", "redress-key/3", 1),
        ];
        for text in bad {
            fs::write(&path, text).unwrap();
            let Err(OpenError::Key { path: named, .. }) = keys.check(dir.path()) else {
                panic!("{text}")
            };
            assert_eq!(named, path);
        }
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(matches!(keys.check(dir.path()), Err(OpenError::Key { .. })));
        fs::write(&path, &good).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(keys.check(dir.path()), Err(OpenError::Key { .. })));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        keys.check(dir.path()).unwrap();
    }
}
