//! `redress fleet`: gates that meet on a NATS JetStream, and what a gate does there.

#[cfg(not(feature = "fleet"))]
mod absent;
#[cfg(feature = "fleet")]
mod command;
#[cfg(feature = "fleet")]
mod contracts;
#[cfg(feature = "fleet")]
mod engine;
#[cfg(feature = "fleet")]
mod mirror;

use std::path::PathBuf;

use crate::{
    Done,
    config::{EngineUrl, FleetName},
    output::{Format, Out},
};

#[cfg(not(feature = "fleet"))]
use self::absent as there;
#[cfg(not(feature = "fleet"))]
pub(crate) use self::absent::{Member, Mirrored};
#[cfg(feature = "fleet")]
use self::command as there;
#[cfg(feature = "fleet")]
pub(crate) use self::{engine::Member, mirror::Mirrored};

/// Put the ledgers of many gates into one stream, and see how that is.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Args {
    /// Make the stream and the buckets, and print the permissions of a node and of a reader.
    Init {
        #[command(flatten)]
        engine: EngineArgs,
        /// How many servers keep each record.
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
        replicas: u8,
    },
    /// Show the nodes, how far each is behind, and what is missing. Exit code 1 if anything is.
    Status {
        #[command(flatten)]
        engine: EngineArgs,
        /// How to print it: a line for each node, or one JSON object with all.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Put a contract on the engine, for all nodes: it must be clean, and locked in this version.
    Push {
        #[command(flatten)]
        engine: EngineArgs,
        /// The contract, an `errors.toml` with its lock beside it.
        file: String,
    },
    /// Bring the contracts of the engine into a directory whose files gates name. One with findings is refused, and the file stays as it was.
    Pull {
        #[command(flatten)]
        engine: EngineArgs,
        /// The directory.
        dir: PathBuf,
    },
    /// Ship what is in ledgers of this machine and not in the stream, and end: for what a gate left that does not run any more.
    Ship {
        #[command(flatten)]
        engine: EngineArgs,
        /// The name of this node; by default that of the file, else that of the machine.
        #[arg(long, value_name = "NODE", value_parser = node)]
        node: Option<FleetName>,
        /// Ledgers, or directories of ledgers; by default all in the user's state directory.
        #[arg(value_name = "LEDGER")]
        ledgers: Vec<PathBuf>,
    },
}

/// Which engine.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct EngineArgs {
    /// The servers of the engine, with commas between them; by default those of the file.
    #[arg(long, value_name = "URL", value_parser = url, required_unless_present = "config")]
    url: Option<EngineUrl>,
    /// The file whose `[fleet]` says how the engine is reached.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A file with `USER:PASSWORD`, or a token, in its first line.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// The stream. [default: redress]
    #[arg(long, value_name = "NAME", value_parser = node)]
    stream: Option<FleetName>,
    /// Take a stream that can lose what it has acknowledged.
    #[arg(long)]
    accept_weak: bool,
}

/// Records of a fleet instead of those of this machine.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct FleetArgs {
    /// Read the records of all nodes from the stream of a fleet: the servers of its engine, with commas between them.
    #[arg(long, value_name = "URL", value_parser = url)]
    pub(crate) fleet: Option<EngineUrl>,
    /// With --fleet: a file with `USER:PASSWORD`, or a token, in its first line.
    #[arg(long, value_name = "FILE", requires = "fleet")]
    credentials: Option<PathBuf>,
    /// With --fleet: the stream. [default: redress]
    #[arg(long, value_name = "NAME", value_parser = node, requires = "fleet")]
    stream: Option<FleetName>,
    /// With --fleet: only this node.
    #[arg(long, value_name = "NODE", value_parser = node, requires = "fleet")]
    pub(crate) node: Option<FleetName>,
}

impl FleetArgs {
    /// How the engine is reached, if there is to be one.
    #[cfg(feature = "fleet")]
    fn engine(&self) -> Option<EngineArgs> {
        Some(EngineArgs {
            url: Some(self.fleet.clone()?),
            config: None,
            credentials: self.credentials.clone(),
            stream: self.stream.clone(),
            accept_weak: true,
        })
    }
}

fn url(written: &str) -> Result<EngineUrl, String> {
    EngineUrl::parse(written).map_err(str::to_owned)
}

fn node(written: &str) -> Result<FleetName, String> {
    FleetName::parse(written).map_err(str::to_owned)
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    there::run(args, out)
}
