//! What was there before a write is put back, whatever the write did, and nothing else is touched.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::Arc,
    time::{Duration, Instant},
};

use redress_registry::Effect;

use super::{
    Checks, Descendants, Launcher, Writes,
    backup::{About, Backup, BackupError},
    faults,
    job::PutBack,
    preflight::{CommandEnd, Preflight},
    restore::restore,
    snapshot::Snapshot,
};
use crate::root::Root;

/// Starts commands as they are; their process group ends with them.
#[derive(Debug)]
struct Plain;

impl Launcher for Plain {
    fn launch(&self, mut command: Command, _: &Path) -> io::Result<(Child, Box<dyn Descendants>)> {
        Ok((command.spawn()?, Box::new(Self)))
    }
}

impl Descendants for Plain {
    fn end(&self) {}
}

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root/src")).unwrap();
        fs::write(dir.path().join("root/src/a.rs"), "old").unwrap();
        fs::set_permissions(dir.path().join("root/src/a.rs"), Permissions::from_mode(0o640))
            .unwrap();
        Self { dir }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join("root").join(path)
    }

    fn try_keep(&self, paths: &[&str]) -> Result<Backup, BackupError> {
        let root = Arc::new(Root::open(&self.at("")).unwrap());
        let paths = paths.iter().map(ToString::to_string).collect();
        Backup::keep(&self.journal(), About::default(), root, paths)
    }

    fn keep(&self, paths: &[&str]) -> Backup {
        self.try_keep(paths).unwrap()
    }

    fn journal(&self) -> PathBuf {
        self.dir.path().join("writes")
    }

    /// Everything in the workspace, with permissions and content.
    fn all(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut dirs = vec![self.at("")];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let meta = path.symlink_metadata().unwrap();
                let what = if meta.is_symlink() {
                    fs::read_link(&path).unwrap().display().to_string()
                } else if meta.is_dir() {
                    dirs.push(path.clone());
                    String::new()
                } else {
                    fs::read_to_string(&path).unwrap()
                };
                all.push(format!("{} {:o} {what}", path.display(), meta.permissions().mode()));
            }
        }
        all.sort();
        all
    }
}

#[test]
fn whatever_a_write_did_is_put_back() {
    type Write = fn(&Place);
    let writes: [(&str, &[&str], Write); 9] = [
        ("overwritten in place", &["src/a.rs"], |it| fs::write(it.at("src/a.rs"), "new").unwrap()),
        ("replaced", &["src/a.rs"], |it| {
            fs::write(it.at("src/t"), "new, with other permissions").unwrap();
            fs::rename(it.at("src/t"), it.at("src/a.rs")).unwrap();
        }),
        ("created", &["src/b.rs"], |it| fs::write(it.at("src/b.rs"), "new").unwrap()),
        ("created with folders", &["x/y/z.rs"], |it| {
            fs::create_dir_all(it.at("x/y")).unwrap();
            fs::write(it.at("x/y/z.rs"), "new").unwrap();
        }),
        ("removed", &["src/a.rs"], |it| fs::remove_file(it.at("src/a.rs")).unwrap()),
        ("a folder removed", &["src"], |it| fs::remove_dir_all(it.at("src")).unwrap()),
        ("moved", &["src/a.rs", "b.rs"], |it| {
            fs::rename(it.at("src/a.rs"), it.at("b.rs")).unwrap();
        }),
        ("a folder moved", &["src", "lib"], |it| fs::rename(it.at("src"), it.at("lib")).unwrap()),
        ("another kind of thing", &["src/a.rs", "link"], |it| {
            fs::remove_file(it.at("src/a.rs")).unwrap();
            fs::create_dir(it.at("src/a.rs")).unwrap();
            fs::write(it.at("src/a.rs/deep"), "new").unwrap();
            fs::remove_file(it.at("link")).unwrap();
            fs::write(it.at("link"), "new").unwrap();
        }),
    ];
    for (what, paths, write) in writes {
        let place = Place::new();
        symlink("src/a.rs", place.at("link")).unwrap();
        fs::write(place.at("other"), "other").unwrap();
        let before = place.all();
        let kept = place.keep(paths);
        write(&place);
        assert_ne!(place.all(), before, "{what}");
        let after = kept.now().unwrap();
        assert_eq!(restore(&kept, &after), [], "{what}");
        assert_eq!(place.all(), before, "{what}");
        kept.forget();
        assert_eq!(fs::read_dir(place.journal()).unwrap().count(), 0, "{what}");
    }
}

#[test]
fn what_somebody_else_changed_since_is_left_alone() {
    let place = Place::new();
    let kept = place.keep(&["src/a.rs", "src/b.rs", "new"]);
    fs::write(place.at("src/a.rs"), "by the write").unwrap();
    fs::create_dir(place.at("new")).unwrap();
    fs::write(place.at("new/one"), "by the write").unwrap();
    fs::write(place.at("src/b.rs"), "by the write").unwrap();
    let after = kept.now().unwrap();
    fs::write(place.at("src/a.rs"), "by a person").unwrap();
    fs::write(place.at("new/two"), "by a person").unwrap();
    let left = restore(&kept, &after);
    let paths: Vec<&str> = left.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["src/a.rs", "new"], "{left:?}");
    assert_eq!(fs::read_to_string(place.at("src/a.rs")).unwrap(), "by a person");
    assert_eq!(fs::read_to_string(place.at("new/two")).unwrap(), "by a person");
    assert!(!place.at("new/one").exists() && !place.at("src/b.rs").exists());
}

#[test]
fn what_could_not_be_put_back_is_not_written() {
    let place = Place::new();
    fs::hard_link(place.at("src/a.rs"), place.at("src/twin")).unwrap();
    assert!(
        matches!(place.try_keep(&["src/a.rs"]), Err(BackupError::At(path, _)) if path == "src/a.rs")
    );
    fs::File::create(place.at("large")).unwrap().set_len(super::backup::MOST_BYTES + 1).unwrap();
    assert!(matches!(place.try_keep(&["large"]), Err(BackupError::TooMuch)));
    assert!(fs::read_dir(place.journal()).is_ok_and(|it| it.count() == 0), "nothing is left over");
}

#[test]
fn another_gate_finds_what_was_kept_as_soon_as_nobody_has_it() {
    let place = Place::new();
    let kept = place.keep(&["src/a.rs"]);
    fs::write(place.at("src/a.rs"), "new").unwrap();
    let after = kept.now().unwrap();
    kept.note(&after).unwrap();
    assert_eq!(Backup::left_behind(&place.journal()).len(), 0, "its gate lives");
    drop(kept);
    let (found, noted) = Backup::left_behind(&place.journal()).pop().unwrap();
    assert_eq!((noted.as_ref(), &found.paths), (Some(&after), &vec!["src/a.rs".to_owned()]));
    assert_eq!(restore(&found, &after), []);
    assert_eq!(fs::read_to_string(place.at("src/a.rs")).unwrap(), "old");
}

#[test]
fn a_write_without_an_answer_is_on_record_before_any_change() {
    let place = Place::new();
    let recover = || Writes::new(Checks::default(), Arc::new(Plain), place.dir.path()).recover();
    drop(place.keep(&["src/a.rs"]));
    let fault = recover().pop().unwrap();
    assert_eq!((fault.code(), fault.effect), ("PREFLIGHT_FAILED", Effect::Unknown));
    assert!(recover().is_empty(), "it is told once");
    let about = About { is_built_in: true, ..About::default() };
    let root = Arc::new(Root::open(&place.at("")).unwrap());
    drop(Backup::keep(&place.journal(), about, root, vec!["src/a.rs".to_owned()]).unwrap());
    assert!(recover().is_empty(), "the built-in server ended with its gate");
    let kept = place.keep(&["src/a.rs"]);
    kept.note(&kept.now().unwrap()).unwrap();
    drop(kept);
    assert!(recover().is_empty(), "it was put back already");
}

#[test]
fn a_state_is_read_as_it_was_written() {
    let place = Place::new();
    symlink("a\"b\\", place.at("src/li\nk")).unwrap();
    let root = Root::open(&place.at("")).unwrap();
    let state = Snapshot::of(&root, &[String::new()]).unwrap();
    assert_eq!(state.0.len(), 4, "{state:?}");
    let mut text = String::new();
    state.write(&mut text);
    let doc = redress_wire::json::Doc::parse(text.as_bytes(), redress_wire::json::Limits::DOCUMENT)
        .unwrap();
    assert_eq!(Snapshot::read(doc.root()), Some(state));
}

fn check(script: &str, timeout: Duration) -> Preflight {
    Preflight {
        name: "check".to_owned(),
        command: ["sh", "-c", script].iter().map(Into::into).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        paths: None,
        timeout,
    }
}

#[test]
fn a_check_ends_with_all_that_it_started() {
    let far = Instant::now() + Duration::from_secs(60);
    let run = |script: &str, time: u64, is_wanted: bool| {
        check(script, Duration::from_millis(time)).run((Path::new("/"), &Plain), far, || is_wanted)
    };
    assert!(matches!(run("true", 9_000, true), CommandEnd::Well));
    let CommandEnd::Badly { how, said } = run("echo one; echo two >&2; exit 3", 9_000, true) else {
        panic!()
    };
    assert_eq!((how.as_str(), said.as_str()), ("exit code 3", "one\ntwo\n"));
    assert!(
        matches!(run("kill -9 $$", 9_000, true), CommandEnd::Badly { how, .. } if how == "signal 9")
    );
    let begun = Instant::now();
    let CommandEnd::Late { said } = run("echo begun; sleep 600 & sleep 600", 200, true) else {
        panic!()
    };
    assert_eq!(said, "begun\n");
    assert!(matches!(run("sleep 600", 9_000, false), CommandEnd::Unwanted));
    assert!(
        matches!(run("sleep 600 & exit 0", 9_000, true), CommandEnd::Well),
        "what it left is ended"
    );
    assert!(begun.elapsed() < Duration::from_secs(300), "{:?}", begun.elapsed());
    let CommandEnd::Badly { said, .. } = run("yes | head -c 300000; echo end; exit 1", 9_000, true)
    else {
        panic!()
    };
    assert!(said.len() <= 8 << 10 && said.ends_with("y\nend\n"), "{}", said.len());
    let none = Preflight { command: vec!["/no/such/program".into()], ..check("", Duration::ZERO) };
    assert!(matches!(none.run((Path::new("/"), &Plain), far, || true), CommandEnd::NotStarted(_)));
}

#[test]
fn of_a_check_the_last_words_are_told_and_fit_the_card() {
    let said = format!("{}\nerror: \"x\"\nlast \"line\"\n", "y".repeat(3_000));
    let ended = CommandEnd::Badly { how: "exit code 1".to_owned(), said };
    for is_built_in in [true, false] {
        let about = About {
            server: "files".to_owned(),
            session_id: "s".to_owned(),
            tool: "write_file".to_owned(),
            is_built_in,
        };
        let fault = faults::unchecked_by(&check("", Duration::ZERO), &ended, &about).unwrap();
        let put_back = PutBack { was_changed: true, left: Vec::new(), is_built_in };
        let card = redress::card(&put_back.tell(fault));
        let end = r#"error: \"x\" ⏎ last \"line\"""#;
        assert!(card.ends_with(end) && card.contains("\"check: …"), "{card}");
    }
}

#[test]
fn a_text_in_utf_16_is_read_as_one() {
    let encode = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        assert_eq!(super::utf16(&encode("FIXME 🦀", bytes)).unwrap(), "FIXME 🦀");
    }
    assert_eq!(super::utf16(&[0xff, 0xfe, b'a', 0, 0, 0xd8, b'b']).unwrap(), "a\u{fffd}");
    for other in [&b""[..], b"\xff", b"FIXME", b"\xef\xbb\xbfFIXME"] {
        assert_eq!(super::utf16(other), None);
    }
}
