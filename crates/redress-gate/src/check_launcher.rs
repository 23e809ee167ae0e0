//! `CheckLauncher`: starts the commands that check writes, confined by the system if that is wanted.

use std::{io, path::Path, process::Command};

use redress_govern::{Descendants, Launched, Launcher};
use redress_transport::{confinement::Confinement, subreaper::OwnProcess};

/// Starts commands whose descendants end with them.
#[derive(Debug, Default)]
pub struct CheckLauncher {
    confinement: Option<Confinement>,
}

impl CheckLauncher {
    /// A launcher of commands that may do no more than this, and write in the directory in which they start.
    pub const fn confined(confinement: Confinement) -> Self {
        Self { confinement: Some(confinement) }
    }
}

impl Launcher for CheckLauncher {
    fn launch(&self, command: Command, directory: &Path) -> io::Result<Launched> {
        let (child, own) = OwnProcess::start(command, |mut it| match self.confinement.clone() {
            Some(mut confinement) => {
                confinement.writable.push(directory.to_owned());
                confinement.spawn(&mut it)
            }
            None => it.spawn(),
        })?;
        Ok((child, Box::new(CheckProcess(own))))
    }
}

/// The process of a check.
struct CheckProcess(OwnProcess);

impl Descendants for CheckProcess {
    fn end(&self) {
        self.0.end_descendants();
    }
}

#[cfg(test)]
mod tests;
