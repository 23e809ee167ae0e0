//! What a verification found, for people and for programs.

use std::{fmt::Display, path::PathBuf};

use redress::text;
use redress_ledger::{ChainReport, ChainState, Found, Problem, PublicKey, ReceiptReport, Report};
use serde_json::{Value, json};

use crate::{
    Status,
    failure::Failure,
    findings::counted,
    output::{LABEL, Out, TITLE, TROUBLE},
};

/// What a receipt of an older version is worth.
const SHORT: &str = "12 digits are 48 bits: who can choose a record finds another one with the same receipt in seconds. That it did not fit would prove a change";

/// Up to so many chains are listed even if there is nothing to say about them.
const FEW: usize = 10;

/// All ledgers that were asked for, and what is known beside them.
pub(super) struct LedgerReports {
    pub(super) ledgers: Vec<(PathBuf, Report)>,
    pub(super) receipts: Vec<ReceiptReport>,
    /// What is wrong with a stream, or with a ledger beside it.
    pub(super) findings: Vec<String>,
    /// What a stream says that it lacks.
    pub(super) gaps: Vec<String>,
}

impl LedgerReports {
    pub(super) fn is_sound(&self) -> bool {
        self.ledgers.iter().all(|it| it.1.is_sound())
            && self.lost_receipts().next().is_none()
            && self.findings.is_empty()
    }

    /// What cannot be read is no finding by itself, but nothing is proven either.
    pub(super) fn status(&self) -> Status {
        match self.first_problem() {
            _ if self.is_sound() => Status::Fine,
            Some(problem) if problem.is_unreadable() && !self.is_missing() => Status::Unreadable,
            _ => Status::Findings,
        }
    }

    /// Whether something is gone that does not stand where nothing can be read: a chain, or the record of a receipt.
    fn is_missing(&self) -> bool {
        let all = || self.ledgers.iter().map(|it| &it.1);
        let problems = || all().flat_map(|it| &it.chains).filter_map(|it| it.problem.as_ref());
        all().any(|it| !it.missing.is_empty())
            || self.lost_receipts().next().is_some() && !problems().any(Problem::is_unreadable)
    }

    fn lost_receipts(&self) -> impl Iterator<Item = &ReceiptReport> {
        self.receipts.iter().filter(|it| it.is_lost())
    }

    fn first_problem(&self) -> Option<&Problem> {
        let all = || self.ledgers.iter().filter_map(|it| it.1.first_problem());
        all().find(|it| !it.is_unreadable()).or_else(|| all().next())
    }

    /// What needs attention, and a verdict.
    pub(super) fn print(&self, out: &mut Out) -> Result<(), Failure> {
        for (dir, report) in &self.ledgers {
            out.line(&format!("{TITLE}{}{TITLE:#}", visible(dir.display())))?;
            Self::print_ledger(report, out)?;
        }
        for receipt in &self.receipts {
            out.line(&receipt_line(receipt))?;
        }
        for gap in &self.gaps {
            out.line(&format!("gap: {}", text::visible(gap)))?;
        }
        for finding in &self.findings {
            out.line(&format!("{TROUBLE}WRONG{TROUBLE:#} {}", text::visible(finding)))?;
        }
        out.line(&self.verdict())
    }

    fn print_ledger(report: &Report, out: &mut Out) -> Result<(), Failure> {
        let is_few = report.chains.len() <= FEW;
        let (listed, quiet): (Vec<_>, Vec<_>) =
            report.chains.iter().partition(|it| is_few || !is_quiet(it));
        if !quiet.is_empty() {
            let records = counted(quiet.iter().map(|it| it.records).sum::<u64>(), "record");
            let chains = counted(quiet.len(), "closed chain");
            out.line(&format!(
                "  {chains} with {records}: {LABEL}proven{LABEL:#}, nothing is exposed"
            ))?;
        }
        for chain in listed {
            Self::print_chain(chain, report, out)?;
        }
        for it in &report.missing {
            let name = visible(&it.chain);
            out.line(&format!(
                "  chain {name}\n    {TROUBLE}WRONG{TROUBLE:#}    it is gone: a witness or an epoch tells of it{}",
                it.pruned_by.map(|key| format!("; {}", by_stranger(&key))).unwrap_or_default()
            ))?;
        }
        for problem in report.epochs.iter().map(visible) {
            out.line(&format!("  epochs\n    {TROUBLE}WRONG{TROUBLE:#}    {problem}"))?;
        }
        for Problem { file, what, .. } in &report.witnesses {
            let (file, what) = (visible(file.display()), visible(what));
            out.line(&format!("  witness {file}\n    {TROUBLE}UNKNOWN{TROUBLE:#}  {what}"))?;
        }
        Ok(())
    }

    fn print_chain(chain: &ChainReport, report: &Report, out: &mut Out) -> Result<(), Failure> {
        let times = chain.times.map(|(first, last)| format!(", {first} to {last}"));
        let state = chain.state.name();
        let name = visible(&chain.name);
        out.line(&format!("  chain {name} ({state}){}", times.unwrap_or_default()))?;
        if let Some(problem) = chain.problem.as_ref().map(visible) {
            out.line(&format!("    {TROUBLE}WRONG{TROUBLE:#}    {problem}"))?;
        }
        let mut say =
            |label: &str, text: &str| out.line(&format!("    {LABEL}{label:<8}{LABEL:#} {text}"));
        let records = counted(chain.records, "record");
        say("proven", &format!("{records} unchanged and in order{}", Self::signed(chain, report)))?;
        if chain.unfinished_bytes > 0 {
            say(
                "open",
                &match chain.unfinished_bytes {
                    1 => "its last byte is not a whole record yet".to_owned(),
                    bytes => format!("its last {bytes} bytes are not a whole record yet"),
                },
            )?;
        }
        let (rewritable, cuttable) = (chain.rewritable(), chain.cuttable());
        if rewritable > 0 {
            say(
                "exposed",
                &format!("the last {rewritable} could be rewritten: nothing after them is signed"),
            )?;
        }
        if cuttable > 0 {
            say(
                "exposed",
                &format!(
                    "the last {cuttable} could be cut off: no witness and no receipt holds them"
                ),
            )?;
        }
        if rewritable + cuttable == 0 && chain.problem.is_none() {
            say("exposed", "nothing")?;
        }
        Ok(())
    }

    /// Whose signature covers how much.
    fn signed(chain: &ChainReport, report: &Report) -> String {
        let Some(to) = chain.signed_to else { return ", nothing is signed".to_owned() };
        let whose = match chain.keys.as_slice() {
            _ if report.keys_given => "the given key".to_owned(),
            _ if chain.is_own => "this user's key".to_owned(),
            [key] => format!("{key}, which is not this user's key"),
            keys => format!("{} keys", keys.len()),
        };
        format!(", signed up to record {to} by {whose}")
    }

    fn verdict(&self) -> String {
        match (self.status(), self.first_problem()) {
            (Status::Fine, _) => (),
            (Status::Unreadable, Some(problem)) => {
                let problem = visible(problem);
                return format!("{TROUBLE}NOT PROVEN{TROUBLE:#}: {problem}");
            }
            (_, Some(problem)) if !problem.is_unreadable() => {
                let problem = visible(problem);
                return format!("{TROUBLE}NOT SOUND{TROUBLE:#}: the first bad record: {problem}");
            }
            _ => return format!("{TROUBLE}NOT SOUND{TROUBLE:#}: records are missing"),
        }
        let chains = self.ledgers.iter().flat_map(|it| &it.1.chains);
        let (count, records) = chains.fold((0, 0), |sum, it| (sum.0 + 1, sum.1 + it.records));
        let (ledgers, chains) = (counted(self.ledgers.len(), "ledger"), counted(count, "chain"));
        let is_unproven =
            |it: &&ReceiptReport| matches!(it.found, Found::PerhapsPruned | Found::Similar(_));
        let pruned = self.receipts.iter().filter(is_unproven).count();
        let unproven = match pruned {
            0 => String::new(),
            _ => format!("; not proven: {}", counted(pruned, "receipt")),
        };
        format!("{TITLE}sound{TITLE:#}: {ledgers}, {chains}, {records} records{unproven}")
    }

    /// Everything.
    pub(super) fn json(&self) -> Value {
        let ledgers: Vec<Value> =
            self.ledgers.iter().map(|(dir, it)| ledger_json(dir, it)).collect();
        let receipts: Vec<Value> = self.receipts.iter().map(receipt_json).collect();
        let mut report = json!({ "sound": self.is_sound() });
        set(&mut report, "first_problem", self.first_problem().map(problem_json));
        set(&mut report, "ledgers", Some(ledgers.into()));
        set(&mut report, "receipts", (!receipts.is_empty()).then(|| receipts.into()));
        report
    }
}

/// Whether there is nothing to say about a chain.
fn is_quiet(chain: &ChainReport) -> bool {
    chain.problem.is_none()
        && chain.state == ChainState::Closed
        && chain.rewritable() + chain.cuttable() == 0
}

fn receipt_line(it: &ReceiptReport) -> String {
    let name = format!("receipt {}:{}", it.receipt.seq, it.receipt.hash);
    match &it.found {
        Found::In(chain) => {
            format!("{name}: {LABEL}proven{LABEL:#}, in chain {}", visible(chain))
        }
        Found::Similar(chain) => {
            format!("{name}: not proven: a record of chain {} fits, but {SHORT}", visible(chain))
        }
        Found::PerhapsPruned => format!("{name}: not found; its segment may have been pruned"),
        Found::PrunedByStranger(key) => {
            format!("{name}: {TROUBLE}WRONG{TROUBLE:#}: not found; {}", by_stranger(key))
        }
        Found::Nowhere => {
            format!("{name}: {TROUBLE}WRONG{TROUBLE:#}: its record was cut off or changed")
        }
    }
}

fn receipt_json(it: &ReceiptReport) -> Value {
    let (found, chain, stranger) = match &it.found {
        Found::In(chain) => ("yes", Some(chain), None),
        Found::Similar(chain) => ("too_short_to_prove", Some(chain), None),
        Found::PerhapsPruned => ("perhaps_pruned", None, None),
        Found::PrunedByStranger(key) => ("no", None, Some(key)),
        Found::Nowhere => ("no", None, None),
    };
    let mut report = json!({ "seq": it.receipt.seq, "hash": it.receipt.hash, "found": found });
    set(&mut report, "chain", chain.map(|it| json!(it)));
    set(&mut report, "pruned_by_stranger", stranger.map(|it| json!(it.to_string())));
    report
}

/// That a pruning is not believed, and whose word it is.
fn by_stranger(key: &PublicKey) -> String {
    format!("that it was pruned is signed only by the key {key}, which is not known here")
}

fn ledger_json(dir: &std::path::Path, report: &Report) -> Value {
    let chains: Vec<Value> = report.chains.iter().map(chain_json).collect();
    let missing: Vec<&str> = report.missing.iter().map(|it| it.chain.as_str()).collect();
    let witnesses: Vec<Value> = report.witnesses.iter().map(problem_json).collect();
    let mut ledger = json!({
        "dir": dir.to_string_lossy(),
        "sound": report.is_sound(),
        "chains": chains,
        "missing": missing,
    });
    let epochs: Vec<Value> = report.epochs.iter().map(problem_json).collect();
    set(&mut ledger, "epochs", (!epochs.is_empty()).then(|| epochs.into()));
    set(&mut ledger, "unusable_witnesses", (!witnesses.is_empty()).then(|| witnesses.into()));
    ledger
}

fn chain_json(chain: &ChainReport) -> Value {
    let keys: Vec<String> = chain.keys.iter().map(PublicKey::to_string).collect();
    let mut report = json!({
        "chain": chain.name,
        "path": chain.path.to_string_lossy(),
        "state": chain.state.name(),
        "records": chain.records,
    });
    let times = chain.times.map(|(first, last)| (first.to_string(), last.to_string()));
    set(&mut report, "first", times.as_ref().map(|it| json!(it.0)));
    set(&mut report, "last", times.as_ref().map(|it| json!(it.1)));
    set(&mut report, "head", chain.head.map(|it| json!(it.to_string())));
    set(&mut report, "last_seq", chain.last_seq.map(|it| json!(it)));
    set(&mut report, "signed_to", chain.signed_to.map(|it| json!(it)));
    set(&mut report, "held_to", chain.held_to.map(|it| json!(it)));
    set(&mut report, "keys", Some(json!(keys)));
    set(&mut report, "rewritable", Some(json!(chain.rewritable())));
    set(&mut report, "cuttable", Some(json!(chain.cuttable())));
    set(&mut report, "unfinished_bytes", Some(json!(chain.unfinished_bytes)));
    set(&mut report, "problem", chain.problem.as_ref().map(problem_json));
    report
}

fn problem_json(problem: &Problem) -> Value {
    json!({
        "file": problem.file.to_string_lossy(),
        "line": problem.line,
        "seq": problem.seq,
        "what": problem.what.to_string(),
    })
}

/// A text from a ledger, for a line of ours: a server could have written it.
fn visible(text: impl Display) -> String {
    text::visible(&text.to_string()).into_owned()
}

/// Sets a member that is known.
fn set(object: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(members), Some(value)) = (object.as_object_mut(), value) {
        members.insert(key.to_owned(), value);
    }
}
