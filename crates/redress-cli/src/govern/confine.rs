//! Servers of a governed gate under the system's own confinement: where they start, what they may write, and what no session may hold.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    fs::{self, Permissions},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use redress_gate::{CheckLauncher, Server as Gated, Target};
use redress_govern::Governor;
use redress_transport::{confinement::Confinement, program::Program};
use tempfile::{Builder, TempDir};

use super::readable::Needs;
use crate::{
    audit::kept,
    config::{Confine, General, Server},
    output::Err as ToOperator,
    place,
};

/// Where programs put what they need for a while, besides `TMPDIR`.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// The variable that gives servers their own directory for temporary files.
const TMPDIR: &str = "TMPDIR";

/// What an attacker can do where the system does not hold the paths of a server.
const RACE: &str = "a path is checked before the server opens it, and no more: whoever swaps a link in between has the server read or write what it leads to";

const NO_LANDLOCK: &str = "this kernel has no Landlock";

/// Decides where the server behind a governed gate starts, confines it if it is a process and its workspace is known, and says what came of
/// it. Gives the server's own directory for temporary files, which is removed with that value.
pub(crate) fn confine(
    target: &mut Target,
    (server, gated): (&Server, &Gated),
    general: &General,
    ledger: Option<&Path>,
) -> Option<TempDir> {
    let is_state = general.governance.confine == Confine::State;
    let (Some(governor), Some(ledger)) = (gated.governor(), ledger) else {
        if let (Target::Program(program), true) = (target, is_state) {
            let (confinement, said) = state(ledger);
            program.confinement = confinement;
            ToOperator::new().say(&format!("{}: {said}", server.name));
        }
        return None;
    };
    if let Some(dir) = settle(target, server, general) {
        governor.serve_from(dir);
    }
    guard(&governor, server, general, ledger);
    let say = |said: &str| ToOperator::new().say(&format!("{}: {said}", server.name));
    match target {
        Target::Program(program) => {
            let place = program.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
            say(&format!("it runs in {}, where its relative paths start", absolute(&place)));
            if is_state {
                let (confinement, said) = state(Some(ledger));
                program.confinement = confinement;
                say(&said);
                say(RACE);
                return None;
            }
            let (temporary, said) = hold(program, server, general, ledger);
            for line in &said {
                say(line);
            }
            return temporary;
        }
        Target::Url(_) => say(&format!("the system here does not hold its paths: {RACE}")),
        // It opens nothing but below a handle.
        Target::Inside(_) => (),
    }
    None
}

/// Has nothing but the workspace be written by the commands that check writes, and lets no session begin where the gate's own files are.
pub(crate) fn guard(governor: &Governor, server: &Server, general: &General, ledger: &Path) {
    let kept = kept(general, ledger);
    let kept: BTreeSet<PathBuf> = kept.iter().filter_map(|it| it.canonicalize().ok()).collect();
    if governor.has_preflights() {
        confine_preflights(governor, &server.name, general, &kept);
    }
    // The built-in server touches nothing but what its calls name, and those are judged.
    if server.workspace.is_none() {
        governor.keep_apart(kept);
    }
}

/// Has a program start in the workspace, unless that would change what its command means, and gives the directory in which the server looks
/// for relative paths, if that is known.
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

/// Keys and ledgers out of reach, everything else as ever; and what the operator hears of it.
fn state(ledger: Option<&Path>) -> (Option<Confinement>, String) {
    let not = |why: &str| (None, format!("the system does not keep it from the keys: {why}"));
    let keys = match place::key() {
        Ok(key) => key.parent().map(Path::to_owned).unwrap_or_default(),
        Err(failure) => return not(failure.reason()),
    };
    // All ledgers of this user, and the one of this gate, wherever that is.
    let ledgers = place::state().ok().into_iter().chain(ledger.map(Path::to_owned));
    let kept: Vec<PathBuf> = [keys.clone()].into_iter().chain(ledgers).collect();
    // What is not there yet could not be kept from it.
    for dir in &kept {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
        if let Err(error) = made {
            return not(&format!("{}: {error}", dir.display()));
        }
    }
    let confinement = Confinement { secret: Some(keys), kept, ..Confinement::default() };
    match confinement.is_held() {
        Ok(true) => {
            let said = "the system keeps it from the keys, and from writing ledgers".to_owned();
            (Some(confinement), said)
        }
        Ok(false) => not(NO_LANDLOCK),
        Err(error) => not(&error.to_string()),
    }
}

/// Has the system hold what a server writes and reads, and says what came of it.
fn hold(
    program: &mut Program,
    server: &Server,
    general: &General,
    ledger: &Path,
) -> (Option<TempDir>, Vec<String>) {
    let governance = &general.governance;
    let not = |why: &str| {
        let not = format!("the system does not confine what it writes: {why}");
        (None, vec![not, RACE.to_owned()])
    };
    if governance.confine == Confine::Off {
        return not("`governance.confine` is off");
    }
    let Some(root) = &governance.root else {
        return not("no workspace is named (`governance.root`, --root)");
    };
    let mut writable = vec![root.0.clone()];
    writable.extend(governance.writable.iter().map(|it| it.0.clone()));
    // Those of others hold files of others.
    let temporary =
        Builder::new().prefix("redress-").permissions(Permissions::from_mode(0o700)).tempdir();
    writable.extend(temporary.iter().map(|it| it.path().to_owned()));
    let secret = keys();
    let within = [root.0.clone(), ledger.to_owned()].into_iter().chain(secret.clone());
    let own = Needs::of(program, within).own();
    let own: Vec<PathBuf> =
        own.into_iter().chain(governance.readable.iter().map(|it| it.0.clone())).collect();
    let is_free = own.iter().any(|it| it.canonicalize().is_ok_and(|it| it == Path::new("/")));
    let readable = (!is_free).then(|| Needs::system().chain(own.iter().cloned()).collect());
    let confinement = Confinement { writable, readable, secret, kept: Vec::new() };
    match confinement.is_held() {
        Ok(true) => (),
        Ok(false) => return not(NO_LANDLOCK),
        Err(error) => return not(&error.to_string()),
    }
    let writes =
        format!("the system lets it write below {}, nowhere else", shown(&confinement.writable));
    let reads = if is_free {
        format!("`governance.readable` lets it read everything: {RACE}")
    } else {
        let own = shown(&own);
        let own = if own.is_empty() { own } else { format!(" and {own}") };
        format!(
            "the system lets it read there, the system's programs and settings{own}, nothing else: a link that is swapped leads nowhere"
        )
    };
    program.confinement = Some(confinement);
    let temporary = temporary.ok();
    if let Some(dir) = temporary.as_ref().filter(|_| !server.env.contains_key(TMPDIR)) {
        program.env.push((TMPDIR.into(), dir.path().into()));
    }
    (temporary, vec![writes, reads])
}

/// The directory of the keys.
fn keys() -> Option<PathBuf> {
    place::key().ok().and_then(|it| it.parent().map(Path::to_owned))
}

/// Confines the commands that check writes, which run what callers wrote, whatever the server is; and says what came of it.
fn confine_preflights(
    governor: &Governor,
    name: &str,
    general: &General,
    kept: &BTreeSet<PathBuf>,
) {
    let confinement = of(general, kept);
    let not = |why: &str| format!("the system does not confine its checks: {why}");
    let said = if general.governance.confine == Confine::Off {
        not("`governance.confine` is off")
    } else {
        match confinement.is_held() {
            Ok(true) => {
                let places = shown(&confinement.writable);
                governor.launch_preflights_with(Arc::new(CheckLauncher::confined(confinement)));
                let beside = if places.is_empty() { places } else { format!(", {places}") };
                format!(
                    "the system lets its checks write below the workspace{beside}, nowhere else"
                )
            }
            Ok(false) => not(NO_LANDLOCK),
            Err(error) => not(&error.to_string()),
        }
    };
    ToOperator::new().say(&format!("{name}: {said}"));
}

/// What preflights may write besides the workspace, and what they may not read.
fn of(general: &General, kept: &BTreeSet<PathBuf>) -> Confinement {
    let named = general.governance.writable.iter().map(|it| it.0.clone());
    let temporary = TEMPORARY.iter().map(PathBuf::from).chain([env::temp_dir()]);
    // Where the ledger lies in a temporary directory, they get none of it.
    let temporary = temporary.filter_map(|it| it.canonicalize().ok());
    let temporary = temporary.filter(|dir| !kept.iter().any(|it| it.starts_with(dir)));
    let mut writable: Vec<PathBuf> = named.chain(temporary).collect();
    let mut seen = BTreeSet::new();
    writable.retain(|it| seen.insert(it.clone()));
    Confinement { writable, secret: keys(), ..Confinement::default() }
}

fn shown(places: &[PathBuf]) -> String {
    let shown: Vec<_> = places.iter().map(|it| absolute(it)).collect();
    shown.join(", ")
}

/// A path as it is everywhere.
pub(crate) fn absolute(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
}
