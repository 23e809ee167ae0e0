//! `Root`: the workspace of a session, as a handle. The system itself says whether a path stays below it.

use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
};

use redress::{Fault, codes};
use rustix::{
    fs::{Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2},
    io::Errno,
};

use super::{Governor, State};

/// Below the root, through links that stay there, never through those of `/proc`.
const CONFINED: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// How often the system may say that something moved while it looked.
const MOST_TRIES: usize = 64;

/// What tells one file or directory from every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId(u64, u64);

impl FileId {
    pub(super) const fn of(stat: &Stat) -> Self {
        Self(stat.st_dev, stat.st_ino)
    }
}

/// A workspace.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) dir: OwnedFd,
    pub(super) path: PathBuf,
    /// What the handle is of.
    pub(super) id: FileId,
    /// Where relative paths start, if that is not the root itself.
    start: Option<PathBuf>,
}

impl Governor {
    /// From now on relative paths start where the server looks for them: in this directory, which has no links in it.
    pub fn serve_from(&self, dir: PathBuf) {
        let mut served = self.served();
        served.server_dir = Some(dir);
        served.roots.clear();
    }

    /// The workspace of a caller's session, as a handle.
    pub(super) fn root(&self, state: &State, key: &str) -> Option<Arc<Root>> {
        let path = &state.sessions.of(key)?.root;
        let mut served = self.served();
        if let Some(root) = served.roots.get(path) {
            return Some(Arc::clone(root));
        }
        let start = served.server_dir.clone().filter(|it| it.as_os_str() != path.as_str());
        let root = Arc::new(Root { start, ..Root::open(path.as_ref()).ok()? });
        served.roots.insert(path.clone(), Arc::clone(&root));
        Some(root)
    }
}

impl Root {
    /// Opens a directory.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = open(path, flags, Mode::empty())?;
        // Said at once where the system cannot confine, not at the first call.
        openat2(&dir, ".", flags, Mode::empty(), CONFINED)?;
        let id = FileId::of(&fstat(&dir)?);
        Ok(Self { dir, path: path.to_owned(), id, start: None })
    }

    /// Whether a path leads to something below the root, or to something that could be made there.
    pub(super) fn confine(&self, path: &str) -> Result<(), Box<Fault>> {
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
    pub(super) fn find(&self, name: &str) -> Result<OwnedFd, Errno> {
        self.open_below(name, OFlags::PATH)
    }

    /// Opens something below the root; the empty path is the root itself.
    pub(super) fn open_below(&self, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let name = if name.is_empty() { "." } else { name };
        for _ in 1..MOST_TRIES {
            match openat2(&self.dir, name, flags | OFlags::CLOEXEC, Mode::empty(), CONFINED) {
                Err(Errno::AGAIN | Errno::INTR) => (),
                found => return found,
            }
        }
        Err(Errno::AGAIN)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A link to something that is not there: who writes to it makes what it names.
    pub(super) fn is_link(&self, name: &str) -> bool {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat2(&self.dir, name, flags, Mode::empty(), CONFINED).is_ok()
    }

    /// A path of a call as names below the root.
    pub(super) fn below(&self, given: &str) -> Result<String, Box<Fault>> {
        if given.is_empty() {
            return Err(invalid(given, "it is empty"));
        }
        if given.contains('\0') {
            return Err(invalid(given, "it has a NUL character"));
        }
        // To some servers it is the same, and to none is it a name that somebody needs.
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

pub(super) fn invalid(path: &str, reason: &str) -> Box<Fault> {
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
