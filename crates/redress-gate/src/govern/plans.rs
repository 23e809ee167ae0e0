//! Plans: what a person approved is done, and nothing else.

mod folder;
mod listed;
mod memory;
mod revoked;

use std::{path::PathBuf, sync::Arc};

use redress::{
    Fault, codes,
    fault::{NextAction, Similar, Violation},
};
use redress_govern::{
    argument,
    plan::{Plan, broken},
};
use redress_ledger::PublicKey;
use redress_registry::nearest::nearest_n;

pub use self::revoked::{is_hash, revoked};
use self::{
    folder::{Kept, is_name},
    memory::Memory,
};
use super::{Call, Governed, Governor, places::Place, root::Root};

/// Where plans are, and by whose key they are approved.
#[derive(Debug)]
pub struct Plans {
    folder: String,
    /// Without any nothing is approved.
    keys: Vec<PublicKey>,
    revoked: PathBuf,
    memory: Memory,
}

impl Plans {
    /// Plans in a folder of the workspace, approved with one of these keys, but for those that the file `revoked` lists.
    pub fn new(folder: String, keys: Vec<PublicKey>, revoked: PathBuf) -> Self {
        Self { folder, keys, revoked, memory: Memory::default() }
    }

    /// The folder, relative to the workspace.
    pub(super) fn folder(&self) -> &str {
        &self.folder
    }

    /// The plan of that name or hash, if it may be used; its hash is told either way.
    fn approved(
        &self,
        root: &Root,
        named: &str,
        governed: &mut Governed,
    ) -> Result<Arc<Plan>, Box<Fault>> {
        let found = match self.of_name(root, named) {
            Some(found) => found,
            None => self.of_hash(root, named).ok_or_else(|| self.not_found(root, named))?,
        };
        let plan =
            found.plan.map_err(|it| self.advise(broken(named, &it.to_string()), &found.file))?;
        governed.plan_hash = Some(plan.hash.clone());
        self.judge(&plan).map_err(|it| self.advise(it, &found.file))?;
        Ok(plan)
    }

    fn of_name(&self, root: &Root, named: &str) -> Option<Kept> {
        let below = named.strip_prefix(&self.folder).and_then(|it| it.strip_prefix('/'));
        let file = below.unwrap_or(named);
        is_name(file).then(|| self.read(root, file).ok()).flatten()
    }

    /// Of several with that hash, one that may be used. One that was approved under it and is another now is found, too.
    fn of_hash(&self, root: &Root, hash: &str) -> Option<Kept> {
        let is_meant = |it: &Kept| {
            let plan = it.plan.as_ref().ok();
            plan.is_some_and(|it| it.hash == hash || it.declared.as_deref() == Some(hash))
        };
        let mut found: Vec<Kept> = self.all(root).into_iter().filter(is_meant).collect();
        let usable =
            found.iter().position(|it| it.plan.as_ref().is_ok_and(|it| self.judge(it).is_ok()));
        let same = || found.iter().position(|it| it.plan.as_ref().is_ok_and(|it| it.hash == hash));
        let at = usable.or_else(same).unwrap_or(0);
        (at < found.len()).then(|| found.swap_remove(at))
    }

    fn judge(&self, plan: &Plan) -> Result<(), Box<Fault>> {
        plan.judge(|hash, approval| self.memory.is_signed(&self.keys, hash, approval))?;
        match revoked(&self.revoked) {
            Ok(revoked) if revoked.contains(&plan.hash) => {
                let params = [("plan_hash", plan.hash.as_str())];
                Err(Box::new(codes::PLAN_NOT_APPROVED.raise(params)))
            }
            Ok(_) => Ok(()),
            Err(_) => Err(broken(&plan.hash, "the list of revoked plans cannot be read")),
        }
    }

    /// A refusal with what the operator can do about it.
    fn advise(&self, mut fault: Box<Fault>, file: &str) -> Box<Fault> {
        let path = format!("{}/{file}", self.folder);
        fault.hint = if fault.code() == codes::PLAN_NOT_APPROVED.name() {
            format!(
                "Ask the operator to run `redress plan approve {path}`, then make the same call again."
            )
        } else {
            format!(
                "Ask the operator to look at {path}, and to approve it again with `redress plan approve`."
            )
        };
        fault
    }

    fn not_found(&self, root: &Root, named: &str) -> Box<Fault> {
        let approved: Vec<(String, String)> = self.usable(root);
        let mut fault = codes::PLAN_NOT_FOUND.raise([("plan_hash", named)]);
        let names = approved.iter().flat_map(|(file, hash)| [file.as_str(), hash.as_str()]);
        fault.similar_refs = nearest_n(named, names, 3).into_iter().map(Similar::new).collect();
        fault.violations = vec![Violation::new("/plan", "not_found", None)];
        fault.hint = match approved.as_slice() {
            [] => "Ask the operator to approve a plan: there is none.".to_owned(),
            all => {
                let names: Vec<&str> = all.iter().take(5).map(|it| it.0.as_str()).collect();
                format!("Name a plan that is approved: {}.", names.join(", "))
            }
        };
        Box::new(fault)
    }

    /// Files and hashes of the plans that may be used.
    fn usable(&self, root: &Root) -> Vec<(String, String)> {
        let all = self.all(root).into_iter();
        let usable = all.filter_map(|it| Some((it.file, it.plan.ok()?)));
        let usable = usable.filter(|it| self.judge(&it.1).is_ok());
        usable.map(|(file, plan)| (file, plan.hash.clone())).collect()
    }
}

impl Governor {
    /// Whether a call follows a plan that is approved, if it needs one.
    pub(super) fn follows(
        &self,
        call: &Call<'_>,
        governed: &mut Governed,
        root: &Root,
        (paths, places): (&[String], &[Place]),
    ) -> Result<(), Box<Fault>> {
        if !self.needs_plan(call.name) {
            return Ok(());
        }
        governed.phase_id = text(call, "phase")?;
        let Some(named) = text(call, "plan")? else { return Err(unnamed()) };
        let plan = self.policy.plans.approved(root, &named, governed)?;
        // What names no path may change anything.
        if paths.is_empty() {
            return plan.allows_all_below("").map_err(unseen);
        }
        for path in paths.iter().filter(|it| !it.is_empty()) {
            plan.allows(path)?;
        }
        for place in places {
            if place.is_directory {
                plan.allows_all_below(&place.path)?;
            } else {
                plan.allows(&place.path)?;
            }
        }
        Ok(())
    }

    /// Whether calls of a tool follow a plan.
    pub(super) fn needs_plan(&self, tool: &str) -> bool {
        self.policy.extras.iter().any(|it| it.name() == "plan" && it.is_of(tool))
    }
}

/// An argument that is a short text.
fn text(call: &Call<'_>, name: &str) -> Result<Option<String>, Box<Fault>> {
    let value = call.arguments.and_then(|it| it.get(name)).filter(|it| !it.is_null());
    let Some(value) = value else { return Ok(None) };
    let field = format!("/{name}");
    let Some(text) = value.as_str().filter(|it| !it.trim().is_empty()) else {
        return Err(Box::new(argument::mistyped(&field, "text")));
    };
    if text.chars().count() > 256 || text.chars().any(char::is_control) {
        let expected = Some("one line of at most 256 characters");
        return Err(Box::new(argument::not_allowed(&field, expected)));
    }
    Ok(Some(text.into_owned()))
}

fn unnamed() -> Box<Fault> {
    let mut fault = argument::missing("/plan");
    "Name the approved plan that this call follows, by its hash or its file."
        .clone_into(&mut fault.hint);
    fault.next_actions = vec![NextAction::call("list_plans", [] as [(&str, &str); 0])];
    Box::new(fault)
}

/// A call of which it cannot be seen what it changes, under a plan that is not about everything.
fn unseen(mut fault: Box<Fault>) -> Box<Fault> {
    let rest = " It cannot be seen what this call changes: its contract has to name the arguments that are paths, or the plan has the scope `**`.";
    fault.hint.push_str(rest);
    fault
}
