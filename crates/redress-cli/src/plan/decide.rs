//! `redress plan approve` and `redress plan revoke`: a person decides about a plan, and it is on record.

use std::{
    collections::BTreeSet,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
};

use redress::codes;
use redress_govern::is_hash;
use redress_govern::plan::{Status as PlanStatus, decided};
use redress_ledger::{Ledger, Options, Record, Redactor};
use serde_json::json;

use super::{
    StoredPlan, Which, changed, no_plan,
    show::print,
    standing::{Against, Standing, all_revoked, operator},
};
use crate::{
    Done, Status,
    failure::Failure,
    files,
    output::{Err as ToOperator, Out},
    place,
    run::{clock, say_recovered},
};

/// Approve a plan: calls may follow it until its text changes or you revoke it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress plan approve docs/plans/cache.md\n  redress plan approve cache.md --ledger ledger\n  redress plan approve 9f2c41d07a3e --yes\n\nIt shows the plan and asks. Your key (plans.key, in redress of the configuration directory) signs its hash. Exit code 1 if you decline."
)]
pub(crate) struct Approve {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    how: How,
}

/// Take an approval back, also from every copy of the plan's file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress plan revoke docs/plans/cache.md\n  redress plan revoke 9f2c41d07a3e --yes --ledger ledger\n\nThe hash is put on a list beside your key. Where the file is gone, give the whole hash. Exit code 1 if you decline."
)]
pub(crate) struct Revoke {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    how: How,
}

/// How it is decided.
#[derive(Debug, clap::Args)]
struct How {
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    /// Record the decision in this ledger, too.
    #[arg(long, value_name = "DIR")]
    ledger: Option<PathBuf>,
}

pub(super) fn approve(args: &Approve, out: &mut Out) -> Done {
    let found = args.which.find()?;
    let _held = files::hold_folder(&found.file.to_string_lossy())?;
    let standing = Against::load()?.standing(&found.plan);
    print(&found, standing, out)?;
    if standing == Standing::Approved {
        out.line("It is approved already.")?;
        return Ok(Status::Fine);
    }
    if !args.how.agreed("Approve this plan?", out)? {
        return Ok(Status::Findings);
    }
    found.is_still_the_same()?;
    let hash = &found.plan.hash;
    let approval = operator(&place::plans_key()?)?.approve(hash);
    args.how.record("plan_approved", &[hash], Some(&found))?;
    let text = found.decided(PlanStatus::Approved, Some(&approval))?;
    changed::keep(hash, &text)?;
    relist(|revoked| {
        revoked.remove(hash);
    })?;
    files::replace(&found.file.to_string_lossy(), &text)?;
    out.line("Approved.")?;
    Ok(Status::Fine)
}

pub(super) fn revoke(args: &Revoke, out: &mut Out) -> Done {
    let found = match args.which.find() {
        // Its copies may be anywhere.
        Err(_) if is_hash(&args.which.plan) => None,
        found => Some(found?),
    };
    let _held = match &found {
        Some(found) => {
            let standing = Against::load()?.standing(&found.plan);
            print(found, standing, out)?;
            Some(files::hold_folder(&found.file.to_string_lossy())?)
        }
        None => None,
    };
    if !args.how.agreed("Revoke this plan?", out)? {
        return Ok(Status::Findings);
    }
    let hashes: Vec<&str> = match &found {
        // An older text may have been approved, and a copy of it may come back.
        Some(StoredPlan { plan, .. }) => {
            let declared = plan.declared.as_deref().filter(|it| is_hash(it) && *it != plan.hash);
            [plan.hash.as_str()].into_iter().chain(declared).collect()
        }
        None => vec![args.which.plan.as_str()],
    };
    relist(|revoked| revoked.extend(hashes.iter().map(ToString::to_string)))?;
    if let Some(found) = &found {
        found.is_still_the_same()?;
        let text = found.decided(PlanStatus::Revoked, None)?;
        files::replace(&found.file.to_string_lossy(), &text)?;
    }
    args.how.record("plan_revoked", &hashes, found.as_ref())?;
    out.line("Revoked.")?;
    Ok(Status::Fine)
}

impl How {
    /// Asks the person at the terminal.
    fn agreed(&self, question: &str, out: &mut Out) -> Result<bool, Failure> {
        if self.yes {
            return Ok(true);
        }
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(Failure::option("A person decides about plans, and there is no terminal")
                .fix("Run it at a terminal, or give --yes."));
        }
        out.finish()?;
        ToOperator::new().ask(&format!("{question} [y/N] "));
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).map_err(|it| Failure::stream(&it))?;
        let is_yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
        if !is_yes {
            out.line("Nothing was changed.")?;
        }
        Ok(is_yes)
    }

    /// Puts the decision on record, if a ledger was given.
    fn record(
        &self,
        event: &str,
        hashes: &[&str],
        found: Option<&StoredPlan>,
    ) -> Result<(), Failure> {
        let Some(dir) = &self.ledger else { return Ok(()) };
        let mut object = json!({"event": event, "plan_hash": hashes});
        if let (Some(found), Some(object)) = (found, object.as_object_mut()) {
            object.insert("file".to_owned(), found.file.to_string_lossy().into());
            object.insert("title".to_owned(), found.plan.title.as_str().into());
            object.insert("scope".to_owned(), found.plan.scope.patterns().into());
        }
        let failed = |it: &dyn std::fmt::Display| Failure::ledger(dir, it);
        let ledger = Ledger::open(Options::new(dir.clone(), place::key()?, clock()));
        let ledger = ledger.map_err(|it| failed(&it))?;
        say_recovered(&ledger);
        let record = Record::session(&object.to_string(), &Redactor::new([""; 0]));
        ledger.append_wait(record).map_err(|it| failed(&it))?;
        ledger.close().map_err(|it| failed(&it))
    }
}

impl StoredPlan {
    /// What was shown is what is decided about.
    fn is_still_the_same(&self) -> Result<(), Failure> {
        let shown = self.file.to_string_lossy();
        let now = files::read(&self.file).map_err(|it| Failure::reading(&shown, &it))?;
        if now == self.bytes {
            return Ok(());
        }
        Err(Failure::input(codes::CONFLICT.raise([("kind", "plan"), ("id", &*shown)]))
            .note("The file was changed while you decided.")
            .fix("Look at it again."))
    }

    /// The file as it is after a decision.
    fn decided(&self, status: PlanStatus, approval: Option<&str>) -> Result<String, Failure> {
        decided(&self.bytes, status, approval).map_err(|it| no_plan(&self.file, &it))
    }
}

/// Changes the list of revoked plans.
fn relist(change: impl FnOnce(&mut BTreeSet<String>)) -> Result<(), Failure> {
    let list = place::revoked()?;
    let shown = list.to_string_lossy();
    // The key was made before, or is now: the list lies beside it.
    operator(&place::plans_key()?)?;
    let _held = files::hold_folder(&shown)?;
    let before = all_revoked()?;
    let mut after = before.clone();
    change(&mut after);
    if after == before {
        return Ok(());
    }
    let lines = after.iter().fold(String::new(), |all, it| all + it + "\n");
    files::replace(&shown, &lines)?;
    sync_folder(&list).map_err(|it| Failure::writing(&shown, &it))
}

fn sync_folder(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), |it| std::fs::File::open(it)?.sync_all())
}
