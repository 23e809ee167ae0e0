//! `ProbeOptions`: what is probed, and how.

use std::{sync::Arc, time::Duration};

use redress_registry::Registry;

use crate::client::ServerAddress;

/// What is probed, and how.
#[derive(Debug, Clone)]
pub struct ProbeOptions {
    /// Where the server is.
    pub place: ServerAddress,
    /// What the caller probes, as the commands that repeat a case name it: another one with a gate before it.
    pub target: ServerAddress,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The most calls.
    pub budget: usize,
    /// The longest that it may take.
    pub time: Duration,
    /// How long an answer may take.
    pub deadline: Duration,
    /// Whether calls may change something.
    pub allow_effects: bool,
    /// Whether each tool that only reads is called once as its schema asks for, too.
    pub with_valid: bool,
    /// Whether only the fewest calls are made that show how the server fails: one of a tool that does not exist, and one with an argument of a
    /// wrong type of each tool that says that it only reads.
    pub is_quick: bool,
    /// The cases that are wanted, by their ids or by what these start with; none, all.
    pub only: Vec<String>,
    /// The contract that codes are compared with.
    pub contract: Option<Arc<Registry>>,
    /// Further words of the commands that repeat a case.
    pub repeat: Vec<String>,
}
