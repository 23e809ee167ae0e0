//! `redress registry lock`: the released contract, kept beside the file for the next diff.

use std::path::Path;

use redress_registry::{
    Source,
    diff::Bump,
    lock::{check, lock},
};

use super::diff;
use crate::{
    Done, Status, contract,
    failure::Failure,
    files,
    output::{Format, Out},
};

/// Write the lock of a registry, or check that it is up to date.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress registry lock errors.toml             # writes errors.lock\n  redress registry lock errors.toml --check     # exit code 1 if errors.lock is stale\n\nA lock is only written if the version step allows the changes since the old one."
)]
pub(crate) struct Args {
    /// The registry file; the lock is beside it.
    file: String,
    /// Only compare.
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let registry = contract::from_source(&contract::source(&args.file)?)?;
    let path = Path::new(&args.file).with_extension("lock").to_string_lossy().into_owned();
    let old = old(&path)?;
    let Some(old) = old else {
        if args.check {
            return Err(Failure::config(&path, "There is no lock yet.")
                .fix(&format!("Write it with `redress registry lock {}`.", args.file)));
        }
        return write(&path, &lock(&registry), out);
    };
    let checked = check(&registry, &old).map_err(|it| contract::refused(&[it]))?;
    if checked.stale.is_none() {
        out.line(&format!("{path}: up to date"))?;
        return Ok(Status::Fine);
    }
    let status = diff::print(&checked.report, Format::Text, out)?;
    if args.check {
        out.line(&format!("{path}: stale; write it with `redress registry lock {}`", args.file))?;
        return Ok(Status::Findings);
    }
    if status == Status::Findings {
        let first = match checked.report.required_bump {
            Bump::Impossible => "undo what is forbidden",
            _ => "raise the version",
        };
        out.line(&format!("{path}: kept as it is; {first} in {} first", args.file))?;
        return Ok(status);
    }
    write(&path, &lock(&registry), out)
}

fn write(path: &str, text: &str, out: &mut Out) -> Done {
    files::replace(path, text)?;
    out.line(&format!("{path}: written"))?;
    Ok(Status::Fine)
}

fn old(path: &str) -> Result<Option<Source>, Failure> {
    match files::read(Path::new(path)) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes)
                .map_err(|it| Failure::config(path, &format!("The lock is not text: {it}.")))?;
            Ok(Some(Source::new(path, &text)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::reading(path, &error)),
    }
}
