//! The ledger itself: its chains, what cannot be read, and whether it verifies.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use maud::{Markup, html};
use redress_ledger::{Evidence, Kind, Time, verify};

use super::{falling, rising};
use crate::{
    BASE,
    address::Pairs,
    index::Index,
    page::{count, list, shown, time},
    table::{Cell, Column, Table},
};

const COLUMNS: [Column; 10] = [
    falling("first", "Began"),
    falling("last", "Newest record"),
    rising("chain", "Chain"),
    rising("ledger", "Ledger"),
    falling("records", "Records"),
    falling("faults", "Failures"),
    falling("checkpoints", "Checkpoints"),
    falling("bad", "Bad lines"),
    falling("clock_back", "Clock went back"),
    falling("missed", "Not recorded"),
];

pub(crate) fn table(index: &Index) -> Table {
    let mut table = Table::new(&COLUMNS);
    let mut chains: Vec<_> = index.chains.iter().collect();
    chains.sort_by_key(|it| std::cmp::Reverse(it.1.last));
    for (name, chain) in chains {
        let time = |it: Option<Time>| it.map_or(Cell::None, |it| Cell::Time(it.millis()));
        let name = if chain.is_aside { format!("{name} (put aside)") } else { name.to_string() };
        let ledger = chain.ledger.file_name().map(|it| it.to_string_lossy().into_owned());
        let cells = vec![
            time(chain.first),
            time(chain.last),
            Cell::text(name),
            Cell::text(ledger.unwrap_or_default()),
            Cell::Count(chain.records),
            Cell::Count(chain.by_kind.get(&Kind::Fault).copied().unwrap_or_default()),
            Cell::Count(chain.checkpoints),
            Cell::Count(chain.bad),
            Cell::Count(chain.clock_back),
            Cell::Count(chain.missed),
        ];
        table.push(None, cells);
    }
    table
}

/// What verifying the ledgers found; one verification runs at a time.
#[derive(Debug, Default)]
pub(crate) struct Verification {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    Never,
    Running,
    Done {
        /// For each ledger: its path, whether it is sound, and what is wrong or still exposed.
        found: Vec<(PathBuf, bool, Vec<String>)>,
        at: u64,
    },
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Verification {
    /// Begins to verify, unless that is being done.
    pub(crate) fn start(&self, ledgers: Vec<PathBuf>, evidence: Evidence, now: u64) {
        {
            let mut state = lock(&self.state);
            if matches!(*state, State::Running) {
                return;
            }
            *state = State::Running;
        }
        let state = Arc::clone(&self.state);
        let run = move || {
            let found = ledgers.into_iter().map(|ledger| {
                let (is_sound, said) = match verify(&ledger, &evidence) {
                    Ok(report) => {
                        let problems = report.chains.iter().filter_map(|it| it.problem.as_ref());
                        let problems = problems.chain(&report.witnesses).chain(&report.epochs);
                        let mut said: Vec<String> =
                            problems.take(50).map(ToString::to_string).collect();
                        said.extend(
                            report
                                .missing
                                .iter()
                                .map(|it| format!("the chain {} is missing", it.chain)),
                        );
                        (report.is_sound(), said)
                    }
                    Err(error) => (false, vec![error.to_string()]),
                };
                (ledger, is_sound, said)
            });
            let found = found.collect();
            *lock(&state) = State::Done { found, at: now };
        };
        if let Err(error) = thread::Builder::new().name("redress-verify".to_owned()).spawn(run) {
            let said = vec![error.to_string()];
            *lock(&self.state) =
                State::Done { found: vec![(PathBuf::new(), false, said)], at: now };
        }
    }

    fn shown(&self) -> Markup {
        let state = lock(&self.state).clone();
        html! {
            @match state {
                State::Never => {
                    p { "Every record has the hash of the one before it, and checkpoints are signed. Verifying reads all of it." }
                    (button("Verify now"))
                }
                State::Running => { p.note role="status" { "Verifying …" } }
                State::Done { found, at } => {
                    @for (ledger, is_sound, said) in &found {
                        p.note.bad[!is_sound] {
                            b { (shown(&ledger.display().to_string())) } " "
                            @if *is_sound { "verifies: no record was changed, and none is missing before a checkpoint." }
                            @else { span.fail { "does not verify." } }
                            @for it in said { br; (shown(it)) }
                        }
                    }
                    p.soft { "Verified " (time(at)) " UTC." }
                    (button("Verify again"))
                }
            }
        }
    }
}

fn button(title: &str) -> Markup {
    html! { form method="post" action={ (BASE) "/verify" } { button type="submit" { (title) } } }
}

pub(crate) fn content(
    index: &Index,
    (table, address): (&Table, &Pairs),
    verification: &Verification,
) -> Markup {
    let sum = |of: fn(&crate::index::Chain) -> u64| index.chains.values().map(of).sum::<u64>();
    let (missed, back) = (sum(|it| it.missed), sum(|it| it.clock_back));
    html! {
        h1 { "Ledger" }
        p.lead { "The files that everything here is read from." }
        dl.figures {
            div { dt { "Records" } dd { (count(index.records)) } }
            div { dt { "Chains" } dd { (count(index.chains.len() as u64)) } }
            div { dt { "Bad lines" } dd.fail[index.damaged > 0] { (count(index.damaged)) } }
            @if missed > 0 { div { dt { "Failures not recorded" } dd.fail { (count(missed)) } } }
        }
        @if index.records == 0 && index.progress.is_complete { p.note { "The ledger is empty." } }
        @if back > 0 { p.note { "The clock went back " (count(back)) " times while records were written. Within a chain the order is that of the records; times on these pages are those of the clock." } }
        @if !index.problems.is_empty() {
            h2 { "What cannot be read" }
            @for it in &index.problems { p.note.bad { (shown(it)) } }
        }
        h2 { "Verification" }
        (verification.shown())
        h2 { "Chains" }
        (list::table(table, "ledger", address, "There is no chain yet."))
    }
}
