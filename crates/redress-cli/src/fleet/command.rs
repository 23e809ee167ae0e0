//! The commands of `redress fleet`.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use redress_fleet::{
    Connection, Mirror, NodeStatus, Settings, Source, Starting, State, init, nodes, permissions,
};
use redress_ledger::{Time, ledgers};
use serde_json::{Value, json};

use super::{
    Args, EngineArgs, contracts,
    engine::{block_on, failure, node_of, now, settings},
};
use crate::{
    Done, Status, clock,
    failure::Failure,
    findings::counted,
    output::{Format, Out},
    place,
    stderr::Err as ToOperator,
};

/// How long `ship` may take for one ledger without a step of progress.
const PATIENCE: Duration = Duration::from_secs(3600);

/// A node that said nothing of itself for so long is shown as silent.
const SILENT_MILLIS: u64 = 60_000;

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    match args {
        Args::Init { engine, replicas } => make(&settings(engine)?, (*replicas).into(), out),
        Args::Status { engine, format } => status(engine, *format, out),
        Args::Push { engine, file } => contracts::push(&settings(engine)?, file, out),
        Args::Pull { engine, dir } => contracts::pull(&settings(engine)?, dir, out),
        Args::Ship { engine, node: name, ledgers } => {
            ship(&settings(engine)?, &node_of(engine, name.as_ref())?, ledgers, out)
        }
    }
}

fn make(settings: &Settings, replicas: usize, out: &mut Out) -> Done {
    let made = block_on(async {
        let connection = connect(settings).await?;
        let made = init(&connection, replicas).await?;
        Ok::<_, redress_fleet::FleetError>((made, connection.version()))
    })?;
    let (made, version) = made.map_err(|it| failure(&it))?;
    let names = &settings.names;
    let what = if made.is_new { "made" } else { "there already" };
    out.line(&format!("stream {}: {what}, on nats-server {version}", names.stream()))?;
    for bucket in [names.nodes(), names.shared(), names.contracts()] {
        out.line(&format!("bucket {bucket}: there"))?;
    }
    match made.syncs.as_slice() {
        [] => out.line(
            "sync_interval: these credentials do not show it; each server needs `jetstream { sync_interval: always }`, or a power cut loses acknowledged records",
        )?,
        all => {
            for (server, always) in all {
                let how = if *always { "always" } else { "NOT always: a power cut loses records" };
                out.line(&format!("sync_interval of {server}: {how}"))?;
            }
        }
    }
    for weakness in &made.weaknesses {
        out.line(&format!("weak: {weakness}"))?;
    }
    out.line("\n# Permissions of a node, in the configuration of nats-server; NODE is its name.")?;
    out.line(permissions(names, Some("NODE")).trim_end())?;
    out.line("\n# Permissions of a reader of all nodes.")?;
    out.line(permissions(names, None).trim_end())?;
    let is_sound = made.weaknesses.is_empty() && made.syncs.iter().all(|it| it.1);
    Ok(if is_sound { Status::Fine } else { Status::Findings })
}

fn status(args: &EngineArgs, format: Format, out: &mut Out) -> Done {
    let settings = settings(args)?;
    let place = tempfile::tempdir().map_err(|it| Failure::stream(&it))?;
    let asked = block_on(async {
        let connection = connect(&settings).await?;
        let (_, weaknesses) = connection.stream().await?;
        let told = nodes(&connection).await?;
        let shipped = shipped(&connection, place.path().to_owned()).await?;
        Ok::<_, redress_fleet::FleetError>((weaknesses, told, shipped))
    })?;
    let (weaknesses, told, shipped) = asked.map_err(|it| failure(&it))?;
    let time = Time::from_millis(clock::millis());
    let mut rows: BTreeMap<String, Vec<&NodeStatus>> =
        shipped.records.keys().map(|it| (it.clone(), Vec::new())).collect();
    for status in &told {
        rows.entry(status.node.clone()).or_default().push(status);
    }
    let is_fine = weaknesses.is_empty()
        && shipped.gaps.is_empty()
        && shipped.findings.is_empty()
        && told.iter().all(|it| it.problem.is_none() && it.missing == 0);
    match format {
        Format::Json => {
            let node = |(node, all): (&String, &Vec<&NodeStatus>)| {
                json!({
                    "node": node,
                    "records": shipped.records.get(node),
                    "processes": all.iter().map(|it| it.json()).collect::<Vec<Value>>(),
                })
            };
            let said = json!({
                "nodes": rows.iter().map(node).collect::<Vec<Value>>(),
                "weaknesses": weaknesses.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "gaps": shipped.gaps,
                "findings": shipped.findings,
            });
            out.line(&said.to_string())?;
        }
        Format::Text => {
            for weakness in &weaknesses {
                out.line(&format!("weak: {weakness}"))?;
            }
            if rows.is_empty() {
                out.line("no node has shipped anything yet")?;
            }
            for (node, all) in &rows {
                let records = shipped.records.get(node).copied().unwrap_or_default();
                out.line(&format!("{node}: {} in the stream", counted(records, "record")))?;
                for status in all {
                    out.line(&format!("  {}", line(status, time)))?;
                }
            }
            for what in shipped.gaps.iter().chain(&shipped.findings) {
                out.line(&format!("MISSING {what}"))?;
            }
        }
    }
    Ok(if is_fine { Status::Fine } else { Status::Findings })
}

fn line(status: &NodeStatus, now: Time) -> String {
    let age = now.since(status.time);
    let ago = if status.is_ended {
        "ended".to_owned()
    } else if age > SILENT_MILLIS {
        format!("silent for {} s", age / 1000)
    } else {
        "runs".to_owned()
    };
    let lag = match status.lag_ms {
        Some(ms) => format!("{} behind, {ms} ms", counted(status.lag_records, "record")),
        None => format!("{} behind", counted(status.lag_records, "record")),
    };
    let problem = status.problem.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
    format!("{}: {ago}, redress {}, {lag}{problem}", status.chain, status.version)
}

/// What the stream has.
struct Shipped {
    records: BTreeMap<String, u64>,
    gaps: Vec<String>,
    findings: Vec<String>,
}

async fn shipped(
    connection: &Connection,
    place: PathBuf,
) -> Result<Shipped, redress_fleet::FleetError> {
    let mut mirror = Mirror::open(&place)?;
    mirror.pull(connection).await?;
    let gaps = mirror.gaps().iter().map(|it| {
        let (first, last, why) = (it.missing.first, it.missing.last, &it.missing.why);
        format!("{}/{}: records {first} to {last}: {why}", it.node, it.chain)
    });
    let findings = mirror.findings().iter().map(|it| format!("{}/{}: {it}", it.node, it.chain));
    Ok(Shipped { records: mirror.records(), gaps: gaps.collect(), findings: findings.collect() })
}

async fn connect(settings: &Settings) -> Result<Connection, redress_fleet::FleetError> {
    settings.engine.connect("redress fleet", &settings.names).await
}

/// Ships ledgers whose gates do not run.
fn ship(settings: &Settings, node: &str, named: &[PathBuf], out: &mut Out) -> Done {
    let places = if named.is_empty() { vec![place::state()?] } else { named.to_vec() };
    let mut found = Vec::new();
    for place in &places {
        let shown = place.to_string_lossy();
        found.extend(ledgers(place).map_err(|it| Failure::reading(&shown, &it))?);
    }
    // What cannot be shipped at all is said at once, and not again and again.
    let checked = block_on(async {
        connect(settings).await?.sound_stream(settings.accept_weak).await.map(drop)
    })?;
    checked.map_err(|it| failure(&it))?;
    let mut status = Status::Fine;
    for ledger in found {
        let shown = ledger.display().to_string();
        let starting = Starting::default();
        let progress = starting.progress();
        let source = Source { node: node.to_owned(), ledger, own: None, clock: now() };
        let say = Arc::new(|text: &str| ToOperator::new().say(text));
        let fleet = starting.start(settings.clone(), source, say);
        let is_done = fleet.map_err(|it| Failure::stream(&it))?.finish(PATIENCE);
        let snapshot = progress.snapshot();
        let records = counted(snapshot.records, "record");
        let is_whole =
            is_done && snapshot.stopped == 0 && !matches!(snapshot.state, State::Waiting(_));
        let end =
            if is_whole { "all of it is in the stream" } else { "NOT all of it is in the stream" };
        out.line(&format!("{shown}: {records} shipped, {end}"))?;
        if !is_whole {
            status = Status::Findings;
        }
    }
    Ok(status)
}
