//! The ledger: it opens, and what it holds is what was written. However large it is, that takes no longer than its newest segments do.

use std::{ffi::OsStr, fmt::Write as _, path::Path};

use redress_govern::invariant::{INV_LEDGER_CHAIN, INV_LEDGER_OPEN};
use redress_ledger::{
    Evidence, Ledger, OpenError, Recovery, Report, Unread, check_key, verify_newest,
};

use super::{AuditProblem, Checks, Subject, files::is_private};
use crate::{findings::counted, place};

/// How much of the ledger is read.
const MOST_BYTES: u64 = 64 << 20;

/// Gives what was looked at, in words.
pub(super) fn check(subject: &Subject<'_>, checks: &mut Checks) -> String {
    let dir = subject.ledger.display();
    checks.add(&INV_LEDGER_OPEN, opens(subject));
    let evidence = Evidence { key_file: place::key().ok(), ..Evidence::default() };
    match verify_newest(subject.ledger, &evidence, MOST_BYTES) {
        Ok((report, unread)) => {
            checks.add_all(&INV_LEDGER_CHAIN, unsound(&report, subject));
            looked_at(&report, unread)
        }
        Err(error) => {
            checks.add(
                &INV_LEDGER_CHAIN,
                Err(AuditProblem {
                    place: dir.to_string(),
                    what: format!("it cannot be read: {error}"),
                    fix: "Let this user read it, or repair its disk.".to_owned(),
                }),
            );
            String::new()
        }
    }
}

fn opens(subject: &Subject<'_>) -> Result<(), AuditProblem> {
    let key = place::key().ok().filter(|it| it.exists());
    let of_key = key.and_then(|it| key_fix(&it));
    let fix = of_key.unwrap_or_else(|| {
        "Let this user write there, and name another place with --ledger if it cannot be."
            .to_owned()
    });
    let place = subject.ledger.display().to_string();
    let wrong = |what: String| AuditProblem { place: place.clone(), what, fix: fix.clone() };
    let ledger = subject.opened.map_err(|it| wrong(it.reason().to_owned()))?;
    let mut recovered = ledger.into_iter().flat_map(Ledger::recovered);
    match recovered.find(|it| matches!(it, Recovery::Left { .. })) {
        Some(left) => Err(wrong(left.to_string())),
        None => Ok(()),
    }
}

/// What to do about a key that the ledger does not open with: others can read it, or it is none.
fn key_fix(key: &Path) -> Option<String> {
    if let Err(wrong) = is_private(key) {
        return Some(wrong.fix);
    }
    let Err(OpenError::Key { .. }) = check_key(key) else { return None };
    Some(format!(
        "Bring the key back from a copy; or move {} away: the next start makes a new one, with another first key.",
        key.display()
    ))
}

/// Everything that was changed or is gone, or that cannot be checked any more.
fn unsound(report: &Report, subject: &Subject<'_>) -> Vec<AuditProblem> {
    let dir = subject.ledger.display();
    let changed = report.chains.iter().filter_map(|it| Some((it, it.problem.as_ref()?)));
    let changed = changed.map(|(chain, problem)| AuditProblem {
        place: format!("{}:{}", problem.file.display(), problem.line),
        what: format!("record {}: {}", problem.seq, problem.what),
        fix: format!(
            "Find out who changed it (redress ledger verify {dir}), then move {} out of the ledger and remove its witness {}.",
            chain.path.display(),
            witness(chain.path.file_name().unwrap_or_default())
        ),
    });
    let gone = report.missing.iter().map(|it| AuditProblem {
        place: dir.to_string(),
        what: format!("the chain {} is gone, of which there is a witness", it.chain),
        fix: format!(
            "Bring it back; or find out who removed it, then remove {}.",
            witness(it.chain.as_ref())
        ),
    });
    let unknown = report.witnesses.iter().map(|it| AuditProblem {
        place: it.file.display().to_string(),
        what: it.what.to_string(),
        fix: "Let this user read it, or bring it back from a copy; if there is none, remove it."
            .to_owned(),
    });
    changed.chain(gone).chain(unknown).collect()
}

/// Where it is kept how long a chain was, apart from the ledger.
fn witness(chain: &OsStr) -> String {
    let heads = place::key().map(|it| it.with_extension("heads").join(chain));
    heads.map(|it| it.display().to_string()).unwrap_or_default()
}

fn looked_at(report: &Report, unread: Unread) -> String {
    let records = counted(report.chains.iter().map(|it| it.records).sum::<u64>(), "record");
    let mut said = format!("ledger: {records} of {}", counted(report.chains.len(), "chain"));
    if !unread.is_nothing() {
        let segments = counted(unread.segments, "older segment");
        let chains = counted(unread.chains, "older chain");
        // A text takes all that is written to it.
        let _ = write!(said, ", not {segments} and {chains}");
    }
    said
}
