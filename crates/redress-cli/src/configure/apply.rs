//! `redress config apply`: has running gates serve a changed file, also what of it lets more in.

use std::path::Path;

use redress::codes;
use redress_registry::problems::quoted;

use crate::{
    Done, Status,
    config::KeyChange,
    control::{self, GateAnswer, Outcome},
    failure::Failure,
    findings::counted,
    output::Out,
};

/// Asks every gate of this user that serves the file, and prints what changed in each.
pub(super) fn apply(file: &Path, out: &mut Out) -> Done {
    let shown = file.to_string_lossy();
    let (mut applied, mut refused, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for GateAnswer { process, outcome } in control::apply(file)? {
        match outcome {
            Outcome::Applied(changes) => applied.push((process, changes)),
            Outcome::Refused(failure) => refused.push((process, failure)),
            Outcome::OtherFile(other) => others.push((process, other)),
        }
    }
    let gates = applied.len() + refused.len();
    if gates == 0 {
        return Err(not_served(&shown, &others));
    }
    for (process, changes) in &applied {
        print(*process, changes, out)?;
    }
    out.line(&format!("{shown}: applied by {} of {}", applied.len(), counted(gates, "gate")))?;
    if let Some((process, failure)) = refused.pop() {
        for (process, failure) in refused {
            failure.note(format!("The gate in process {process} says so.")).report();
        }
        return Err(failure.note(format!("The gate in process {process} says so.")));
    }
    let is_whole = !applied.iter().flat_map(|it| &it.1).any(|it| it.after_restart);
    Ok(if is_whole { Status::Fine } else { Status::Findings })
}

/// Prints what changed in one gate.
fn print(process: u32, changes: &[KeyChange], out: &mut Out) -> Result<(), Failure> {
    out.line(&format!("the gate in process {process}:"))?;
    for change in changes {
        let when = if change.after_restart { ", which counts after a restart" } else { "" };
        out.line(&format!("  {}: {change}{when}", change.verdict.name()))?;
    }
    if changes.is_empty() { out.line("  nothing changed") } else { Ok(()) }
}

/// No gate serves the file.
fn not_served(shown: &str, others: &[(u32, String)]) -> Failure {
    let mut fault = codes::NOT_FOUND.raise([] as [(&str, &str); 0]);
    fault.message = format!("No running gate of this user was started with {}.", quoted(shown));
    if others.is_empty() {
        return Failure::environment(fault).fix(
            "Start one with `redress serve --config FILE`; it reads the file then. Or run this as the user of the gate.",
        );
    }
    let failure = Failure::input(fault).fix("Name the file with which the gate was started.");
    let served = others.iter().map(|it| format!("The gate in process {} serves {}.", it.0, it.1));
    served.fold(failure, Failure::note)
}
