//! `Protected`: the files that no tool may change, because the gate itself relies on them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use redress::{Fault, codes, text};
use redress_registry::{Retry, RetryKind};
use rustix::fs::stat;

use crate::root::{FileId, FilePlace, Root};

/// Files and directories that no tool may change.
#[derive(Debug, Clone, Default)]
pub struct Protected(Vec<PathBuf>);

impl Protected {
    /// These, wherever they are; one that is not there yet is known by the directory that it will be in.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(paths.into_iter().map(|it| canonical(&it)).collect())
    }

    /// Refuses a call that may change one of them, or the folder of plans: itself, what is in it, or a directory that it is in.
    pub(crate) fn judge(
        &self,
        root: &Root,
        plans: &str,
        places: &[FilePlace],
    ) -> Result<(), Box<Fault>> {
        for place in places {
            let is_below = |it: &PathBuf| match it.strip_prefix(root.path()) {
                Ok(guarded) => guarded.to_str().is_none_or(|it| is_near(&place.path, it)),
                Err(_) => root.path().starts_with(it),
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
        let plans = root.path().join(plans);
        let all = self.0.iter().chain([&plans]).filter_map(|it| stat(it).ok());
        let all: Vec<FileId> = all.map(|it| FileId::of(&it)).collect();
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
    // Files that the gate itself relies on are never opened for a caller.
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

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use tempfile::TempDir;

    use super::{Protected, Root};

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
        let guarded = Protected::new([
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
