//! Makes the stream and the buckets of a fleet, and names the permissions of a node and of a reader.

use async_nats::jetstream::context::{CreateKeyValueErrorKind, CreateStreamErrorKind};

use crate::{
    engine::Connection,
    error::{FleetError, Weakness},
    names::Names,
    settings,
};

/// What is there after `init`.
#[derive(Debug)]
pub struct Made {
    /// Whether the stream was made now.
    pub is_new: bool,
    /// What weakens it.
    pub weaknesses: Vec<Weakness>,
    /// The servers that say how they sync, and whether always; empty if these credentials do not show it.
    pub syncs: Vec<(String, bool)>,
}

/// Makes what is not there. What is there stays as it is.
///
/// # Errors
/// The engine does not make it, or a stream of that name has another purpose.
pub async fn init(connection: &Connection, replicas: usize) -> Result<Made, FleetError> {
    let names = &connection.names;
    let found = connection.stream().await;
    let is_new = match found {
        Ok(_) => false,
        Err(FleetError::Absent { .. }) => {
            let made = connection.context.create_stream(settings::stream(names, replicas)).await;
            made.map_err(|error| match error.kind() {
                CreateStreamErrorKind::JetStream(said) if said.error_code().0 == 10_052 => {
                    FleetError::Foreign {
                        name: names.stream().to_owned(),
                        why: format!("another stream takes its subjects ({said})"),
                    }
                }
                _ => connection.failed("make the stream", &error),
            })?;
            true
        }
        Err(other) => return Err(other),
    };
    for bucket in settings::buckets(names, replicas) {
        if connection.context.get_key_value(bucket.bucket.clone()).await.is_ok() {
            continue;
        }
        connection.context.create_key_value(bucket).await.map_err(|error| match error.kind() {
            CreateKeyValueErrorKind::BucketCreate => {
                connection.failed("make a bucket", format!("{error:?}"))
            }
            _ => connection.failed("make a bucket", &error),
        })?;
    }
    let (_, weaknesses) = connection.stream().await?;
    Ok(Made { is_new, weaknesses, syncs: syncs(connection).await })
}

/// Which servers sync always. Only a user of the system account can see it.
async fn syncs(connection: &Connection) -> Vec<(String, bool)> {
    let asked =
        connection.client.request("$SYS.REQ.SERVER.PING.JSZ", r#"{"config":true}"#.into()).await;
    let Ok(answer) = asked else { return Vec::new() };
    let Ok(said) = serde_json::from_slice::<serde_json::Value>(&answer.payload) else {
        return Vec::new();
    };
    let name = said.pointer("/server/name").and_then(serde_json::Value::as_str);
    let config = said.pointer("/data/config");
    name.zip(config)
        .map(|(name, config)| {
            let always = config.get("sync_always").and_then(serde_json::Value::as_bool);
            vec![(name.to_owned(), always.unwrap_or(false))]
        })
        .unwrap_or_default()
}

/// The permissions of a node, or with `None` of somebody who reads all nodes, as they are written into the configuration of nats-server.
pub fn permissions(names: &Names, node: Option<&str>) -> String {
    let stream = names.stream();
    let (shared, nodes, contracts) = (names.shared(), names.nodes(), names.contracts());
    let mut publish = vec![format!("$JS.API.STREAM.INFO.{stream}")];
    if let Some(node) = node {
        publish.push(format!("{stream}.ledger.{node}.*"));
        publish.push(format!("$JS.API.DIRECT.GET.{stream}.{stream}.ledger.{node}.*"));
        publish.push(format!("$KV.{nodes}.{node}.*"));
        publish.push(format!("$KV.{shared}.>"));
    } else {
        publish.push(format!("$JS.API.CONSUMER.CREATE.{stream}"));
        publish.push(format!("$JS.API.CONSUMER.*.{stream}.>"));
        publish.push(format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.>"));
        publish.push(format!("$JS.API.DIRECT.GET.{stream}.>"));
        publish.push(format!("$JS.API.STREAM.MSG.GET.{stream}"));
    }
    for bucket in [&shared, &nodes, &contracts] {
        publish.push(format!("$JS.API.STREAM.INFO.KV_{bucket}"));
        publish.push(format!("$JS.API.DIRECT.GET.KV_{bucket}.>"));
        publish.push(format!("$JS.API.CONSUMER.CREATE.KV_{bucket}"));
        publish.push(format!("$JS.API.CONSUMER.*.KV_{bucket}.>"));
        publish.push(format!("$JS.API.CONSUMER.MSG.NEXT.KV_{bucket}.>"));
        publish.push(format!("$JS.FC.KV_{bucket}.>"));
    }
    let list =
        |all: &[String]| all.iter().map(|it| format!("    {it:?}")).collect::<Vec<_>>().join(",\n");
    format!("publish = [\n{}\n]\nsubscribe = [\n    \"_INBOX.>\"\n]\n", list(&publish))
}
