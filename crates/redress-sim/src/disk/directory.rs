//! `DirData`: a directory of a simulated disk.

use std::{collections::BTreeMap, ffi::OsString};

/// A directory: its names, those that are durable, and the changes in between.
#[derive(Debug, Clone, Default)]
pub(super) struct DirData {
    pub(super) names: BTreeMap<OsString, u64>,
    pub(super) durable: BTreeMap<OsString, u64>,
    pub(super) pending: Vec<Vec<(OsString, Option<u64>)>>,
}

impl DirData {
    /// Changes names, all at once.
    pub(super) fn change(&mut self, names: Vec<(OsString, Option<u64>)>) {
        apply(&mut self.names, &names);
        self.pending.push(names);
    }
}

pub(super) fn apply(names: &mut BTreeMap<OsString, u64>, change: &[(OsString, Option<u64>)]) {
    for (name, inode) in change {
        match inode {
            Some(inode) => drop(names.insert(name.clone(), *inode)),
            None => drop(names.remove(name)),
        }
    }
}
