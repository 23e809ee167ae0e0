//! The rows of a lock as the model has them: the way back from the canonical form.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    Alias, Allow, Class, Deprecated, Domain, Effect, Entry, NextStep, Operation, Param, ParamType,
    Problem, Registry, Retired, Retry, RetryKind, Severity, Source, Stability, Tool,
    model::Ordered, problems::quoted,
};

/// The registry that a lock holds.
pub(super) fn registry(document: Map<String, Value>) -> Result<Registry, LockProblem> {
    let mut whole = LockedObject { name: "name".to_owned(), members: document };
    let registry = Registry {
        name: whole.text("name")?.into(),
        version: whole.text("version")?,
        docs_base: whole.maybe("docs_base", text)?,
        extends: whole.list("extends", text)?,
        namespace: whole.maybe("namespace", text)?,
        domains: whole.rows("domains", domain)?,
        codes: whole.rows("codes", |row| entry(row).map(Arc::new))?,
        retired: whole.rows("retired", retired)?,
        tools: whole.rows("tools", tool)?,
        allows: whole.list("allows", |it| inner(it, "allows", allow))?,
        matches: Arc::default(),
    };
    whole.close()?;
    Ok(registry)
}

/// What is wrong with a lock, and in which row.
pub(super) struct LockProblem {
    row: String,
    message: String,
}

impl LockProblem {
    pub(super) fn at(self, source: &Source) -> Problem {
        source.problem(place_of(&source.text, &self.row), self.message)
    }
}

/// Where the line of a row begins, or the file if there is none.
pub(super) fn place_of(text: &str, row: &str) -> usize {
    let line = format!("\n{}:", Value::from(row));
    text.find(&line).map_or(0, |it| it + 1)
}

type Read<T> = Result<T, LockProblem>;

/// An object whose members are each taken once, until none is left.
struct LockedObject {
    name: String,
    members: Map<String, Value>,
}

impl LockedObject {
    fn wrong<T>(&self, key: &str) -> Read<T> {
        let message = format!("{} of {} is missing or wrong.", quoted(key), quoted(&self.name));
        Err(LockProblem { row: self.name.clone(), message })
    }

    fn text(&mut self, key: &str) -> Read<String> {
        self.one(key, text)
    }

    fn flag(&mut self, key: &str) -> Read<bool> {
        self.one(key, |it| it.as_bool())
    }

    fn one<T>(&mut self, key: &str, read: impl Fn(Value) -> Option<T>) -> Read<T> {
        match self.members.remove(key).and_then(read) {
            Some(value) => Ok(value),
            None => self.wrong(key),
        }
    }

    fn maybe<T>(&mut self, key: &str, read: impl Fn(Value) -> Option<T>) -> Read<Option<T>> {
        if self.members.contains_key(key) { self.one(key, read).map(Some) } else { Ok(None) }
    }

    fn list<T>(&mut self, key: &str, read: impl Fn(Value) -> Option<T>) -> Read<Vec<T>> {
        self.one(key, |it| match it {
            Value::Array(items) => items.into_iter().map(&read).collect(),
            _ => None,
        })
    }

    fn rows<T>(&mut self, key: &str, read: impl Fn(&mut Self) -> Read<T>) -> Read<Ordered<T>> {
        let Value::Object(rows) = self.one(key, Some)? else { return self.wrong(key) };
        rows.into_iter()
            .map(|(name, it)| Ok((name.as_str().into(), row(name, it, &read)?)))
            .collect()
    }

    fn close(self) -> Read<()> {
        match self.members.keys().next() {
            Some(key) => {
                let message = format!("{} of {} is not known.", quoted(key), quoted(&self.name));
                Err(LockProblem { row: self.name.clone(), message })
            }
            None => Ok(()),
        }
    }
}

fn row<T>(name: String, value: Value, read: impl Fn(&mut LockedObject) -> Read<T>) -> Read<T> {
    let Value::Object(members) = value else {
        let message = format!("{} is not an object.", quoted(&name));
        return Err(LockProblem { row: name, message });
    };
    let mut row = LockedObject { name, members };
    let value = read(&mut row)?;
    row.close()?;
    Ok(value)
}

/// An object inside a row; what is wrong inside is wrong with the member that holds it.
fn inner<T>(value: Value, name: &str, read: impl Fn(&mut LockedObject) -> Read<T>) -> Option<T> {
    row(name.to_owned(), value, read).ok()
}

fn text(value: Value) -> Option<String> {
    if let Value::String(text) = value { Some(text) } else { None }
}

fn object(value: Value) -> Option<Map<String, Value>> {
    if let Value::Object(members) = value { Some(members) } else { None }
}

fn number<T: TryFrom<u64>>(value: &Value) -> Option<T> {
    value.as_u64().and_then(|it| T::try_from(it).ok())
}

/// A member of a closed set, by its name.
fn member<T>(parse: fn(&str) -> Option<T>) -> impl Fn(Value) -> Option<T> {
    move |it| it.as_str().and_then(parse)
}

fn texts(value: Value) -> Option<Vec<String>> {
    if let Value::Array(items) = value { items.into_iter().map(text).collect() } else { None }
}

fn entry(row: &mut LockedObject) -> Read<Entry> {
    Ok(Entry {
        registry: row.text("registry")?.into(),
        code: row.name.as_str().into(),
        number: row.maybe("number", |it| number(&it))?,
        domain: row.text("domain")?.into(),
        class: row.one("class", member(Class::parse))?,
        http: row.one("http", |it| number(&it))?,
        retry: row.one("retry", |it| inner(it, "retry", retry))?,
        effect: row.one("effect", member(Effect::parse))?,
        severity: row.one("severity", member(Severity::parse))?,
        title: row.text("title")?,
        message: row.text("message")?,
        hint: row.text("hint")?,
        next: row.list("next", |it| inner(it, "next", next))?,
        similar: row.maybe("similar", text)?,
        params: row.list("params", |it| inner(it, "params", param))?,
        explain: row.text("explain")?,
        example: row.one("example", object)?,
        since: row.maybe("since", text)?,
        stability: row.one("stability", member(Stability::parse))?,
        deprecated: row.maybe("deprecated", |it| inner(it, "deprecated", deprecated))?,
        alias: row.one("alias", alias)?,
    })
}

fn retry(row: &mut LockedObject) -> Read<Retry> {
    Ok(Retry {
        kind: row.one("kind", member(RetryKind::parse))?,
        after_ms: row.maybe("after_ms", |it| number(&it))?,
        max: row.maybe("max", |it| number(&it))?,
    })
}

fn next(row: &mut LockedObject) -> Read<NextStep> {
    Ok(NextStep { tool: row.text("tool")?, args: row.one("args", object)? })
}

fn param(row: &mut LockedObject) -> Read<Param> {
    Ok(Param {
        name: row.text("name")?.into(),
        kind: row.one("type", member(ParamType::parse))?,
        doc: row.text("doc")?,
        required: row.flag("required")?,
        values: row.maybe("enum", texts)?.unwrap_or_default(),
        untrusted: row.flag("untrusted")?,
        secret: row.flag("secret")?,
        max_chars: row.maybe("max_chars", |it| number(&it))?,
    })
}

fn deprecated(row: &mut LockedObject) -> Read<Deprecated> {
    Ok(Deprecated {
        since: row.text("since")?,
        reason: row.text("reason")?,
        to: row.maybe("to", text)?,
        until: row.maybe("until", text)?,
    })
}

fn alias(value: Value) -> Option<Vec<Alias>> {
    let spelt = object(value)?.into_iter();
    spelt
        .map(|(dialect, it)| Some(Alias { dialect: dialect.into(), spellings: texts(it)? }))
        .collect()
}

fn domain(row: &mut LockedObject) -> Read<Domain> {
    let range = row.maybe("range", |it| match it.as_array()?.as_slice() {
        [first, last] => number(first).zip(number(last)),
        _ => None,
    })?;
    Ok(Domain { title: row.text("title")?, range })
}

fn retired(row: &mut LockedObject) -> Read<Retired> {
    Ok(Retired {
        number: row.maybe("number", |it| number(&it))?,
        since: row.text("since")?,
        why: row.text("why")?,
        to: row.maybe("to", text)?,
    })
}

fn tool(row: &mut LockedObject) -> Read<Tool> {
    Ok(Tool {
        may: row.one("may", texts)?,
        operation: row.maybe("operation", member(Operation::parse))?,
        read_only: row.flag("read_only")?,
        idempotent: row.flag("idempotent")?,
        paths: row.one("paths", texts)?,
        content: row.maybe("content", text)?,
        patch: row.maybe("patch", text)?,
    })
}

fn allow(row: &mut LockedObject) -> Read<Allow> {
    Ok(Allow {
        rule: row.text("rule")?,
        code: row.text("code")?,
        why: row.text("why")?,
        until: row.text("until")?,
    })
}
