//! `Watch`: notices that a configuration changed, and reads it again. Who is told keeps the old one until a valid one comes.
//!
//! Files are looked at once a second: that works on every file system, and for editors that write in place as for those that
//! rename a new file into its place. A file that is still being written is left until it rests.

use std::{
    fs,
    io::{self, Read as _},
    os::unix::{fs::MetadataExt as _, net::UnixStream},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use signal_hook::{consts::SIGHUP, low_level::pipe};

use super::Config;

/// How often files are looked at.
const EACH: Duration = Duration::from_secs(1);

/// How long a file must rest that has changed.
const REST: Duration = Duration::from_millis(100);

/// The files of a configuration, as they were when it was read.
#[derive(Debug)]
pub struct Watch<L> {
    file: PathBuf,
    /// What it refers to: contracts, tokens.
    others: Vec<PathBuf>,
    read: Vec<Option<Stamp>>,
    /// As they were at the last look, if they had changed.
    moving: Option<Vec<Option<Stamp>>>,
    load: L,
}

/// What changes when a file does; `None` if it is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl<E, L: FnMut() -> Result<Config, E>> Watch<L> {
    /// Watches the file of a configuration that was just read; `load` reads it again.
    pub fn new(file: &Path, config: &Config, load: L) -> Self {
        let mut watch = Self {
            file: file.to_owned(),
            others: config.files.clone(),
            read: Vec::new(),
            moving: None,
            load,
        };
        watch.read = watch.stamps();
        watch
    }

    /// Looks once. Gives what the files say if they have changed and are at rest.
    pub fn look(&mut self) -> Option<Result<Config, E>> {
        let now = self.stamps();
        if now == self.read {
            self.moving = None;
            return None;
        }
        if self.moving.as_ref() != Some(&now) {
            self.moving = Some(now);
            return None;
        }
        Some(self.reload())
    }

    /// Reads the files, whether they have changed or not.
    pub fn reload(&mut self) -> Result<Config, E> {
        self.moving = None;
        // What is written while we read has another stamp than this one, and is read at the next look.
        self.read = self.stamps();
        let config = (self.load)()?;
        if self.others != config.files {
            self.others.clone_from(&config.files);
            self.read = self.stamps();
        }
        Ok(config)
    }

    /// Tells of every new configuration, and of every one that is not valid, in a thread of its own and until the process ends.
    /// SIGHUP reads it at once.
    pub fn follow(
        mut self,
        mut tell: impl FnMut(Result<Config, E>) + Send + 'static,
    ) -> io::Result<()>
    where
        L: Send + 'static,
    {
        let (mut hung_up, signal) = UnixStream::pair()?;
        pipe::register(SIGHUP, signal)?;
        thread::Builder::new().name("redress-config".to_owned()).spawn(move || {
            loop {
                let wait = if self.moving.is_some() { REST } else { EACH };
                let signalled =
                    hung_up.set_read_timeout(Some(wait)).and_then(|()| hung_up.read(&mut [0; 64]));
                match signalled {
                    Ok(_) => tell(self.reload()),
                    Err(_) => {
                        if let Some(config) = self.look() {
                            tell(config);
                        }
                    }
                }
            }
        })?;
        Ok(())
    }

    fn stamps(&self) -> Vec<Option<Stamp>> {
        std::iter::once(&self.file).chain(&self.others).map(|it| stamp(it)).collect()
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let it = fs::metadata(path).ok()?;
    Some(Stamp {
        device: it.dev(),
        inode: it.ino(),
        bytes: it.len(),
        modified: (it.mtime(), it.mtime_nsec()),
        changed: (it.ctime(), it.ctime_nsec()),
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{super::load, Watch};
    use crate::{config::Config, failure::Failure};

    fn config(deadline_ms: u64) -> String {
        format!("[server.a]\ncommand = ['a']\ndeadline_ms = {deadline_ms}\n")
    }

    fn watch(file: &Path) -> Watch<impl FnMut() -> Result<Config, String>> {
        let first = load(file).unwrap_or_else(|it| panic!("{it:?}"));
        let file = file.to_owned();
        Watch::new(&file.clone(), &first, move || load(&file).map_err(Failure::message))
    }

    fn deadline(seen: Option<Result<Config, String>>) -> Option<u64> {
        seen.map(|it| it.expect("it is valid").servers[0].deadline_ms)
    }

    #[test]
    fn a_file_that_was_changed_or_replaced_is_read_once_it_rests() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("redress.toml");
        fs::write(&file, config(1)).unwrap();
        let mut watch = watch(&file);
        assert_eq!(deadline(watch.look()), None);
        fs::write(&file, config(20)).unwrap();
        assert_eq!(deadline(watch.look()), None, "it may still be written");
        fs::write(&file, config(300)).unwrap();
        assert_eq!(deadline(watch.look()), None, "it was");
        assert_eq!(deadline(watch.look()), Some(300));
        assert_eq!(deadline(watch.look()), None);
        let new = dir.path().join("new");
        fs::write(&new, config(400)).unwrap();
        fs::rename(&new, &file).unwrap();
        assert_eq!((deadline(watch.look()), deadline(watch.look())), (None, Some(400)));
        assert_eq!(deadline(Some(watch.reload())), Some(400), "as SIGHUP does");
    }

    #[test]
    fn a_file_that_is_not_valid_or_gone_is_told_of_once() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("redress.toml");
        fs::write(&file, config(1)).unwrap();
        let mut watch = watch(&file);
        fs::write(&file, config(0)).unwrap();
        assert!(watch.look().is_none());
        let problem = watch.look().unwrap().unwrap_err();
        assert!(problem.contains("redress.toml:3:15: "), "{problem}");
        assert!(watch.look().is_none() && watch.look().is_none());
        fs::remove_file(&file).unwrap();
        assert!(watch.look().is_none());
        assert!(watch.look().unwrap().is_err());
        assert!(watch.look().is_none());
        fs::write(&file, config(2)).unwrap();
        assert_eq!((deadline(watch.look()), deadline(watch.look())), (None, Some(2)));
    }

    #[test]
    fn a_file_that_it_refers_to_counts_too() {
        let dir = tempfile::tempdir().unwrap();
        let (file, tokens) = (dir.path().join("redress.toml"), dir.path().join("tokens"));
        fs::write(&tokens, "0123456789abcdef\n").unwrap();
        fs::write(&file, config(1)).unwrap();
        let mut watch = watch(&file);
        fs::write(&file, format!("{}[auth]\ntoken_files = ['tokens']", config(1))).unwrap();
        assert!(watch.look().is_none() && watch.look().unwrap().is_ok() && watch.look().is_none());
        fs::write(&tokens, "0123456789abcdef\nfedcba9876543210\n").unwrap();
        assert!(watch.look().is_none());
        let config = watch.look().unwrap().unwrap();
        assert_eq!(config.general.auth.all().count(), 2);
    }
}
