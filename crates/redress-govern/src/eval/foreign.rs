//! What is not the payload's own: modules, their members, and private members of anything that others made.

use std::borrow::Cow;

use super::{
    Refusal,
    judge::{Judge, Root, guarded, of_guarded, refuse},
    payload::{Id, Use, Value},
    words::has,
};

impl Judge<'_, '_> {
    pub(super) fn import(
        &self,
        module: Option<&str>,
        members: &[Cow<'_, str>],
    ) -> Result<(), Refusal> {
        let Some(module) = module else { return refuse("import") };
        if has(self.rules.modules, module) {
            return Ok(());
        }
        if let Some(part) = self.rules.parts.iter().find(|it| it.name == module) {
            return match members.iter().find(|it| !has(part.allowed, it)) {
                Some(member) => refuse(&of_guarded(part, member)),
                None => Ok(()),
            };
        }
        let top = module.split('.').next().unwrap_or_default();
        let known = self.rules.well_known.iter().find(|it| **it == top);
        refuse(&format!("import of {}", known.unwrap_or(&"a module")))
    }

    pub(super) fn guarded_name(&self, name: &str) -> Root {
        let imported = self.payload.imported(name);
        if !imported.is_empty() {
            return self.part(imported);
        }
        let mut common = self.rules.guarded.iter().filter(|it| it.is_common && it.name == name);
        match common.next() {
            Some(it) if !self.payload.is_declared(name) => Root::Guarded(it),
            _ => guarded(self.rules, name),
        }
    }

    /// A module of which only some members may be read, by its path.
    pub(super) fn part(&self, paths: &[String]) -> Root {
        let mut parts = self.rules.parts.iter();
        parts.find(|it| paths.iter().any(|path| path == it.name)).map_or(Root::Else, Root::Guarded)
    }

    /// Whether the payload gives something such a private member, and it may be of that: neither a module nor what is built in is the
    /// payload's own.
    pub(super) fn is_own(&self, object: Id, key: &str) -> bool {
        let is_given = !self.payload.fields(key).is_empty() || !self.payload.given(key).is_empty();
        let is_mangled = key.trim_start_matches('_').contains("__");
        is_given
            && !is_mangled
            && !has(self.rules.foreign, key)
            && !self.is_of_others(object)
            && !self.are_modules_about()
    }

    /// Whether it begins with a name that is imported or built in.
    fn is_of_others(&self, object: Id) -> bool {
        let mut object = object;
        loop {
            object = match self.payload.value(object) {
                Value::Member { object, .. } => *object,
                Value::Call { callee, .. }
                    if !matches!(self.payload.value(*callee), Value::Name(_)) =>
                {
                    *callee
                }
                Value::Name(name) => {
                    return !self.payload.imported(name).is_empty()
                        || self.payload.given(name).is_empty();
                }
                _ => return false,
            };
        }
    }

    fn are_modules_about(&self) -> bool {
        *self.modules_about.get_or_init(|| {
            self.payload.nodes.iter().any(|node| match &node.value {
                Value::Name(name) if node.used == Use::Value => {
                    self.payload.imported(name).iter().any(|it| has(self.rules.modules, it))
                }
                _ => false,
            })
        })
    }
}
