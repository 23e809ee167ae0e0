//! Errors by domain, as servers of the JSON-RPC taxonomy raise them: `domain("filesystem").error("PATH_ESCAPE", …)`.

use std::{fmt, sync::Arc};

use redress_registry::{Entry, Registry, nearest::nearest, shipped};

use super::Fault;
use redress_wire::json::RawJson;

/// The dialect in which the taxonomy spells its codes.
const DIALECT: &str = "rpc";

/// The domain of codes that every other domain may raise as its own.
const COMMON: &str = "common";

/// The errors of one domain.
#[derive(Debug, Clone, Copy)]
pub struct DomainErrors {
    name: &'static str,
    taxonomy: &'static Registry,
}

/// What an occurrence says instead of its row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// What happened.
    pub message: Option<String>,
    /// What is known about this time.
    pub details: Option<String>,
    /// Whether the same call may be made again.
    pub retryable: Option<bool>,
}

/// A domain has no such error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSymbol {
    /// The symbol that was given.
    pub symbol: String,
    /// The domain.
    pub domain: &'static str,
    /// The symbol that was probably meant.
    pub did_you_mean: Option<String>,
}

impl fmt::Display for UnknownSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unknown error symbol {} for domain {}", self.symbol, self.domain)?;
        match &self.did_you_mean {
            Some(meant) => write!(f, "; did you mean {meant}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownSymbol {}

/// The errors of the taxonomy's domain of that name; `kg` is short for `kg-memory`.
pub fn domain(name: &str) -> Option<DomainErrors> {
    let name = if name == "kg" { "kg-memory" } else { name };
    let taxonomy = shipped::get("rpc-taxonomy")?;
    let (name, _) = taxonomy.domains.get_key_value(name)?;
    Some(DomainErrors { name, taxonomy })
}

/// An error of the domain `filesystem`.
pub fn fs_error(symbol: &str, overrides: Overrides) -> Result<Fault, UnknownSymbol> {
    error_in("filesystem", symbol, overrides)
}

/// An error of the domain `memory-bank`.
pub fn mb_error(symbol: &str, overrides: Overrides) -> Result<Fault, UnknownSymbol> {
    error_in("memory-bank", symbol, overrides)
}

/// An error of the domain `kg-memory`.
pub fn kg_error(symbol: &str, overrides: Overrides) -> Result<Fault, UnknownSymbol> {
    error_in("kg-memory", symbol, overrides)
}

fn error_in(
    name: &'static str,
    symbol: &str,
    overrides: Overrides,
) -> Result<Fault, UnknownSymbol> {
    match domain(name) {
        Some(errors) => errors.error(symbol, overrides),
        None => Err(UnknownSymbol { symbol: symbol.to_owned(), domain: name, did_you_mean: None }),
    }
}

impl DomainErrors {
    /// An occurrence of a symbol, in full (`E_FS_PATH_ESCAPE`) or without its domain (`PATH_ESCAPE`). Codes that all
    /// domains share belong to the domain that raises them.
    pub fn error(self, symbol: &str, overrides: Overrides) -> Result<Fault, UnknownSymbol> {
        let row = self.rows().find(|it| symbols(it).any(|it| it == symbol));
        let Some(row) = row else { return Err(self.unknown(symbol)) };
        let mut fault = Fault::of(row);
        fault.domain = self.name.into();
        fault.message = overrides.message.unwrap_or(fault.message);
        fault.details = overrides.details.as_deref().map(RawJson::string);
        if let Some(retryable) = overrides.retryable {
            fault.set_retryable(retryable);
        }
        Ok(fault)
    }

    fn rows(self) -> impl Iterator<Item = &'static Arc<Entry>> {
        let of = move |name: &'static str| {
            self.taxonomy.codes.values().filter(move |it| *it.domain == *name)
        };
        of(self.name).chain(of(COMMON))
    }

    fn unknown(self, symbol: &str) -> UnknownSymbol {
        let meant = nearest(symbol, self.rows().flat_map(|it| symbols(it)));
        let did_you_mean = meant.map(str::to_owned);
        UnknownSymbol { symbol: symbol.to_owned(), domain: self.name, did_you_mean }
    }
}

/// Everything that a row is called in the taxonomy.
fn symbols(row: &Entry) -> impl Iterator<Item = &str> {
    let alias = row.alias.iter().find(|it| *it.dialect == *DIALECT);
    let spellings = alias.into_iter().flat_map(|it| &it.spellings).map(String::as_str);
    spellings.chain(std::iter::once(&*row.code))
}
