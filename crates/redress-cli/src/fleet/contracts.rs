//! Contracts for all nodes: pushed to the engine once they are clean and locked, pulled into files that gates name.

use std::{
    fs,
    path::{Path, PathBuf},
};

use redress_fleet::{FleetError, Settings, contract_file, push_contract, pushed_contracts};
use redress_registry::{Source, lock};

use super::engine::{block_on, failure};
use crate::{Done, Status, contract, failure::Failure, files, findings, output::Out, registry};

/// Puts a contract on the engine.
pub(super) fn push(settings: &Settings, file: &str, out: &mut Out) -> Done {
    let source = contract::source(file)?;
    let checked = contract::from_source(&source)?;
    let status = lint(&source, out)?;
    if status != Status::Fine {
        out.line(&format!("{file}: not pushed"))?;
        return Ok(status);
    }
    let path = Path::new(file).with_extension("lock").to_string_lossy().into_owned();
    let old = fs::exists(&path).unwrap_or_default().then(|| contract_text(&path)).transpose()?;
    let is_locked = match &old {
        Some(old) => {
            let compared = lock::check(&checked, old).map_err(|it| contract::refused(&[it]))?;
            compared.stale.is_none()
        }
        None => false,
    };
    if !is_locked {
        return Err(Failure::config(&path, "The contract is not locked in this version.")
            .fix(&format!("Write the lock with `redress registry lock {file}`.")));
    }
    let name = checked.name.to_string();
    let pushed = block_on(async {
        let connection = settings.engine.connect("redress push", &settings.names).await?;
        push_contract(&connection, &name, &source.text).await
    })?;
    let revision = pushed.map_err(|it| failure(&it))?;
    out.line(&format!("{name} {}: pushed, revision {revision}", checked.version))?;
    Ok(Status::Fine)
}

/// Brings the contracts of the engine into a directory. One that this version refuses stays as it was.
pub(super) fn pull(settings: &Settings, dir: &Path, out: &mut Out) -> Done {
    let shown = dir.to_string_lossy();
    fs::create_dir_all(dir).map_err(|it| Failure::writing(&shown, &it))?;
    let pulled = block_on(async {
        let connection = settings.engine.connect("redress pull", &settings.names).await?;
        pushed_contracts(&connection).await
    })?;
    let mut status = Status::Fine;
    for pushed in pulled.map_err(|it: FleetError| failure(&it))? {
        let path: PathBuf = contract_file(dir, &pushed.name);
        let shown = path.to_string_lossy().into_owned();
        let source = Source::new(&shown, &pushed.text);
        let linted = contract::from_source(&source).and_then(|_| lint(&source, out));
        match linted {
            Ok(Status::Fine) => {
                let is_new = files::read(&path).ok().as_deref() != Some(pushed.text.as_bytes());
                if is_new {
                    files::replace(&shown, &pushed.text)?;
                }
                let what = if is_new { "taken" } else { "up to date" };
                out.line(&format!("{shown}: revision {}, {what}", pushed.revision))?;
            }
            Ok(_) => {
                status = Status::Findings;
                out.line(&format!("{shown}: revision {} refused, kept as it is", pushed.revision))?;
            }
            Err(refused) => {
                status = Status::Findings;
                refused.report();
                out.line(&format!("{shown}: revision {} refused, kept as it is", pushed.revision))?;
            }
        }
    }
    Ok(status)
}

/// What the rules say of a contract.
fn lint(source: &Source, out: &mut Out) -> Result<Status, Failure> {
    let found = registry::lint::all(source, None)?;
    findings::print(&found, source, registry::rules::all(), (findings::FindingsFormat::Text, out))
}

fn contract_text(path: &str) -> Result<Source, Failure> {
    let bytes = files::read(Path::new(path)).map_err(|it| Failure::reading(path, &it))?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|it| Failure::config(path, &format!("The lock is not text: {it}.")))?;
    Ok(Source::new(path, &text))
}
