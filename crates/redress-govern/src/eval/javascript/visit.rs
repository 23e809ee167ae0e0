//! The nodes that a script may be made of: kinds that are listed, and those that are judged here.

use std::{
    cell::Cell,
    mem::{replace, take},
};

use oxc_ast::{
    AstKind,
    ast::{
        ArrowFunctionExpression, AssignmentExpression, AssignmentOperator,
        AssignmentTargetProperty, BinaryOperator, BindingIdentifier, BindingPattern,
        BindingProperty, CallExpression, CatchParameter, ChainElement, Class, ClassHeritage,
        Expression, ExpressionStatement, ForStatementLeft, Function, FunctionType, LogicalOperator,
        MethodDefinition, MethodDefinitionKind, NewExpression, PropertyDefinition, PropertyKey,
        ReturnStatement, SimpleAssignmentTarget, StaticBlock, UnaryOperator, UpdateExpression,
        VariableDeclaration,
    },
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::{ScopeFlags, ScopeId};

use super::{
    judge::{JavaScriptJudge, Used, identifier, own_name},
    lists::{has, is_global, is_of},
    scope::{Must, ValueForm},
};
use crate::eval::constructs as not;

impl<'c> Visit<'c> for JavaScriptJudge<'c> {
    fn enter_node(&mut self, kind: AstKind<'c>) {
        match kind {
            AstKind::ImportDeclaration(it) => self.found.keyword_in(it.source.value.as_str()),
            AstKind::ImportExpression(it) => {
                if let Expression::StringLiteral(it) = &it.source {
                    self.found.keyword_in(it.value.as_str());
                }
            }
            _ => {}
        }
        self.found.node(kind.span().start, usize::from(kind.ty() as u8), kind.ty());
    }

    fn enter_scope(&mut self, flags: ScopeFlags, _: &Cell<Option<ScopeId>>) {
        self.scopes.enter(flags.is_function() || flags.is_top() || flags.is_class_static_block());
    }

    fn leave_scope(&mut self) {
        self.scopes.leave();
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'c>) {
        // The value of `a[k] ||= b` is not used here.
        match &it.expression {
            Expression::AssignmentExpression(it) => self.visit_assignment_expression(it),
            it => self.visit_expression(it),
        }
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'c>) {
        it.argument.iter().for_each(|it| self.gives(it));
    }

    fn visit_for_statement_left(&mut self, it: &ForStatementLeft<'c>) {
        (self.assigned, self.is_uncallable) = (ValueForm::ANY, false);
        match it {
            ForStatementLeft::VariableDeclaration(it) => self.declare(it, true),
            it => walk::walk_for_statement_left(self, it),
        }
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'c>) {
        self.declare(it, false);
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'c>) {
        self.declared = Some((false, Some(ValueForm::ANY)));
        self.visit_binding_pattern(&it.pattern);
    }

    fn visit_binding_pattern(&mut self, it: &BindingPattern<'c>) {
        if let (Some((_, shape)), false) = (&mut self.declared, it.is_binding_identifier()) {
            *shape = Some(ValueForm::ANY);
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
        let is_reserved = matches!(name, "await" | "yield" | "arguments");
        if is_global(name) || has("never", name) || is_reserved {
            self.refuse(it.span.start, not::DECLARED_ANEW);
        }
        let (is_var, shape) = self.declared.unwrap_or((false, Some(ValueForm::ANY)));
        self.scopes.declare(name, is_var, shape);
    }

    fn visit_function(&mut self, it: &Function<'c>, flags: ScopeFlags) {
        // Code of a class is strict; so are its methods, and no other function is visited as strict.
        let around = replace(&mut self.is_this_own, flags.is_strict_mode());
        let declare = |this: &mut Self| {
            this.declared = Some((false, Some(ValueForm::FUNCTION)));
            it.id.iter().for_each(|it| this.visit_binding_identifier(it));
        };
        if it.r#type == FunctionType::FunctionDeclaration {
            declare(self);
        }
        self.scopes.enter(true);
        if it.r#type == FunctionType::FunctionExpression {
            declare(self);
        }
        self.parameters(&it.params, flags.is_constructor());
        it.body.iter().for_each(|it| self.visit_function_body(it));
        self.returns.pop();
        self.scopes.leave();
        self.is_this_own = around;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'c>) {
        self.scopes.enter(true);
        self.parameters(&it.params, false);
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
            _ => self.declared = Some((false, Some(ValueForm::CLASS))),
        }
        walk::walk_class(self, it);
    }

    fn visit_class_heritage(&mut self, it: &ClassHeritage<'c>) {
        let at = it.expression.span().start;
        match identifier(&it.expression) {
            Some(name) if is_of(name, "class") => {}
            Some(name) if !is_global(name) => {
                self.scopes.must(name, at, Must::Be(ValueForm::CLASS, not::NEW));
            }
            _ => self.refuse(at, not::NEW),
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'c>) {
        let name = match &it.key {
            PropertyKey::PrivateIdentifier(it) => Some(it.name.as_str()),
            key => own_name(key),
        };
        if it.kind == MethodDefinitionKind::Method {
            self.methods.extend(name);
        }
        // By a name that is made when the code runs it could be read as a value; by a symbol it cannot.
        let is_symbol = match &it.key {
            PropertyKey::StaticMemberExpression(it) => identifier(&it.object) == Some("Symbol"),
            _ => false,
        };
        let is_named = name.is_some() || is_symbol;
        self.visit_decorators(&it.decorators);
        self.visit_property_key(&it.key);
        let is_constructor = it.kind == MethodDefinitionKind::Constructor;
        let flags = if is_constructor { ScopeFlags::Constructor } else { ScopeFlags::empty() };
        let strict = if is_named { ScopeFlags::StrictMode } else { ScopeFlags::empty() };
        self.visit_function(&it.value, ScopeFlags::Function | strict | flags);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'c>) {
        self.visit_decorators(&it.decorators);
        self.visit_property_key(&it.key);
        let around = replace(&mut self.is_this_own, true);
        it.value.iter().for_each(|it| self.visit_expression(it));
        self.is_this_own = around;
    }

    fn visit_static_block(&mut self, it: &StaticBlock<'c>) {
        let around = replace(&mut self.is_this_own, true);
        walk::walk_static_block(self, it);
        self.is_this_own = around;
    }

    /// A member that the script makes.
    fn visit_property_key(&mut self, key: &PropertyKey<'c>) {
        match own_name(key) {
            Some(name) => {
                self.found.keyword_in(name);
                self.own.insert(name);
            }
            None => {
                self.is_open |= !matches!(key, PropertyKey::PrivateIdentifier(_));
                key.as_expression().into_iter().for_each(|it| self.data(it));
            }
        }
    }

    fn visit_expression(&mut self, it: &Expression<'c>) {
        let used = take(&mut self.used);
        if let Some(it) = it.as_member_expression() {
            return self.member(it, used, false);
        }
        match it {
            Expression::TemplateLiteral(it) => it.expressions.iter().for_each(|it| self.data(it)),
            Expression::Identifier(it) => self.name(it, used),
            Expression::ThisExpression(_) | Expression::Super(_) => {
                if !self.is_this_own {
                    self.refuse(it.span().start, not::THIS);
                }
            }
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
            Expression::AssignmentExpression(it) => {
                // `a[k] ||= b` may give what `a[k]` was.
                if let (true, Some(it)) = (it.operator.is_logical(), it.left.as_member_expression())
                {
                    self.member(it, used, false);
                }
                self.visit_assignment_expression(it);
            }
            it => walk::walk_expression(self, it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'c>) {
        self.call(it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'c>) {
        self.make(it);
    }

    fn visit_update_expression(&mut self, it: &UpdateExpression<'c>) {
        (self.assigned, self.is_uncallable) = (ValueForm::NUMBER, true);
        self.visit_simple_assignment_target(&it.argument);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'c>) {
        let is_plain = it.operator == AssignmentOperator::Assign || it.operator.is_logical();
        let shape = match ValueForm::of(&it.right) {
            shape if is_plain || it.operator == AssignmentOperator::Addition => shape,
            _ => ValueForm::NUMBER,
        };
        let is_simple = it.left.as_simple_assignment_target().is_some();
        self.assigned = if is_simple { shape } else { ValueForm::ANY };
        self.is_uncallable = is_simple && (!is_plain || is_uncallable(&it.right));
        self.visit_assignment_target(&it.left);
        self.like(if is_plain { Used::Value } else { Used::Data }, &it.right);
    }

    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'c>) {
        let shape = take(&mut self.assigned);
        match (it, it.as_member_expression()) {
            (SimpleAssignmentTarget::AssignmentTargetIdentifier(it), _) => {
                let (name, at) = (it.name.as_str(), it.span.start);
                if is_global(name) {
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
                self.scopes.must(name, at, Must::Become(ValueForm::ANY));
                it.init.iter().for_each(|it| self.visit_expression(it));
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(it) => {
                self.taken(&it.name);
                self.visit_assignment_target_maybe_default(&it.binding);
            }
        }
    }
}

/// Whether a value is surely no function, by its form.
fn is_uncallable(it: &Expression<'_>) -> bool {
    it.is_literal()
        || matches!(
            it,
            Expression::ArrayExpression(_)
                | Expression::BinaryExpression(_)
                | Expression::NewExpression(_)
                | Expression::ObjectExpression(_)
                | Expression::TemplateLiteral(_)
                | Expression::UnaryExpression(_)
        )
}
