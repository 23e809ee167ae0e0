//! Where paths really lead, whatever they are called; and the places that no tool may change, because the gate itself relies on them.

use std::{
    fs, io,
    os::fd::{AsRawFd as _, OwnedFd},
    path::{Path, PathBuf},
};

use redress::{Fault, codes, text};
use redress_registry::{Retry, RetryKind};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, fstat, openat2, stat, statat},
    io::Errno,
};

use super::{
    Governor,
    root::{Root, invalid},
};

/// Without links, and without anything that is mounted on the way: where this leads, the path itself says.
const PLAIN: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS)
    .union(ResolveFlags::NO_XDEV);

/// What a call may change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its names below the root, without links.
    pub(super) path: String,
    /// Whether it is a directory now, so that all that is in it may be meant.
    pub(super) is_directory: bool,
    /// Whether it may have other names than this one.
    has_names: bool,
}

/// What tells files apart, whatever they are called.
type Id = (u64, u64);

impl Root {
    /// Every place that a call with these paths may change: where their last names stand and, if one is a link, where it leads.
    pub(super) fn places<P: AsRef<str>>(&self, paths: &[P]) -> Result<Vec<Place>, Box<Fault>> {
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
    pub(super) fn are_all(&self, paths: &[String], is_one: impl Fn(&str) -> bool) -> bool {
        let lead = |it: Vec<Place>| it.iter().all(|it| is_one(&it.path));
        paths.iter().all(|it| is_one(it)) && self.places(paths).is_ok_and(lead)
    }

    /// A path that is its own place, as most are.
    fn plain(&self, path: &str) -> Option<Place> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let name = if path.is_empty() { "." } else { path };
        let (is_directory, has_names) = match openat2(&self.dir, name, flags, Mode::empty(), PLAIN)
        {
            Ok(found) => kind(&found).ok()?,
            // Up to where nothing is, there was no link either.
            Err(Errno::NOENT) => (false, false),
            Err(_) => return None,
        };
        Some(Place { path: path.to_owned(), is_directory, has_names })
    }

    fn follow(&self, path: &str, places: &mut Vec<Place>) -> io::Result<()> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut stands = self.stands(parent)?;
        join(&mut stands, name);
        let mut is_directory = false;
        if let Ok(found) = self.find(path) {
            is_directory = kind(&found)?.0;
            let leads = self.real(&found)?;
            if leads != stands {
                places.push(Place { path: leads, is_directory, has_names: true });
            }
        }
        places.push(Place { path: stands, is_directory, has_names: true });
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

    /// What stands at a place and in all directories above it, up to the root.
    fn ids(&self, place: &str) -> impl Iterator<Item = Id> {
        let mut at = Some(place).filter(|it| !it.is_empty());
        std::iter::from_fn(move || {
            let path = at?;
            at = path.rsplit_once('/').map(|it| it.0);
            Some(statat(&self.dir, path, AtFlags::SYMLINK_NOFOLLOW).ok())
        })
        .flatten()
        .map(|it| (it.st_dev, it.st_ino))
    }
}

impl Governor {
    /// Whether a path stays below the root. Where a link leads does not count for the one tool that is known to take away the link itself.
    pub(super) fn confine(&self, tool: &str, root: &Root, path: &str) -> Result<(), Box<Fault>> {
        let takes_links = self.policy.is_built_in && tool == "remove";
        match root.confine(path) {
            Err(_) if takes_links && root.is_link(path) => Ok(()),
            confined => confined,
        }
    }
}

/// Files and directories that no tool may change.
#[derive(Debug, Clone, Default)]
pub struct Guarded(Vec<PathBuf>);

impl Guarded {
    /// These, wherever they are; one that is not there yet is known by the directory that it will be in.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(paths.into_iter().map(|it| canonical(&it)).collect())
    }

    /// Refuses a call that may change one of them, or the folder of plans: itself, what is in it, or a directory that it is in.
    pub(super) fn judge(
        &self,
        root: &Root,
        plans: &str,
        places: &[Place],
    ) -> Result<(), Box<Fault>> {
        for place in places {
            let is_below = |it: &PathBuf| match it.strip_prefix(&root.path) {
                Ok(guarded) => guarded.to_str().is_none_or(|it| is_near(&place.path, it)),
                Err(_) => root.path.starts_with(it),
            };
            if is_near(&place.path, plans)
                || self.0.iter().any(is_below)
                || place.has_names && self.is_one(root, plans, &place.path)
            {
                return Err(refused(&place.path, plans));
            }
        }
        Ok(())
    }

    /// Whether a place is one of them, or in one, under another name.
    fn is_one(&self, root: &Root, plans: &str, place: &str) -> bool {
        let plans = root.path.join(plans);
        let all = self.0.iter().chain([&plans]).filter_map(|it| stat(it).ok());
        let all: Vec<Id> = all.map(|it| (it.st_dev, it.st_ino)).collect();
        root.ids(place).any(|it| all.contains(&it))
    }
}

/// Whether a place is what is guarded, in it, or a directory above it; the root is above everything. In some directories, upper and
/// lower case do not differ.
fn is_near(place: &str, guarded: &str) -> bool {
    let starts = |it: &str, with: &str| {
        let mut names = it.split('/');
        with.split('/').all(|name| {
            names.next().is_some_and(|it| it == name || it.to_lowercase() == name.to_lowercase())
        })
    };
    guarded.is_empty() || !place.is_empty() && (starts(place, guarded) || starts(guarded, place))
}

fn refused(path: &str, plans: &str) -> Box<Fault> {
    let params = [("permission", "write"), ("resource", path)];
    let mut fault = codes::INSUFFICIENT_PERMISSIONS.raise(params);
    fault.message = format!("No tool may change {}.", text::quote(path, 120));
    // Nobody is asked to open what the gate itself relies on.
    fault.retry = Retry::of(RetryKind::AfterChange);
    fault.hint = format!(
        "Write somewhere else: {plans}, the ledger, keys and settings of the gate are changed by the operator alone."
    );
    Box::new(fault)
}

/// A path without links, as far as it is there.
fn canonical(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|it| Some((fs::canonicalize(it).ok()?, it)));
    let Some((mut real, there)) = found else { return path };
    real.extend(path.strip_prefix(there).into_iter().flatten());
    real
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

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use tempfile::TempDir;

    use super::{Guarded, Root};

    fn workspace() -> (TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        for it in ["docs/plans", "src/deep", "infra", "config"] {
            fs::create_dir_all(root.join(it)).unwrap();
        }
        for it in ["docs/plans/a.md", "src/a.rs", "infra/main.tf", "config/ledger.key"] {
            fs::write(root.join(it), "").unwrap();
        }
        symlink("../infra", root.join("src/link")).unwrap();
        symlink("../src/a.rs", root.join("infra/alias")).unwrap();
        symlink("docs", root.join("d")).unwrap();
        fs::hard_link(root.join("config/ledger.key"), root.join("src/same")).unwrap();
        let root = Root::open(&root).unwrap();
        (dir, root)
    }

    #[test]
    fn a_path_is_known_by_where_it_leads() {
        let (_dir, root) = workspace();
        for (path, places) in [
            ("src/a.rs", vec!["src/a.rs"]),
            ("src/new/x.rs", vec!["src/new/x.rs"]),
            ("src/link/main.tf", vec!["infra/main.tf"]),
            ("src/link/new", vec!["infra/new"]),
            ("src/link", vec!["infra", "src/link"]),
            ("src/link/alias", vec!["src/a.rs", "infra/alias"]),
            ("d/plans/x", vec!["docs/plans/x"]),
            ("", vec![""]),
        ] {
            let found = root.places(&[path]).unwrap();
            assert_eq!(
                found.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(),
                places,
                "{path}"
            );
        }
        assert!(root.places(&["src"]).unwrap().iter().all(|it| it.is_directory));
    }

    #[test]
    fn what_the_gate_relies_on_is_not_changed_under_any_name() {
        let (dir, root) = workspace();
        let guarded = Guarded::new([
            dir.path().join("root/config/ledger.key"),
            dir.path().join("root/ledger/not/yet"),
            dir.path().join("elsewhere"),
        ]);
        for (path, is_free) in [
            ("src/a.rs", true),
            ("docs/plans-x", true),
            ("docs/a.md", true),
            ("config/other", true),
            ("", true),
            ("docs/plans", false),
            ("docs/plans/a.md", false),
            ("docs/plans/new/b.md", false),
            ("docs", false),
            ("Docs/PLANS/x.md", false),
            ("d/plans/new.md", false),
            ("d", false),
            ("config", false),
            ("config/ledger.key", false),
            ("src/same", false),
            ("ledger", false),
            ("ledger/not/yet/x", false),
        ] {
            let places = root.places(&[path]).unwrap();
            let judged = guarded.judge(&root, "docs/plans", &places);
            assert_eq!(judged.is_ok(), is_free, "{path}");
        }
    }
}
