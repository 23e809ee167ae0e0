//! Where paths really lead, whatever they are called; and the places that no tool may change, because the gate itself relies on them.

use std::{
    fs, io,
    os::fd::{AsRawFd as _, OwnedFd},
    path::{Path, PathBuf},
};

use redress::{Fault, codes};
use rustix::fs::{AtFlags, FileType, fstat, stat, statat};

use super::root::{Root, invalid};

/// What a call with a path may change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its names below the root, without links.
    pub(super) path: String,
    /// Whether it is a directory now, so that all that is in it may be meant.
    pub(super) is_directory: bool,
}

/// What tells files apart, whatever they are called.
type Id = (u64, u64);

impl Root {
    /// Every place that a call with this path may change: where its last name stands and, if that is a link, where it leads.
    pub(super) fn places(&self, path: &str) -> Result<Vec<Place>, Box<Fault>> {
        let places = if path.is_empty() {
            Ok(vec![Place { path: String::new(), is_directory: true }])
        } else {
            self.look(path)
        };
        places.map_err(|it| invalid(path, &format!("it cannot be followed: {it}")))
    }

    /// Whether all paths are of a kind, as they are called and where they lead.
    pub(super) fn are_all(&self, paths: &[String], is_one: impl Fn(&str) -> bool) -> bool {
        let leads =
            |path: &String| self.places(path).is_ok_and(|it| it.iter().all(|it| is_one(&it.path)));
        paths.iter().all(|it| is_one(it) && leads(it))
    }

    fn look(&self, path: &str) -> io::Result<Vec<Place>> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut stands = self.stands(parent)?;
        join(&mut stands, name);
        let Ok(found) = self.find(path) else {
            return Ok(vec![Place { path: stands, is_directory: false }]);
        };
        let is_directory = is_directory(&found)?;
        let leads = self.real(&found)?;
        let is_same = leads == stands;
        let mut places = vec![Place { path: stands, is_directory }];
        if !is_same {
            places.push(Place { path: leads, is_directory });
        }
        Ok(places)
    }

    /// A directory without links; of one that is yet to be made, the deepest that is there decides.
    fn stands(&self, directory: &str) -> io::Result<String> {
        let mut at = directory;
        let found = loop {
            match self.find(if at.is_empty() { "." } else { at }) {
                Ok(found) => break found,
                Err(error) if at.is_empty() => return Err(error.into()),
                Err(_) => at = at.rsplit_once('/').map_or("", |it| it.0),
            }
        };
        let mut stands = self.real(&found)?;
        let rest = directory.strip_prefix(at).unwrap_or_default();
        rest.split('/').filter(|it| !it.is_empty()).for_each(|it| join(&mut stands, it));
        Ok(stands)
    }

    /// What the system calls something below the root.
    fn real(&self, found: &OwnedFd) -> io::Result<String> {
        let (root, found) = (real(&self.dir)?, real(found)?);
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

/// Files and directories that no tool may change.
#[derive(Debug, Clone, Default)]
pub struct Guarded(Vec<PathBuf>);

impl Guarded {
    /// These, wherever they are; one that is not there yet is known by the directory that it will be in.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(paths.into_iter().map(|it| canonical(&it)).collect())
    }

    /// Refuses a call that may change one of them: itself, what is in it, or a directory that it is in.
    pub(super) fn judge(
        &self,
        root: &Root,
        plans: &str,
        paths: &[String],
    ) -> Result<(), Box<Fault>> {
        if paths.is_empty() {
            return Ok(());
        }
        let unknown = |it: io::Error| invalid(".", &it.to_string());
        let real = real(&root.dir).map_err(unknown)?;
        let plans_at = real.join(plans);
        let all = || self.0.iter().chain([&plans_at]);
        let ids = all().filter_map(|it| stat(it).ok());
        let ids: Vec<Id> = ids.map(|it| (it.st_dev, it.st_ino)).collect();
        for path in paths {
            for place in root.places(path)? {
                let at = real.join(&place.path);
                let is_guarded = |it: &PathBuf| {
                    at.starts_with(it) || !place.path.is_empty() && it.starts_with(&at)
                };
                if all().any(is_guarded) || root.ids(&place.path).any(|it| ids.contains(&it)) {
                    return Err(guarded(path, plans));
                }
            }
        }
        Ok(())
    }
}

fn guarded(path: &str, plans: &str) -> Box<Fault> {
    let params = [("permission", "write"), ("resource", path)];
    let mut fault = codes::INSUFFICIENT_PERMISSIONS.raise(params);
    fault.hint = format!(
        "Write somewhere else: {plans}, the ledger, keys and settings of the gate are changed by the operator alone."
    );
    Box::new(fault)
}

/// A path without links, as far as it is there.
fn canonical(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = path.ancestors().find_map(|it| Some((fs::canonicalize(it).ok()?, it)));
    let Some((real, there)) = found else { return path };
    path.strip_prefix(there).map_or(path.clone(), |rest| real.join(rest))
}

fn real(found: &OwnedFd) -> io::Result<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", found.as_raw_fd()))
}

fn is_directory(found: &OwnedFd) -> io::Result<bool> {
    Ok(FileType::from_raw_mode(fstat(found)?.st_mode) == FileType::Directory)
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
            ("src/link", vec!["src/link", "infra"]),
            ("src/link/alias", vec!["infra/alias", "src/a.rs"]),
            ("d/plans/x", vec!["docs/plans/x"]),
            ("", vec![""]),
        ] {
            let found = root.places(path).unwrap();
            assert_eq!(
                found.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(),
                places,
                "{path}"
            );
        }
        assert!(root.places("src").unwrap().iter().all(|it| it.is_directory));
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
            ("d/plans/new.md", false),
            ("d", false),
            ("config", false),
            ("config/ledger.key", false),
            ("src/same", false),
            ("ledger", false),
            ("ledger/not/yet/x", false),
        ] {
            let judged = guarded.judge(&root, "docs/plans", &[path.to_owned()]);
            assert_eq!(judged.is_ok(), is_free, "{path}");
        }
    }
}
