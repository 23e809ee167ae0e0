//! The calls of a payload, and which of them may be of something that was chosen.

use std::collections::BTreeSet;

use super::{
    BINDS, Graph,
    way::{CHOSEN, HOLDS, PERHAPS},
};
use crate::eval::{
    Refusal,
    judge::{Judge, refuse},
    payload::{Id, Use, Value},
    words::has,
};

const CALLED: &str = "a call of what is chosen when the code runs";

/// What calls all that is in the second value that it gets.
const PROXY: &str = "Proxy";

impl Judge<'_, '_> {
    /// Refuses a call of something that may have been chosen.
    pub(in crate::eval) fn follow(&self) -> Result<(), Refusal> {
        if self.is_global_open() {
            return refuse("a computed member of the global object");
        }
        let unseen = self.called_unseen();
        if unseen.is_empty() && !self.payload.nodes.iter().any(|it| self.is_open_call(&it.value)) {
            return Ok(());
        }
        let graph = Graph::of(self);
        if graph.is_lost.get() {
            return refuse("more calls than can be followed");
        }
        let bits = graph.walk(&self.open);
        let is = |id: Id, some: u8| bits.get(id).is_some_and(|it| it & some != 0);
        if unseen.iter().any(|it| is(*it, CHOSEN | PERHAPS)) {
            return refuse(CALLED);
        }
        let are_binds_about = self.are_binds_about();
        for node in &self.payload.nodes {
            let Value::Call { callee, arguments } = &node.value else { continue };
            if is(*callee, CHOSEN | PERHAPS) {
                return refuse(CALLED);
            }
            if are_binds_about && self.is_bound(*callee, arguments, &is) {
                return refuse(CALLED);
            }
            let (from, some) = match self.called(*callee) {
                Some(PROXY) => (1, CHOSEN | PERHAPS | HOLDS),
                Some(name) if has(self.rules.calls_back, name) => (0, CHOSEN),
                Some(name) if has(self.rules.calls_second, name) => (1, CHOSEN),
                Some("apply") if self.binds_caller(*callee) => (1, CHOSEN | HOLDS),
                Some("bind" | "call") if self.binds_caller(*callee) => (1, CHOSEN),
                _ => continue,
            };
            if arguments.iter().skip(from).any(|it| is(*it, some) && !self.is_plain_object(*it)) {
                return refuse(CALLED);
            }
        }
        Ok(())
    }

    /// Whether a call may be one of something that got there: most are of methods, and of functions that nobody has given a value.
    fn is_open_call(&self, value: &Value<'_>) -> bool {
        let Value::Call { callee, arguments } = value else { return false };
        let is_called = match self.payload.value(*callee) {
            Value::Name(name) => !self.payload.given(name).is_empty(),
            Value::Member { key, .. } => self
                .spelled(*key)
                .is_none_or(|it| has(BINDS, it) || !self.payload.fields(it).is_empty()),
            _ => true,
        };
        let is_data = |it: &Id| {
            matches!(self.payload.value(*it), Value::Function | Value::Text(_) | Value::Number)
        };
        is_called
            || self.called(*callee) == Some(PROXY)
            || self.called(*callee).is_some_and(|it| {
                (has(self.rules.calls_back, it) || has(self.rules.calls_second, it))
                    && !arguments.iter().all(is_data)
            })
    }

    /// The name of what is called.
    pub(super) fn called(&self, callee: Id) -> Option<&str> {
        match self.payload.value(callee) {
            Value::Name(name) => Some(name),
            Value::Member { key, .. } => self.spelled(*key),
            _ => None,
        }
    }

    /// A key as it is spelled, or put together; of some that it may be, the one that tells most.
    pub(in crate::eval) fn spelled(&self, key: Id) -> Option<&str> {
        if let Value::Key(key) | Value::Text(key) = self.payload.value(key) {
            return Some(key);
        }
        let known = self.keys.get(&key)?;
        let telling = [BINDS, self.rules.calls_back, self.rules.calls_second];
        let mut telling = telling.iter().filter_map(|of| known.iter().find(|it| has(of, it)));
        let only = || if let [only] = known.as_slice() { Some(only) } else { None };
        telling.next().or_else(only).map(AsRef::as_ref)
    }

    /// Whether `f.call` and the like are more than called, so that anything may be one.
    pub(super) fn are_binds_about(&self) -> bool {
        *self.binds_about.get_or_init(|| {
            self.payload.nodes.iter().any(|node| match &node.value {
                Value::Member { key, .. } => {
                    let is_bound = match node.used {
                        Use::Value => true,
                        Use::Object { of } => self.is_open_or_bind(of),
                        _ => false,
                    };
                    is_bound && self.spelled(*key).is_some_and(|it| has(BINDS, it))
                }
                _ => false,
            })
        })
    }

    /// An object that stands there: what is under its names is looked at as such.
    fn is_plain_object(&self, id: Id) -> bool {
        let is_spread = |it: &Id| matches!(self.payload.value(*it), Value::Spread(_));
        matches!(self.payload.value(id), Value::Object(all) if !all.iter().any(is_spread))
    }

    fn is_open_or_bind(&self, member: Id) -> bool {
        match self.payload.value(member) {
            Value::Member { key, .. } => self.spelled(*key).is_none_or(|it| has(BINDS, it)),
            _ => true,
        }
    }

    /// Whether something is called as what `f.call` is called on.
    fn is_bound(&self, callee: Id, arguments: &[Id], is: &dyn Fn(Id, u8) -> bool) -> bool {
        let Value::Member { object, key } = self.payload.value(callee) else { return false };
        match self.spelled(*key) {
            Some(key) if has(BINDS, key) => {
                arguments.first().is_some_and(|it| is(*it, CHOSEN | PERHAPS))
            }
            Some(key) => is(*object, CHOSEN | PERHAPS) && !self.payload.fields(key).is_empty(),
            None => false,
        }
    }

    /// Whether a member is chosen of what a function gives that gives `this`: called freely, it gives the global object.
    fn is_global_open(&self) -> bool {
        let ways = &self.payload.ways;
        let this: BTreeSet<Id> = ways.this.iter().copied().collect();
        let gives = ways.returned.iter().filter(|(_, given)| this.contains(given));
        let gives: BTreeSet<Id> = gives.map(|(function, _)| *function).collect();
        if gives.is_empty() {
            return false;
        }
        let is_free = |id: &Id| {
            let Value::Call { callee, .. } = self.payload.value(*id) else { return false };
            match self.payload.value(*callee) {
                Value::Function => gives.contains(callee),
                Value::Name(name) => {
                    let mut given = self.payload.given(name).iter();
                    given.any(|it| self.may_give(*it, &gives))
                }
                _ => false,
            }
        };
        self.open.iter().any(|id| {
            let Value::Member { object, .. } = self.payload.value(*id) else { return false };
            match self.payload.value(*object) {
                Value::Name(name) => self.payload.given(name).iter().any(is_free),
                _ => is_free(object),
            }
        })
    }

    fn may_give(&self, function: Id, gives: &BTreeSet<Id>) -> bool {
        match self.payload.value(function) {
            Value::Member { key, .. } => self
                .spelled(*key)
                .is_some_and(|it| self.payload.fields(it).iter().any(|it| gives.contains(it))),
            _ => gives.contains(&function),
        }
    }
}
