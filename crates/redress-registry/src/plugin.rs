//! `Plugins`: codes that come and go at run time, each under the namespace of the plugin that brings it.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use crate::{
    Class, Effect, Entry, Param, Registry, Retry, RetryKind, Severity, Stability,
    model::Ordered,
    name,
    template::{self, Part},
};

/// The codes of all plugins that are registered now. Readers never wait for one another.
#[derive(Debug, Default)]
pub struct Plugins {
    slots: RwLock<Arc<Ordered<Slot>>>,
}

/// A code, and how many registrations it has.
#[derive(Debug, Clone)]
struct Slot {
    entry: Arc<Entry>,
    holders: usize,
}

/// A code as a plugin declares it.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginCode {
    /// Its name, without the namespace.
    pub key: String,
    /// What a client does that does not know the code.
    pub class: Class,
    /// 400 to 599; from the class if absent.
    pub http: Option<u16>,
    /// When to call again.
    pub retry: Retry,
    /// Whether something may have changed.
    pub effect: Effect,
    /// What happened: a template over `params`. The hint if absent.
    pub message: Option<String>,
    /// What to do.
    pub hint: String,
    /// The values that fill the message.
    pub params: Vec<Param>,
}

impl PluginCode {
    /// A code that nobody should retry and that changed nothing.
    pub fn new(key: &str, class: Class, hint: &str) -> Self {
        Self {
            key: key.to_owned(),
            class,
            http: None,
            retry: Retry::of(RetryKind::Never),
            effect: Effect::None,
            message: None,
            hint: hint.to_owned(),
            params: Vec::new(),
        }
    }
}

/// What one `register` brought in. Giving it back takes it out, once.
#[derive(Debug)]
#[must_use = "without it the codes can never be unregistered"]
pub struct Registration {
    codes: Vec<Box<str>>,
}

/// Why a plugin's codes were refused; none of them was registered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginError {
    /// The namespace has another shape than lower case, digits and dashes.
    BadNamespace(String),
    /// The namespace can belong to no plugin.
    ReservedNamespace(String),
    /// The registry is not that of a plugin.
    NoNamespace(String),
    /// The key of a code has a wrong shape.
    BadKey {
        /// Whose.
        namespace: String,
        /// The key.
        key: String,
    },
    /// The code is registered with another definition.
    Collision(String),
    /// The status is not from 400 to 599.
    BadHttp {
        /// The full code.
        code: String,
        /// The status.
        http: u16,
    },
    /// The hint says nothing.
    EmptyHint(String),
    /// The message is no template over the declared parameters.
    BadMessage {
        /// The full code.
        code: String,
        /// Why.
        why: String,
    },
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadNamespace(it) => write!(f, "Plugin namespace {it:?} must be kebab-case."),
            Self::ReservedNamespace(it) => write!(f, "Plugin namespace {it:?} is reserved."),
            Self::NoNamespace(it) => write!(f, "Registry {it:?} has no plugin namespace."),
            Self::BadKey { namespace, key } => {
                write!(f, "Plugin {namespace:?} error code {key:?} must be SCREAMING_SNAKE_CASE.")
            }
            Self::Collision(code) => {
                write!(f, "Duplicate error code registration for {code:?}.")
            }
            Self::BadHttp { code, http } => {
                write!(f, "Error code {code:?} has http {http}, which is not from 400 to 599.")
            }
            Self::EmptyHint(code) => write!(f, "Error code {code:?} has an empty hint."),
            Self::BadMessage { code, why } => write!(f, "The message of {code:?} is wrong: {why}."),
        }
    }
}

impl std::error::Error for PluginError {}

impl Plugins {
    /// The row of `namespace.CODE`, if a plugin brings it now.
    pub fn get(&self, code: &str) -> Option<Arc<Entry>> {
        self.snapshot().get(code).map(|it| Arc::clone(&it.entry))
    }

    /// Registers all of `codes`, or none. A code that is there with the same definition is shared.
    pub fn register(
        &self,
        namespace: &str,
        codes: &[PluginCode],
    ) -> Result<Registration, PluginError> {
        checked_namespace(namespace)?;
        let owner: Arc<str> = namespace.into();
        let entries: Result<Vec<_>, _> = codes.iter().map(|it| entry(&owner, it)).collect();
        self.add(entries?)
    }

    /// Registers the codes that a plugin's registry declares itself.
    pub fn register_all(&self, registry: &Registry) -> Result<Registration, PluginError> {
        match &registry.namespace {
            Some(_) => self.add(registry.own().map(Arc::clone).collect()),
            None => Err(PluginError::NoNamespace(registry.name.to_string())),
        }
    }

    /// Takes a registration back. A code goes with its last one.
    pub fn unregister(&self, registration: Registration) {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Ordered::clone(&slots);
        for code in registration.codes {
            if let Some(slot) = next.get_mut(&code) {
                slot.holders -= 1;
                if slot.holders == 0 {
                    next.shift_remove(&code);
                }
            }
        }
        *slots = Arc::new(next);
    }

    fn add(&self, entries: Vec<Arc<Entry>>) -> Result<Registration, PluginError> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Ordered::clone(&slots);
        let mut codes = Vec::with_capacity(entries.len());
        for entry in entries {
            let code = entry.code.clone();
            let slot = next
                .entry(code.clone())
                .or_insert_with(|| Slot { entry: Arc::clone(&entry), holders: 0 });
            if slot.entry != entry {
                return Err(PluginError::Collision(code.into()));
            }
            slot.holders += 1;
            codes.push(code);
        }
        *slots = Arc::new(next);
        Ok(Registration { codes })
    }

    fn snapshot(&self) -> Arc<Ordered<Slot>> {
        Arc::clone(&self.slots.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn checked_namespace(namespace: &str) -> Result<(), PluginError> {
    if name::is_namespace(namespace) {
        Ok(())
    } else if name::RESERVED_NAMESPACES.contains(&namespace) {
        Err(PluginError::ReservedNamespace(namespace.to_owned()))
    } else {
        Err(PluginError::BadNamespace(namespace.to_owned()))
    }
}

fn entry(namespace: &Arc<str>, code: &PluginCode) -> Result<Arc<Entry>, PluginError> {
    if !name::is_code(&code.key) {
        let (namespace, key) = (namespace.to_string(), code.key.clone());
        return Err(PluginError::BadKey { namespace, key });
    }
    let full = format!("{namespace}.{}", code.key);
    let http = code.http.unwrap_or(code.class.http());
    if !(400..=599).contains(&http) {
        return Err(PluginError::BadHttp { code: full, http });
    }
    if code.hint.trim().is_empty() {
        return Err(PluginError::EmptyHint(full));
    }
    let message = code.message.clone().unwrap_or_else(|| template::literal(&code.hint));
    if let Some(why) = fault_of_message(&message, &code.params) {
        return Err(PluginError::BadMessage { code: full, why });
    }
    Ok(Arc::new(Entry {
        registry: Arc::clone(namespace),
        code: full.into(),
        number: None,
        domain: (&**namespace).into(),
        class: code.class,
        http,
        retry: code.retry,
        effect: code.effect,
        severity: Severity::Error,
        title: title(&code.key),
        message,
        hint: code.hint.clone(),
        next: Vec::new(),
        similar: None,
        params: code.params.clone(),
        explain: String::new(),
        example: serde_json::Map::new(),
        since: None,
        stability: Stability::Draft,
        deprecated: None,
        alias: Vec::new(),
    }))
}

fn fault_of_message(message: &str, params: &[Param]) -> Option<String> {
    template::parts(message).find_map(|part| match part {
        Ok(Part::Text(_)) => None,
        Ok(Part::Param(name)) if params.iter().any(|it| *it.name == *name && !it.secret) => None,
        Ok(Part::Param(name)) => Some(format!("{{{name}}} is not a parameter that may be shown")),
        Err(error) => Some(error.to_string()),
    })
}

/// `NOTARIZATION_FAILED` is "Notarization failed".
fn title(key: &str) -> String {
    let words = key.replace('_', " ").to_ascii_lowercase();
    let (first, rest) = words.split_at(1);
    first.to_ascii_uppercase() + rest
}

#[cfg(test)]
mod tests;
