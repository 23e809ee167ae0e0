//! The records of a fleet in a directory of this machine, for the commands that read ledgers.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use redress_fleet::{Mirror, Settings, compare};
use redress_ledger::ledgers;
use tempfile::TempDir;

use super::{
    FleetArgs,
    engine::{block_on, failure, settings},
};
use crate::{config::FleetName, failure::Failure, place, stderr::Err as ToOperator};

/// How often a console asks for what is new.
const EACH: Duration = Duration::from_millis(500);

/// A copy of a stream.
#[derive(Debug)]
pub(crate) struct Mirrored {
    settings: Settings,
    mirror: Mirror,
    node: Option<FleetName>,
    /// Where it is, if that goes away with it.
    _temporary: Option<TempDir>,
}

impl Mirrored {
    /// The stream that was asked for, brought up to date from what an earlier command has kept; nothing if none was asked for.
    pub(crate) fn of(args: &FleetArgs) -> Result<Option<Self>, Failure> {
        let Some(engine) = args.engine() else { return Ok(None) };
        let settings = settings(&engine)?;
        let place =
            place::cache()?.join("fleet").join(settings.names.stream()).join(name(&settings));
        Self::pulled(settings, &place, args.node.clone(), None).map(Some)
    }

    /// The same, with all of it read from the engine now.
    pub(crate) fn fresh(args: &FleetArgs) -> Result<Option<Self>, Failure> {
        let Some(engine) = args.engine() else { return Ok(None) };
        let temporary = TempDir::new().map_err(|it| Failure::stream(&it))?;
        let place = temporary.path().join("fleet");
        Self::pulled(settings(&engine)?, &place, args.node.clone(), Some(temporary)).map(Some)
    }

    fn pulled(
        settings: Settings,
        place: &Path,
        node: Option<FleetName>,
        temporary: Option<TempDir>,
    ) -> Result<Self, Failure> {
        let mirror = Mirror::open(place).map_err(|it| failure(&it))?;
        let mut mirrored = Self { settings, mirror, node, _temporary: temporary };
        mirrored.pull()?;
        if let Some(node) = &mirrored.node
            && mirrored.ledgers().is_empty()
        {
            let names: Vec<String> = mirrored.mirror.ledgers().into_iter().map(|it| it.0).collect();
            let problem = format!("The stream has no node of the name {}.", node.0);
            return Err(Failure::config("--node", &problem)
                .note(format!("It has: {}.", names.join(", ")))
                .fix("Name a node that `redress fleet status` lists."));
        }
        Ok(mirrored)
    }

    fn pull(&mut self) -> Result<(), Failure> {
        let Self { settings, mirror, .. } = self;
        block_on(async {
            let connection = settings.engine.connect("redress reader", &settings.names).await?;
            mirror.pull(&connection).await
        })?
        .map(drop)
        .map_err(|it| failure(&it))
    }

    /// The ledgers of the nodes that were asked for.
    pub(crate) fn ledgers(&self) -> Vec<PathBuf> {
        let all = self.mirror.ledgers().into_iter();
        let meant = all.filter(|(name, _)| self.node.as_ref().is_none_or(|it| it.0 == *name));
        meant.map(|it| it.1).collect()
    }

    /// The ledgers as they are now, again and again: what is new is taken on a thread.
    pub(crate) fn follow(mut self) -> impl Fn() -> Vec<PathBuf> + Send + Sync + 'static {
        let known = Arc::new(Mutex::new(self.ledgers()));
        let shown = Arc::clone(&known);
        thread::spawn(move || {
            let mut is_fine = true;
            loop {
                thread::park_timeout(EACH);
                match self.pull() {
                    Ok(()) => is_fine = true,
                    Err(failure) if is_fine => {
                        is_fine = false;
                        ToOperator::new().say(&format!("fleet: {}", failure.message()));
                    }
                    Err(_) => (),
                }
                *shown.lock().unwrap_or_else(PoisonError::into_inner) = self.ledgers();
            }
        });
        move || known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is wrong with the stream, and with ledgers of this machine beside it.
    pub(crate) fn findings(&self, places: &[PathBuf]) -> Result<Vec<String>, Failure> {
        let found = self.mirror.findings().iter();
        let found = found.filter(|it| self.node.as_ref().is_none_or(|node| node.0 == it.node));
        let mut found: Vec<String> =
            found.map(|it| format!("{}/{}: {it}", it.node, it.chain)).collect();
        if places.is_empty() {
            return Ok(found);
        }
        let node = super::engine::node(self.node.as_ref())?;
        let copy = self.mirror.ledgers().into_iter().find(|it| it.0 == node);
        let Some((_, copy)) = copy else {
            let problem = format!("The stream has no node of the name {node}.");
            return Err(Failure::config("--node", &problem)
                .fix("Name the node whose ledgers these are with --node."));
        };
        let mut here = Vec::new();
        for place in places {
            let shown = place.to_string_lossy();
            here.extend(ledgers(place).map_err(|it| Failure::reading(&shown, &it))?);
        }
        let compared = compare(&copy, &here).map_err(|it| failure(&it))?;
        found.extend(compared.differences.iter().map(|it| format!("{node}: {it}")));
        Ok(found)
    }

    /// What nodes could not send.
    pub(crate) fn gaps(&self) -> Vec<String> {
        let gaps = self.mirror.gaps().iter();
        let gaps = gaps.filter(|it| self.node.as_ref().is_none_or(|node| node.0 == it.node));
        gaps.map(|it| {
            let (first, last, why) = (it.missing.first, it.missing.last, &it.missing.why);
            format!("{}/{}: records {first} to {last} were not sent: {why}", it.node, it.chain)
        })
        .collect()
    }
}

/// A name for the servers of an engine.
fn name(settings: &Settings) -> String {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(settings.engine.shown().as_bytes());
    let number = digest.iter().take(8).fold(0, |number, it| number << 8 | u64::from(*it));
    format!("{number:016x}")
}
