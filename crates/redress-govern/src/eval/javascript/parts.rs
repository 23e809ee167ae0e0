//! Values of a script that are made of others, and what becomes of values that are taken apart or handed on.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, AwaitExpression, BinaryExpression, BinaryOperator,
    BindingPattern, Expression, ForStatementLeft, ObjectExpression, ObjectProperty,
    ObjectPropertyKind, PrivateFieldExpression, PrivateIdentifier, PropertyKind, SpreadElement,
    TemplateLiteral, YieldExpression,
};
use oxc_ast_visit::{Visit, walk};

use super::values::Reader;
use crate::eval::payload::{Id, Payload, Use, Value};

impl<'p, 'c> Reader<'p, 'c> {
    pub(super) const fn new(payload: &'p mut Payload<'c>, code: &'c str) -> Self {
        Self {
            payload,
            code,
            functions: 0,
            bodies: 0,
            inside: Vec::new(),
            above: None,
            source: None,
        }
    }
}

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
            BinaryOperator::In => {
                let key = self.value(&binary.left);
                self.payload.used(key, Use::Compared);
                self.visit_expression(&binary.right);
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

    pub(super) fn loop_over(&mut self, left: &ForStatementLeft<'c>, list: Id) {
        let each = self.payload.number();
        let each = self.payload.push(Value::Member { object: list, key: each });
        if let ForStatementLeft::VariableDeclaration(declaration) = left
            && let [declarator] = declaration.declarations.as_slice()
        {
            if let BindingPattern::BindingIdentifier(name) = &declarator.id {
                self.payload.declare(name.name.as_str());
                self.payload.give_each(name.name.as_str(), list, each);
            } else {
                self.from(each, |this| this.visit_binding_pattern(&declarator.id));
            }
        } else if let Some(target) = left.as_assignment_target() {
            self.from(each, |this| this.visit_assignment_target(target));
        } else {
            self.visit_for_statement_left(left);
        }
    }

    /// What a pattern takes under a key.
    pub(super) fn taken(&mut self, key: Id) -> Id {
        let object = self.source.unwrap_or_else(|| self.payload.push(Value::Else));
        self.payload.push(Value::Member { object, key })
    }

    /// The same of one after the other.
    pub(super) fn taken_in_turn(&mut self) -> Id {
        let key = self.payload.number();
        self.taken(key)
    }

    /// Takes something apart.
    pub(super) fn from(&mut self, source: Id, take: impl FnOnce(&mut Self)) {
        let before = self.source.replace(source);
        take(self);
        self.source = before;
    }

    pub(super) fn spread(&mut self, spread: &SpreadElement<'c>) -> Id {
        let all = self.value(&spread.argument);
        self.payload.push(Value::Spread(all))
    }

    pub(super) fn object(&mut self, object: &ObjectExpression<'c>) -> Id {
        let all = object.properties.iter().map(|it| match it {
            ObjectPropertyKind::ObjectProperty(it) => self.property(it),
            ObjectPropertyKind::SpreadProperty(it) => self.spread(it),
        });
        let all = all.collect();
        self.payload.push(Value::Object(all))
    }

    pub(super) fn property(&mut self, property: &ObjectProperty<'c>) -> Id {
        let key = self.key(&property.key);
        self.payload.push(Value::Own { key });
        let given = self.value(&property.value);
        match property.kind {
            PropertyKind::Init => self.payload.give_field(key, given),
            PropertyKind::Get => return self.getter(key, given),
            PropertyKind::Set => self.payload.ways.setters.push(given),
        }
        given
    }

    /// A member that every object of the class around has, under any name if its key is computed.
    pub(super) fn own_member(&mut self, key: Id, given: Id) {
        if !matches!(self.payload.value(key), Value::Key(_) | Value::Text(_)) {
            let object = self.payload.push(Value::Object(vec![given]));
            self.returned(object);
        }
    }

    pub(super) fn private(&mut self, member: &PrivateFieldExpression<'c>) -> Id {
        let object = self.value(&member.object);
        let key = self.private_key(&member.field);
        self.payload.member(object, key)
    }

    pub(super) fn private_key(&mut self, name: &PrivateIdentifier<'c>) -> Id {
        self.payload.push(Value::Key(format!("#{}", name.name).into()))
    }

    pub(super) fn wait(&mut self, wait: &AwaitExpression<'c>) -> Id {
        if self.bodies == 0 {
            let start = usize::try_from(wait.span.start).unwrap_or_default();
            let after = self.code.get(start..).and_then(|it| it.strip_prefix("await "));
            let is_word = |it: char| it.is_ascii_alphanumeric();
            self.payload.waits = true;
            self.payload.surely_waits |= after.is_some_and(|it| it.starts_with(is_word));
        }
        let id = self.value(&wait.argument);
        self.payload.ways.awaited.push(id);
        id
    }

    pub(super) fn call(&mut self, callee: &Expression<'c>, arguments: &[Argument<'c>]) -> Id {
        let is_above = matches!(callee, Expression::Super(_));
        let callee = self.value(callee);
        let arguments = arguments.iter().map(|it| self.argument(it)).collect();
        let id = self.payload.call(callee, arguments);
        if is_above {
            self.payload.ways.born.push(id);
        }
        id
    }

    pub(super) fn this(&mut self) -> Id {
        let id = self.payload.push(Value::Else);
        self.payload.ways.this.push(id);
        id
    }

    /// A generator gives something, and goes on with what it is sent.
    pub(super) fn give_up(&mut self, given: &YieldExpression<'c>) -> Id {
        let argument = given.argument.as_ref().map(|it| self.value(it));
        if let Some(argument) = argument {
            self.returned(argument);
        }
        let sent = self.payload.push(Value::Else);
        self.payload.ways.sent.push(sent);
        match argument {
            // It is what the other gives in the end.
            Some(object) if given.delegate => {
                let key = self.payload.number();
                let end = self.payload.push(Value::Member { object, key });
                self.payload.push(Value::Either(vec![sent, end]))
            }
            _ => sent,
        }
    }

    pub(super) fn element(&mut self, element: &ArrayExpressionElement<'c>) -> Id {
        match element {
            ArrayExpressionElement::SpreadElement(it) => self.spread(it),
            _ => match element.as_expression() {
                Some(expression) => self.value(expression),
                None => self.payload.push(Value::Made),
            },
        }
    }

    pub(super) fn argument(&mut self, argument: &Argument<'c>) -> Id {
        match argument {
            Argument::SpreadElement(it) => self.spread(it),
            _ => match argument.as_expression() {
                Some(expression) => self.value(expression),
                None => self.payload.push(Value::Made),
            },
        }
    }
}
