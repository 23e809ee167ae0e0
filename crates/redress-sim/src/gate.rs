//! `Gate`: one process: its ledger, its servers, and their settings.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use redress::Dialect;
use redress_ledger::{Kind, PublicKey, Reader, Redactor};
use redress_proxy::{
    exposition::render,
    moment::Moment,
    server::Server,
    settings::{BreakerRule, LimitRule, LoopRule, Mode, Rate, RetryRule, ServerText, Settings},
};
use redress_registry::shipped;
use redress_wire::json::Value;

use crate::{
    books::{Checked, Violation, violated},
    bugs::Bug,
    chance::Chance,
    recorder::Recorder,
    recovery::{Keeping, LEDGER, Wall, check_recovered, check_sound, open},
};

/// A process with its servers.
pub(crate) struct Gate {
    pub(crate) recorder: Recorder,
    pub(crate) servers: Vec<Arc<Server>>,
    pub(crate) chain: String,
    key: Option<PublicKey>,
}

impl Gate {
    /// Starts a process on a disk that works. One whose power goes off meanwhile has no ledger.
    pub(crate) fn start(
        (wall, keeping): (&Wall, Keeping),
        is_open: bool,
        chance: &mut Chance,
        now: Moment,
        bug: Option<Bug>,
    ) -> Result<Self, Violation> {
        let ledger = open(wall, keeping)
            .map_err(|it| violated(format!("the ledger does not open: {it}")))?;
        check_recovered(ledger.recovered())?;
        let (chain, key) = (ledger.chain().to_owned(), Some(ledger.public_key()));
        let mut recorder = Recorder::new(Some(Arc::new(ledger)), is_open);
        recorder.bug = bug.and_then(Bug::of_recorder);
        let servers = (0..=chance.below(2)).map(|number| {
            let server = Server::new(settings(number, chance), now.at);
            Arc::new(server.seeded(chance.next()))
        });
        Ok(Self { recorder, servers: servers.collect(), chain, key })
    }

    /// Sessions from now on have other settings.
    pub(crate) fn reload(&mut self, chance: &mut Chance, now: Moment) {
        let index = chance.index(self.servers.len());
        if let Some(server) = self.servers.get_mut(index) {
            let next = Server::new(settings(index as u64, chance), now.at);
            *server = Arc::new(next.seeded(chance.next()).counting_on(server));
        }
    }

    /// Ends it in good order, and checks that its counters say what the ledger does.
    pub(crate) fn end(self, now: Instant) -> Checked {
        let Some(ledger) = self.recorder.ledger.clone() else { return Ok(()) };
        let waiting = self.recorder.mailbox.waiting();
        if waiting > 0 {
            return Err(violated(format!("{waiting} failures never heard of their records")));
        }
        let is_closed = ledger.close().is_ok();
        self.check_counters(is_closed)?;
        for server in &self.servers {
            if server.condition(now).in_flight > 0 {
                return Err(violated("calls are in flight after the last session"));
            }
        }
        // What could not be closed is finished by the next one.
        if !is_closed {
            drop((self, ledger));
            return Ok(());
        }
        self.key.map_or(Ok(()), check_sound)
    }

    fn check_counters(&self, is_closed: bool) -> Checked {
        let (mut kept, mut counted): (BTreeMap<String, u64>, BTreeMap<String, u64>) =
            (BTreeMap::new(), BTreeMap::new());
        let reader = Reader::open(Path::new(LEDGER))
            .map_err(|it| violated(format!("the ledger cannot be read: {it}")))?;
        for entry in reader {
            let entry = entry.map_err(|it| violated(format!("a record cannot be read: {it}")))?;
            if *entry.chain != *self.chain {
                continue;
            }
            match entry.kind {
                Kind::Fault => {
                    let server = entry.with(|it| {
                        let name = it.path(&["context", "server"]).and_then(Value::as_str);
                        name.map(Cow::into_owned).unwrap_or_default()
                    });
                    *kept.entry(server.unwrap_or_default()).or_default() += 1;
                }
                Kind::Refusals => {
                    let counts = entry.with(|it| {
                        let items = it.get("counts").into_iter().flat_map(Value::elements);
                        let of = |key, item: Value<'_>| {
                            item.get(key).map(|it| it.raw().trim_matches('"').to_owned())
                        };
                        let counts = items.filter_map(|it| {
                            let count = of("count", it)?.parse::<u64>().ok()?;
                            Some((of("server", it).unwrap_or_default(), count))
                        });
                        counts.collect::<Vec<_>>()
                    });
                    for (server, count) in counts.unwrap_or_default() {
                        *counted.entry(server).or_default() += count;
                    }
                }
                _ => (),
            }
        }
        let page = render(&self.servers);
        for server in &self.servers {
            let name = &server.settings.server;
            let tally = self.recorder.mailbox.tally(name);
            let found = (
                kept.get(name).copied().unwrap_or_default(),
                counted.get(name).copied().unwrap_or_default(),
            );
            // A record whose commit failed may be there all the same, and counts may be lost with it.
            let is_whole = is_closed && tally.missed == 0;
            let is_right =
                if is_whole { found == (tally.kept, tally.counted) } else { found.0 >= tally.kept };
            if !is_right {
                return Err(violated(format!("{name}: the ledger has {found:?} for {tally:?}")));
            }
            let all = tally.kept + tally.counted + tally.missed;
            let faults = sum(&page, "redress_faults_total{", name);
            // A line that belongs to no request has a record, and is no failure.
            if faults > all || all - faults > tally.unaddressed {
                return Err(violated(format!("{name}: {faults} faults are counted, not {all}")));
            }
        }
        Ok(())
    }
}

/// The sum of all numbers of a metric that a server has.
fn sum(page: &str, metric: &str, server: &str) -> u64 {
    let label = format!("server=\"{server}\"");
    let lines = page.lines().filter(|it| it.starts_with(metric) && it.contains(&label));
    lines.filter_map(|it| it.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Settings of some kind.
fn settings(number: u64, chance: &mut Chance) -> Settings {
    let redactor = Arc::new(Redactor::default());
    let name = format!("server-{number}");
    let mode = match chance.below(5) {
        0 => Mode::Observe,
        1 => Mode::Annotate,
        _ => Mode::Enforce,
    };
    let texts = [ServerText::Quote, ServerText::Full, ServerText::Hide];
    let seconds = [1, 5, 20, 55];
    let one = |it: u64, chance: &mut Chance| if chance.once_in(3) { it } else { 100_000 };
    let limit = |it: u64, chance: &mut Chance| usize::try_from(one(it, chance)).unwrap_or(1);
    Settings {
        program: "sim".to_owned(),
        mode,
        dialect: chance.of(&Dialect::ALL).copied().unwrap_or(Dialect::Native),
        deadline: Duration::from_secs(chance.of(&seconds).copied().unwrap_or(5)),
        max_message: limit(2_000, chance).max(2_000),
        server_text: chance.of(&texts).copied().unwrap_or(ServerText::Quote),
        trust_annotations: !chance.once_in(4),
        retry: RetryRule {
            attempts: 1 + u32::try_from(chance.below(3)).unwrap_or_default(),
            budget_percent: 50,
            ..RetryRule::default()
        },
        breaker: BreakerRule {
            failures: u32::try_from(chance.below(6)).unwrap_or_default(),
            ..BreakerRule::default()
        },
        loop_guard: LoopRule { enabled: !chance.once_in(3), ..LoopRule::default() },
        limits: LimitRule {
            in_flight: limit(12, chance),
            in_flight_per_session: limit(6, chance),
            rate: chance.once_in(4).then_some(Rate { calls: 20, per: Duration::from_secs(1) }),
        },
        fault_bytes_per_hour: if chance.once_in(5) { 20_000 } else { u64::MAX },
        ..Settings::new(name, Arc::clone(shipped::core()), redactor)
    }
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn numbers_of_one_server_are_added() {
        let page = "a_total{server=\"x\",code=\"A\"} 2\na_total{server=\"y\"} 5\na_total{server=\"x\"} 1\n";
        assert_eq!(sum(page, "a_total{", "x"), 3);
    }
}
