//! Members that are chosen when the code runs, and what they may be members of.

use super::{
    flow::BINDS,
    judge::Judge,
    payload::{Id, Value},
    words::has,
};

/// How far a value is followed.
const DEPTH: u8 = 4;

impl Judge<'_, '_> {
    /// Whether a value is a member that was chosen when the code runs.
    pub(super) fn is_chosen(&self, id: Id) -> bool {
        self.chosen(id, DEPTH)
    }

    /// Whether a value is a function, a class, or an object that the language has from the start.
    pub(super) fn is_function(&self, id: Id) -> bool {
        self.function(id, DEPTH)
    }

    /// Whether nobody knows what a key is.
    fn is_open(&self, key: Id) -> bool {
        match self.payload.value(key) {
            Value::Key(_) | Value::Text(_) | Value::Number => false,
            _ => self.texts.of(key).is_open(),
        }
    }

    fn chosen(&self, id: Id, depth: u8) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if !self.texts.step() {
            return true;
        }
        let any = |all: &[Id]| all.iter().any(|it| self.chosen(*it, depth));
        match self.payload.value(id) {
            Value::Member { object, key } => match self.payload.value(*key) {
                _ if self.spelled(*key).is_some_and(|it| has(BINDS, it)) => {
                    self.chosen(*object, depth)
                }
                Value::Key(key) | Value::Text(key) => any(self.payload.fields(key)),
                Value::Number => {
                    matches!(self.payload.value(*object), Value::List(all) if any(all))
                }
                _ => self.is_open(*key),
            },
            Value::Name(name) => any(self.payload.given(name)),
            Value::Either(ways) => any(ways),
            _ => false,
        }
    }

    fn function(&self, id: Id, depth: u8) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if !self.texts.step() {
            return true;
        }
        let is_built_in = |id: Id| match self.payload.value(id) {
            Value::Name(name) => has(self.rules.built_in, name) && !self.payload.is_declared(name),
            _ => false,
        };
        let any = |all: &[Id]| all.iter().any(|it| self.function(*it, depth));
        match self.payload.value(id) {
            Value::Function => true,
            Value::Name(name) => is_built_in(id) || any(self.payload.given(name)),
            Value::Either(ways) => any(ways),
            Value::Member { object, key } => match self.payload.value(*key) {
                Value::Key(key) | Value::Text(key) => {
                    has(self.rules.methods, key)
                        || is_built_in(*object)
                        || matches!(self.payload.value(*object), Value::List(_) | Value::Text(_))
                        || any(self.payload.fields(key))
                }
                Value::Number => {
                    matches!(self.payload.value(*object), Value::List(all) if any(all))
                }
                _ => self.is_open(*key) && matches!(self.payload.value(*object), Value::List(_)),
            },
            Value::Call { callee, .. } => match self.payload.value(*callee) {
                Value::Member { key, .. } => self.spelled(*key) == Some("bind"),
                _ => false,
            },
            _ => false,
        }
    }
}
