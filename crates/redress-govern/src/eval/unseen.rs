//! Members that the language, or what is built in, calls without the look of a call: `{ valueOf: f } + 1`, `{ [Symbol.match]: f }`.

use std::collections::BTreeSet;

use super::{
    judge::Judge,
    payload::{Id, Use, Value},
    words::has,
};

/// What has the keys of such members as its own members.
const KEYS: &str = "Symbol";

/// What hands such keys out, or is handed them.
const HANDS_OUT: &[&str] = &["Proxy", "getOwnPropertySymbols", "ownKeys"];

/// Calls that make members of what their `value` is.
const DEFINE: &[&str] = &["defineProperty", "defineProperties"];

/// A call that does so if it gets more than one argument.
const CREATE: &str = "create";

/// A call that makes members of pairs.
const FROM_PAIRS: &str = "fromEntries";

impl Judge<'_, '_> {
    /// What is called unseen.
    pub(super) fn called_unseen(&self) -> Vec<Id> {
        let ways = &self.payload.ways;
        let members = ways.members.iter().copied().chain(self.pairs());
        let mut called = ways.called.clone();
        let [mut are_keys_about, mut are_defined] = [None, None];
        let mut by = None;
        for (key, given) in members {
            let is_called = match self.payload.value(key) {
                Value::Key(key) | Value::Text(key) if key == "value" => {
                    *are_defined.get_or_insert_with(|| self.are_members_defined())
                }
                Value::Key(key) | Value::Text(key) => {
                    has(self.rules.called_unseen, key)
                        || by.get_or_insert_with(|| self.called_by()).iter().any(|it| has(it, key))
                }
                Value::Member { object, .. } if self.is_keys(*object) => true,
                _ => {
                    self.may_be_called(key)
                        || *are_keys_about.get_or_insert_with(|| self.are_keys_about())
                }
            };
            if is_called {
                called.push(given);
            }
        }
        called
    }

    /// Names of members that are called by what is mentioned.
    fn called_by(&self) -> Vec<&'static [&'static str]> {
        let is_named = |end: &str| {
            self.payload.nodes.iter().any(|it| match &it.value {
                Value::Name(name) => name.ends_with(end),
                _ => false,
            })
        };
        let by = self.rules.called_unseen_by.iter();
        by.filter(|(end, _)| is_named(end)).map(|(_, called)| *called).collect()
    }

    /// Functions that get what members are given, where such may be made: traps of a proxy, and descriptors.
    pub(super) fn setters(&self) -> Vec<Id> {
        let mut setters = self.payload.ways.setters.clone();
        let fields = ["set", "defineProperty"].map(|it| self.payload.fields(it));
        let is_proxy = |value: &Value<'_>| matches!(value, Value::Name(it) if it == "Proxy");
        if fields.iter().any(|it| !it.is_empty())
            && (self.payload.nodes.iter().any(|it| is_proxy(&it.value))
                || self.are_members_defined())
        {
            setters.extend(fields.into_iter().flatten());
        }
        setters
    }

    /// Lists that may become members, by their first two values.
    fn pairs(&self) -> Vec<(Id, Id)> {
        let pair = |value: &Value<'_>| match value {
            Value::List(all) => all.first().copied().zip(all.get(1).copied()),
            _ => None,
        };
        let nodes = self.payload.nodes.iter();
        let is_named = nodes.clone().any(|it| self.takes(&it.value, &[FROM_PAIRS]));
        nodes.filter(|_| is_named).filter_map(|it| pair(&it.value)).collect()
    }

    /// Whether members are made by a call.
    fn are_members_defined(&self) -> bool {
        self.payload.nodes.iter().any(|node| match &node.value {
            Value::Call { callee, arguments } if arguments.len() > 1 => {
                self.takes(self.payload.value(*callee), &[CREATE])
            }
            value => {
                self.takes(value, DEFINE)
                    || node.used != Use::Callee && self.takes(value, &[CREATE])
            }
        })
    }

    /// Whether a value is a member with one of these names.
    fn takes(&self, value: &Value<'_>, names: &[&str]) -> bool {
        match value {
            Value::Member { key, .. } | Value::Taken { key } => match self.spelled(*key) {
                Some(key) => has(names, key),
                None => self.texts.of(*key).known.iter().any(|it| has(names, it)),
            },
            _ => false,
        }
    }

    /// Whether a key that is not spelled out may be that of such a member, as far as anything is known of it.
    fn may_be_called(&self, key: Id) -> bool {
        let key = self.texts.of(key);
        self.rules.called_unseen.iter().any(|it| key.may_be(it))
    }

    /// Whether a key that is not a text gets anywhere but between the brackets: then anything that is put under a name may be put under it.
    fn are_keys_about(&self) -> bool {
        let between: BTreeSet<Id> = self.payload.telling.iter().copied().collect();
        let is_value = |used: Use| !matches!(used, Use::Object { .. } | Use::Callee | Use::Asked);
        self.payload.nodes.iter().enumerate().any(|(id, node)| match &node.value {
            Value::Name(name) if name == KEYS => is_value(node.used),
            Value::Name(name) => has(HANDS_OUT, name),
            Value::Member { object, .. } if self.is_keys(*object) => {
                is_value(node.used) && node.used != Use::Compared && !between.contains(&id)
            }
            value => self.takes(value, &[KEYS]) || self.takes(value, HANDS_OUT),
        })
    }

    fn is_keys(&self, object: Id) -> bool {
        matches!(self.payload.value(object), Value::Name(it) if it == KEYS)
    }
}
