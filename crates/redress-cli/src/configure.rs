//! `redress config`: checks a configuration, prints its schema, and applies it to running gates.

mod apply;

use std::path::PathBuf;

use self::apply::apply;
use crate::{
    Done, Status,
    config::{Doubt, Shown, Value as _, load, schema, toml_key},
    failure::Failure,
    output::{Out, TITLE},
};

/// Check a configuration of the gate, or print its JSON Schema.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Args {
    /// Read a file and print what would run, with secrets hidden.
    #[command(after_help = "Examples:\n  redress config check redress.toml")]
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Print the JSON Schema of the file, for editors.
    #[command(
        after_help = "Examples:\n  redress config schema > redress.schema.json\n\nEditors with Tombi or Taplo find it by the first line of the file: `#:schema ./redress.schema.json`."
    )]
    Schema,
    /// Apply a changed file to the gates that serve it, also what lets more in.
    ///
    /// A running gate applies by itself what lets less in. What lets more in, such as a new token, waits for this command or a restart.
    #[command(
        after_help = "Examples:\n  redress config apply redress.toml\n\nEach gate that was started with this file and by this user is asked. Exit code 1: something counts only after a restart.\n2: the file is not valid, or other files are served. 3: no gate runs, or none can be reached."
    )]
    Apply {
        /// The file, with which the gate was started.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    match args {
        Args::Check { file } => {
            let config = load(file)?;
            let mut doubts = config.doubts();
            doubts.extend(config.obstacles());
            if !doubts.is_empty() {
                let shown = file.to_string_lossy();
                let failure = Failure::config(&shown, "The file is valid, and cannot work here.")
                    .fix("Put each of these right, then check it again.");
                return Err(doubts.iter().map(Doubt::line).fold(failure, Failure::note));
            }
            let general = entries(config.general.shown());
            for (name, shown) in &general {
                table(name, entries(shown.clone()), out)?;
            }
            for server in &config.servers {
                let mut own = entries(server.shown());
                // What holds for all is shown once, above.
                own.retain(|it| !general.contains(it));
                table(&format!("server.{}", toml_key(&server.name)), own, out)?;
            }
        }
        Args::Schema => out.text(&schema())?,
        Args::Apply { file } => return apply(file, out),
    }
    Ok(Status::Fine)
}

/// A table with its keys first and the tables below it after them, as TOML needs it.
fn table(path: &str, shown: Entries, out: &mut Out) -> Result<(), Failure> {
    let shown = shown.into_iter().filter(|it| !it.1.is_empty());
    let (below, keys): (Vec<_>, Vec<_>) = shown.partition(|it| matches!(it.1, Shown::Table(_)));
    if !keys.is_empty() {
        out.line(&format!("{TITLE}[{path}]{TITLE:#}"))?;
    }
    for (key, shown) in &keys {
        if let Some(toml) = shown.clone().into_toml() {
            out.line(&format!("{key} = {toml}"))?;
        }
    }
    if !keys.is_empty() {
        out.line("")?;
    }
    for (key, shown) in below {
        table(&format!("{path}.{}", toml_key(&key)), entries(shown), out)?;
    }
    Ok(())
}

type Entries = Vec<(String, Shown)>;

/// The entries of a table.
fn entries(shown: Shown) -> Entries {
    match shown {
        Shown::Table(entries) => entries,
        Shown::Nothing | Shown::Toml(_) => Vec::new(),
    }
}
