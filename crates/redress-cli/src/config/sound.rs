//! What a valid file says that cannot work here: names that nothing has, rules that ask for nothing, programs and folders that are not there.
//! `redress config check` tells it, and a governed gate does not start with it.

mod paths;
mod tools;

use std::{
    env,
    path::{Path, PathBuf},
};

use redress_govern::role::globs;
use redress_registry::{nearest::nearest, problems::quoted, shipped};

use super::{Config, Governance, Preset, Server, Word};

/// Something that cannot work: the names of its key and of the tables around it, what is wrong there, and what to do.
#[derive(Debug)]
pub(crate) struct Doubt {
    pub(crate) place: Vec<String>,
    pub(crate) what: String,
    pub(crate) fix: String,
}

impl Doubt {
    fn new(place: &[&str], what: String, fix: String) -> Self {
        Self { place: place.iter().map(|&it| it.to_owned()).collect(), what, fix }
    }

    /// Its key as the file would write it.
    pub(crate) fn key(&self) -> String {
        self.place.join(".")
    }

    /// All of it in one line.
    pub(crate) fn line(&self) -> String {
        format!("`{}`: {}. {}", self.key(), self.what, self.fix)
    }
}

impl Config {
    /// Everything in the policy of a governed gate that means nothing, or never lets anything through.
    pub(crate) fn doubts(&self) -> Vec<Doubt> {
        if !self.general.governance.enabled {
            return Vec::new();
        }
        let mut doubts = self.unknown_roles();
        doubts.extend(self.idle_locks());
        doubts.extend(self.unknown_tools());
        doubts.extend(self.idle_rules());
        doubts.extend(self.idle_paths());
        doubts.extend(self.missing_programs());
        doubts
    }

    /// What else would keep a gate, or one of its servers, from starting; when it starts, others tell it.
    pub(crate) fn obstacles(&self) -> Vec<Doubt> {
        let governance = &self.general.governance;
        let mut obstacles = Vec::new();
        if governance.enabled && !self.general.ledger.enabled {
            let what = "it is false, and a governed gate needs its ledger".to_owned();
            obstacles.push(Doubt::new(&["ledger", "enabled"], what, "Leave it out.".to_owned()));
        }
        let root = governance.root.iter().filter(|_| governance.enabled);
        let mut folders: Vec<_> = root.map(|it| (vec!["governance", "root"], it)).collect();
        for server in &self.servers {
            let named = |key| move |it| (vec!["server", server.name.as_str(), key], it);
            folders.extend(server.cwd.iter().map(named("cwd")));
            folders.extend(server.workspace.iter().map(named("workspace")));
        }
        for (place, folder) in folders.into_iter().filter(|it| !it.1.0.is_dir()) {
            let what = format!("there is no directory {}", folder.0.display());
            obstacles.push(Doubt::new(&place, what, "Name one that is there.".to_owned()));
        }
        let missing = self.servers.iter().filter(|it| !has_program(it));
        obstacles.extend(missing.filter_map(|it| {
            let Word(program) = it.command.first()?;
            let place = ["server", &it.name, "command"];
            Some(missing_program(&place, &program.to_string_lossy()))
        }));
        obstacles
    }

    fn unknown_roles(&self) -> Vec<Doubt> {
        let governance = &self.general.governance;
        // A broken pattern was reported before.
        let Ok((roles, _)) = governance.policy() else { return Vec::new() };
        let names: Vec<&str> = roles.names().collect();
        let of_process = (vec!["governance", "role"], governance.role.as_deref());
        let callers = self.general.auth.caller.0.iter();
        let callers = callers
            .map(|it| (vec!["auth", "caller", it.name.as_str(), "role"], it.role.as_deref()));
        let named = [of_process].into_iter().chain(callers);
        let unknown = named.filter_map(|(key, role)| {
            let role = role.filter(|it| roles.find(it).is_none())?;
            let what = format!("the policy has no role {}", quoted(role));
            Some(Doubt::new(&key, what, meant(role, &names, "Name one of its roles")))
        });
        if names.is_empty() { Vec::new() } else { unknown.collect() }
    }

    /// Patterns of codes that no code has.
    fn idle_locks(&self) -> Vec<Doubt> {
        let contracts: Vec<_> = self.servers.iter().map(Server::codes).collect();
        let of_servers = contracts.iter().flat_map(|it| it.codes.keys());
        let codes: Vec<&str> =
            shipped::core().codes.keys().chain(of_servers).map(|it| &**it).collect();
        let locks = self.general.governance.locks.iter().flatten();
        let is_idle = |it: &&String| {
            globs(&[it]).is_ok_and(|pattern| !codes.iter().any(|code| pattern.is_match(code)))
        };
        let told = locks.filter(|it| !self.has_broken_contract() && is_idle(it)).map(|it| {
            let fix = match nearest(it, codes.iter().copied()) {
                Some(it) => format!("Did you mean `{it}`?"),
                None => "Name codes of the contract or of core.".to_owned(),
            };
            Doubt::new(&["governance", "locks"], format!("no code matches {}", quoted(it)), fix)
        });
        told.collect()
    }

    /// Rules about writes that ask for nothing, unless they take the place of a rule of the preset.
    fn idle_rules(&self) -> Vec<Doubt> {
        let governance = &self.general.governance;
        let replaced: Vec<_> =
            governance.preset.into_iter().flat_map(Preset::write_rules).collect();
        let is_idle = |it: &&super::WriteRule| {
            let asks = !it.forbid_text.is_empty() || !it.forbid_code.is_empty();
            !asks && it.intent_chars == 0 && replaced.iter().all(|own| own.id != it.name)
        };
        let idle = governance.write_rules.0.iter().filter(is_idle).map(|it| {
            let what = "the rule asks for nothing".to_owned();
            let fix = "Give it `forbid_text`, `forbid_code` or `intent_chars`, or leave it out.";
            Doubt::new(&["governance", "write_rules", &it.name], what, fix.to_owned())
        });
        idle.collect()
    }

    fn missing_programs(&self) -> Vec<Doubt> {
        let governance = &self.general.governance;
        let preflights = governance.preflight.0.iter();
        let missing = preflights.filter_map(|it| {
            let program = it.command.first()?;
            let place = ["governance", "preflight", &it.name, "command"];
            (!self.is_there(program)).then(|| missing_program(&place, program))
        });
        missing.collect()
    }

    /// Whether a command would find its program, as far as the workspaces are known.
    fn is_there(&self, program: &str) -> bool {
        if !program.contains('/') {
            return is_on_path(program);
        }
        let roots = self.workspaces();
        let is_known = Path::new(program).is_absolute() || !roots.is_empty();
        !is_known
            || Path::new(program).is_file()
            || roots.iter().any(|it| it.join(program).is_file())
    }

    /// The workspaces that are known before anybody begins.
    fn workspaces(&self) -> Vec<&PathBuf> {
        let Governance { root, .. } = &self.general.governance;
        let of_servers = self.servers.iter().filter_map(|it| it.workspace.as_ref());
        root.iter().chain(of_servers).map(|it| &it.0).collect()
    }

    /// Whether it is unknown what a contract says.
    fn has_broken_contract(&self) -> bool {
        self.servers.iter().any(|it| it.contract.problem.is_some())
    }
}

fn missing_program(place: &[&str], program: &str) -> Doubt {
    let what = format!("there is no program {}", quoted(program));
    Doubt::new(place, what, "Install it, or write the path of one that is there.".to_owned())
}

/// Whether a server's command would find its program, as far as that is known before it starts.
fn has_program(server: &Server) -> bool {
    let Some(Word(program)) = server.command.first() else { return true };
    let program = program.to_string_lossy();
    if program.contains('/') {
        let folder = server.cwd.as_ref().map_or(Path::new(""), |it| &it.0);
        return Path::new(&*program).is_file() || folder.join(&*program).is_file();
    }
    server.env.contains_key("PATH") || is_on_path(&program)
}

fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|it| it.join(program).is_file())
}

/// What to write instead of a name that nothing has.
fn meant(name: &str, names: &[&str], else_choose: &str) -> String {
    match nearest(name, names.iter().copied()) {
        Some(it) => format!("Did you mean `{it}`?"),
        None => format!("{else_choose}: {}.", names.join(", ")),
    }
}
