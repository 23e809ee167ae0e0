//! The nodes that a script may be made of. What is not named here is refused.

use std::{cell::Cell, mem::take};

use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentOperator, AssignmentTargetProperty,
    BinaryOperator, BindingIdentifier, BindingPattern, BindingProperty, CallExpression,
    CatchParameter, ChainElement, Class, ClassHeritage, Decorator, Expression, ForStatementLeft,
    Function, FunctionType, LogicalOperator, NewExpression, PropertyKey, ReturnStatement,
    SimpleAssignmentTarget, Statement, UnaryOperator, UpdateExpression, VariableDeclaration,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::{ScopeFlags, ScopeId};

use super::{
    judge::{Judge, Used, identifier, is_uncallable, list_maker, own_name},
    lists::{global, has},
    scope::{Must, Shape},
};
use crate::eval::constructs as not;

impl<'c> Visit<'c> for Judge<'c> {
    fn enter_scope(&mut self, flags: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        self.scopes.enter(flags.is_function() || flags.is_top() || flags.is_class_static_block());
    }

    fn leave_scope(&mut self) {
        self.scopes.leave();
    }

    fn visit_statement(&mut self, it: &Statement<'c>) {
        match it {
            Statement::BlockStatement(_)
            | Statement::BreakStatement(_)
            | Statement::ClassDeclaration(_)
            | Statement::ContinueStatement(_)
            | Statement::DoWhileStatement(_)
            | Statement::EmptyStatement(_)
            | Statement::ExpressionStatement(_)
            | Statement::ForInStatement(_)
            | Statement::ForOfStatement(_)
            | Statement::ForStatement(_)
            | Statement::FunctionDeclaration(_)
            | Statement::IfStatement(_)
            | Statement::LabeledStatement(_)
            | Statement::ReturnStatement(_)
            | Statement::SwitchStatement(_)
            | Statement::ThrowStatement(_)
            | Statement::TryStatement(_)
            | Statement::VariableDeclaration(_)
            | Statement::WhileStatement(_) => walk::walk_statement(self, it),
            Statement::WithStatement(it) => self.refuse(it.span.start, not::WITH),
            Statement::ImportDeclaration(it) => {
                self.keyword_in(it.source.value.as_str());
                self.refuse(it.span.start, not::IMPORT);
            }
            _ => self.refuse(it.span().start, not::STATEMENT),
        }
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'c>) {
        it.argument.iter().for_each(|it| self.gives(it));
    }

    fn visit_for_statement_left(&mut self, it: &ForStatementLeft<'c>) {
        (self.assigned, self.is_uncallable) = (Shape::ANY, false);
        match it {
            ForStatementLeft::VariableDeclaration(it) => {
                for declared in &it.declarations {
                    self.declared = Some((it.kind.is_var(), Some(Shape::ANY)));
                    self.visit_binding_pattern(&declared.id);
                }
            }
            it => walk::walk_for_statement_left(self, it),
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'c>) {
        if it.kind.is_using() || it.kind.is_await() {
            self.refuse(it.span.start, not::STATEMENT);
        }
        for declared in &it.declarations {
            let mut shape = declared.init.as_ref().map(Shape::of);
            if let (Some(made), BindingPattern::BindingIdentifier(id)) =
                (declared.init.as_ref().and_then(list_maker), &declared.id)
            {
                shape = Some(Shape::FRESH);
                self.scopes.lend(id.name.as_str(), made);
            }
            self.declared = Some((it.kind.is_var(), shape));
            self.visit_binding_pattern(&declared.id);
            declared.init.iter().for_each(|it| self.visit_expression(it));
        }
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'c>) {
        self.declared = Some((false, Some(Shape::ANY)));
        self.visit_binding_pattern(&it.pattern);
    }

    fn visit_binding_pattern(&mut self, it: &BindingPattern<'c>) {
        if let (Some((_, shape)), false) = (&mut self.declared, it.is_binding_identifier()) {
            *shape = Some(Shape::ANY);
        }
        let declared = self.declared;
        match it {
            BindingPattern::AssignmentPattern(it) => {
                self.visit_binding_pattern(&it.left);
                self.visit_expression(&it.right);
            }
            it => walk::walk_binding_pattern(self, it),
        }
        self.declared = declared;
    }

    fn visit_binding_property(&mut self, it: &BindingProperty<'c>) {
        self.taken(&it.key);
        self.visit_binding_pattern(&it.value);
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'c>) {
        let name = it.name.as_str();
        if global(name).is_some()
            || has("never", name)
            || matches!(name, "await" | "yield" | "arguments")
        {
            self.refuse(it.span.start, not::DECLARED_ANEW);
        }
        let (is_var, shape) = self.declared.unwrap_or((false, Some(Shape::ANY)));
        self.scopes.declare(name, is_var, shape);
    }

    fn visit_function(&mut self, it: &Function<'c>, flags: ScopeFlags) {
        let declare = |this: &mut Self| {
            this.declared = Some((false, Some(Shape::FUNCTION)));
            it.id.iter().for_each(|it| this.visit_binding_identifier(it));
        };
        self.is_constructor = flags.is_constructor();
        if it.r#type == FunctionType::FunctionDeclaration {
            declare(self);
        }
        self.scopes.enter(true);
        if it.r#type == FunctionType::FunctionExpression {
            declare(self);
        }
        self.parameters(&it.params);
        it.body.iter().for_each(|it| self.visit_function_body(it));
        self.returns.pop();
        self.scopes.leave();
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'c>) {
        self.scopes.enter(true);
        self.parameters(&it.params);
        match it.body.as_expression() {
            Some(only) => self.gives(only),
            None => walk::walk_arrow_function_body(self, &it.body),
        }
        self.returns.pop();
        self.scopes.leave();
    }

    fn visit_class(&mut self, it: &Class<'c>) {
        match &it.id {
            Some(id) if !it.is_declaration() => self.refuse(id.span.start, not::EXPRESSION),
            _ => self.declared = Some((false, Some(Shape::CLASS))),
        }
        self.classes += 1;
        walk::walk_class(self, it);
        self.classes -= 1;
    }

    fn visit_class_heritage(&mut self, it: &ClassHeritage<'c>) {
        let at = it.expression.span().start;
        match identifier(&it.expression).map(|it| (it, global(it))) {
            Some((_, Some(of))) if of.is_class => {}
            Some((name, None)) => self.scopes.must(name, at, Must::Be(Shape::CLASS, not::NEW)),
            _ => self.refuse(at, not::NEW),
        }
    }

    /// A member that the script makes.
    fn visit_property_key(&mut self, key: &PropertyKey<'c>) {
        match own_name(key) {
            Some(name) => {
                self.keyword_in(name);
                self.own.insert(name);
            }
            None => {
                self.is_open |= !matches!(key, PropertyKey::PrivateIdentifier(_));
                key.as_expression().into_iter().for_each(|it| self.data(it));
            }
        }
    }

    fn visit_decorator(&mut self, it: &Decorator<'c>) {
        self.refuse(it.span.start, not::DECORATOR);
    }

    fn visit_expression(&mut self, it: &Expression<'c>) {
        let used = take(&mut self.used);
        if let Some(it) = it.as_member_expression() {
            return self.member(it, used, false);
        }
        match it {
            Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::Super(_) => {}
            Expression::ArrayExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::AssignmentExpression(_)
            | Expression::AwaitExpression(_)
            | Expression::CallExpression(_)
            | Expression::ClassExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::NewExpression(_)
            | Expression::ObjectExpression(_)
            | Expression::UpdateExpression(_)
            | Expression::YieldExpression(_) => walk::walk_expression(self, it),
            Expression::TemplateLiteral(it) => it.expressions.iter().for_each(|it| self.data(it)),
            Expression::Identifier(it) => self.name(it),
            Expression::ThisExpression(_) if self.classes > 0 => {}
            Expression::ThisExpression(it) => self.refuse(it.span.start, not::THIS),
            Expression::BinaryExpression(it) => {
                // A chain leans to the left, however long it is: a loop, not a recursion.
                let (mut left, mut operator) = (&it.left, it.operator);
                let mut chain = vec![(&it.right, operator)];
                while let Expression::BinaryExpression(inner) = left {
                    (left, operator) = (&inner.left, inner.operator);
                    chain.push((&inner.right, operator));
                }
                chain.push((left, operator));
                for (side, operator) in chain.into_iter().rev() {
                    match side {
                        Expression::Identifier(_) if operator == BinaryOperator::Instanceof => {}
                        _ => self.data(side),
                    }
                }
            }
            Expression::PrivateInExpression(it) => self.data(&it.right),
            Expression::LogicalExpression(it) => {
                // The left side of `&&` is the value only where it is no function.
                let is_test = it.operator == LogicalOperator::And;
                self.like(if is_test { Used::Data } else { used }, &it.left);
                self.like(used, &it.right);
            }
            Expression::ConditionalExpression(it) => {
                self.data(&it.test);
                self.like(used, &it.consequent);
                self.like(used, &it.alternate);
            }
            Expression::SequenceExpression(it) => {
                it.expressions.iter().for_each(|it| self.visit_expression(it));
            }
            Expression::UnaryExpression(it) => match (it.operator, &it.argument) {
                (UnaryOperator::Typeof, Expression::Identifier(_)) => {}
                (UnaryOperator::Delete, it) => match it.as_member_expression() {
                    Some(it) => self.write(it),
                    None => self.refuse(it.span().start, not::EXPRESSION),
                },
                (_, it) => self.data(it),
            },
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(it) => self.call(it),
                it => match it.as_member_expression() {
                    Some(it) => self.member(it, used, false),
                    None => self.refuse(chain.span.start, not::EXPRESSION),
                },
            },
            Expression::ImportExpression(it) => {
                if let Expression::StringLiteral(it) = &it.source {
                    self.keyword_in(it.value.as_str());
                }
                self.refuse(it.span.start, not::IMPORT);
            }
            Expression::TaggedTemplateExpression(it) => self.refuse(it.span.start, not::TAGGED),
            it => self.refuse(it.span().start, not::EXPRESSION),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'c>) {
        self.call(it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'c>) {
        self.make(it);
    }

    fn visit_update_expression(&mut self, it: &UpdateExpression<'c>) {
        self.assigned = Shape::NUMBER;
        self.visit_simple_assignment_target(&it.argument);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'c>) {
        let is_plain = it.operator == AssignmentOperator::Assign || it.operator.is_logical();
        let shape = match Shape::of(&it.right) {
            shape if is_plain => shape,
            shape if it.operator == AssignmentOperator::Addition => shape,
            _ => Shape::NUMBER,
        };
        let is_simple = it.left.as_simple_assignment_target().is_some();
        self.assigned = if is_simple { shape } else { Shape::ANY };
        self.is_uncallable = is_simple && is_uncallable(&it.right);
        self.visit_assignment_target(&it.left);
        self.like(if is_plain { Used::Value } else { Used::Data }, &it.right);
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'c>) {
        let shape = take(&mut self.assigned);
        match (it, it.as_member_expression()) {
            (SimpleAssignmentTarget::AssignmentTargetIdentifier(it), _) => {
                let (name, at) = (it.name.as_str(), it.span.start);
                if global(name).is_some() {
                    self.refuse(at, not::WRITE);
                }
                self.scopes.must(name, at, Must::Become(shape));
            }
            (_, Some(it)) => {
                self.own.extend(it.static_property_name());
                self.write(it);
            }
            _ => self.refuse(it.span().start, not::EXPRESSION),
        }
    }

    fn visit_assignment_target_property(&mut self, it: &AssignmentTargetProperty<'c>) {
        match it {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(it) => {
                let (name, at) = (it.binding.name.as_str(), it.span.start);
                self.key(name, at);
                self.scopes.must(name, at, Must::Become(Shape::ANY));
                it.init.iter().for_each(|it| self.visit_expression(it));
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => {
                self.taken(&it.name);
                self.visit_assignment_target_maybe_default(&it.binding);
            }
        }
    }
}
