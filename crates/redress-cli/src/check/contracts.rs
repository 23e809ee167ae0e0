//! Which contract each file is under: the nearest `errors.toml` above it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use redress_check::Contract;

use crate::{contract, failure::Failure};

/// The contracts of the folders that were looked into.
#[derive(Debug, Default)]
pub(super) struct Contracts {
    pub(super) list: Vec<Contract>,
    /// By folder, the number of the nearest one.
    nearest: BTreeMap<PathBuf, Option<usize>>,
}

const FILE: &str = "errors.toml";

impl Contracts {
    /// Loads the nearest contract above a file, once.
    pub(super) fn find(&mut self, path: &Path) -> Result<(), Failure> {
        let folder = path.parent().unwrap_or(Path::new(""));
        if self.nearest.contains_key(folder) {
            return Ok(());
        }
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        // What lies outside of a repository belongs to another project.
        let mut was_root = false;
        let inside = absolute.ancestors().take_while(|it| {
            let is_inside = !was_root;
            was_root = it.join(".git").exists();
            is_inside
        });
        let home = inside.into_iter().find(|it| it.join(FILE).is_file());
        let number = match home {
            None => None,
            Some(home) => Some(self.load(&home.join(FILE))?),
        };
        self.nearest.insert(folder.to_path_buf(), number);
        Ok(())
    }

    fn load(&mut self, path: &Path) -> Result<usize, Failure> {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = path.strip_prefix(&here).unwrap_or(path).to_string_lossy();
        if let Some(known) = self.list.iter().position(|it| it.name() == shown) {
            return Ok(known);
        }
        self.list.push(Contract::new(contract::find(&shown)?, contract::written(&shown)?));
        Ok(self.list.len() - 1)
    }

    pub(super) fn of(&self, path: &Path) -> Option<usize> {
        self.nearest.get(path.parent().unwrap_or(Path::new(""))).copied().flatten()
    }
}
