//! `Plugins`: codes that come and go at run time, each under the namespace of the plugin that brings it.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use crate::{
    Class, Effect, Entry, Param, Registry, Retry, RetryKind, Severity, Stability, Tool,
    model::Ordered,
    name,
    template::{self, Part},
};

/// The codes of all plugins that are registered now, and what their tools may answer. Readers never wait for one another.
#[derive(Debug, Default)]
pub struct Plugins {
    registered: RwLock<Arc<Registered>>,
}

#[derive(Debug, Default, Clone)]
struct Registered {
    codes: Ordered<Slot<Arc<Entry>>>,
    tools: Ordered<Slot<Tool>>,
}

/// A code or a tool, and how many registrations it has.
#[derive(Debug, Clone)]
struct Slot<T> {
    value: T,
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
    /// A code that is not to be retried and that changed nothing.
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
    tools: Vec<Box<str>>,
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
    /// Another plugin says something else of the tool.
    ToolCollision(String),
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
            Self::ToolCollision(tool) => write!(f, "Two plugins describe the tool {tool:?}."),
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
        self.snapshot().codes.get(code).map(|it| Arc::clone(&it.value))
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
        self.add(&entries?, &Ordered::default())
    }

    /// Registers the codes that a plugin's registry declares itself, and its tools.
    pub fn register_all(&self, registry: &Registry) -> Result<Registration, PluginError> {
        match &registry.namespace {
            Some(_) => {
                let entries: Vec<_> = registry.own().map(Arc::clone).collect();
                self.add(&entries, &registry.tools)
            }
            None => Err(PluginError::NoNamespace(registry.name.to_string())),
        }
    }

    /// Takes a registration back. A code goes with its last one.
    pub fn unregister(&self, registration: Registration) {
        let mut registered = self.registered.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Registered::clone(&registered);
        let Registration { codes, tools } = registration;
        for code in codes {
            release(&mut next.codes, &code);
        }
        for tool in tools {
            release(&mut next.tools, &tool);
        }
        *registered = Arc::new(next);
    }

    /// A contract with the codes and tools of the plugins. A plugin knows its own codes best; of tools the contract does.
    pub fn taken_into(&self, contract: &Registry) -> Registry {
        let mut whole = contract.clone();
        let registered = self.snapshot();
        for (code, slot) in &registered.codes {
            whole.codes.insert(code.clone(), Arc::clone(&slot.value));
        }
        for (name, slot) in &registered.tools {
            whole.tools.entry(name.clone()).or_insert_with(|| slot.value.clone());
        }
        whole
    }

    fn add(
        &self,
        entries: &[Arc<Entry>],
        tools: &Ordered<Tool>,
    ) -> Result<Registration, PluginError> {
        let mut registered = self.registered.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = Registered::clone(&registered);
        for entry in entries {
            hold(&mut next.codes, &entry.code, entry).map_err(PluginError::Collision)?;
        }
        for (name, tool) in tools {
            hold(&mut next.tools, name, tool).map_err(PluginError::ToolCollision)?;
        }
        *registered = Arc::new(next);
        let codes = entries.iter().map(|it| it.code.clone()).collect();
        Ok(Registration { codes, tools: tools.keys().cloned().collect() })
    }

    fn snapshot(&self) -> Arc<Registered> {
        Arc::clone(&self.registered.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Adds a holder. `Err` with the name if it is held with another definition.
fn hold<T: Clone + PartialEq>(
    slots: &mut Ordered<Slot<T>>,
    name: &str,
    value: &T,
) -> Result<(), String> {
    let slot =
        slots.entry(name.into()).or_insert_with(|| Slot { value: value.clone(), holders: 0 });
    if slot.value != *value {
        return Err(name.to_owned());
    }
    slot.holders += 1;
    Ok(())
}

fn release<T>(slots: &mut Ordered<Slot<T>>, name: &str) {
    if let Some(slot) = slots.get_mut(name) {
        slot.holders -= 1;
        if slot.holders == 0 {
            slots.shift_remove(name);
        }
    }
}

/// The row of an unregistered code in a plugin's namespace. It depends on nothing but the code: what else is known of a failure is what its
/// envelope states.
pub fn unregistered(code: &str) -> Option<Arc<Entry>> {
    let (namespace, key) = code.split_once('.')?;
    let namespace: Arc<str> = name::is_namespace(namespace).then(|| namespace.into())?;
    let row = PluginCode {
        effect: Effect::Unknown,
        message: Some(
            "A plugin reported a failure that its contract does not describe.".to_owned(),
        ),
        ..PluginCode::new(key, Class::Unknown, "Read what the server said, then decide.")
    };
    entry(&namespace, &row).ok()
}

/// Whether a row is that of an unregistered code.
pub fn is_unregistered(row: &Entry) -> bool {
    unregistered(&row.code).is_some_and(|it| *it == *row)
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
