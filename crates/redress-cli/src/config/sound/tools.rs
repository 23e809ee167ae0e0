//! Names of tools in a policy that no tool has: a rule about them would never be asked.

use redress_govern::is_tool_of_gate;
use redress_registry::{Registry, nearest::nearest, problems::quoted};

use super::{super::Server, Config, Doubt};

impl Config {
    pub(super) fn unknown_tools(&self) -> Vec<Doubt> {
        let contracts: Vec<_> = self.servers.iter().map(Server::codes).collect();
        // Of a server whose contract names no tools, none is known; and none is served.
        let are_known = contracts.iter().all(|it| !it.tools.is_empty());
        if contracts.is_empty() || !are_known || self.has_broken_contract() {
            return Vec::new();
        }
        let tools: Vec<&str> = contracts.iter().flat_map(|it| names(it)).collect();
        self.named_tools().filter_map(|it| it.doubt(&tools)).collect()
    }

    /// Every pattern of a tool that is a name.
    fn named_tools(&self) -> impl Iterator<Item = NamedTool<'_>> {
        let governance = &self.general.governance;
        let planned = governance.need_plan.iter().flatten();
        let planned = planned.map(|name| (vec!["governance", "need_plan"], name, true));
        let of_roles = governance.roles.0.iter().flat_map(|role| {
            let place = |key| vec!["governance", "roles", role.name.as_str(), key];
            let allow = role.allow.iter().map(move |name| (place("allow"), name, false));
            allow.chain(role.deny.iter().map(move |name| (place("deny"), name, true)))
        });
        planned
            .chain(of_roles)
            .map(|(place, name, restricts)| NamedTool { place, name, restricts })
            .filter(NamedTool::is_name)
    }
}

fn names(contract: &Registry) -> impl Iterator<Item = &str> {
    contract.tools.keys().map(|it| &**it)
}

/// A tool that a policy names.
struct NamedTool<'p> {
    place: Vec<&'p str>,
    name: &'p str,
    /// Whether the policy asks something of its calls, which would be missed.
    restricts: bool,
}

impl NamedTool<'_> {
    /// A pattern may be about tools to come; and what has a slash is a method.
    fn is_name(&self) -> bool {
        !self.name.contains(['*', '?', '[', '{', '\\', '/'])
    }

    fn doubt(&self, tools: &[&str]) -> Option<Doubt> {
        let name = quoted(self.name);
        if is_tool_of_gate(self.name) {
            let what = format!("{name} is a tool of the gate itself, which is for every role");
            let fix = "Leave it out.".to_owned();
            return self.restricts.then(|| Doubt::new(&self.place, what, fix));
        }
        if tools.contains(&self.name) {
            return None;
        }
        let fix = match nearest(self.name, tools.iter().copied()) {
            Some(it) => format!("Did you mean `{it}`?"),
            None => "Name a tool that a contract declares (`[tool.NAME]`).".to_owned(),
        };
        Some(Doubt::new(&self.place, format!("no server has a tool {name}"), fix))
    }
}
