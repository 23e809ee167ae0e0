//! Every part of a fault that can hold words from outside: what is done to all of them is done here to each.

use super::{Fault, NextAction, Receipt, Similar, Violation};
use redress_wire::json::{Members, RawJson, Value};

/// A part of a fault that can hold words from outside.
#[derive(Debug)]
pub(crate) enum ForeignPart<'p> {
    /// A sentence or a name.
    Text(&'p mut String),
    /// What a server said, in one line.
    Said(&'p mut String),
    /// A stack, in lines.
    Stack(&'p mut String),
    /// The details, which can quote a server in one line.
    Details(&'p mut RawJson),
    /// Any other document.
    Json(&'p mut RawJson),
}

impl Fault {
    /// Calls `change` with each of these parts. It names every member of a fault, so that a new one cannot be forgotten.
    pub(crate) fn each_part(&mut self, change: &mut dyn FnMut(ForeignPart<'_>)) {
        let Self {
            // The row is the operator's.
            entry: _,
            message,
            hint,
            class: _,
            http: _,
            retry: _,
            not_before: _,
            effect: _,
            origin: _,
            basis: _,
            domain,
            number: _,
            severity: _,
            next_actions,
            similar_refs,
            violations,
            details,
            server_text,
            context,
            timestamp,
            elapsed_ms: _,
            estimated_tokens: _,
            ledger,
            cause,
            stack,
            rpc_id,
            extra,
            unsaid: _,
            // It is sent only by way of the others.
            private: _,
        } = self;
        let mut owner = String::from(std::mem::take(domain));
        let names = context.members_mut().into_iter().flatten();
        let receipt = ledger.as_mut().map(|Receipt { seq: _, hash }| hash);
        let texts = [message, hint, &mut owner].into_iter().chain(timestamp).chain(receipt);
        texts.chain(names).for_each(|it| change(ForeignPart::Text(it)));
        *domain = owner.into();
        let said = server_text.iter_mut().map(ForeignPart::Said);
        let others = stack
            .iter_mut()
            .map(ForeignPart::Stack)
            .chain(details.iter_mut().map(ForeignPart::Details));
        said.chain(others).for_each(&mut *change);
        for next in next_actions {
            match next {
                NextAction::Call { tool, args } => {
                    change(ForeignPart::Text(tool));
                    if let Some(args) = args {
                        change(ForeignPart::Json(args));
                    }
                }
                NextAction::Text(advice) => change(ForeignPart::Text(advice)),
            }
        }
        let similar = similar_refs.iter_mut().map(Similar::json_mut);
        let wrong = violations.iter_mut().map(Violation::json_mut);
        let documents = similar.chain(wrong).chain(cause).chain(rpc_id);
        documents.for_each(|it| change(ForeignPart::Json(it)));
        each_extra(extra, change);
    }
}

/// The members that no dialect has, as one document: a name can tell what its value is.
fn each_extra(extra: &mut Vec<(String, RawJson)>, change: &mut dyn FnMut(ForeignPart<'_>)) {
    if extra.is_empty() {
        return;
    }
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    for (pointer, value) in &*extra {
        members.raw(pointer, value.as_str());
    }
    members.close();
    let mut document = RawJson::written(out);
    change(ForeignPart::Json(&mut document));
    let pair = |(key, value): (Value<'_>, Value<'_>)| {
        (key.as_str().unwrap_or_default().into_owned(), RawJson::from(value))
    };
    *extra = document.with(|it| it.members().map(pair).collect()).unwrap_or_default();
}
