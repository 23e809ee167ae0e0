//! The options of the commands that gate servers. They win over what the file says, and mean what its keys mean.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::value_parser;
use redress::Dialect;
use redress_gate::{Mode, OnLedgerFailure, ServerText};

use super::{
    Address, Config, Contract, Emit, Governance, Ledger, Location, Metrics, Preset, Server,
    choice::parser,
    load,
    section::Section,
    server::{DEADLINE_MS, MESSAGE_BYTES},
};
use crate::{contract, failure::Failure, run::name};

/// The name of the built-in server.
const WORKSPACE: &str = "workspace";

/// The options of the commands that gate servers.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// A configuration file.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The server's name in faults and in the ledger, by default from its command; with a file, the one of its servers that is meant.
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// The directory whose files are served where there is no command, by default the one that this is started in; with a command that is governed, its one workspace.
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    root: Option<PathBuf>,
    #[arg(long, value_name = "M", value_parser = parser::<Mode>(), help = meaning::<Server>("mode"))]
    mode: Option<Mode>,
    #[arg(long, value_name = "D", value_parser = parser::<Dialect>(), help = meaning::<Server>("dialect"))]
    dialect: Option<Dialect>,
    #[arg(long, value_name = "C", help = meaning::<Server>("contract"))]
    contract: Option<String>,
    #[arg(long, value_name = "DIR", conflicts_with = "no_ledger", help = meaning::<Ledger>("dir"))]
    ledger: Option<PathBuf>,
    /// Record nothing.
    #[arg(long)]
    no_ledger: bool,
    #[arg(long, value_name = "MS", value_parser = value_parser!(u64).range(DEADLINE_MS), help = meaning::<Server>("deadline_ms"))]
    deadline: Option<u64>,
    #[arg(long, value_name = "BYTES", value_parser = value_parser!(u64).range(MESSAGE_BYTES), help = meaning::<Server>("max_message_bytes"))]
    max_message: Option<u64>,
    #[arg(long, value_name = "T", value_parser = parser::<ServerText>(), help = meaning::<Emit>("server_text"))]
    server_text: Option<ServerText>,
    #[arg(long, value_name = "F", value_parser = parser::<OnLedgerFailure>(), help = meaning::<Ledger>("on_failure"))]
    on_ledger_failure: Option<OnLedgerFailure>,
    /// Govern: only what the policy allows passes, in a session that the client begins first.
    #[arg(long)]
    governed: bool,
    /// Govern by a whole policy.
    #[arg(long, value_name = "P", value_parser = parser::<Preset>())]
    preset: Option<Preset>,
    #[arg(long, value_name = "R", help = meaning::<Governance>("role"))]
    role: Option<String>,
    #[arg(long, value_name = "ADDR", value_parser = address, help = meaning::<Metrics>("address"))]
    metrics: Option<Address>,
    /// The server's command; without one, the built-in server offers the files of a directory.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Options {
    /// What is to be run: the servers of the file, or the one of the command line, with the options applied.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let config = match (&self.config, self.command.as_slice()) {
            (Some(_), [_, ..]) => {
                return Err(usage("There is a file and a command; it must be one of them."));
            }
            (None, []) => {
                let name = self.name.clone().unwrap_or_else(|| WORKSPACE.to_owned());
                Config::of_workspace(name, self.root()?)
            }
            (None, [_, ..]) if self.root.is_some() && !self.is_governed() => {
                return Err(usage(
                    "--root is for the built-in server or a governed one, and there is a command.",
                ));
            }
            (Some(file), []) => {
                let config = load(file)?;
                match &self.name {
                    Some(name) => config.only(name)?,
                    None => config,
                }
            }
            (None, command) => {
                let name = self.name.clone().unwrap_or_else(|| name::short(command));
                let mut config = Config::of_command(name, command);
                if self.root.is_some() {
                    config.general.governance.root = Some(Location(self.root()?));
                }
                config
            }
        };
        self.applied(config)
    }

    /// What the ledger is called, unless its directory is given; `of_file` is its name if there is a file.
    pub(crate) fn ledger_name(&self, of_file: &str) -> String {
        let given = self.config.as_ref().map(|_| of_file).or(self.name.as_deref());
        match self.root() {
            // Each directory has a ledger of its own.
            Ok(root) if self.command.is_empty() => {
                name::unique(given, &[WORKSPACE.into(), root.into()])
            }
            _ => name::unique(given, &self.command),
        }
    }

    /// The directory whose files are served where there is no command.
    fn root(&self) -> Result<PathBuf, Failure> {
        let root = self.root.as_deref().unwrap_or_else(|| Path::new("."));
        root.canonicalize().map_err(|it| Failure::reading(&root.to_string_lossy(), &it))
    }

    fn applied(&self, mut config: Config) -> Result<Config, Failure> {
        let ledger = &mut config.general.ledger;
        ledger.enabled &= !self.no_ledger;
        if let Some(dir) = &self.ledger {
            ledger.enabled = true;
            ledger.dir = Some(Location(dir.clone()));
        }
        set(&mut ledger.on_failure, self.on_ledger_failure);
        set(&mut config.general.metrics.address, self.metrics.map(Some));
        self.govern(&mut config);
        let contract = match &self.contract {
            Some(name) => {
                let (name, registry) = (name.clone(), contract::find(name)?);
                let file = contract::is_file(&name).then(|| PathBuf::from(&name));
                Some(Contract { name, file, registry })
            }
            None => None,
        };
        for server in &mut config.servers {
            set(&mut server.mode, self.mode);
            set(&mut server.dialect, self.dialect);
            set(&mut server.contract, contract.clone());
            set(&mut server.deadline_ms, self.deadline);
            set(&mut server.max_message_bytes, self.max_message);
            set(&mut server.emit.server_text, self.server_text);
        }
        Ok(config)
    }
}

impl Options {
    const fn is_governed(&self) -> bool {
        self.governed || self.preset.is_some()
    }

    fn govern(&self, config: &mut Config) {
        let files = self.config.iter().chain(&config.files).cloned();
        let contract = self.contract.iter().map(PathBuf::from).filter(|it| it.is_file());
        let governance = &mut config.general.governance;
        governance.files = files.chain(contract).collect();
        governance.enabled |= self.is_governed();
        governance.preset = self.preset.or(governance.preset);
        governance.role = self.role.clone().or_else(|| governance.role.take());
        let preset = governance.preset.filter(|_| governance.enabled);
        for server in config.servers.iter_mut().filter(|it| it.dialect == Dialect::Native) {
            set(&mut server.dialect, preset.map(Preset::dialect));
        }
    }
}

fn set<T>(value: &mut T, option: Option<T>) {
    if let Some(option) = option {
        *value = option;
    }
}

fn usage(problem: &str) -> Failure {
    Failure::config("the command line", problem)
        .fix("Give the server's command behind `--`, or a file with --config.")
}

/// Reads an address of the command line.
pub(crate) fn address(written: &str) -> Result<Address, String> {
    Address::parse(written)
        .ok_or_else(|| "it must be an IP address or localhost, and a port".to_owned())
}

/// What the key of the file means, and what holds without it.
pub(crate) fn meaning<S: Section>(key: &str) -> String {
    let Some(key) = S::shape().keys.into_iter().find(|it| it.name == key) else {
        return String::new();
    };
    let meaning = key.meaning.trim_end_matches('.');
    match key.default {
        Some(default) => format!("{meaning} [default: {}]", default.trim_matches('"')),
        None => meaning.to_owned(),
    }
}
