//! The values of a script, from its tree.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, AssignmentExpression, AssignmentOperator, AssignmentPattern,
    AssignmentTarget, AssignmentTargetPropertyIdentifier, AssignmentTargetPropertyProperty,
    AssignmentTargetWithDefault, BindingIdentifier, BindingPattern, BindingProperty, ChainElement,
    Class, ComputedMemberExpression, ExportAllDeclaration, ExportFromDeclaration, Expression,
    ForInStatement, ForOfStatement, FormalParameter, Function, IdentifierReference,
    ImportDeclaration, ObjectProperty, Program, PropertyDefinition, PropertyKey, ReturnStatement,
    SimpleAssignmentTarget, Statement, StaticMemberExpression, StringLiteral, ThrowStatement,
    UnaryOperator, VariableDeclarator, WithStatement, YieldExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

use crate::eval::payload::{Id, Payload, Use, Value};

/// Reads a whole script, or the body of the one function that it is.
pub(super) fn read<'c>(payload: &mut Payload<'c>, program: &Program<'c>, is_body: bool) {
    let mut reader = Reader { payload, functions: 0 };
    match program.body.as_slice() {
        [Statement::FunctionDeclaration(function)] if is_body => {
            if let Some(body) = &function.body {
                reader.visit_function_body(body);
            }
        }
        _ => reader.visit_program(program),
    }
}

pub(super) struct Reader<'p, 'c> {
    pub(super) payload: &'p mut Payload<'c>,
    /// How many functions are around, but for those that share the arguments of what is around them.
    functions: usize,
}

impl<'c> Reader<'_, 'c> {
    pub(super) fn value(&mut self, expression: &Expression<'c>) -> Id {
        match expression {
            Expression::StringLiteral(it) => self.payload.text(it.value.as_str()),
            Expression::TemplateLiteral(it) => self.template(it),
            Expression::NumericLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_) => self.payload.push(Value::Number),
            Expression::Identifier(it) => self.name(it),
            Expression::ArrayExpression(it) => {
                let all = it.elements.iter().map(|it| self.element(it)).collect();
                self.payload.push(Value::List(all))
            }
            Expression::ChainExpression(it) => self.chain(&it.expression),
            Expression::StaticMemberExpression(it) => self.member(it),
            Expression::ComputedMemberExpression(it) => self.computed(it),
            Expression::CallExpression(it) => self.call(&it.callee, &it.arguments),
            Expression::NewExpression(it) => self.call(&it.callee, &it.arguments),
            Expression::TaggedTemplateExpression(it) => {
                let callee = self.value(&it.tag);
                let argument = self.template(&it.quasi);
                self.payload.call(callee, vec![argument])
            }
            Expression::ImportExpression(it) => {
                let source = self.value(&it.source);
                self.payload.telling.push(source);
                self.payload.push(Value::Forbidden("import()"))
            }
            Expression::BinaryExpression(it) => self.binary(it),
            Expression::LogicalExpression(it) => {
                let ways = vec![self.value(&it.left), self.value(&it.right)];
                self.payload.push(Value::Either(ways))
            }
            Expression::ConditionalExpression(it) => {
                self.visit_expression(&it.test);
                let ways = vec![self.value(&it.consequent), self.value(&it.alternate)];
                self.payload.push(Value::Either(ways))
            }
            Expression::SequenceExpression(it) => {
                let all: Vec<_> = it.expressions.iter().map(|it| self.value(it)).collect();
                all.last().copied().unwrap_or_default()
            }
            Expression::AssignmentExpression(it) => self.assignment(it),
            Expression::UnaryExpression(it) => {
                let argument = self.value(&it.argument);
                if it.operator == UnaryOperator::Typeof {
                    self.payload.used(argument, Use::Asked);
                }
                self.payload.push(Value::Number)
            }
            Expression::UpdateExpression(it) => {
                let number = self.payload.push(Value::Number);
                if let SimpleAssignmentTarget::AssignmentTargetIdentifier(name) = &it.argument {
                    self.payload.give(name.name.as_str(), number);
                }
                walk::walk_update_expression(self, it);
                number
            }
            Expression::AwaitExpression(it) => self.value(&it.argument),
            Expression::FunctionExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ClassExpression(_) => {
                walk::walk_expression(self, expression);
                self.payload.push(Value::Function)
            }
            _ => {
                walk::walk_expression(self, expression);
                self.payload.push(Value::Else)
            }
        }
    }

    fn name(&mut self, name: &IdentifierReference<'c>) -> Id {
        if name.name == "arguments" && self.functions == 0 {
            return self.payload.push(Value::Forbidden("arguments outside of a function"));
        }
        self.payload.name(name.name.as_str())
    }

    fn element(&mut self, element: &ArrayExpressionElement<'c>) -> Id {
        if let Some(expression) = element.as_expression() {
            return self.value(expression);
        }
        walk::walk_array_expression_element(self, element);
        self.payload.push(Value::Made)
    }

    fn argument(&mut self, argument: &Argument<'c>) -> Id {
        if let Some(expression) = argument.as_expression() {
            return self.value(expression);
        }
        walk::walk_argument(self, argument);
        self.payload.push(Value::Made)
    }

    fn chain(&mut self, chain: &ChainElement<'c>) -> Id {
        match chain {
            ChainElement::CallExpression(it) => self.call(&it.callee, &it.arguments),
            ChainElement::StaticMemberExpression(it) => self.member(it),
            ChainElement::ComputedMemberExpression(it) => self.computed(it),
            _ => {
                walk::walk_chain_element(self, chain);
                self.payload.push(Value::Else)
            }
        }
    }

    fn member(&mut self, member: &StaticMemberExpression<'c>) -> Id {
        let object = self.value(&member.object);
        let key = self.payload.key(member.property.name.as_str());
        self.payload.member(object, key)
    }

    fn computed(&mut self, member: &ComputedMemberExpression<'c>) -> Id {
        let object = self.value(&member.object);
        let key = self.value(&member.expression);
        self.payload.telling.push(key);
        self.payload.member(object, key)
    }

    fn call(&mut self, callee: &Expression<'c>, arguments: &[Argument<'c>]) -> Id {
        let callee = self.value(callee);
        let arguments = arguments.iter().map(|it| self.argument(it)).collect();
        self.payload.call(callee, arguments)
    }

    fn assignment(&mut self, assignment: &AssignmentExpression<'c>) -> Id {
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

    fn assign(&mut self, target: &AssignmentTarget<'c>, given: Id) {
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
            AssignmentTarget::ObjectAssignmentTarget(pattern) => {
                walk::walk_assignment_target(self, target);
                self.take_again(pattern, given);
            }
            _ => walk::walk_assignment_target(self, target),
        }
    }

    fn import(&mut self, source: &StringLiteral<'c>, construct: &'static str) {
        let source = self.payload.text(source.value.as_str());
        self.payload.telling.push(source);
        self.payload.push(Value::Forbidden(construct));
    }

    /// The key of `{ key: … }`, in an object or where one is taken apart.
    pub(super) fn key(&mut self, key: &PropertyKey<'c>) -> Id {
        match key {
            PropertyKey::StaticIdentifier(it) => self.payload.key(it.name.as_str()),
            PropertyKey::PrivateIdentifier(_) => self.payload.push(Value::Number),
            _ => {
                let id = key.as_expression().map(|it| self.value(it));
                self.payload.telling.extend(id);
                id.unwrap_or_else(|| self.payload.push(Value::Else))
            }
        }
    }
}

impl<'c> Visit<'c> for Reader<'_, 'c> {
    fn visit_expression(&mut self, it: &Expression<'c>) {
        self.value(it);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'c>) {
        self.name(it);
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'c>) {
        self.payload.bind(it.name.as_str());
        // A function tells its name.
        let key = self.payload.key(it.name.as_str());
        self.payload.push(Value::Own { key });
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'c>) {
        self.member(it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'c>) {
        self.computed(it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'c>) {
        let key = self.key(&it.key);
        self.payload.push(Value::Own { key });
        let given = self.value(&it.value);
        self.payload.give_field(key, given);
    }

    fn visit_binding_property(&mut self, it: &BindingProperty<'c>) {
        let key = self.key(&it.key);
        self.payload.push(Value::Taken { key });
        self.visit_binding_pattern(&it.value);
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'c>,
    ) {
        let key = self.payload.key(it.binding.name.as_str());
        self.payload.push(Value::Taken { key });
        self.payload.bind(it.binding.name.as_str());
        walk::walk_assignment_target_property_identifier(self, it);
    }

    fn visit_assignment_target_property_property(
        &mut self,
        it: &AssignmentTargetPropertyProperty<'c>,
    ) {
        let key = self.key(&it.name);
        self.payload.push(Value::Taken { key });
        if let Some(name) = it.binding.identifier().map(|it| it.name.as_str()) {
            self.payload.bind(name);
        }
        self.visit_assignment_target_maybe_default(&it.binding);
    }

    fn visit_assignment_target(&mut self, it: &AssignmentTarget<'c>) {
        let anything = self.payload.push(Value::Else);
        self.assign(it, anything);
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'c>) {
        let given = self.value(&it.init);
        self.assign(&it.binding, given);
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'c>) {
        let given = self.value(&it.right);
        if let BindingPattern::BindingIdentifier(name) = &it.left {
            self.payload.give(name.name.as_str(), given);
        }
        self.visit_binding_pattern(&it.left);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'c>) {
        self.visit_binding_pattern(&it.pattern);
        let given = it.initializer.as_ref().map(|it| self.value(it));
        match (given, &it.pattern) {
            (Some(given), BindingPattern::BindingIdentifier(name)) => {
                self.payload.give(name.name.as_str(), given);
            }
            (Some(given), pattern) => self.take(pattern, given),
            (None, _) => (),
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'c>) {
        let given = it.init.as_ref().map(|it| self.value(it));
        match &it.id {
            BindingPattern::BindingIdentifier(name) => {
                self.payload.declare(name.name.as_str());
                if let Some(given) = given {
                    self.payload.give(name.name.as_str(), given);
                }
            }
            pattern => {
                self.visit_binding_pattern(pattern);
                if let Some(given) = given {
                    self.take(pattern, given);
                }
            }
        }
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'c>) {
        let list = self.value(&it.right);
        self.loop_over(&it.left, list);
        self.visit_statement(&it.body);
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'c>) {
        self.visit_expression(&it.right);
        let keys = self.payload.push(Value::Else);
        self.loop_over(&it.left, keys);
        self.visit_statement(&it.body);
    }

    fn visit_function(&mut self, it: &Function<'c>, flags: ScopeFlags) {
        self.functions += 1;
        walk::walk_function(self, it, flags);
        self.functions -= 1;
        self.function(it.id.as_ref());
    }

    fn visit_class(&mut self, it: &Class<'c>) {
        walk::walk_class(self, it);
        self.function(it.id.as_ref());
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'c>) {
        let key = self.key(&it.key);
        self.payload.push(Value::Own { key });
        it.decorators.iter().for_each(|it| self.visit_decorator(it));
        if let Some(value) = &it.value {
            let given = self.value(value);
            self.payload.give_field(key, given);
        }
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'c>) {
        self.hand_on(it.argument.as_ref());
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'c>) {
        self.hand_on(Some(&it.argument));
    }

    fn visit_yield_expression(&mut self, it: &YieldExpression<'c>) {
        self.hand_on(it.argument.as_ref());
    }

    fn visit_with_statement(&mut self, it: &WithStatement<'c>) {
        self.payload.push(Value::Forbidden("with"));
        walk::walk_with_statement(self, it);
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'c>) {
        self.import(&it.source, "import");
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'c>) {
        self.import(&it.source, "export from");
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'c>) {
        self.import(&it.source, "export from");
    }
}
