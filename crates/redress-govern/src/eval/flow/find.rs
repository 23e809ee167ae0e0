//! The functions of a payload that a value may be.

use std::collections::BTreeSet;

use super::{BINDS, Graph};
use crate::eval::{
    judge::Judge,
    payload::{Id, Param, Value},
    words::has,
};

/// How many functions of the payload something may be, and how many values are followed to find them in all. What is more is refused, so
/// that no way can be hidden among others.
const MOST_FUNCTIONS: usize = 64;
pub(super) const STEPS: u32 = 200_000;

/// What a function is looked for as.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sought {
    /// The value itself.
    Value,
    /// What gives it when it is called.
    Maker,
    /// One of these.
    Either,
}

impl Judge<'_, '_> {
    /// Whether it is `call` or the like of a function that calls what it gets: `[].map.call`.
    pub(super) fn binds_caller(&self, callee: Id) -> bool {
        let Value::Member { object, .. } = self.payload.value(callee) else { return false };
        let (back, second) = (self.rules.calls_back, self.rules.calls_second);
        self.called(*object).is_some_and(|it| has(back, it) || has(second, it))
    }
}

impl<'p> Graph<'_, 'p, '_> {
    /// The functions of the payload that a value may be.
    pub(super) fn find(&self, id: Id, found: &mut Vec<Id>) {
        let payload = self.judge.payload;
        let is_none = match payload.value(id) {
            Value::Name(name) => payload.given(name).is_empty(),
            Value::Member { key, .. } => {
                self.judge.spelled(*key).map_or(!self.judge.keys.contains_key(key), |it| {
                    !has(BINDS, it) && payload.fields(it).is_empty()
                })
            }
            Value::Function | Value::Either(_) | Value::Call { .. } => false,
            _ => true,
        };
        if is_none {
            return;
        }
        let (mut open, mut seen) = (vec![(id, Sought::Value)], BTreeSet::new());
        while let Some((id, sought)) = open.pop() {
            if !seen.insert((id, sought)) {
                continue;
            }
            if found.len() >= MOST_FUNCTIONS || self.steps.get() == 0 {
                return self.is_lost.set(true);
            }
            self.steps.set(self.steps.get() - 1);
            let mut all = |ids: &[Id]| open.extend(ids.iter().map(|it| (*it, sought)));
            match payload.value(id) {
                Value::Function => {
                    open.extend(self.above.get(&id).map(|it| (*it, sought)));
                    if sought != Sought::Maker {
                        found.push(id);
                    }
                    if sought != Sought::Value {
                        let given = self.returned.get(&id).into_iter().flatten();
                        open.extend(given.map(|it| (*it, Sought::Either)));
                    }
                }
                Value::Name(name) => all(payload.given(name)),
                Value::Either(ways) => all(ways),
                Value::Member { object, key } => match self.judge.spelled(*key) {
                    Some(key) if has(BINDS, key) => all(&[*object]),
                    Some(key) => all(payload.fields(key)),
                    None => {
                        let known = self.judge.keys.get(key).into_iter().flatten();
                        let given = known.flat_map(|it| payload.fields(it));
                        open.extend(given.map(|it| (*it, sought)));
                    }
                },
                Value::Call { callee, .. } => open.push((*callee, Sought::Maker)),
                _ => (),
            }
        }
    }

    pub(super) fn params_of(&self, functions: &[Id]) -> Vec<&'p Param> {
        functions.iter().filter_map(|it| self.params.get(it)).flatten().copied().collect()
    }
}
