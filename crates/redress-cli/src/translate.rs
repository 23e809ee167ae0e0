//! `redress translate`: envelopes from one dialect to another, JSON lines in and out.

use redress::{
    Fault, Lookup,
    dialect::{Dialect, Loss, Stamp},
};

use crate::{
    Done, Status,
    choice::one_of,
    clock, contract, lines,
    output::{Err, Out},
};

/// Translate envelopes between dialects: JSON lines in, JSON lines out.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  echo '{\"code\":\"FILE_NOT_FOUND\"}' | redress translate --from native --to mailvault\n  redress translate --from auto --to native < envelopes.jsonl\n  redress translate --from atlas-gate --to rpc --residue < in.jsonl | redress translate --from rpc --to atlas-gate\n\nExit codes: 1 if --strict found a loss, 2 if a line could not be read."
)]
pub(crate) struct Args {
    /// The dialect of the input, or `auto` to find it line by line.
    #[arg(long, value_name = "D", value_parser = one_of([AUTO].into_iter().chain(Dialect::ALL.map(Dialect::name)), from))]
    from: From,
    /// The dialect of the output.
    #[arg(long, value_name = "D", value_parser = one_of(Dialect::ALL.map(Dialect::name), Dialect::parse))]
    to: Dialect,
    /// A registry file, or the name of a built-in one, to look codes up in first.
    #[arg(long, value_name = "C")]
    contract: Option<String>,
    /// List on standard error every path that is lost, weakened or invented, and end with 1.
    #[arg(long)]
    strict: bool,
    /// Keep what the dialect has no place for in the member `_x`, so that nothing is lost.
    #[arg(long)]
    residue: bool,
}

/// Where the dialect of the input comes from.
#[derive(Debug, Clone, Copy)]
enum From {
    Auto,
    Given(Dialect),
}

pub(crate) fn run(args: &Args, out: &mut Out) -> Done {
    let lookup = match &args.contract {
        Some(name) => Lookup::with([contract::find(name)?]),
        None => Lookup::shipped(),
    };
    let now = clock::now();
    let stamp = Stamp { now: &now };
    let mut lossy = false;
    let status = lines::filter(out, |number, line, reply| {
        let (from, fault) = read(args.from, line, &lookup)?;
        if args.residue {
            reply.extend_from_slice(args.to.carry(&fault, stamp, &lookup).text.as_bytes());
        } else {
            let text = args.to.write(&fault, stamp);
            reply.extend_from_slice(text.as_bytes());
            if args.strict {
                let mut losses = args.to.losses(&fault, stamp, &lookup);
                if from == args.to {
                    losses.extend(args.to.stand_ins(line, &text));
                }
                lossy |= report(number, &losses);
            }
        }
        Ok(())
    })?;
    Ok(if lossy && status == Status::Fine { Status::Findings } else { status })
}

fn read(from: From, line: &[u8], lookup: &Lookup) -> Result<(Dialect, Fault), Box<Fault>> {
    let read = match from {
        From::Auto => Dialect::read_any(line, lookup),
        From::Given(dialect) => dialect.read(line, lookup).map(|fault| (dialect, fault)),
    };
    read.map_err(|it| Box::new(it.fault()))
}

/// Says what one line lost; whether it lost anything.
fn report(line: u64, losses: &[Loss]) -> bool {
    let mut err = Err::new();
    for loss in losses {
        err.line(&format!("line {line}: "), &format!("{} {}", loss.kind.name(), loss.path));
    }
    !losses.is_empty()
}

const AUTO: &str = "auto";

fn from(name: &str) -> Option<From> {
    if name == AUTO { Some(From::Auto) } else { Dialect::parse(name).map(From::Given) }
}
