//! The plans as clients see them, with what may be used and why the rest may not.

use std::borrow::Cow;

use redress::{Fault, codes};
use redress_wire::json::{Members, Value, write_str};

use super::folder::PlanFile;
use crate::plan::{Plan, Status};

/// The plans of a folder, each with whether it may be used, as an object.
pub(super) fn listed(
    folder: &str,
    plans: impl Iterator<Item = (PlanFile, Result<(), Box<Fault>>)>,
) -> String {
    let (mut approved, mut others) = (String::from("["), String::from("["));
    for (PlanFile { file, plan }, verdict) in plans {
        match (plan, verdict) {
            (Ok(plan), Ok(())) => write_approved(next(&mut approved), &file, &plan),
            (Ok(plan), Err(fault)) => {
                let why = match plan.status {
                    Status::Draft => "nobody has approved it".to_owned(),
                    Status::Revoked => "its approval was revoked".to_owned(),
                    Status::Approved => reason(&fault),
                };
                write_other(next(&mut others), &file, fault.code(), &why);
            }
            (Err(why), _) => {
                let code = codes::PLAN_ENFORCEMENT_FAILED.name();
                write_other(next(&mut others), &file, code, &why.to_string());
            }
        }
    }
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.str("folder", folder);
    members.raw("plans", &(approved + "]")).raw("not_usable", &(others + "]"));
    members.close();
    out
}

/// Why a plan that says of itself that it is approved may not be used.
fn reason(fault: &Fault) -> String {
    let said = |it: Value<'_>| it.get("reason").and_then(Value::as_str).map(Cow::into_owned);
    let said = fault.details.as_ref().and_then(|it| it.with(said)).flatten();
    said.unwrap_or_else(|| "its approval was revoked".to_owned())
}

fn next(list: &mut String) -> &mut String {
    if list.len() > 1 {
        list.push(',');
    }
    list
}

fn write_approved(out: &mut String, file: &str, plan: &Plan) {
    let mut scope = String::from("[");
    for pattern in plan.scope.patterns() {
        write_str(next(&mut scope), pattern);
    }
    scope.push(']');
    let mut members = Members::open(out);
    members.str("file", file).str("hash", &plan.hash).str("title", &plan.title);
    members.raw("scope", &scope);
    members.close();
}

fn write_other(out: &mut String, file: &str, code: &str, why: &str) {
    let mut members = Members::open(out);
    members.str("file", file).str("code", code).str("reason", why);
    members.close();
}
