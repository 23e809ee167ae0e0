//! `ServerState`: what governance has learned about a server: its workspaces, its tools, and where its relative paths start.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use crate::root::Root;

/// What is known of a server; governors that follow each other share it.
#[derive(Debug, Default)]
pub(crate) struct ServerState {
    /// The workspaces of its sessions, by their paths.
    roots: BTreeMap<String, Arc<Root>>,
    /// The directory in which the server looks for relative paths; unless it is known, that is the root.
    directory: Option<PathBuf>,
    /// The tools that are not served and that the operator has heard of.
    pub(crate) unserved: BTreeSet<String>,
    /// The arguments of the gate that tools of the server take themselves.
    pub(crate) kept: BTreeMap<String, Vec<&'static str>>,
}

impl ServerState {
    /// Lets relative paths start in this directory, which has no links in it.
    pub(crate) fn serve_from(&mut self, directory: PathBuf) {
        self.directory = Some(directory);
        self.roots.clear();
    }

    /// The workspace with this path, as a handle; `None` if it cannot be opened.
    pub(crate) fn root(&mut self, path: &str) -> Option<Arc<Root>> {
        if let Some(root) = self.roots.get(path) {
            return Some(Arc::clone(root));
        }
        let start = self.directory.clone().filter(|it| it.as_os_str() != path);
        let root = Arc::new(Root::open(path.as_ref()).ok()?.starting_in(start));
        self.roots.insert(path.to_owned(), Arc::clone(&root));
        Some(root)
    }
}
