//! The options of the commands that gate servers. They win over what the file says, and mean what its keys mean.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use redress::Dialect;
use redress_gate::settings::Mode;
use redress_govern::role::globs;
use redress_registry::{nearest::nearest, problems::quoted};

use super::{
    Address, Config, Contract, Governance, Ledger, Location, Metrics, Preset, Server,
    choice::parser, key_options::KeyOptions, load_for, remote, section::Section,
};
use crate::{contract, failure::Failure, name};

/// The name of the built-in server.
const WORKSPACE: &str = "workspace";

/// The options of the commands that gate servers.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GateOptions {
    /// A configuration file.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The server's name in faults and in the ledger, by default from its command; with a file, the one of its servers that is meant.
    #[arg(long, value_name = "N", value_parser = name::checked)]
    name: Option<String>,
    /// The directory whose files are served where there is no command, by default the one that this is started in; with a command that is governed, its one workspace.
    #[arg(long, value_name = "DIR", conflicts_with = "config")]
    root: Option<PathBuf>,
    /// The address of a server that speaks streamable HTTP, in the place of a command. `env:NAME` takes it from a variable that holds `{"url": …, "headers": {…}}`, so that no secret is an argument.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "root", "command"])]
    url: Option<String>,
    #[arg(long, value_name = "M", value_parser = parser::<Mode>(), help = meaning::<Server>("mode"))]
    mode: Option<Mode>,
    #[arg(long, value_name = "D", value_parser = parser::<Dialect>(), help = meaning::<Server>("dialect"))]
    dialect: Option<Dialect>,
    #[arg(long, value_name = "C", help = meaning::<Server>("contract"))]
    contract: Option<String>,
    #[command(flatten)]
    trust: Trust,
    #[arg(long, value_name = "DIR", conflicts_with = "no_ledger", help = meaning::<Ledger>("dir"))]
    ledger: Option<PathBuf>,
    /// Record nothing.
    #[arg(long)]
    no_ledger: bool,
    #[arg(long, value_name = "FILE", conflicts_with = "no_ledger", help = meaning::<Ledger>("witness"))]
    witness: Option<PathBuf>,
    #[command(flatten)]
    keys: KeyOptions,
    /// Govern: only what the policy allows passes, in a session that the client begins first.
    #[arg(long)]
    governed: bool,
    /// Govern by a whole policy.
    #[arg(long, value_name = "P", value_parser = parser::<Preset>())]
    preset: Option<Preset>,
    #[arg(long, value_name = "R", help = meaning::<Governance>("role"))]
    role: Option<String>,
    #[arg(long, value_name = "GLOB", help = meaning::<Governance>("allow_eval"))]
    allow_eval: Vec<String>,
    #[arg(long, value_name = "ADDR", value_parser = address, help = meaning::<Metrics>("address"))]
    metrics: Option<Address>,
    /// The server's command, after all options, with or without `--` before it; without one, the built-in server offers the files of a directory.
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Whether the server's own words reach the client.
#[derive(Debug, Clone, clap::Args)]
struct Trust {
    /// Pass on what the server says with a code of its contract.
    #[arg(long, conflicts_with = "no_trust")]
    trust: bool,
    /// Quote what the server says, whatever contract is named for it.
    #[arg(long)]
    no_trust: bool,
}

impl Trust {
    /// The choice, if the command line makes one.
    fn given(&self) -> Option<bool> {
        (self.trust || self.no_trust).then_some(self.trust)
    }
}

impl GateOptions {
    /// The file of `--contract`, if it names one.
    pub(crate) fn contract_file(&self) -> Option<&String> {
        self.contract.as_ref().filter(|it| contract::is_file(it))
    }

    /// What is to be run: the servers of the file, or the one of the command line, with the options applied.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        if let Some(url) = &self.url {
            let (url, headers) = remote::way(url)?;
            let name = self.name.clone().unwrap_or_else(|| remote::name(&url));
            return self.applied(remote::config(&name, &url, &headers)?);
        }
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
                let config = load_for(file, |it| self.is_governed() || it.governance.enabled)?;
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
        if let Some(url) = &self.url {
            return name::unique(given, &[url.into()]);
        }
        match self.root() {
            // Each directory has a ledger of its own.
            Ok(root) if self.command.is_empty() => {
                name::unique(given, &[WORKSPACE.into(), root.into()])
            }
            _ => name::unique(given, &self.command),
        }
    }

    /// The name of the ledger, and what is configured of it; other parts of the configuration may be wrong.
    pub(crate) fn ledger(&self) -> Result<(String, Ledger), Failure> {
        let (of_file, mut ledger) = match &self.config {
            Some(_) => {
                let config = self.config()?;
                (config.single()?.name.clone(), config.general.ledger)
            }
            None => (String::new(), Ledger::default()),
        };
        ledger.enabled &= !self.no_ledger;
        if let Some(dir) = &self.ledger {
            ledger.dir = Some(Location(dir.clone()));
        }
        Ok((self.ledger_name(&of_file), ledger))
    }

    /// The directory whose files are served where there is no command.
    fn root(&self) -> Result<PathBuf, Failure> {
        let root = self.root.as_deref().unwrap_or_else(|| Path::new("."));
        let shown = root.to_string_lossy();
        let real = root.canonicalize().map_err(|it| Failure::reading(&shown, &it))?;
        if real.is_dir() {
            return Ok(real);
        }
        Err(Failure::config("--root", &format!("{} is no directory.", quoted(&shown)))
            .fix("Name the directory whose files are served, or that is the workspace."))
    }

    fn applied(&self, mut config: Config) -> Result<Config, Failure> {
        let ledger = &mut config.general.ledger;
        ledger.enabled &= !self.no_ledger;
        if let Some(dir) = &self.ledger {
            ledger.enabled = true;
            ledger.dir = Some(Location(dir.clone()));
        }
        set(&mut ledger.witness, self.witness.clone().map(|it| Some(Location(it))));
        set(&mut config.general.metrics.address, self.metrics.map(Some));
        self.govern(&mut config)?;
        let contract = self.contract.as_deref();
        let contract =
            contract.map(|it| named(it, config.general.governance.enabled)).transpose()?;
        for server in &mut config.servers {
            set(&mut server.mode, self.mode);
            set(&mut server.dialect, self.dialect);
            set(&mut server.contract, contract.clone());
            set(&mut server.trust, self.trust.given().map(Some));
        }
        self.keys.apply(&mut config);
        Ok(config)
    }
}

impl GateOptions {
    const fn is_governed(&self) -> bool {
        self.governed || self.preset.is_some()
    }

    /// The role of the command line.
    pub(crate) const fn role(&self) -> Option<&String> {
        self.role.as_ref()
    }

    fn govern(&self, config: &mut Config) -> Result<(), Failure> {
        let files = self.config.iter().chain(&config.files).cloned();
        let contract = self.contract.iter().map(PathBuf::from).filter(|it| it.is_file());
        let governance = &mut config.general.governance;
        governance.files = files.chain(contract).collect();
        governance.enabled |= self.is_governed();
        governance.preset = self.preset.or(governance.preset);
        governance.role = self.role.clone().or_else(|| governance.role.take());
        governance.allow_eval.extend(self.allow_eval.iter().cloned());
        if let Some(bad) = self.allow_eval.iter().find_map(|it| globs(&[it]).err()) {
            let problem = format!("`{}` is no pattern: {}.", bad.pattern, bad.reason);
            return Err(Failure::config("--allow-eval", &problem).fix("Name a tool, or a pattern."));
        }
        if !governance.enabled && (self.role.is_some() || !self.allow_eval.is_empty()) {
            let option = if self.role.is_some() { "--role" } else { "--allow-eval" };
            return Err(Failure::config(option, "It has a meaning only where the gate governs.")
                .fix(
                    "Add --governed, a --preset or a file with a [governance], or leave it out.",
                ));
        }
        if let Some(role) = &self.role {
            is_role(role, governance)?;
        }
        let preset = governance.preset.filter(|_| governance.enabled);
        for server in config.servers.iter_mut().filter(|it| it.dialect == Dialect::Native) {
            set(&mut server.dialect, preset.map(Preset::dialect));
        }
        Ok(())
    }
}

/// Whether a policy with roles has that one.
fn is_role(role: &str, governance: &Governance) -> Result<(), Failure> {
    let policy = governance.policy();
    let (roles, _) =
        policy.map_err(|(key, problem)| Failure::config(&format!("governance.{key}"), &problem))?;
    if roles.is_empty() || roles.find(role).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = roles.names().collect();
    let meant = nearest(role, names.iter().copied());
    let meant = meant.map(|it| format!(" Did you mean `{it}`?")).unwrap_or_default();
    Err(Failure::config("--role", &format!("There is no role {}.{meant}", quoted(role)))
        .fix("Name a role of the policy.")
        .note(format!("It has: {}.", names.join(", "))))
}

/// The contract of that name, or in that file. Where the gate governs, its self-audit tells why it cannot be read.
fn named(name: &str, is_governed: bool) -> Result<Contract, Failure> {
    let file = contract::is_file(name).then(|| PathBuf::from(name));
    match (contract::find(name), file) {
        (Ok(registry), file) => {
            Ok(Contract { name: name.to_owned(), file, registry, problem: None })
        }
        (Err(failure), Some(file)) if is_governed => {
            Ok(Contract::broken(name.to_owned(), file, failure.message()))
        }
        (Err(failure), _) => Err(failure),
    }
}

/// Puts an option in the place of a value, if it was given.
pub(crate) fn set<T>(value: &mut T, option: Option<T>) {
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
