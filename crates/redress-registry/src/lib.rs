//! The registry of a Redress contract: its model, its TOML file, its lint, its diff.

pub mod canonical;
pub mod class;
pub mod dialects;
pub mod diff;
pub mod draft;
pub mod edit;
mod embedded;
pub mod export;
pub mod find;
pub mod finding;
pub mod lint;
pub mod load;
pub mod lock;
pub mod mirror;
pub mod model;
pub mod name;
pub mod nearest;
pub mod place;
pub mod plugin;
pub mod problems;
mod range;
pub mod read;
pub mod resolve;
pub mod retry;
pub mod rule;
pub mod shipped;
pub mod taught;
pub mod template;

pub use canonical::canonical;
pub use class::Class;
pub use find::{Hit, find};
pub use finding::Finding;
pub use lint::lint;
pub use load::load;
pub use model::{
    Alias, Allow, Deprecated, Domain, Entry, NextStep, Param, ParamType, Registry, Retired, Tool,
};
pub use place::{Place, Problem, Source, Spanned};
pub use plugin::{PluginCode, PluginError, Plugins, Registration};
pub use read::read;
pub use resolve::resolve;
pub use retry::{Effect, Operation, Retry, RetryKind, Severity, Stability};
pub use rule::{Level, Rule};
