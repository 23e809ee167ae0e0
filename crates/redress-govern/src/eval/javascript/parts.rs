//! Values of a script that are made of others, and what becomes of values that are taken apart or handed on.

use oxc_ast::ast::{
    AssignmentTargetProperty, BinaryExpression, BinaryOperator, BindingIdentifier, BindingPattern,
    Expression, ForStatementLeft, ObjectAssignmentTarget, TemplateLiteral,
};
use oxc_ast_visit::{Visit, walk};

use super::values::Reader;
use crate::eval::payload::{Id, Use, Value};

impl<'c> Reader<'_, 'c> {
    pub(super) fn template(&mut self, template: &TemplateLiteral<'c>) -> Id {
        let mut parts = Vec::new();
        let mut expressions = template.expressions.iter();
        for quasi in &template.quasis {
            let text = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
            parts.push(self.payload.text(text.as_str()));
            parts.extend(expressions.next().map(|it| self.value(it)));
        }
        match parts.as_slice() {
            [only] => *only,
            _ => self.payload.push(Value::Sum(parts)),
        }
    }

    pub(super) fn binary(&mut self, binary: &BinaryExpression<'c>) -> Id {
        match binary.operator {
            BinaryOperator::Addition => return self.sum(binary),
            operator if operator.is_equality() => {
                for side in [&binary.left, &binary.right] {
                    let id = self.value(side);
                    self.payload.used(id, Use::Compared);
                }
            }
            BinaryOperator::Instanceof => {
                self.visit_expression(&binary.left);
                let class = self.value(&binary.right);
                self.payload.used(class, Use::Asked);
            }
            _ => walk::walk_binary_expression(self, binary),
        }
        self.payload.push(Value::Number)
    }

    /// `a + b + c` leans to the left, however long it is: a loop, not a recursion.
    fn sum(&mut self, sum: &BinaryExpression<'c>) -> Id {
        let mut rights = vec![&sum.right];
        let mut left = &sum.left;
        while let Expression::BinaryExpression(inner) = left
            && inner.operator == BinaryOperator::Addition
        {
            rights.push(&inner.right);
            left = &inner.left;
        }
        let parts = std::iter::once(left).chain(rights.into_iter().rev());
        let parts = parts.map(|it| self.value(it)).collect();
        self.payload.push(Value::Sum(parts))
    }

    /// `const { [key]: name } = given` is `name = given[key]`.
    pub(super) fn take(&mut self, pattern: &BindingPattern<'c>, given: Id) {
        let BindingPattern::ObjectPattern(pattern) = pattern else { return };
        for property in pattern.properties.iter().filter(|it| it.computed) {
            let key = self.key(&property.key);
            let taken = self.payload.member(given, key);
            let name = match &property.value {
                BindingPattern::AssignmentPattern(it) => &it.left,
                name => name,
            };
            if let BindingPattern::BindingIdentifier(name) = name {
                self.payload.give(name.name.as_str(), taken);
            }
        }
    }

    /// The same without a declaration.
    pub(super) fn take_again(&mut self, pattern: &ObjectAssignmentTarget<'c>, given: Id) {
        for property in &pattern.properties {
            if let AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) = property
                && property.computed
            {
                let key = self.key(&property.name);
                let taken = self.payload.member(given, key);
                if let Some(name) = property.binding.identifier() {
                    self.payload.give(name.name.as_str(), taken);
                }
            }
        }
    }

    /// A function or a class that has a name.
    pub(super) fn function(&mut self, name: Option<&BindingIdentifier<'c>>) {
        if let Some(name) = name {
            let function = self.payload.push(Value::Function);
            self.payload.give(name.name.as_str(), function);
        }
    }

    /// Somebody else gets the value.
    pub(super) fn hand_on(&mut self, value: Option<&Expression<'c>>) {
        if let Some(value) = value {
            let id = self.value(value);
            self.payload.push(Value::List(vec![id]));
        }
    }

    pub(super) fn loop_over(&mut self, left: &ForStatementLeft<'c>, list: Id) {
        if let ForStatementLeft::VariableDeclaration(declaration) = left
            && let [declarator] = declaration.declarations.as_slice()
            && let BindingPattern::BindingIdentifier(name) = &declarator.id
        {
            self.payload.declare(name.name.as_str());
            self.payload.give_each(name.name.as_str(), list);
        } else if let Some(target) = left.as_assignment_target() {
            self.visit_assignment_target(target);
        } else {
            self.visit_for_statement_left(left);
        }
    }
}
