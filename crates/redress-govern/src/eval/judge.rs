//! The one judgement on a payload: keywords first, then constructs, by the rules of its language.

use std::{borrow::Cow, cell::OnceCell, collections::BTreeMap};

use super::{
    Refusal, TOO_SLOW,
    payload::{Id, Node, Payload, Use, Value},
    rules::{Guarded, Rules},
    texts::{Text, Texts},
    tokens::{Tokens, in_text},
    words::has,
};

/// Whether a payload may be run. `expired` is asked now and then.
pub(super) fn judge(
    payload: &Payload<'_>,
    rules: &'static Rules,
    expired: &dyn Fn() -> bool,
) -> Result<(), Refusal> {
    let texts = Texts::new(payload, rules);
    keywords(payload, rules, &texts)?;
    words(payload, rules)?;
    let (roots, open) = (Vec::new(), Vec::new());
    let (modules_about, binds_about) = (OnceCell::new(), OnceCell::new());
    let keys = BTreeMap::new();
    let mut judge = Judge {
        payload,
        rules,
        texts,
        roots,
        open,
        chosen: false,
        word: None,
        keys,
        modules_about,
        binds_about,
    };
    for (id, node) in payload.nodes.iter().enumerate() {
        if id.is_multiple_of(256) && expired() {
            return Err(TOO_SLOW);
        }
        let root = judge.root(node);
        judge.roots.push(root);
        judge.visit(id, node)?;
    }
    judge.end()
}

/// The blocklist, in code and in texts that count as code.
fn keywords(payload: &Payload<'_>, rules: &Rules, texts: &Texts<'_, '_>) -> Result<(), Refusal> {
    let mut tokens = Tokens::new(rules.keywords);
    for token in &payload.tokens {
        if token.is_pattern {
            in_text(rules.keywords, &token.word)?;
        } else {
            tokens.push(&token.word)?;
        }
    }
    let called = payload.nodes.iter().filter_map(|node| match &node.value {
        Value::Call { callee, arguments } if reads_text(payload, rules, *callee) => Some(arguments),
        _ => None,
    });
    for id in payload.telling.iter().chain(called.flatten()) {
        texts.of(*id).known.iter().try_for_each(|it| in_text(rules.keywords, it))?;
    }
    Ok(())
}

fn reads_text(payload: &Payload<'_>, rules: &Rules, callee: Id) -> bool {
    let called = match payload.value(callee) {
        Value::Member { key, .. } => payload.value(*key),
        value => value,
    };
    matches!(called, Value::Name(name) | Value::Key(name) | Value::Text(name) if has(rules.reads_text, name))
}

/// Names that are forbidden by their form, wherever they stand; members are judged as such.
fn words(payload: &Payload<'_>, rules: &Rules) -> Result<(), Refusal> {
    let mut before = "";
    for token in &payload.tokens {
        if before != "." && !token.is_pattern && (rules.is_forbidden_name)(&token.word) {
            return refuse(rules.told(&token.word));
        }
        before = &token.word;
    }
    Ok(())
}

/// What a value is by where it comes from.
#[derive(Clone, Copy)]
pub(super) enum Root {
    Global,
    Guarded(&'static Guarded),
    Else,
}

pub(super) struct Judge<'p, 'c> {
    pub(super) payload: &'p Payload<'c>,
    pub(super) rules: &'static Rules,
    pub(super) texts: Texts<'p, 'c>,
    /// The roots of the values so far: parts come first.
    roots: Vec<Root>,
    /// Members that nobody knows the names of.
    pub(super) open: Vec<Id>,
    /// Whether a member is chosen when the code runs.
    chosen: bool,
    /// A word that is harmless as long as no member is.
    word: Option<&'static str>,
    /// Keys of members that are not spelled out, as far as they are known.
    pub(super) keys: BTreeMap<Id, Vec<Cow<'p, str>>>,
    /// Whether a module gets anywhere but before a dot, and `f.call` anywhere but before its arguments.
    pub(super) modules_about: OnceCell<bool>,
    pub(super) binds_about: OnceCell<bool>,
}

impl<'p> Judge<'p, '_> {
    fn visit(&mut self, id: Id, node: &'p Node<'_>) -> Result<(), Refusal> {
        match &node.value {
            Value::Name(name) => self.mention(id, name, node.used),
            Value::Member { object, key } => self.member(id, *object, *key, node.used),
            Value::Taken { key } => self.key(&self.texts.of(*key), true),
            Value::Own { key } => self.own(*key),
            Value::Call { callee, arguments } => self.call(id, *callee, arguments),
            Value::Text(text) => self.datum(text),
            Value::Sum(_) => self.data(id),
            Value::Import { module, members } => self.import(module.as_deref(), members),
            Value::Forbidden(construct) => refuse(construct),
            _ => Ok(()),
        }
    }

    /// A word that is harmless as data, beside a member that is chosen when the code runs.
    fn end(self) -> Result<(), Refusal> {
        if let Some(word) = self.word.filter(|_| self.chosen) {
            return refuse(&format!("{word} as a key"));
        }
        if self.open.is_empty() { Ok(()) } else { self.follow() }
    }

    fn mention(&self, id: Id, name: &str, used: Use) -> Result<(), Refusal> {
        if used == Use::Asked {
            return Ok(());
        }
        if has(self.rules.values, name)
            || has(self.rules.names, name) && self.payload.given(name).is_empty()
        {
            return refuse(name);
        }
        if has(self.rules.runs_text, name) && used != Use::Callee && !self.payload.is_declared(name)
        {
            return refuse(&format!("{name} as a value"));
        }
        self.as_value(id, used)
    }

    /// An object of which members may be read is nothing but that.
    fn as_value(&self, id: Id, used: Use) -> Result<(), Refusal> {
        match (self.roots.get(id), used) {
            (_, Use::Object { .. } | Use::Asked) | (Some(Root::Global), Use::Compared) => Ok(()),
            (Some(Root::Global), _) => refuse("the global object as a value"),
            (Some(Root::Guarded(it)), _) => refuse(&format!("{} as a value", it.name)),
            _ => Ok(()),
        }
    }

    fn member(&mut self, id: Id, object: Id, key: Id, used: Use) -> Result<(), Refusal> {
        let text = self.texts.of(key);
        let exact = text.is_exact();
        match self.roots.get(object) {
            Some(Root::Guarded(it)) => match text.known.iter().find(|key| !has(it.allowed, key)) {
                Some(key) => return refuse(&of_guarded(it, key)),
                None if !exact => return refuse(&format!("a computed member of {}", it.name)),
                None => {}
            },
            Some(Root::Global) if !exact => {
                return refuse("a computed member of the global object");
            }
            Some(Root::Global) if used != Use::Asked => {
                if let Some(key) = text.known.iter().find(|it| has(self.rules.values, it)) {
                    return refuse(key);
                }
            }
            _ => {}
        }
        if self.rules.has_open_keys && text.is_open() {
            self.open.push(id);
        }
        let is_spelled = matches!(self.payload.value(key), Value::Key(_) | Value::Text(_));
        if self.rules.has_open_keys && !is_spelled && !text.known.is_empty() {
            self.keys.insert(key, text.known.clone());
        }
        if self.rules.has_open_keys && text.is_open() && self.is_function(object) {
            return refuse("a member of a function that is chosen when the code runs");
        }
        if !self.rules.has_open_keys
            && text.known.iter().any(|it| it == "format")
            && !self.texts.of(object).is_exact()
        {
            return refuse("a format that is not spelled out");
        }
        if self.only_tells(&text, used) || self.is_of_object(object, &text) {
            return Ok(());
        }
        if text.known.iter().any(|it| (self.rules.is_private)(it) && !self.is_own(object, it)) {
            return refuse("a private member");
        }
        self.key(&text, false)?;
        if used == Use::Value && text.known.iter().any(|it| has(self.rules.runs_text, it)) {
            return refuse("a way to run texts as a value");
        }
        self.as_value(id, used)
    }

    /// `x.constructor.name` and `x.constructor === y` tell something and give nothing.
    fn only_tells(&self, text: &Text<'_>, used: Use) -> bool {
        let [key] = text.known.as_slice() else { return false };
        let Some((_, tells)) = self.rules.tells.iter().find(|(member, _)| key == member) else {
            return used == Use::Asked && self.rules.has_open_keys;
        };
        match used {
            Use::Compared | Use::Asked => true,
            Use::Object { of } => match self.payload.value(of) {
                Value::Member { key, .. } => {
                    matches!(self.payload.value(*key), Value::Key(it) if has(tells, it))
                }
                _ => false,
            },
            Use::Value | Use::Callee => false,
        }
    }

    fn is_of_object(&self, object: Id, text: &Text<'_>) -> bool {
        let (Value::Name(object), [key]) = (self.payload.value(object), text.known.as_slice())
        else {
            return false;
        };
        self.rules.of_object.iter().any(|(name, member)| object == name && key == member)
    }

    /// A key by which a member is taken from anything.
    fn key(&mut self, text: &Text<'_>, is_taken: bool) -> Result<(), Refusal> {
        let rules = self.rules;
        for key in &text.known {
            if rules.leads_out(key, self.payload.has_imports)
                || (is_taken && (has(rules.values, key) || (rules.is_private)(key)))
            {
                return refuse(&rules.told_member(key));
            }
            if is_taken && let Root::Guarded(it) = guarded(rules, key) {
                return refuse(&format!("{} as a value", it.name));
            }
        }
        let may_lead_out = || !rules.has_open_keys || rules.words().any(|it| text.may_be(it));
        if !text.made.is_empty() && may_lead_out() {
            return refuse("a key that is made of parts");
        }
        if text.other && !rules.has_open_keys {
            return refuse("a member that is chosen when the code runs");
        }
        self.chosen |= text.other || !text.made.is_empty();
        Ok(())
    }

    /// `{ constructor: 1 }` is a way to spell the word.
    fn own(&mut self, key: Id) -> Result<(), Refusal> {
        let text = self.texts.of(key);
        if text.known.iter().any(|it| it == "__proto__") && self.rules.has_open_keys {
            return refuse(".__proto__");
        }
        if text.may_be("constructor") && !text.known.is_empty() {
            self.word = Some("constructor");
        }
        Ok(())
    }

    fn call(&mut self, id: Id, callee: Id, arguments: &[Id]) -> Result<(), Refusal> {
        if self.rules.has_open_keys && self.is_chosen(callee) {
            return refuse("a call of what is chosen when the code runs");
        }
        let called = match self.payload.value(callee) {
            Value::Name(name) => vec![name.clone()],
            Value::Member { key, .. } => self.texts.of(*key).known,
            _ => return Ok(()),
        };
        let first = arguments.first().map(|it| self.texts.of(*it)).unwrap_or_default();
        for called in &called {
            if has(self.rules.runs_text, called) && first.is_text() {
                return refuse(&format!("{} of a text", self.rules.told(called)));
            }
            if has(self.rules.calls_back, called) && arguments.iter().any(|it| self.is_chosen(*it))
            {
                return refuse("a call of what is chosen when the code runs");
            }
            let forbidden = self.rules.arguments.iter().filter(|(name, _)| called == name);
            for (name, is_code) in forbidden {
                if arguments.iter().any(|it| is_code(&self.texts.of(*it))) {
                    return refuse(&format!("{name} of code"));
                }
            }
        }
        if called.iter().any(|it| has(self.rules.makes_text, it) || it == "join" || it == "concat")
        {
            return self.data(id);
        }
        Ok(())
    }

    fn data(&mut self, id: Id) -> Result<(), Refusal> {
        let text = self.texts.of(id);
        text.known.iter().try_for_each(|it| self.datum(it))
    }

    fn datum(&mut self, text: &str) -> Result<(), Refusal> {
        if let Some(construct) = (self.rules.telling_text)(text) {
            return refuse(construct);
        }
        if self.rules.has_open_keys
            && let Some(word) = self.rules.words().find(|it| *it == text)
        {
            self.word = Some(word);
        }
        Ok(())
    }

    fn root(&self, node: &Node<'_>) -> Root {
        let rules = self.rules;
        match &node.value {
            Value::Name(name) if has(rules.globals, name) => Root::Global,
            Value::Name(name)
                if has(rules.common_globals, name) && !self.payload.is_declared(name) =>
            {
                Root::Global
            }
            Value::Name(name) => self.guarded_name(name),
            Value::Member { object, key } => match self.payload.value(*key) {
                Value::Key(key) | Value::Text(key) if has(rules.windows, key) => Root::Global,
                Value::Key(key) | Value::Text(key)
                    if has(rules.globals, key) || has(rules.common_globals, key) =>
                {
                    self.roots.get(*object).copied().unwrap_or(Root::Else)
                }
                Value::Key(key) | Value::Text(key) => match self.roots.get(*object) {
                    Some(Root::Guarded(it)) if !rules.parts.is_empty() => {
                        self.part(&[format!("{}.{key}", it.name)])
                    }
                    _ => guarded(rules, key),
                },
                _ => Root::Else,
            },
            _ => Root::Else,
        }
    }
}

pub(super) fn guarded(rules: &Rules, name: &str) -> Root {
    let mut guarded = rules.guarded.iter().filter(|it| !it.is_common);
    guarded.find(|it| it.name == name).map_or(Root::Else, Root::Guarded)
}

pub(super) fn of_guarded(object: &Guarded, key: &str) -> String {
    match object.named.iter().find(|it| **it == key) {
        Some(key) => format!("{}.{key}", object.name),
        None => format!("a member of {}", object.name),
    }
}

pub(super) fn refuse(construct: &str) -> Result<(), Refusal> {
    Err(Refusal::Construct(construct.to_owned()))
}
