//! Contracts in a bucket: pushed once, taken by every node.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::StreamExt as _;

use crate::{engine::Connection, error::FleetError, names};

/// The longest contract.
const LONGEST: usize = 512 << 10;

/// A contract in the bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushedContract {
    /// Its name.
    pub name: String,
    /// The text of its file.
    pub text: String,
    /// The number of this push in the bucket.
    pub revision: u64,
}

async fn bucket(connection: &Connection) -> Result<async_nats::jetstream::kv::Store, FleetError> {
    let name = connection.names.contracts();
    let found = connection.context.get_key_value(name.as_str()).await;
    found.map_err(|_no_bucket| connection.denied().unwrap_or(FleetError::Absent { name }))
}

/// Puts a contract into the bucket. Gives the number of the push.
///
/// # Errors
/// The name is none, the text is too long, or the engine does not take it.
pub async fn push_contract(
    connection: &Connection,
    name: &str,
    text: &str,
) -> Result<u64, FleetError> {
    names::check("registry.name", name)?;
    if text.len() > LONGEST {
        let problem = format!("has {} bytes, and {LONGEST} are the most", text.len());
        return Err(FleetError::Input { place: "the contract", problem });
    }
    let bucket = bucket(connection).await?;
    let put = bucket.put(name, Bytes::from(text.to_owned())).await;
    put.map_err(|it| connection.failed("take a contract", &it))
}

/// All contracts in the bucket.
///
/// # Errors
/// The engine does not give them, or one is no text.
pub async fn pushed_contracts(connection: &Connection) -> Result<Vec<PushedContract>, FleetError> {
    let bucket = bucket(connection).await?;
    let failed = |it: &dyn std::fmt::Display| connection.failed("give the contracts", it);
    let mut keys = bucket.keys().await.map_err(|it| failed(&it))?;
    let mut found = Vec::new();
    while let Some(key) = keys.next().await {
        let key = key.map_err(|it| failed(&it))?;
        // It becomes the name of a file.
        names::check("the name of a contract", &key)?;
        let Some(entry) = bucket.entry(key.as_str()).await.map_err(|it| failed(&it))? else {
            continue;
        };
        let problem = || FleetError::Input {
            place: "a contract in the bucket",
            problem: format!("is no text of at most {LONGEST} bytes: {key}"),
        };
        let text = String::from_utf8(entry.value.to_vec()).map_err(|_not_text| problem())?;
        if text.len() > LONGEST {
            return Err(problem());
        }
        found.push(PushedContract { name: key, text, revision: entry.revision });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// The file of a contract in a directory.
pub fn contract_file(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.toml"))
}
