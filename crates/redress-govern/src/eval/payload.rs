//! A payload as the judge sees it, whatever its language: its values, where they come from, and what each is used for.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use unicode_normalization::UnicodeNormalization;

/// The place of a value in its payload.
pub(super) type Id = usize;

/// A value, as far as a guard cares.
#[derive(Debug)]
pub(super) enum Value<'c> {
    /// A text that is spelled out.
    Text(Cow<'c, str>),
    /// A text that is the name of a member, and nothing else.
    Key(Cow<'c, str>),
    /// A number, or what is as harmless.
    Number,
    /// A variable.
    Name(Cow<'c, str>),
    /// `object.key`, `object[key]`, `getattr(object, key)`.
    Member {
        object: Id,
        key: Id,
    },
    /// A member that a pattern or an import takes out of something: `const { key } = x`.
    Taken {
        key: Id,
    },
    /// A member that the payload makes itself: `{ key: 1 }`.
    Own {
        key: Id,
    },
    Call {
        callee: Id,
        arguments: Vec<Id>,
    },
    /// One after the other: `a + b`, `${a}${b}`.
    Sum(Vec<Id>),
    /// One of these: `c ? a : b`.
    Either(Vec<Id>),
    /// `[a, b]`, and what is handed on: `return a`.
    List(Vec<Id>),
    /// `{ a: b, c: d }`, by its values.
    Object(Vec<Id>),
    /// `...list`, each of a list.
    Spread(Id),
    /// A function or a class.
    Function,
    /// What a name is after `name += by`.
    Grown {
        by: Id,
    },
    /// The module that is imported, where it has a name, and which of its members.
    Import {
        module: Option<Cow<'c, str>>,
        members: Vec<Cow<'c, str>>,
    },
    /// What is refused whatever its parts are.
    Forbidden(&'static str),
    /// A text that is made when the code runs.
    Made,
    /// Anything else.
    Else,
}

/// What a value is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// For anything.
    Value,
    /// A member of it is read.
    Object { of: Id },
    /// It is called.
    Callee,
    /// It is compared with another.
    Compared,
    /// It is asked for its type.
    Asked,
}

/// Where a value stands.
#[derive(Debug)]
pub(super) struct Node<'c> {
    pub(super) value: Value<'c>,
    pub(super) used: Use,
}

/// A word or a sign of code.
#[derive(Debug)]
pub(super) struct Token<'c> {
    pub(super) word: Cow<'c, str>,
    /// A pattern of texts is searched for words instead of being one.
    pub(super) is_pattern: bool,
}

/// All of a payload. Parts stand before what they are parts of.
#[derive(Debug, Default)]
pub(super) struct Payload<'c> {
    pub(super) nodes: Vec<Node<'c>>,
    pub(super) tokens: Vec<Token<'c>>,
    /// What each name was given.
    given: BTreeMap<Cow<'c, str>, Vec<Id>>,
    declared: BTreeSet<Cow<'c, str>>,
    /// What members of that name were given.
    fields: BTreeMap<Cow<'c, str>, Vec<Id>>,
    /// What names were imported.
    imported: BTreeMap<Cow<'c, str>, Vec<String>>,
    /// Keys and names of modules.
    pub(super) telling: Vec<Id>,
    pub(super) has_imports: bool,
    /// Whether it waits outside of functions, and where `await` cannot be a name.
    pub(super) waits: bool,
    pub(super) surely_waits: bool,
    /// What functions get and give.
    pub(super) ways: Ways,
}

/// The ways that values take through functions.
#[derive(Debug, Default)]
pub(super) struct Ways {
    pub(super) params: Vec<Param>,
    /// What a function gives: `(function, value)`.
    pub(super) returned: Vec<(Id, Id)>,
    pub(super) thrown: Vec<Id>,
    pub(super) caught: Vec<Id>,
    /// What is put into something under a key that is computed: `(value, object)`.
    pub(super) put: Vec<(Id, Id)>,
    /// Functions that get what a member is given.
    pub(super) setters: Vec<Id>,
    /// What a generator is sent.
    pub(super) sent: Vec<Id>,
    pub(super) awaited: Vec<Id>,
    /// Whether a function looks at all that it gets: `arguments`
    pub(super) has_arguments: bool,
    /// `this`
    pub(super) this: Vec<Id>,
    /// What members are given: `(key, value)`.
    pub(super) members: Vec<(Id, Id)>,
    /// Classes with what they extend.
    pub(super) above: Vec<(Id, Id)>,
    /// What `this` is after `super()`.
    pub(super) born: Vec<Id>,
    /// What is called without the look of a call: a class that another extends, a decorator.
    pub(super) called: Vec<Id>,
}

/// A parameter of a function.
#[derive(Debug)]
pub(super) struct Param {
    pub(super) function: Id,
    /// Which one; the last may take all that are left.
    pub(super) at: usize,
    pub(super) is_rest: bool,
    pub(super) id: Id,
}

impl<'c> Payload<'c> {
    pub(super) fn new(tokens: Vec<Token<'c>>) -> Self {
        Self { tokens, ..Self::default() }
    }

    pub(super) fn push(&mut self, value: Value<'c>) -> Id {
        self.nodes.push(Node { value, used: Use::Value });
        self.nodes.len() - 1
    }

    pub(super) fn text(&mut self, text: &'c str) -> Id {
        self.push(Value::Text(Cow::Borrowed(text)))
    }

    pub(super) fn key(&mut self, key: &'c str) -> Id {
        self.push(Value::Key(plain(key)))
    }

    pub(super) fn number(&mut self) -> Id {
        self.push(Value::Number)
    }

    pub(super) fn name(&mut self, name: &'c str) -> Id {
        self.push(Value::Name(plain(name)))
    }

    pub(super) fn member(&mut self, object: Id, key: Id) -> Id {
        let of = self.push(Value::Member { object, key });
        self.used(object, Use::Object { of });
        of
    }

    pub(super) fn call(&mut self, callee: Id, arguments: Vec<Id>) -> Id {
        self.used(callee, Use::Callee);
        self.push(Value::Call { callee, arguments })
    }

    pub(super) fn used(&mut self, id: Id, used: Use) {
        if let Some(node) = self.nodes.get_mut(id) {
            node.used = used;
        }
    }

    /// A name gets a value that is known.
    pub(super) fn give(&mut self, name: &'c str, id: Id) {
        self.given.entry(plain(name)).or_default().push(id);
    }

    /// A name gets what somebody else decides.
    pub(super) fn give_anything(&mut self, name: &'c str) {
        let anything = self.push(Value::Else);
        self.give(name, anything);
    }

    /// The same, and it is a variable of the payload's own.
    pub(super) fn bind(&mut self, name: &'c str) {
        self.give_anything(name);
        self.declare(name);
    }

    /// A name gets each of a list in turn, or what somebody else decides.
    pub(super) fn give_each(&mut self, name: &'c str, list: Id, each: Id) {
        match self.value(list) {
            Value::List(all) => all.clone().into_iter().for_each(|it| self.give(name, it)),
            _ => {
                self.bind(name);
                self.give(name, each);
            }
        }
    }

    pub(super) fn declare(&mut self, name: &'c str) {
        self.declared.insert(plain(name));
    }

    pub(super) fn value(&self, id: Id) -> &Value<'c> {
        self.nodes.get(id).map_or(&Value::Else, |it| &it.value)
    }

    pub(super) fn given(&self, name: &str) -> &[Id] {
        self.given.get(name).map_or(&[], Vec::as_slice)
    }

    /// A member of something gets a value, under that key if it is known.
    pub(super) fn give_field(&mut self, key: Id, id: Id) {
        self.ways.members.push((key, id));
        if let Value::Key(key) | Value::Text(key) = self.value(key) {
            let key = key.clone();
            self.fields.entry(key).or_default().push(id);
        }
    }

    /// All names and members with what they were given.
    pub(super) fn given_all(&self) -> [&BTreeMap<Cow<'c, str>, Vec<Id>>; 2] {
        [&self.given, &self.fields]
    }

    pub(super) fn fields(&self, key: &str) -> &[Id] {
        self.fields.get(key).map_or(&[], Vec::as_slice)
    }

    /// A name gets a module or a member of one, by its path.
    pub(super) fn import(&mut self, name: &'c str, path: String) {
        self.bind(name);
        self.imported.entry(plain(name)).or_default().push(path);
    }

    /// What a name was imported as.
    pub(super) fn imported(&self, name: &str) -> &[String] {
        self.imported.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains(name)
    }
}

/// A name as languages compare it: letters in their plain form (a full-width `ｅ` is an `e`).
pub(super) fn plain(name: &str) -> Cow<'_, str> {
    if name.is_ascii() { Cow::Borrowed(name) } else { Cow::Owned(name.nfkc().collect()) }
}
