//! Classes of a module that `dataclass` makes code of, and what is above them.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, StmtClassDef};

use crate::eval::payload::{Payload, plain};

/// The decorator that makes code of the names of members, so that all of them have to stand there.
pub(super) const DATA: &str = "dataclass";

/// What a class is made of: a name, or a member of a module.
#[derive(Clone, Copy)]
enum Above<'c> {
    Name(&'c str),
    Member(&'c str, &'c str),
    Made,
}

/// All classes of a module with what is above them.
#[derive(Default)]
pub(super) struct Classes<'c> {
    all: BTreeMap<&'c str, Vec<Above<'c>>>,
    imported: BTreeSet<&'c str>,
    /// What is above those that `dataclass` decorates.
    of_data: Vec<Above<'c>>,
}

impl<'c> Classes<'c> {
    pub(super) fn import(&mut self, name: &'c str) {
        self.imported.insert(name);
    }

    pub(super) fn add(&mut self, class: &'c StmtClassDef) {
        let metaclasses = class.keywords().iter().filter_map(|it| match &it.arg {
            Some(name) if plain(name.as_str()) == "metaclass" => Some(Above::of(&it.value)),
            Some(_) => None,
            None => Some(Above::Made),
        });
        let above = class.bases().iter().map(Above::of).chain(metaclasses);
        let mut above: Vec<_> = above.collect();
        let mut decorators = class.decorator_list.iter().map(|it| is_data(&it.expression));
        if decorators.by_ref().any(|it| it) {
            // What stands below it decorates first, and may give another class.
            self.of_data.extend(decorators.next().map(|_| Above::Made));
            self.of_data.extend(&above);
        }
        if class.decorator_list.iter().any(|it| !is_data(&it.expression)) {
            above.push(Above::Made);
        }
        self.all.entry(class.name.as_str()).or_default().extend(above);
    }

    /// Whether a class under `dataclass` may have members whose names do not stand there.
    pub(super) fn is_made(&self, payload: &Payload<'_>) -> bool {
        let (mut open, mut seen) = (self.of_data.clone(), BTreeSet::new());
        while let Some(above) = open.pop() {
            let is_once = |name: &str| payload.given(&plain(name)).len() <= 1;
            match above {
                Above::Name(name) if !is_once(name) => return true,
                Above::Name(name) => match self.all.get(name) {
                    Some(above) if seen.insert(name) => open.extend(above),
                    Some(_) => {}
                    None if self.imported.contains(name) => {}
                    None if payload.given(&plain(name)).is_empty() => {}
                    None => return true,
                },
                Above::Member(module, member)
                    if self.imported.contains(module)
                        && is_once(module)
                        && payload.fields(&plain(member)).is_empty() => {}
                Above::Member(..) | Above::Made => return true,
            }
        }
        false
    }
}

impl<'c> Above<'c> {
    fn of(base: &'c Expr) -> Self {
        match base {
            Expr::Name(it) => Self::Name(it.id.as_str()),
            Expr::Attribute(it) => match &*it.value {
                Expr::Name(module) => Self::Member(module.id.as_str(), it.attr.as_str()),
                _ => Self::Made,
            },
            Expr::Subscript(it) => Self::of(&it.value),
            _ => Self::Made,
        }
    }
}

/// The expressions of a class before its body. `dataclass` itself is read as the decorator that it is.
pub(super) fn parts(class: &StmtClassDef) -> impl Iterator<Item = &Expr> {
    let decorators = class.decorator_list.iter().flat_map(|it| match &it.expression {
        Expr::Call(call) if is_data(&it.expression) => {
            let keywords = call.arguments.keywords.iter().map(|it| &it.value);
            call.arguments.args.iter().chain(keywords).collect()
        }
        it if is_data(it) => Vec::new(),
        it => vec![it],
    });
    let keywords = class.keywords().iter().map(|it| &it.value);
    decorators.chain(class.bases()).chain(keywords)
}

fn is_data(decorator: &Expr) -> bool {
    let called = match decorator {
        Expr::Call(call) => &*call.func,
        other => other,
    };
    match called {
        Expr::Name(it) => plain(it.id.as_str()) == DATA,
        Expr::Attribute(it) => it.value.is_name_expr() && plain(it.attr.as_str()) == DATA,
        _ => false,
    }
}
