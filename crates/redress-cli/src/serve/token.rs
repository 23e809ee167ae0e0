//! Makes the token that clients of `redress serve` need, and reads it again at later starts.

use std::{
    fmt::Write as _,
    fs::{DirBuilder, File, Metadata, OpenOptions, Permissions},
    io::{
        self,
        ErrorKind::{NotADirectory, NotFound},
        Read as _, Write as _,
    },
    os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::Path,
};

use rustix::{
    fs::OFlags,
    io::Errno,
    process::geteuid,
    rand::{GetRandomFlags, getrandom},
};

use crate::{
    config::{MadeToken, Secret},
    failure::Failure,
    place,
};

/// The name of the file in the user's state directory.
const NAME: &str = "serve-token";

/// What a token starts with, so that a person who finds one knows what it is.
const PREFIX: &str = "redress_";

/// How many random bytes a token has.
const RANDOM: usize = 32;

/// The longest file that is read.
const LONGEST: u64 = 1024;

/// Gives the token of this user: the one that is there, or else a new one.
pub(super) fn of_user() -> Result<MadeToken, Failure> {
    let state = place::state().map_err(|it| it.fix(WITHOUT))?;
    let file = state.join(NAME);
    // Another process may make one in the meantime.
    for _ in 0..2 {
        match read(&file) {
            Ok(Some(token)) => return Ok(MadeToken { token: Secret::new(token), file }),
            Ok(None) => make(&state, &file)?,
            Err(failure) => return Err(failure),
        }
    }
    read(&file)?
        .map(|token| MadeToken { token: Secret::new(token), file: file.clone() })
        .ok_or_else(|| broken(&file, "It disappears while it is read."))
}

/// What helps where no token can be kept.
const WITHOUT: &str = "Let this user write there (XDG_STATE_HOME, or else HOME, says where it is), or give a file with tokens in [auth]; or start it with --no-token, which lets in every user and program of this machine.";

/// Reads the token in a file, if there is one.
fn read(path: &Path) -> Result<Option<String>, Failure> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = match opened {
        Ok(file) => file,
        // An unusable directory is reported when the file is made.
        Err(it) if matches!(it.kind(), NotFound | NotADirectory) => return Ok(None),
        Err(it) if it.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(broken(path, "It is a symbolic link."));
        }
        Err(it) => return Err(unreadable(path, &it).fix(WITHOUT)),
    };
    let meta = file.metadata().map_err(|it| unreadable(path, &it))?;
    is_private(path, &meta)?;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(|it| unreadable(path, &it))?;
    let token = text.trim();
    let is_token =
        token.len() >= PREFIX.len() + RANDOM && token.bytes().all(|it| it.is_ascii_graphic());
    if is_token { Ok(Some(token.to_owned())) } else { Err(broken(path, "It holds no token.")) }
}

/// Refuses a file that another user can know.
fn is_private(path: &Path, meta: &Metadata) -> Result<(), Failure> {
    let mode = meta.mode() & 0o7777;
    if !meta.is_file() {
        return Err(broken(path, "It is no regular file."));
    }
    if meta.uid() != geteuid().as_raw() {
        let owner = format!("It belongs to user {}, who knows the token.", meta.uid());
        let fix = "Set XDG_STATE_HOME, or else HOME, to a directory of the user who starts this.";
        return Err(broken(path, &owner).fix(fix));
    }
    if mode & 0o077 != 0 {
        return Err(broken(path, &format!("Other users can read it (mode {mode:04o}).")));
    }
    Ok(())
}

/// Makes a file with a new token, unless there is one by then. The file has its content and its mode from its first moment on.
fn make(state: &Path, path: &Path) -> Result<(), Failure> {
    let made = (|| {
        DirBuilder::new().mode(0o700).recursive(true).create(state)?;
        let mut new = tempfile::Builder::new().prefix(".serve-token-").tempfile_in(state)?;
        new.as_file().set_permissions(Permissions::from_mode(0o600))?;
        new.write_all(format!("{}\n", new_token()?).as_bytes())?;
        new.as_file().sync_all()?;
        match new.persist_noclobber(path) {
            Ok(_) => File::open(state)?.sync_all(),
            Err(it) if it.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(it) => Err(it.error),
        }
    })();
    made.map_err(|it| Failure::writing(&path.to_string_lossy(), &it).fix(WITHOUT))
}

/// Makes a token that cannot be guessed.
fn new_token() -> io::Result<String> {
    let mut bytes = [0; RANDOM];
    // The system gives so few bytes whole.
    if getrandom(&mut bytes, GetRandomFlags::empty())? != RANDOM {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut token = PREFIX.to_owned();
    for byte in bytes {
        write!(token, "{byte:02x}").unwrap_or_default();
    }
    Ok(token)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    broken(path, &format!("It cannot be read: {error}."))
}

fn broken(path: &Path, problem: &str) -> Failure {
    Failure::config(&path.display().to_string(), problem)
        .of_machine()
        .fix("Remove this file: the next start makes a new token, which every client then needs.")
}
