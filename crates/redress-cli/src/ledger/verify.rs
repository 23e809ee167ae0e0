//! `redress ledger verify`: what is proven of a ledger, what is wrong, and what could still be altered unnoticed.

mod report;

use std::{
    io,
    path::{Path, PathBuf},
};

use redress::{codes, fault::Receipt};
use redress_ledger::{
    Evidence, Found, PublicKey, ReceiptReport, Report, is_secret_key, mark_copies, parse_receipt,
    verify_with,
};

use self::report::LedgerReports;
use super::places::LedgerArgs;
use crate::{
    Done,
    failure::Failure,
    files,
    fleet::{FleetArgs, Mirrored},
    output::{Format, Out, ProgressLine},
    place,
};

/// Check every record: what is proven, what is wrong, what could still be altered unnoticed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  redress ledger verify\n  redress ledger verify --name files --format json\n  redress ledger verify --key ~/.config/redress/ledger.pub --receipt 2:9f2c41d07a3e5b8014c6a1d2e3f40516\n\nExit code 1 if anything was altered or is missing: the first bad record is named with its file and line. Exit code 2 if there\nis no ledger, 3 if it, or a witness beside the key, cannot be read."
)]
pub(crate) struct Args {
    #[command(flatten)]
    places: LedgerArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    /// Take signatures of this key, and of the keys that it certifies, only: 64 hex digits, or a file with them. May be given more than once.
    #[arg(long, value_name = "PUB")]
    key: Vec<String>,
    /// A record that must be there, as a fault's `ledger` member names it. May be given more than once.
    #[arg(long, value_name = "SEQ:HASH")]
    receipt: Vec<String>,
    /// A file to which the gate also wrote every checkpoint (`--witness`): they must all be there. May be given more than once.
    #[arg(long, value_name = "FILE")]
    witness: Vec<PathBuf>,
    /// How to print it: what needs attention and a verdict, or one JSON object with every chain.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Done {
    let keys: Result<Vec<_>, _> = args.key.iter().map(|it| public_key(it)).collect();
    let receipts: Result<Vec<_>, _> = args.receipt.iter().map(|it| receipt(it)).collect();
    let fleet = Mirrored::fresh(&args.fleet)?;
    // What was witnessed here is no witness of a copy.
    let key_file = place::key().ok().filter(|_| fleet.is_none());
    // The log of epochs lies beside a public key, as it does beside the signing key.
    let logs = args.key.iter().map(|it| Path::new(it).with_extension("epochs"));
    let logs = logs.filter(|it| it.is_dir()).collect();
    let evidence = Evidence {
        keys: keys?,
        receipts: receipts?,
        key_file,
        logs,
        witnesses: args.witness.clone(),
    };
    let mut ledgers = Vec::new();
    let progress = ProgressLine::new();
    let dirs = match &fleet {
        Some(fleet) => fleet.ledgers(),
        None => args.places.find_with_gone()?,
    };
    for dir in dirs {
        let shown = dir.display();
        let mut say = |done, all| progress.say(&format!("{shown}: chain {} of {all}", done + 1));
        let report = verify_with(&dir, &evidence, &mut say);
        let report = report.map_err(|it| unreadable(&dir, &it))?;
        ledgers.push((dir, report));
    }
    drop(progress);
    mark_copies(ledgers.iter_mut().map(|it| &mut it.1));
    let receipts = receipts_of_all(&mut ledgers);
    let (mut findings, mut gaps) = (Vec::new(), Vec::new());
    if let Some(fleet) = &fleet {
        let here: Vec<PathBuf> = args.places.named().cloned().into_iter().collect();
        findings = fleet.findings(&here)?;
        gaps = fleet.gaps();
    }
    let checked = LedgerReports { ledgers, receipts, findings, gaps };
    let status = checked.status();
    let printed = match args.format {
        Format::Text => checked.print(out),
        Format::Json => out.line(&checked.json().to_string()),
    };
    printed.map_err(|it| it.after(status)).map(|()| status)
}

/// A receipt names no ledger: it is missing only if it is in none of them.
fn receipts_of_all(ledgers: &mut [(PathBuf, Report)]) -> Vec<ReceiptReport> {
    let rank = |it: &Found| match it {
        Found::In(_) => 0,
        Found::Similar(_) => 1,
        Found::PerhapsPruned => 2,
        Found::PrunedByStranger(_) => 3,
        Found::Nowhere => 4,
    };
    let mut all: Vec<ReceiptReport> = Vec::new();
    for (_, report) in ledgers {
        for (at, found) in std::mem::take(&mut report.receipts).into_iter().enumerate() {
            match all.get_mut(at) {
                None => all.push(found),
                Some(before) if rank(&found.found) < rank(&before.found) => *before = found,
                Some(_) => (),
            }
        }
    }
    all
}

fn receipt(text: &str) -> Result<Receipt, Failure> {
    parse_receipt(text).ok_or_else(|| {
        Failure::option(&format!("--receipt {text:?} is no receipt"))
            .fix("Write SEQ:HASH with at least 32 hex digits of the hash, from a fault's `ledger` member. Fewer prove nothing; the 12 that older versions gave out are looked for all the same.")
    })
}

fn public_key(text: &str) -> Result<PublicKey, Failure> {
    const FIX: &str = "Give 64 hex digits, or the file with them that lies beside the signing key, such as `ledger.pub`.";
    if let Some(key) = PublicKey::parse(text) {
        return Ok(key);
    }
    let not_one = || Failure::option(&format!("--key {text:?} is no public key")).fix(FIX);
    let path = Path::new(text);
    match read_text(path) {
        Ok(found) if is_private(path, &found) => {
            let public = path.with_extension("pub");
            let fix = format!("Give its public half: --key {}", public.display());
            Err(Failure::option(&format!("--key {text:?} is the private key")).fix(&fix))
        }
        Ok(found) => PublicKey::parse(&found).ok_or_else(not_one),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(not_one()),
        Err(error) => Err(Failure::reading(text, &error)),
    }
}

/// Whether the file beside it holds the public half. The digits alone do not tell: those of every other private key can
/// be read as a public one.
fn is_private(path: &Path, text: &str) -> bool {
    let public = read_key(&path.with_extension("pub")).ok().flatten();
    is_secret_key(text) || public.is_some() && PublicKey::of_private(text) == public
}

fn read_key(path: &Path) -> io::Result<Option<PublicKey>> {
    Ok(PublicKey::parse(&read_text(path)?))
}

/// What a file holds; what is no text is no key either.
fn read_text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8(files::read(path)?).unwrap_or_default())
}

fn unreadable(dir: &Path, error: &io::Error) -> Failure {
    let shown = dir.to_string_lossy();
    Failure::environment(codes::FILE_READ_FAILED.raise([("path", &*shown)]))
        .note(format!("{shown}: {error}"))
        .fix("Read it as the user who wrote it, or repair its disk.")
}
