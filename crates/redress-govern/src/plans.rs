//! `Plans`: the plans of a workspace, and which of them a person approved.

mod folder;
mod listed;
mod memory;
mod revoked;

use std::{path::PathBuf, sync::Arc};

use redress::{
    Fault, codes,
    fault::{Similar, Violation},
};
use redress_ledger::PublicKey;
use redress_registry::nearest::nearest_n;

pub use self::revoked::{is_hash, revoked};
use self::{
    folder::{Folder, PlanFile},
    memory::Memory,
};
use crate::{
    plan::{Plan, broken},
    root::Root,
};

/// The folder of plans, and the keys that approve them.
#[derive(Debug)]
pub struct Plans {
    folder: Folder,
    /// Without a key nothing is approved.
    keys: Vec<PublicKey>,
    revoked: PathBuf,
    memory: Memory,
}

impl Plans {
    /// Plans in a folder of the workspace, approved with one of these keys, but for those that the file `revoked` lists.
    pub fn new(folder: String, keys: Vec<PublicKey>, revoked: PathBuf) -> Self {
        Self { folder: Folder(folder), keys, revoked, memory: Memory::default() }
    }

    /// The folder, relative to the workspace.
    pub(crate) fn folder(&self) -> &str {
        &self.folder.0
    }

    /// The plans as clients see them.
    pub(crate) fn listed(&self, root: &Root) -> String {
        let all = self.all(root).into_iter().map(|it| {
            let verdict = it.plan.as_ref().map_or(Ok(()), |it| self.judge(it));
            (it, verdict)
        });
        listed::listed(self.folder(), all)
    }

    /// The plan of that name or hash, if it may be used; its hash is stored either way.
    pub(crate) fn approved(
        &self,
        root: &Root,
        named: &str,
        hash: &mut Option<String>,
    ) -> Result<Arc<Plan>, Box<Fault>> {
        let found = match self.of_name(root, named) {
            Some(found) => found,
            None => self.of_hash(root, named).ok_or_else(|| self.not_found(root, named))?,
        };
        let plan =
            found.plan.map_err(|it| self.advise(broken(named, &it.to_string()), &found.file))?;
        *hash = Some(plan.hash.clone());
        self.judge(&plan).map_err(|it| self.advise(it, &found.file))?;
        Ok(plan)
    }

    fn of_name(&self, root: &Root, named: &str) -> Option<PlanFile> {
        self.folder.find(root, named, &self.memory)
    }

    fn all(&self, root: &Root) -> Vec<PlanFile> {
        self.folder.all(root, &self.memory)
    }

    /// Of several with that hash, one that may be used. One that was approved under it and is another now is found, too.
    fn of_hash(&self, root: &Root, hash: &str) -> Option<PlanFile> {
        let is_meant = |it: &PlanFile| {
            let plan = it.plan.as_ref().ok();
            plan.is_some_and(|it| it.hash == hash || it.declared.as_deref() == Some(hash))
        };
        let mut found: Vec<PlanFile> = self.all(root).into_iter().filter(is_meant).collect();
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
        let path = format!("{}/{file}", self.folder());
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
