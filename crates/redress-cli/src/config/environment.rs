//! What is outside of the file: variables, other files, registries. Behind a trait, so that reading itself stays pure.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use redress_registry::{Registry, shipped};

use crate::{contract, failure::Failure, files};

/// What a configuration may refer to.
pub trait Environment {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// Where a path of the file leads.
    fn path(&self, written: &str) -> PathBuf;

    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The registry in a file, with all that it extends; else one sentence on why not.
    fn registry(&self, path: &Path) -> Result<Arc<Registry>, String>;
}

/// This machine. Paths in the file start where the file is.
#[derive(Debug, Clone)]
pub struct Machine {
    folder: PathBuf,
}

impl Machine {
    /// For a configuration in that file.
    pub fn around(file: &Path) -> Self {
        Self { folder: file.parent().unwrap_or(Path::new("")).to_owned() }
    }
}

impl Environment for Machine {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var_os(name)?.into_string().ok()
    }

    fn path(&self, written: &str) -> PathBuf {
        self.folder.join(written)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        files::read(path)
    }

    fn registry(&self, path: &Path) -> Result<Arc<Registry>, String> {
        contract::find(&path.to_string_lossy()).map_err(Failure::message)
    }
}

/// Nothing: no variable, no file. For tests and for fuzzing.
#[derive(Debug, Clone, Copy)]
pub struct Nowhere;

impl Environment for Nowhere {
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn path(&self, written: &str) -> PathBuf {
        PathBuf::from(written)
    }

    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn registry(&self, path: &Path) -> Result<Arc<Registry>, String> {
        let built_in = path.to_str().and_then(shipped::get).map(Arc::clone);
        built_in.ok_or_else(|| "There is no such file.".to_owned())
    }
}
