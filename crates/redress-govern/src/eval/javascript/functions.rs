//! Functions and classes of a script: what they get, what they give, and what is assigned.

use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentOperator, AssignmentTarget,
    BindingPattern, Class, FormalParameters, Function, MethodDefinition, MethodDefinitionKind,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

use super::values::Reader;
use crate::eval::payload::{Id, Param, Value};

impl<'c> Reader<'_, 'c> {
    pub(super) fn whole_function(&mut self, function: &Function<'c>) -> Id {
        let id = self.payload.push(Value::Function);
        self.functions += 1;
        self.bodies += 1;
        self.within(id, |this| walk::walk_function(this, function, ScopeFlags::Function));
        self.bodies -= 1;
        self.functions -= 1;
        if let Some(name) = &function.id {
            self.payload.give(name.name.as_str(), id);
        }
        id
    }

    pub(super) fn arrow(&mut self, arrow: &ArrowFunctionExpression<'c>) -> Id {
        let id = self.payload.push(Value::Function);
        self.bodies += 1;
        self.within(id, |this| match arrow.body.as_expression() {
            Some(only) => {
                this.parameters(&arrow.params);
                let given = this.value(only);
                this.returned(given);
            }
            None => walk::walk_arrow_function_expression(this, arrow),
        });
        self.bodies -= 1;
        id
    }

    pub(super) fn class(&mut self, class: &Class<'c>) -> Id {
        let id = self.payload.push(Value::Function);
        class.decorators.iter().for_each(|it| self.visit_decorator(it));
        if let Some(name) = &class.id {
            self.visit_binding_identifier(name);
            self.payload.give(name.name.as_str(), id);
        }
        let above = class.heritage.as_ref().map(|it| self.value(&it.expression));
        if let Some(above) = above {
            self.payload.ways.called.push(above);
            self.payload.ways.above.push((id, above));
        }
        let around = std::mem::replace(&mut self.above, above);
        self.within(id, |this| this.visit_class_body(&class.body));
        self.above = around;
        id
    }

    /// What the class around extends; called, it gives `this`.
    pub(super) fn above(&mut self) -> Id {
        let above = self.above.into_iter().collect();
        self.payload.push(Value::Either(above))
    }

    /// What a constructor gets and gives, its class gets and gives.
    pub(super) fn method(&mut self, method: &MethodDefinition<'c>) {
        let class = self.inside.last().copied();
        let key = self.key(&method.key);
        method.decorators.iter().for_each(|it| self.visit_decorator(it));
        if method.kind != MethodDefinitionKind::Constructor {
            self.payload.push(Value::Own { key });
        }
        let [first, first_given] =
            [self.payload.ways.params.len(), self.payload.ways.returned.len()];
        let id = self.whole_function(&method.value);
        match method.kind {
            MethodDefinitionKind::Method => {
                self.payload.give_field(key, id);
                self.own_member(key, id);
            }
            MethodDefinitionKind::Get => {
                let given = self.getter(key, id);
                self.own_member(key, given);
            }
            MethodDefinitionKind::Set => self.payload.ways.setters.push(id),
            MethodDefinitionKind::Constructor => {
                let own = self.payload.ways.params.iter_mut().skip(first);
                let own = own.filter(|it| it.function == id);
                own.for_each(|it| it.function = class.unwrap_or(id));
                let given = self.payload.ways.returned.iter_mut().skip(first_given);
                let given = given.filter(|(function, _)| *function == id);
                given.for_each(|(function, _)| *function = class.unwrap_or(id));
            }
        }
    }

    /// A member that is what a function gives.
    pub(super) fn getter(&mut self, key: Id, function: Id) -> Id {
        let given = self.payload.push(Value::Call { callee: function, arguments: Vec::new() });
        self.payload.give_field(key, given);
        given
    }

    fn within(&mut self, function: Id, read: impl FnOnce(&mut Self)) {
        let source = self.source.take();
        self.inside.push(function);
        read(self);
        self.inside.pop();
        self.source = source;
    }

    /// The function around gives a value.
    pub(super) fn returned(&mut self, value: Id) {
        if let Some(function) = self.inside.last() {
            self.payload.ways.returned.push((*function, value));
        }
    }

    pub(super) fn parameters(&mut self, parameters: &FormalParameters<'c>) {
        for (at, it) in parameters.items.iter().enumerate() {
            it.decorators.iter().for_each(|it| self.visit_decorator(it));
            let got = self.parameter(at, false);
            let default = it.initializer.as_ref().map(|it| self.value(it));
            let got = match default {
                Some(default) => self.payload.push(Value::Either(vec![got, default])),
                None => got,
            };
            self.from(got, |this| this.visit_binding_pattern(&it.pattern));
            if let (Some(default), BindingPattern::BindingIdentifier(name)) = (default, &it.pattern)
            {
                self.payload.give(name.name.as_str(), default);
            }
        }
        if let Some(rest) = &parameters.rest {
            let got = self.parameter(parameters.items.len(), true);
            self.from(got, |this| this.visit_binding_rest_element(&rest.rest));
        }
    }

    fn parameter(&mut self, at: usize, is_rest: bool) -> Id {
        let id = self.payload.push(Value::Else);
        let function = self.inside.last().copied().unwrap_or_default();
        self.payload.ways.params.push(Param { function, at, is_rest, id });
        id
    }

    pub(super) fn assign(&mut self, target: &AssignmentTarget<'c>, given: Id) {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => {
                self.payload.give(name.name.as_str(), given);
                self.name(name);
            }
            // A member of the global object is a variable, too.
            AssignmentTarget::StaticMemberExpression(member) => {
                self.payload.give(member.property.name.as_str(), given);
                self.payload.give_anything(member.property.name.as_str());
                let key = self.payload.key(member.property.name.as_str());
                self.payload.give_field(key, given);
                self.member(member);
            }
            AssignmentTarget::PrivateFieldExpression(member) => {
                let key = self.private_key(&member.field);
                self.payload.give_field(key, given);
                self.private(member);
            }
            AssignmentTarget::ComputedMemberExpression(member) => {
                let id = self.computed(member);
                if let Value::Member { object, key } = *self.payload.value(id) {
                    self.payload.give_field(key, given);
                    self.payload.ways.put.push((given, object));
                }
            }
            _ => self.from(given, |this| walk::walk_assignment_target(this, target)),
        }
    }

    pub(super) fn assignment(&mut self, assignment: &AssignmentExpression<'c>) -> Id {
        let right = self.value(&assignment.right);
        let given = match assignment.operator {
            AssignmentOperator::Assign => right,
            operator if operator.is_logical() => right,
            AssignmentOperator::Addition => self.payload.push(Value::Grown { by: right }),
            _ => self.payload.push(Value::Number),
        };
        self.assign(&assignment.left, given);
        self.payload.push(Value::Either(vec![given]))
    }
}
