//! What the stream and the buckets are made with, and what weakens a stream that is there.

use std::time::Duration;

use async_nats::jetstream::{
    kv,
    stream::{Compression, Config, DiscardPolicy, Info, RetentionPolicy, StorageType},
};

use crate::{
    error::{FleetError, Weakness},
    names::Names,
};

/// How many replicas acknowledge a record that no failure of one machine may lose.
pub const REPLICAS: usize = 3;

/// The first version in which no loss of acknowledged messages is known with `sync_interval: always`.
const SOUND_VERSION: (u64, u64, u64) = (2, 14, 3);

/// The first version that has all that is used.
const LEAST_VERSION: (u64, u64, u64) = (2, 11, 0);

/// How long the word of a node about itself is kept.
const NODE_KEPT: Duration = Duration::from_hours(24 * 30);

/// What the description of the stream says, by which it is known as ours.
const DESCRIPTION: &str = "Redress: the ledgers of all nodes (redress-fleet/1)";

/// The stream as `init` makes it.
pub(crate) fn stream(names: &Names, replicas: usize) -> Config {
    Config {
        name: names.stream().to_owned(),
        subjects: vec![names.subjects()],
        description: Some(DESCRIPTION.to_owned()),
        num_replicas: replicas,
        storage: StorageType::File,
        retention: RetentionPolicy::Limits,
        discard: DiscardPolicy::New,
        max_bytes: -1,
        max_messages: -1,
        max_messages_per_subject: -1,
        max_message_size: -1,
        max_consumers: -1,
        deny_delete: true,
        deny_purge: true,
        allow_direct: true,
        compression: Some(Compression::S2),
        ..Config::default()
    }
}

/// The buckets as `init` makes them.
pub(crate) fn buckets(names: &Names, replicas: usize) -> [kv::Config; 3] {
    let bucket = |bucket, history, max_age| kv::Config {
        bucket,
        history,
        max_age,
        num_replicas: replicas,
        storage: StorageType::File,
        ..kv::Config::default()
    };
    [
        bucket(names.nodes(), 1, NODE_KEPT),
        bucket(names.shared(), 1, Duration::ZERO),
        bucket(names.contracts(), 8, Duration::ZERO),
    ]
}

/// What weakens a stream of that name, for a server of that version.
///
/// # Errors
/// The stream has another purpose.
pub(crate) fn assess(
    names: &Names,
    info: &Info,
    version: &str,
) -> Result<Vec<Weakness>, FleetError> {
    let config = &info.config;
    if let Some(why) = foreign(names, config) {
        return Err(FleetError::Foreign { name: names.stream().to_owned(), why });
    }
    let mut weak = weak_config(config);
    if parse(version).is_none_or(|it| it < SOUND_VERSION) {
        weak.push(Weakness::new("version of the server", version, "2.14.3 or later"));
    }
    Ok(weak)
}

/// The settings of a stream that can lose what was acknowledged.
fn weak_config(config: &Config) -> Vec<Weakness> {
    let mut weak = Vec::new();
    let mut unless = |is_fine: bool, setting, is: String, should| {
        if !is_fine {
            weak.push(Weakness::new(setting, is, should));
        }
    };
    let replicas = config.num_replicas;
    unless(replicas >= REPLICAS, "num_replicas", replicas.to_string(), "3 or more");
    unless(config.storage == StorageType::File, "storage", "memory".to_owned(), "file");
    let is_lasting = config.max_age.is_zero();
    unless(is_lasting, "max_age", format!("{} s", config.max_age.as_secs()), "0 (no limit)");
    let is_bounded = config.max_bytes > 0 || config.max_messages > 0;
    let discards_old = config.discard == DiscardPolicy::Old && is_bounded;
    unless(!discards_old, "discard", "old, with a limit".to_owned(), "new");
    let per_subject = config.max_messages_per_subject;
    unless(per_subject <= 0, "max_msgs_per_subject", per_subject.to_string(), "-1 (no limit)");
    unless(!config.no_ack, "no_ack", "true".to_owned(), "false");
    unless(config.deny_delete, "deny_delete", "false".to_owned(), "true");
    unless(config.deny_purge, "deny_purge", "false".to_owned(), "true");
    unless(!config.allow_rollup, "allow_rollup_hdrs", "true".to_owned(), "false");
    let is_async = config
        .persist_mode
        .as_ref()
        .is_some_and(|it| !matches!(it, async_nats::jetstream::stream::PersistenceMode::Default));
    unless(!is_async, "persist_mode", "async".to_owned(), "default");
    weak
}

/// Why a stream cannot be one of ours.
fn foreign(names: &Names, config: &Config) -> Option<String> {
    if config.subjects != [names.subjects()] {
        return Some(format!(
            "it takes the subjects {:?}, and not {:?}",
            config.subjects,
            names.subjects()
        ));
    }
    if config.mirror.is_some() || config.sources.as_ref().is_some_and(|it| !it.is_empty()) {
        return Some("it copies another stream".to_owned());
    }
    if config.subject_transform.is_some() {
        return Some("it changes the subjects of messages (`subject_transform`)".to_owned());
    }
    if config.retention != RetentionPolicy::Limits {
        return Some("it removes messages that were read (`retention` is not `limits`)".to_owned());
    }
    if config.sealed {
        return Some("it is sealed, so that nothing can be added".to_owned());
    }
    if !config.allow_direct {
        return Some("it does not let its messages be read directly (`allow_direct`)".to_owned());
    }
    None
}

/// Refuses a server that lacks what is used.
pub(crate) fn check_version(version: &str) -> Result<(), FleetError> {
    match parse(version) {
        Some(it) if it >= LEAST_VERSION => Ok(()),
        _ => Err(FleetError::OldServer { version: version.to_owned() }),
    }
}

fn parse(version: &str) -> Option<(u64, u64, u64)> {
    let plain = version.split(['-', '+']).next()?;
    let mut parts = plain.split('.').map(|it| it.parse::<u64>().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

    use super::{REPLICAS, check_version, foreign, stream, weak_config};
    use crate::names::Names;

    fn ours() -> Config {
        stream(&Names::new("redress").unwrap(), REPLICAS)
    }

    #[test]
    fn what_init_makes_is_ours_and_strong() {
        let names = Names::new("redress").unwrap();
        assert_eq!(foreign(&names, &ours()), None);
        assert_eq!(weak_config(&ours()), []);
    }

    #[test]
    fn each_setting_that_loses_records_is_named() {
        let with = |change: &dyn Fn(&mut Config)| {
            let mut config = ours();
            change(&mut config);
            weak_config(&config).iter().map(|it| it.setting).collect::<Vec<_>>()
        };
        assert_eq!(with(&|it| it.num_replicas = 1), ["num_replicas"]);
        assert_eq!(with(&|it| it.storage = StorageType::Memory), ["storage"]);
        assert_eq!(with(&|it| it.max_age = std::time::Duration::from_secs(9)), ["max_age"]);
        assert_eq!(with(&|it| it.discard = DiscardPolicy::Old), [""; 0]);
        let bounded = |it: &mut Config| {
            it.discard = DiscardPolicy::Old;
            it.max_bytes = 1000;
        };
        assert_eq!(with(&bounded), ["discard"]);
        assert_eq!(with(&|it| it.max_messages_per_subject = 1), ["max_msgs_per_subject"]);
        assert_eq!(with(&|it| it.no_ack = true), ["no_ack"]);
        assert_eq!(with(&|it| it.deny_purge = false), ["deny_purge"]);
        assert_eq!(with(&|it| it.allow_rollup = true), ["allow_rollup_hdrs"]);
    }

    #[test]
    fn a_stream_with_another_purpose_is_foreign() {
        let names = Names::new("redress").unwrap();
        let mut config = ours();
        config.subjects = vec!["orders.>".to_owned()];
        assert!(foreign(&names, &config).unwrap().contains("orders.>"));
        let mut config = ours();
        config.retention = RetentionPolicy::WorkQueue;
        assert!(foreign(&names, &config).is_some());
    }

    #[test]
    fn old_servers_are_refused_by_their_version() {
        for (version, fits) in
            [("2.15.1", true), ("2.11.0-RC.1", true), ("2.9.10", false), ("x", false), ("", false)]
        {
            assert_eq!(check_version(version).is_ok(), fits, "{version}");
        }
    }
}
