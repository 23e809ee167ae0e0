//! What a valid file says that cannot work here: names that nothing has, programs and folders that are not there.

use std::{
    env,
    path::{Path, PathBuf},
};

use redress_govern::role::globs;
use redress_registry::{nearest::nearest, problems::quoted, shipped};

use super::{Config, Governance};

impl Config {
    /// Everything that would keep a governed gate from starting, or from ever letting a call through.
    pub(super) fn doubts(&self) -> Vec<String> {
        let governance = &self.general.governance;
        if !governance.enabled {
            return Vec::new();
        }
        let mut doubts = self.unknown_roles();
        doubts.extend(self.idle_locks());
        if !self.general.ledger.enabled {
            doubts.push(
                "`ledger.enabled` is false, and a governed gate needs its ledger.".to_owned(),
            );
        }
        for root in governance.root.iter().filter(|it| !it.0.is_dir()) {
            let root = root.0.display();
            doubts.push(format!("`governance.root` is no directory that is there: {root}."));
        }
        doubts.extend(self.missing_programs());
        doubts
    }

    fn unknown_roles(&self) -> Vec<String> {
        // What is no pattern was told before.
        let Ok((roles, _)) = self.general.governance.policy() else { return Vec::new() };
        let of_process = ("governance.role".to_owned(), self.general.governance.role.as_deref());
        let callers = self.general.auth.caller.0.iter();
        let callers =
            callers.map(|it| (format!("auth.caller.{}.role", it.name), it.role.as_deref()));
        let named = [of_process].into_iter().chain(callers);
        let unknown = named.filter_map(|(key, role)| {
            let role = role.filter(|it| roles.find(it).is_none())?;
            let names: Vec<&str> = roles.names().collect();
            let meant = match nearest(role, names.iter().copied()) {
                Some(it) => format!("Did you mean `{it}`?"),
                None => format!("It has: {}.", names.join(", ")),
            };
            Some(format!(
                "`{key}` is {}, a role that the policy does not have. {meant}",
                quoted(role)
            ))
        });
        if roles.is_empty() { Vec::new() } else { unknown.collect() }
    }

    /// Patterns of codes that no code has.
    fn idle_locks(&self) -> Vec<String> {
        let contracts: Vec<_> = self.servers.iter().map(super::Server::codes).collect();
        let of_servers = contracts.iter().flat_map(|it| it.codes.keys());
        let codes: Vec<&str> =
            shipped::core().codes.keys().chain(of_servers).map(|it| &**it).collect();
        let locks = self.general.governance.locks.iter().flatten();
        let is_idle = |it: &&String| {
            globs(&[it]).is_ok_and(|pattern| !codes.iter().any(|code| pattern.is_match(code)))
        };
        let told = locks.filter(is_idle).map(|it| {
            let meant = nearest(it, codes.iter().copied());
            let meant = meant.map(|it| format!(" Did you mean `{it}`?")).unwrap_or_default();
            format!("`governance.locks` has {}, which no code matches.{meant}", quoted(it))
        });
        told.collect()
    }

    fn missing_programs(&self) -> Vec<String> {
        let governance = &self.general.governance;
        let preflights = governance.preflight.0.iter();
        let missing = preflights.filter_map(|it| {
            let program = it.command.first()?;
            (!self.is_there(governance, program)).then(|| {
                format!(
                    "`governance.preflight.{}.command`: there is no program {}.",
                    it.name,
                    quoted(program)
                )
            })
        });
        missing.collect()
    }

    /// Whether a command would find its program, as far as the workspaces are known.
    fn is_there(&self, governance: &Governance, program: &str) -> bool {
        if !program.contains('/') {
            let path = env::var_os("PATH").unwrap_or_default();
            return env::split_paths(&path).any(|it| it.join(program).is_file());
        }
        let given = governance.root.as_ref();
        let roots: Vec<&PathBuf> = given
            .into_iter()
            .chain(self.servers.iter().filter_map(|it| it.workspace.as_ref()))
            .map(|it| &it.0)
            .collect();
        let is_known = Path::new(program).is_absolute() || !roots.is_empty();
        !is_known
            || Path::new(program).is_file()
            || roots.iter().any(|it| it.join(program).is_file())
    }
}
