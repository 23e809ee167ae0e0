//! The values of a script, from its tree.

use oxc_ast::ast::{
    ArrayAssignmentTarget, ArrayPattern, AssignmentPattern, AssignmentTarget,
    AssignmentTargetPropertyIdentifier, AssignmentTargetPropertyProperty,
    AssignmentTargetWithDefault, BindingIdentifier, BindingPattern, BindingProperty,
    CatchParameter, ChainElement, Class, ComputedMemberExpression, Decorator, ExportAllDeclaration,
    ExportFromDeclaration, Expression, ForInStatement, ForOfStatement, FormalParameters, Function,
    IdentifierReference, ImportDeclaration, MethodDefinition, ObjectProperty,
    PrivateFieldExpression, Program, PropertyDefinition, PropertyKey, ReturnStatement,
    SimpleAssignmentTarget, Statement, StaticMemberExpression, StringLiteral, ThrowStatement,
    UnaryOperator, VariableDeclarator, WithStatement, YieldExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

use crate::eval::payload::{Id, Payload, Use, Value};

/// Reads a whole script, or the body of the one function that it is.
pub(super) fn read<'c>(payload: &mut Payload<'c>, program: &Program<'c>, is_body: bool) {
    let mut reader = Reader::new(payload, program.source_text);
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
    pub(super) code: &'c str,
    /// How many functions are around, but for those that share the arguments of what is around them.
    pub(super) functions: usize,
    /// How many functions are around.
    pub(super) bodies: usize,
    /// The functions and classes around, from the outside.
    pub(super) inside: Vec<Id>,
    /// What the class around extends.
    pub(super) above: Option<Id>,
    /// What a pattern takes apart.
    pub(super) source: Option<Id>,
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
                let mut arguments = vec![argument];
                if let Value::Sum(parts) = self.payload.value(argument) {
                    // The function gets all texts as one list, and then each value.
                    arguments.extend(parts.iter().skip(1).step_by(2));
                }
                self.payload.call(callee, arguments)
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
            Expression::AwaitExpression(it) => self.wait(it),
            Expression::YieldExpression(it) => self.give_up(it),
            Expression::ThisExpression(_) => self.this(),
            Expression::Super(_) => self.above(),
            Expression::PrivateFieldExpression(it) => self.private(it),
            Expression::ObjectExpression(it) => self.object(it),
            Expression::FunctionExpression(it) => self.whole_function(it),
            Expression::ArrowFunctionExpression(it) => self.arrow(it),
            Expression::ClassExpression(it) => self.class(it),
            _ => {
                walk::walk_expression(self, expression);
                self.payload.push(Value::Else)
            }
        }
    }

    pub(super) fn name(&mut self, name: &IdentifierReference<'c>) -> Id {
        if name.name == "arguments" && self.functions == 0 {
            return self.payload.push(Value::Forbidden("arguments outside of a function"));
        }
        self.payload.ways.has_arguments |= name.name == "arguments";
        self.payload.name(name.name.as_str())
    }

    fn chain(&mut self, chain: &ChainElement<'c>) -> Id {
        match chain {
            ChainElement::CallExpression(it) => self.call(&it.callee, &it.arguments),
            ChainElement::StaticMemberExpression(it) => self.member(it),
            ChainElement::ComputedMemberExpression(it) => self.computed(it),
            ChainElement::PrivateFieldExpression(it) => self.private(it),
            ChainElement::TSNonNullExpression(it) => self.value(&it.expression),
        }
    }

    pub(super) fn member(&mut self, member: &StaticMemberExpression<'c>) -> Id {
        let object = self.value(&member.object);
        let key = self.payload.key(member.property.name.as_str());
        self.payload.member(object, key)
    }

    pub(super) fn computed(&mut self, member: &ComputedMemberExpression<'c>) -> Id {
        let object = self.value(&member.object);
        let key = self.value(&member.expression);
        self.payload.telling.push(key);
        self.payload.member(object, key)
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
            PropertyKey::PrivateIdentifier(it) => self.private_key(it),
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
        if let Some(source) = self.source {
            self.payload.give(it.name.as_str(), source);
        }
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

    fn visit_private_field_expression(&mut self, it: &PrivateFieldExpression<'c>) {
        self.private(it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'c>) {
        self.property(it);
    }

    fn visit_binding_property(&mut self, it: &BindingProperty<'c>) {
        let key = self.key(&it.key);
        self.payload.push(Value::Taken { key });
        let taken = self.taken(key);
        self.from(taken, |this| this.visit_binding_pattern(&it.value));
    }

    fn visit_array_pattern(&mut self, it: &ArrayPattern<'c>) {
        for element in it.elements.iter().flatten() {
            let taken = self.taken_in_turn();
            self.from(taken, |this| this.visit_binding_pattern(element));
        }
        it.rest.iter().for_each(|it| self.visit_binding_rest_element(it));
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'c>,
    ) {
        let name = it.binding.name.as_str();
        let key = self.payload.key(name);
        self.payload.push(Value::Taken { key });
        self.payload.bind(name);
        let taken = self.taken(key);
        self.payload.give(name, taken);
        self.name(&it.binding);
        if let Some(init) = &it.init {
            let given = self.value(init);
            self.payload.give(name, given);
        }
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
        let taken = self.taken(key);
        self.from(taken, |this| this.visit_assignment_target_maybe_default(&it.binding));
    }

    fn visit_array_assignment_target(&mut self, it: &ArrayAssignmentTarget<'c>) {
        for element in it.elements.iter().flatten() {
            let taken = self.taken_in_turn();
            self.from(taken, |this| this.visit_assignment_target_maybe_default(element));
        }
        it.rest.iter().for_each(|it| self.visit_assignment_target_rest(it));
    }

    fn visit_assignment_target(&mut self, it: &AssignmentTarget<'c>) {
        let anything = self.payload.push(Value::Else);
        let given = match self.source.take() {
            Some(source) => self.payload.push(Value::Either(vec![anything, source])),
            None => anything,
        };
        self.assign(it, given);
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'c>) {
        let source = self.source.take();
        let given = self.value(&it.init);
        let given = match source {
            Some(source) => self.payload.push(Value::Either(vec![given, source])),
            None => given,
        };
        self.assign(&it.binding, given);
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'c>) {
        let source = self.source.take();
        let given = self.value(&it.right);
        let either = self.payload.push(Value::Either(source.into_iter().chain([given]).collect()));
        if let BindingPattern::BindingIdentifier(name) = &it.left {
            self.payload.give(name.name.as_str(), given);
        }
        self.from(either, |this| this.visit_binding_pattern(&it.left));
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'c>) {
        self.parameters(it);
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'c>) {
        let caught = self.payload.push(Value::Else);
        self.payload.ways.caught.push(caught);
        self.from(caught, |this| this.visit_binding_pattern(&it.pattern));
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'c>) {
        let given = it.init.as_ref().map(|it| self.value(it));
        match (&it.id, given) {
            (BindingPattern::BindingIdentifier(name), given) => {
                self.payload.declare(name.name.as_str());
                if let Some(given) = given {
                    self.payload.give(name.name.as_str(), given);
                }
            }
            (pattern, Some(given)) => self.from(given, |this| this.visit_binding_pattern(pattern)),
            (pattern, None) => self.visit_binding_pattern(pattern),
        }
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'c>) {
        let list = self.value(&it.right);
        if it.r#await {
            self.payload.ways.awaited.push(list);
        }
        self.loop_over(&it.left, list);
        self.visit_statement(&it.body);
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'c>) {
        self.visit_expression(&it.right);
        let keys = self.payload.push(Value::Else);
        self.loop_over(&it.left, keys);
        self.visit_statement(&it.body);
    }

    fn visit_function(&mut self, it: &Function<'c>, _: ScopeFlags) {
        self.whole_function(it);
    }

    fn visit_class(&mut self, it: &Class<'c>) {
        self.class(it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'c>) {
        self.method(it);
    }

    fn visit_decorator(&mut self, it: &Decorator<'c>) {
        let called = self.value(&it.expression);
        self.payload.ways.called.push(called);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'c>) {
        let key = self.key(&it.key);
        self.payload.push(Value::Own { key });
        it.decorators.iter().for_each(|it| self.visit_decorator(it));
        if let Some(value) = &it.value {
            let given = self.value(value);
            self.payload.give_field(key, given);
            self.own_member(key, given);
        }
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'c>) {
        if let Some(argument) = &it.argument {
            let id = self.value(argument);
            self.returned(id);
        }
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'c>) {
        let thrown = self.value(&it.argument);
        self.payload.ways.thrown.push(thrown);
    }

    fn visit_yield_expression(&mut self, it: &YieldExpression<'c>) {
        self.give_up(it);
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
