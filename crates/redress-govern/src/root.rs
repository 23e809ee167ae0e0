//! `Root`: the workspace of a session, as a handle. The system itself says whether a path stays below it, and where it leads.

use std::{
    fs, io,
    os::fd::{AsRawFd as _, OwnedFd},
    path::{Path, PathBuf},
};

use redress::{Fault, codes};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2, stat, statat},
    io::Errno,
};

/// Below the root, through links that stay there, never through those of `/proc`.
const CONFINED: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// How often the system may say that something moved while it looked.
const MOST_TRIES: usize = 64;

/// Without links and mounts on the way: where this leads, the path itself says.
const PLAIN: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// Tells one file or directory from every other, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    pub(crate) const fn of(stat: &Stat) -> Self {
        Self(stat.st_dev, stat.st_ino)
    }
}

/// A workspace.
#[derive(Debug)]
pub(crate) struct Root {
    dir: OwnedFd,
    path: PathBuf,
    /// The directory that was opened.
    id: FileId,
    /// Where relative paths start, if that is not the root itself.
    start: Option<PathBuf>,
}

/// A place in a workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FilePlace {
    /// Its names below the root, without links.
    pub(crate) path: String,
    /// Whether it is a directory now, so that all that is in it may be meant.
    pub(crate) is_directory: bool,
    /// Whether it may have other names than this one.
    pub(crate) has_names: bool,
}

impl Root {
    /// Opens a directory.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = open(path, flags, Mode::empty())?;
        // A system that cannot confine is found here, not at the first call.
        openat2(&dir, ".", flags, Mode::empty(), CONFINED)?;
        let id = FileId::of(&fstat(&dir)?);
        Ok(Self { dir, path: path.to_owned(), id, start: None })
    }

    /// Whether a path leads to something below the root, or to something that could be made there.
    pub(crate) fn confine(&self, path: &str) -> Result<(), Box<Fault>> {
        let mut at = path;
        loop {
            match self.find(at) {
                Ok(_found) => return Ok(()),
                // Of what is to be made, the deepest directory that is there decides.
                Err(Errno::NOENT) if !at.is_empty() => {
                    if self.is_link(at) {
                        return Err(invalid(path, "it is a link that leads nowhere"));
                    }
                    at = at.rsplit_once('/').map_or("", |it| it.0);
                }
                Err(Errno::XDEV | Errno::LOOP) => return Err(outside(path)),
                Err(Errno::NOTDIR) => return Err(invalid(path, "a part of it is no directory")),
                Err(error) => return Err(invalid(path, error.to_string().as_str())),
            }
        }
    }

    /// What a name leads to, as a handle that cannot be read from.
    pub(crate) fn find(&self, name: &str) -> Result<OwnedFd, Errno> {
        self.open_below(name, OFlags::PATH)
    }

    /// Opens something below the root; the empty path is the root itself.
    pub(crate) fn open_below(&self, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let name = if name.is_empty() { "." } else { name };
        for _ in 1..MOST_TRIES {
            match openat2(&self.dir, name, flags | OFlags::CLOEXEC, Mode::empty(), CONFINED) {
                Err(Errno::AGAIN | Errno::INTR) => (),
                found => return found,
            }
        }
        Err(Errno::AGAIN)
    }

    /// The same root, with relative paths that start in another directory.
    pub(crate) fn starting_in(self, start: Option<PathBuf>) -> Self {
        Self { start, ..self }
    }

    /// Whether its path still leads to the directory that was opened.
    pub(crate) fn is_unchanged(&self) -> io::Result<bool> {
        Ok(FileId::of(&stat(&self.path)?) == self.id)
    }

    /// Its handle.
    pub(crate) const fn handle(&self) -> &OwnedFd {
        &self.dir
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A link to something that is not there: who writes to it makes what it names.
    pub(crate) fn is_link(&self, name: &str) -> bool {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat2(&self.dir, name, flags, Mode::empty(), CONFINED).is_ok()
    }

    /// Every place that a call with these paths may change: where their last names stand and, if one is a link, where it leads.
    pub(crate) fn places<P: AsRef<str>>(&self, paths: &[P]) -> Result<Vec<FilePlace>, Box<Fault>> {
        let mut places = Vec::with_capacity(paths.len());
        for path in paths.iter().map(AsRef::as_ref) {
            let lost = |it: io::Error| invalid(path, &format!("it cannot be followed: {it}"));
            match self.plain(path) {
                Some(place) => places.push(place),
                None => self.follow(path, &mut places).map_err(lost)?,
            }
        }
        Ok(places)
    }

    /// Whether all paths are of a kind, as they are called and where they lead.
    pub(crate) fn are_all(&self, paths: &[String], is_one: impl Fn(&str) -> bool) -> bool {
        let lead = |it: Vec<FilePlace>| it.iter().all(|it| is_one(&it.path));
        paths.iter().all(|it| is_one(it)) && self.places(paths).is_ok_and(lead)
    }

    /// A path that is its own place, as most are.
    fn plain(&self, path: &str) -> Option<FilePlace> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let name = if path.is_empty() { "." } else { path };
        let (is_directory, has_names) = match openat2(&self.dir, name, flags, Mode::empty(), PLAIN)
        {
            Ok(found) => kind(&found).ok()?,
            // Up to where nothing is, there was no link either.
            Err(Errno::NOENT) => (false, false),
            Err(_) => return None,
        };
        Some(FilePlace { path: path.to_owned(), is_directory, has_names })
    }

    fn follow(&self, path: &str, places: &mut Vec<FilePlace>) -> io::Result<()> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut stands = self.stands(parent)?;
        join(&mut stands, name);
        let mut is_directory = false;
        if let Ok(found) = self.find(path) {
            is_directory = kind(&found)?.0;
            let leads = self.real(&found)?;
            if leads != stands {
                places.push(FilePlace { path: leads, is_directory, has_names: true });
            }
        }
        places.push(FilePlace { path: stands, is_directory, has_names: true });
        Ok(())
    }

    /// A directory without links; of one that is yet to be made, the deepest that is there decides.
    fn stands(&self, directory: &str) -> io::Result<String> {
        let mut at = directory;
        while !at.is_empty() {
            if let Ok(found) = self.find(at) {
                let mut stands = self.real(&found)?;
                let rest = directory.strip_prefix(at).unwrap_or_default();
                rest.split('/').filter(|it| !it.is_empty()).for_each(|it| join(&mut stands, it));
                return Ok(stands);
            }
            at = at.rsplit_once('/').map_or("", |it| it.0);
        }
        Ok(directory.to_owned())
    }

    /// What the system calls something below the root.
    fn real(&self, found: &OwnedFd) -> io::Result<String> {
        let name = |it: &OwnedFd| fs::read_link(format!("/proc/self/fd/{}", it.as_raw_fd()));
        let (root, found) = (name(&self.dir)?, name(found)?);
        let below = found.strip_prefix(&root).ok().and_then(Path::to_str);
        below.map(str::to_owned).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
    }

    /// What is at a place and in all directories above it, up to the root.
    pub(crate) fn ids(&self, place: &str) -> impl Iterator<Item = FileId> {
        let mut at = Some(place).filter(|it| !it.is_empty());
        std::iter::from_fn(move || {
            let path = at?;
            at = path.rsplit_once('/').map(|it| it.0);
            Some(statat(&self.dir, path, AtFlags::SYMLINK_NOFOLLOW).ok())
        })
        .flatten()
        .map(|it| FileId::of(&it))
    }

    /// A path of a call as names below the root.
    pub(crate) fn below(&self, given: &str) -> Result<String, Box<Fault>> {
        if given.is_empty() {
            return Err(invalid(given, "it is empty"));
        }
        if given.contains('\0') {
            return Err(invalid(given, "it has a NUL character"));
        }
        // To some servers it is the same, and to none is it a needed name.
        if given.split(['/', '\\']).any(|it| it.trim() == "..") {
            return Err(Box::new(codes::PATH_TRAVERSAL_BLOCKED.raise([("path", given)])));
        }
        if let Some(reason) = ambiguous(given) {
            let mut fault = invalid(given, reason);
            fault.hint = format!(
                "Give a plain path below {}; put `./` before a name that is really spelled like this.",
                self.path.display()
            );
            return Err(fault);
        }
        if self.start.is_none() && !given.starts_with('/') {
            return Ok(names(given));
        }
        let whole = self.start.as_deref().unwrap_or(&self.path).join(given);
        let below = whole.strip_prefix(&self.path).ok().and_then(Path::to_str);
        below.map(names).ok_or_else(|| self.elsewhere(given))
    }

    /// Where relative paths start elsewhere, a path below the root is an absolute one.
    fn elsewhere(&self, given: &str) -> Box<Fault> {
        let mut fault = outside(given);
        if self.start.is_some() {
            fault.hint = format!(
                "Give an absolute path below {}: the server looks for relative ones elsewhere.",
                self.path.display()
            );
        }
        fault
    }
}

/// Whether something is a directory, and whether it may have several names.
fn kind(found: &OwnedFd) -> io::Result<(bool, bool)> {
    let found = fstat(found)?;
    let is_directory = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
    Ok((is_directory, !is_directory && found.st_nlink > 1))
}

fn join(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}

/// Why a path that starts like a name below the root may lead elsewhere, to a server that does more with it than open it.
fn ambiguous(given: &str) -> Option<&'static str> {
    let bare = given.trim_start();
    let scheme = bare.split_once(':').filter(|it| is_scheme(it.0));
    match (bare.chars().next(), scheme) {
        (Some('~'), _) => Some("`~` may be taken for a home directory"),
        (Some('\\'), _) => Some("it may be taken for an absolute path"),
        (Some('/'), _) if bare.len() < given.len() => Some("it may be taken for an absolute path"),
        (_, Some((scheme, rest)))
            if rest.starts_with(['/', '\\']) || scheme.eq_ignore_ascii_case("file") =>
        {
            Some("it may be taken for a URI or a drive")
        }
        _ => None,
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
}

/// A path without what does not lead anywhere.
fn names(path: &str) -> String {
    let mut whole = String::with_capacity(path.len());
    for name in path.split('/').filter(|it| !it.is_empty() && *it != ".") {
        if !whole.is_empty() {
            whole.push('/');
        }
        whole.push_str(name);
    }
    whole
}

/// Whether the system can hold paths below a directory.
///
/// # Errors
/// What it says where it cannot.
pub fn can_confine(root: &Path) -> io::Result<()> {
    Root::open(root).map(drop)
}

fn outside(path: &str) -> Box<Fault> {
    Box::new(codes::OUTSIDE_WORKSPACE.raise([("path", path)]))
}

pub(crate) fn invalid(path: &str, reason: &str) -> Box<Fault> {
    let mut fault = codes::INVALID_PATH.raise([("path", path), ("reason", reason)]);
    fault.because(reason);
    Box::new(fault)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::Root;

    #[test]
    fn only_what_stays_below_the_root_is_let_through() {
        let dir = tempfile::tempdir().unwrap();
        let (root, beside) = (dir.path().join("root"), dir.path().join("root-x"));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(&beside).unwrap();
        fs::write(root.join("src/a.rs"), "").unwrap();
        symlink(&beside, root.join("out")).unwrap();
        symlink(beside.join("new"), root.join("dangling")).unwrap();
        symlink("src", root.join("inside")).unwrap();
        let root = Root::open(&root).unwrap();
        let code = |given: &str| match root.below(given).and_then(|it| root.confine(&it)) {
            Ok(()) => "fine".to_owned(),
            Err(fault) => fault.code().to_owned(),
        };
        let absolute = root.path.join("src/a.rs");
        for (path, verdict) in [
            ("src/a.rs", "fine"),
            ("./src//a.rs", "fine"),
            ("inside/a.rs", "fine"),
            ("new/deep/file", "fine"),
            (".", "fine"),
            (absolute.to_str().unwrap(), "fine"),
            (beside.to_str().unwrap(), "OUTSIDE_WORKSPACE"),
            ("/etc/hosts", "OUTSIDE_WORKSPACE"),
            ("out", "OUTSIDE_WORKSPACE"),
            ("out/new", "OUTSIDE_WORKSPACE"),
            ("dangling", "OUTSIDE_WORKSPACE"),
            ("src/../../root-x", "PATH_TRAVERSAL_BLOCKED"),
            ("..\\x", "PATH_TRAVERSAL_BLOCKED"),
            ("src/a.rs/b", "INVALID_PATH"),
            ("./~x", "fine"),
            ("src/~x", "fine"),
            ("a:b", "fine"),
            ("1:/b", "fine"),
            (" ../x", "PATH_TRAVERSAL_BLOCKED"),
            ("~", "INVALID_PATH"),
            ("~/x", "INVALID_PATH"),
            ("~root/x", "INVALID_PATH"),
            (" ~/x", "INVALID_PATH"),
            ("\n/etc/hosts", "INVALID_PATH"),
            ("file:///etc/hosts", "INVALID_PATH"),
            ("FILE:x", "INVALID_PATH"),
            ("vscode-remote://x/etc", "INVALID_PATH"),
            ("C:\\x", "INVALID_PATH"),
            ("\\\\server\\x", "INVALID_PATH"),
            ("", "INVALID_PATH"),
            ("a\0b", "INVALID_PATH"),
        ] {
            assert_eq!(code(path), verdict, "{path:?}");
        }
    }

    #[test]
    fn a_relative_path_starts_where_the_server_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("root/src")).unwrap();
        let below = |start: &str, given: &str| {
            let open = Root::open(&path.join("root")).unwrap();
            let root = Root { start: Some(path.join(start)), ..open };
            root.below(given).map_err(|it| (it.code().to_owned(), it.hint.clone()))
        };
        assert_eq!(below("", "root/src/a").unwrap(), "src/a");
        assert_eq!(below("", "./root//src/./a").unwrap(), "src/a");
        assert_eq!(below("root", "src/a").unwrap(), "src/a");
        assert_eq!(below("root/src", "a").unwrap(), "src/a");
        assert_eq!(below("root/src", ".").unwrap(), "src");
        assert_eq!(below("", path.join("root/a").to_str().unwrap()).unwrap(), "a");
        for (start, given) in [("", "a"), ("", "root-x/a"), ("beside", "root/a")] {
            let (code, hint) = below(start, given).unwrap_err();
            assert_eq!(code, "OUTSIDE_WORKSPACE", "{start} {given}");
            assert!(hint.contains("absolute path below /"), "{hint}");
        }
        assert_eq!(below("", "root/../root/a").unwrap_err().0, "PATH_TRAVERSAL_BLOCKED");
    }
}
