//! What a watch promises: nothing is read before it is whole and at rest.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
    process,
    time::Duration,
};

use super::{super::load, Look, Watch};
use crate::{config::Config, failure::Failure};

fn config(deadline_ms: u64) -> String {
    format!("[server.a]\ncommand = ['a']\ndeadline_ms = {deadline_ms}\n")
}

type Read = Look<Result<Config, String>>;

/// A watch that has read the file once, and for which two looks are always some time apart.
fn watch(file: &Path) -> Watch<impl FnMut() -> Result<Config, String> + use<>> {
    let mut watch = unread(file);
    assert!(matches!(watch.look(), Look::Moving) && matches!(watch.look(), Look::Read(Ok(_))));
    watch
}

fn unread(file: &Path) -> Watch<impl FnMut() -> Result<Config, String> + use<>> {
    let path = file.to_owned();
    let load = move || load(&path).map_err(Failure::message);
    let mut watch = Watch::new(file, 0, load);
    watch.rest = Duration::ZERO;
    watch
}

/// Looks until the files are read: a process that another test has just started may have them open until it begins its own program.
fn read<L: FnMut() -> Result<Config, String>>(watch: &mut Watch<L>) -> Read {
    loop {
        let seen = watch.look();
        if !matches!(seen, Look::Moving | Look::Written(..)) {
            return seen;
        }
    }
}

fn deadline(seen: Read) -> Option<u64> {
    match seen {
        Look::Read(it) => Some(it.expect("it is valid").servers[0].deadline_ms),
        Look::Same | Look::Moving => None,
        Look::Written(file, process) => panic!("{process} writes {}", file.display()),
    }
}

fn problem(seen: Read) -> Option<String> {
    if let Look::Read(read) = seen { read.err() } else { None }
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
    watch.ask();
    assert!(watch.is_moving());
    assert_eq!(
        (deadline(watch.look()), deadline(watch.look())),
        (None, Some(400)),
        "as SIGHUP does"
    );
    assert!(!watch.is_moving());
}

#[test]
fn two_looks_at_once_are_not_some_time_apart() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("redress.toml");
    fs::write(&file, config(1)).unwrap();
    let mut watch = watch(&file);
    watch.rest = Duration::from_secs(3600);
    fs::write(&file, config(2)).unwrap();
    watch.ask();
    for _ in 0..100 {
        assert_eq!(watch.look(), Look::Moving);
    }
    watch.rest = Duration::ZERO;
    assert_eq!(deadline(watch.look()), Some(2));
}

#[test]
fn a_file_that_is_open_for_writing_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("redress.toml");
    fs::write(&file, config(1)).unwrap();
    let mut watch = watch(&file);
    let (first, second) = ("[server.a]\ncommand = ['a']\n", "deadline_ms = 7\n");
    let mut writer = OpenOptions::new().write(true).truncate(true).open(&file).unwrap();
    writer.write_all(first.as_bytes()).unwrap();
    assert_eq!(watch.look(), Look::Moving);
    assert_eq!(
        watch.look(),
        Look::Written(file, process::id()),
        "that it is valid does not matter"
    );
    watch.ask();
    for _ in 0..10 {
        assert_eq!(watch.look(), Look::Moving, "it is told once");
    }
    writer.write_all(second.as_bytes()).unwrap();
    assert_eq!(watch.look(), Look::Moving);
    drop(writer);
    assert_eq!(deadline(read(&mut watch)), Some(7));
}

#[test]
fn a_file_that_has_not_changed_for_long_is_read_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("redress.toml");
    fs::write(dir.path().join("tokens"), "0123456789abcdef\n").unwrap();
    fs::write(&file, format!("{}[auth]\ntoken_files = ['tokens']", config(1))).unwrap();
    let mut new = unread(&file);
    new.rest = Duration::from_secs(3600);
    new.start = Some(0);
    assert_eq!(new.look(), Look::Moving);
    new.start = Some(i64::MAX / 2);
    assert_eq!(deadline(new.look()), Some(1));
    fs::write(&file, config(2)).unwrap();
    assert_eq!(new.look(), Look::Moving, "once it was read, it must rest");
}

#[test]
fn a_file_that_is_not_valid_or_gone_is_told_of_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("redress.toml");
    fs::write(&file, config(1)).unwrap();
    let mut watch = watch(&file);
    fs::write(&file, config(0)).unwrap();
    assert!(problem(watch.look()).is_none());
    let told = problem(watch.look()).unwrap();
    assert!(told.contains("redress.toml:3:15: "), "{told}");
    assert_eq!((watch.look(), watch.look()), (Look::Same, Look::Same));
    fs::remove_file(&file).unwrap();
    assert!(problem(watch.look()).is_none());
    assert!(problem(watch.look()).is_some());
    assert_eq!(watch.look(), Look::Same);
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
    assert_eq!(watch.look(), Look::Moving);
    assert_eq!(watch.look(), Look::Moving, "the file of tokens must rest, too");
    assert!(matches!(watch.look(), Look::Read(Ok(_))));
    assert_eq!(watch.look(), Look::Same);
    fs::write(&tokens, "0123456789abcdef\nfedcba9876543210\n").unwrap();
    assert_eq!(watch.look(), Look::Moving);
    let Look::Read(Ok(config)) = watch.look() else { panic!("it rests") };
    assert_eq!(config.general.auth.all().count(), 2);
    let mut writer = OpenOptions::new().write(true).truncate(true).open(&tokens).unwrap();
    writer.write_all(b"0123456789abcdef\n").unwrap();
    assert_eq!(watch.look(), Look::Moving);
    assert_eq!(watch.look(), Look::Written(tokens, process::id()));
    drop(writer);
    assert!(matches!(read(&mut watch), Look::Read(Ok(_))));
}
