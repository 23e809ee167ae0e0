//! What nodes say of themselves, in a bucket: how far they are behind, and what is wrong.

use std::time::Duration;

use async_nats::jetstream::kv::Store;
use bytes::Bytes;
use futures_util::StreamExt as _;
use redress_ledger::Time;
use serde_json::{Value, json};
use tokio::time;

use crate::{
    engine::Connection,
    error::FleetError,
    progress::{Progress, State},
    shipper::Source,
};

/// How often a node says how it is, if that has changed, and how often it says so if not.
const EACH: Duration = Duration::from_secs(2);
const AT_LEAST: u64 = 20_000;

/// The longest word of a node about itself that is read.
const LONGEST: usize = 64 << 10;

/// What a process of a node says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStatus {
    /// The name of the node.
    pub node: String,
    /// The chain that the process writes.
    pub chain: String,
    /// Its version of Redress.
    pub version: String,
    /// When it said so, by its own clock.
    pub time: Time,
    /// Whether it has ended in good order.
    pub is_ended: bool,
    /// Records that it has shipped.
    pub records: u64,
    /// Records that were gone before they could be shipped.
    pub missing: u64,
    /// Records of its chain that are durable and not shipped.
    pub lag_records: u64,
    /// How long the newest shipped record waited, in milliseconds.
    pub lag_ms: Option<u64>,
    /// Why a chain is shipped no further.
    pub problem: Option<String>,
}

impl NodeStatus {
    fn of(source: &Source, progress: &Progress, is_ended: bool) -> Option<Self> {
        let snapshot = progress.snapshot();
        let problem = match snapshot.state {
            State::Waiting(why) => Some(why),
            _ => snapshot.problem,
        };
        Some(Self {
            node: source.node.clone(),
            chain: source.own.as_ref()?.as_ref().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            time: (source.clock)(),
            is_ended,
            records: snapshot.records,
            missing: snapshot.missing,
            lag_records: snapshot.lag_records,
            lag_ms: snapshot.lag_ms,
            problem,
        })
    }

    /// It as JSON.
    pub fn json(&self) -> Value {
        json!({
            "chain": self.chain, "version": self.version, "time": self.time.to_string(),
            "ended": self.is_ended, "records": self.records, "missing": self.missing,
            "lag_records": self.lag_records, "lag_ms": self.lag_ms, "problem": self.problem,
        })
    }

    fn read(key: &str, value: &[u8]) -> Option<Self> {
        let (node, chain) = key.split_once('.')?;
        let value: Value = serde_json::from_slice(value.get(..LONGEST.min(value.len()))?).ok()?;
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        Some(Self {
            node: node.to_owned(),
            chain: chain.to_owned(),
            version: text("version")?.chars().take(40).collect(),
            time: Time::parse(text("time")?)?,
            is_ended: value.get("ended")?.as_bool()?,
            records: number("records")?,
            missing: number("missing")?,
            lag_records: number("lag_records")?,
            lag_ms: number("lag_ms"),
            problem: text("problem").map(|it| it.chars().take(500).collect()),
        })
    }

    /// Whether it says the same but for the time.
    fn says_the_same(&self, other: &Self) -> bool {
        Self { time: other.time, lag_ms: other.lag_ms, ..self.clone() } == *other
    }
}

/// Says again and again how a process is. It never ends.
pub(crate) async fn tell(
    connection: &Connection,
    (source, progress): (&Source, &Progress),
    say: &(dyn Fn(&str) + Send + Sync),
) {
    let mut told: Option<NodeStatus> = None;
    let mut is_fine = true;
    loop {
        if let Some(status) = NodeStatus::of(source, progress, false) {
            let is_due = told.as_ref().is_none_or(|it| {
                !it.says_the_same(&status) || status.time.since(it.time) >= AT_LEAST
            });
            if is_due {
                match put(connection, &status).await {
                    Ok(()) => {
                        told = Some(status);
                        is_fine = true;
                    }
                    Err(error) if is_fine => {
                        is_fine = false;
                        say(&format!(
                            "fleet: `redress fleet status` does not hear of this node: {error}"
                        ));
                    }
                    Err(_) => (),
                }
            }
        }
        time::sleep(EACH).await;
    }
}

/// Says that a process has ended.
pub(crate) async fn tell_end(connection: &Connection, source: &Source, progress: &Progress) {
    if let Some(status) = NodeStatus::of(source, progress, true) {
        // Who asks sees then that it is silent.
        drop(put(connection, &status).await);
    }
}

async fn put(connection: &Connection, status: &NodeStatus) -> Result<(), FleetError> {
    let bucket = bucket(connection).await?;
    let value = Bytes::from(status.json().to_string());
    let put = bucket.put(format!("{}.{}", status.node, status.chain), value).await;
    put.map(drop).map_err(|it| connection.failed("take the word of a node", &it))
}

async fn bucket(connection: &Connection) -> Result<Store, FleetError> {
    let name = connection.names.nodes();
    let found = connection.context.get_key_value(name.as_str()).await;
    found.map_err(|it| {
        connection.denied().unwrap_or_else(|| match it.kind() {
            async_nats::jetstream::context::KeyValueErrorKind::GetBucket => {
                FleetError::Absent { name }
            }
            _ => FleetError::engine("give the word of the nodes", &it),
        })
    })
}

/// What all nodes say of themselves.
///
/// # Errors
/// The engine does not give it.
pub async fn nodes(connection: &Connection) -> Result<Vec<NodeStatus>, FleetError> {
    let bucket = bucket(connection).await?;
    let failed = |it: &dyn std::fmt::Display| connection.failed("give the word of the nodes", it);
    let mut keys = bucket.keys().await.map_err(|it| failed(&it))?;
    let mut found = Vec::new();
    while let Some(key) = keys.next().await {
        let key = key.map_err(|it| failed(&it))?;
        let value = bucket.get(key.as_str()).await.map_err(|it| failed(&it))?;
        found.extend(value.and_then(|it| NodeStatus::read(&key, &it)));
    }
    found.sort_by(|one, other| (&one.node, &one.chain).cmp(&(&other.node, &other.chain)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::NodeStatus;
    use redress_ledger::Time;

    #[test]
    fn what_a_node_says_is_read_as_it_was_written_and_nothing_else_is() {
        let status = NodeStatus {
            node: "a".to_owned(),
            chain: "c".to_owned(),
            version: "1.0.0".to_owned(),
            time: Time::from_millis(7),
            is_ended: true,
            records: 1,
            missing: 2,
            lag_records: 3,
            lag_ms: None,
            problem: Some("x".to_owned()),
        };
        let written = status.json().to_string();
        assert_eq!(NodeStatus::read("a.c", written.as_bytes()), Some(status));
        for bad in [("a", written.as_str()), ("a.c", "{}"), ("a.c", "x"), ("a.c", "")] {
            assert_eq!(NodeStatus::read(bad.0, bad.1.as_bytes()), None);
        }
    }
}
