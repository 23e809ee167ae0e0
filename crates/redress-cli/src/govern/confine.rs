//! Servers of a governed gate under the system's own confinement: where they start, what they may write, and what nobody's session may hold.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use redress_gate::{Confinement, Governor, Server as Gated, Target};

use crate::{
    audit::kept,
    config::{General, Server},
    output::Err as ToOperator,
    run::place,
};

/// Where programs put what they need for a while, besides `TMPDIR`.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

const NO_LANDLOCK: &str = "this kernel has no Landlock";

/// Settles where what stands behind a governed gate starts, confines it if it is a process and its workspace is known, and says what came of it.
pub(crate) fn confine(
    target: &mut Target,
    (server, gated): (&Server, &Gated),
    general: &General,
    ledger: Option<&Path>,
) {
    let (Some(governor), Some(ledger)) = (gated.governor(), ledger) else { return };
    if let Some(dir) = settle(target, server, general) {
        governor.serve_from(dir);
    }
    let kept = guard(&governor, server, general, ledger);
    if let Target::Program(program) = target {
        let (confinement, said) = confinement(general, &kept);
        program.confinement = confinement;
        let place = program.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
        let place = absolute(&place);
        let place = format!("it runs in {place}, where its relative paths start");
        ToOperator::new().line("", &format!("{}: {place}", server.name));
        ToOperator::new().line("", &format!("{}: {said}", server.name));
    }
}

/// Has nothing but the workspace be written by the commands that check writes, and lets no session begin where the gate's own files are. Gives
/// those.
pub(crate) fn guard(
    governor: &Governor,
    server: &Server,
    general: &General,
    ledger: &Path,
) -> BTreeSet<PathBuf> {
    let kept = kept(general, ledger);
    let kept: BTreeSet<PathBuf> = kept.iter().filter_map(|it| it.canonicalize().ok()).collect();
    if governor.has_preflights() {
        confine_preflights(governor, &server.name, general, &kept);
    }
    // The built-in server touches nothing but what its calls name, and those are judged.
    if server.workspace.is_none() {
        governor.keep_apart(kept.clone());
    }
    kept
}

/// Has a program start in the workspace, unless that would change what its command means, and gives the directory in which what stands
/// behind the gate looks for relative paths, if anybody here knows it.
fn settle(target: &mut Target, server: &Server, general: &General) -> Option<PathBuf> {
    let dir = match target {
        Target::Url(_) => return None,
        Target::Inside(_) => server.workspace.as_ref()?.0.clone(),
        Target::Program(program) => {
            let is_here = |it: &OsString| Path::new(it).is_relative() && Path::new(it).exists();
            let root = &general.governance.root;
            if program.cwd.is_none() && !program.command.iter().any(is_here) {
                program.cwd = root.as_ref().map(|it| it.0.clone());
            }
            program.cwd.clone().unwrap_or_else(|| PathBuf::from("."))
        }
    };
    // What is not there is nowhere below a workspace.
    Some(dir.canonicalize().unwrap_or(dir))
}

/// What the system is to hold, and what the operator hears of it.
fn confinement(general: &General, kept: &BTreeSet<PathBuf>) -> (Option<Confinement>, String) {
    let governance = &general.governance;
    let not = |why: &str| (None, format!("the system does not confine what it writes: {why}"));
    if !governance.confine {
        return not("`governance.confine` is off");
    }
    let Some(root) = &governance.root else {
        return not("no workspace is named (`governance.root`, --root)");
    };
    let confinement = of(general, kept, [root.0.clone()]);
    match confinement.is_held() {
        Ok(true) => {
            let said =
                format!("the system lets it write below {}, nowhere else", shown(&confinement));
            (Some(confinement), said)
        }
        Ok(false) => not(NO_LANDLOCK),
        Err(error) => not(&error.to_string()),
    }
}

/// Confines the commands that check writes, which run what callers wrote, whatever the server is; and says what came of it.
fn confine_preflights(
    governor: &Governor,
    name: &str,
    general: &General,
    kept: &BTreeSet<PathBuf>,
) {
    let confinement = of(general, kept, []);
    let not = |why: &str| format!("the system does not confine its checks: {why}");
    let said = if !general.governance.confine {
        not("`governance.confine` is off")
    } else {
        match confinement.is_held() {
            Ok(true) => {
                let places = shown(&confinement);
                governor.confine_preflights(confinement);
                let beside = if places.is_empty() { places } else { format!(", {places}") };
                format!(
                    "the system lets its checks write below the workspace{beside}, nowhere else"
                )
            }
            Ok(false) => not(NO_LANDLOCK),
            Err(error) => not(&error.to_string()),
        }
    };
    ToOperator::new().line("", &format!("{name}: {said}"));
}

/// What may be written beside some directories, and what may not be read.
fn of(
    general: &General,
    kept: &BTreeSet<PathBuf>,
    roots: impl IntoIterator<Item = PathBuf>,
) -> Confinement {
    let further = general.governance.writable.iter().map(|it| it.0.clone());
    let named = roots.into_iter().chain(further);
    let temporary = TEMPORARY.iter().map(PathBuf::from).chain([env::temp_dir()]);
    // Where the ledger lies in a temporary directory, the server gets none of it.
    let temporary = temporary.filter_map(|it| it.canonicalize().ok());
    let temporary = temporary.filter(|dir| !kept.iter().any(|it| it.starts_with(dir)));
    let mut writable: Vec<PathBuf> = named.chain(temporary).collect();
    let mut seen = BTreeSet::new();
    writable.retain(|it| seen.insert(it.clone()));
    let secret = place::key().ok().and_then(|it| it.parent().map(Path::to_owned));
    Confinement { writable, secret }
}

fn shown(confinement: &Confinement) -> String {
    let shown: Vec<_> = confinement.writable.iter().map(|it| absolute(it)).collect();
    shown.join(", ")
}

/// A path as it is everywhere.
pub(crate) fn absolute(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
}
