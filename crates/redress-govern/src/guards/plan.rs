//! The plan guard: a change is part of a plan that a person approved.

use redress::{Fault, fault::NextAction};

use super::{Guard, GuardedRequest};
use crate::{argument, call::Call};

/// A call of a tool that needs a plan names an approved one, and changes only what is in its scope.
pub(super) struct PlanGuard;

impl Guard for PlanGuard {
    fn judge(&self, case: &mut GuardedRequest<'_>) -> Result<(), Box<Fault>> {
        if case.report.is_some() || !case.policy.needs_plan(case.call.name) {
            return Ok(());
        }
        let Some(root) = &case.root else { return Ok(()) };
        case.context.phase_id = text(case.call, "phase")?;
        let Some(named) = text(case.call, "plan")? else { return Err(unnamed()) };
        let plan = case.policy.plans.approved(root, &named, &mut case.context.plan_hash)?;
        // A call that names no path may change anything.
        if case.access.paths.is_empty() {
            return plan.allows_all_below("").map_err(unseen);
        }
        for path in case.access.paths.iter().filter(|it| !it.is_empty()) {
            plan.allows(path)?;
        }
        for place in &case.places {
            if place.is_directory {
                plan.allows_all_below(&place.path)?;
            } else {
                plan.allows(&place.path)?;
            }
        }
        Ok(())
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

/// A call with unknown changes, under a plan that is not about all files.
fn unseen(mut fault: Box<Fault>) -> Box<Fault> {
    let rest = " It cannot be seen what this call changes: its contract has to name the arguments that are paths, or the plan has the scope `**`.";
    fault.hint.push_str(rest);
    fault
}
