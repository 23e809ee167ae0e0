//! A node without a gate: records failures as fast as the disk takes them and ships them, for tests that kill it and for measurements.
//!
//! `fleet-node URL DIR NODE RECORDS` prints `recorded` when all are durable, and `shipped SECONDS` when the engine has them.

use std::{
    env,
    error::Error,
    io::{self, Write as _},
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use redress_fleet::{Engine, Names, Settings, Source, Starting};
use redress_ledger::{Checked, Clock, Ledger, Options, Redactor, Time};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [url, dir, node, records] = args.as_slice() else {
        return Err("usage: fleet-node URL DIR NODE RECORDS".into());
    };
    let records: u64 = records.parse()?;
    let place = Path::new(dir).join(node);
    let starting = Starting::default();
    let progress = starting.progress();
    let mut options = Options::new(place.join("ledger"), place.join("key"), clock());
    options.on_commit = Some(starting.on_commit());
    let ledger = Ledger::open(options)?;
    let settings = Settings {
        engine: Engine { url: url.clone(), ..Engine::default() },
        names: Names::new("redress")?,
        accept_weak: false,
    };
    let source = Source {
        node: node.clone(),
        ledger: place.join("ledger"),
        own: Some(ledger.chain().into()),
        clock: clock(),
    };
    let said = |it: &str| drop(writeln!(io::stderr(), "{it}"));
    let fleet = starting.start(settings, source, Arc::new(said))?;
    let begun = Instant::now();
    let redactor = Redactor::default();
    for at in 0..records {
        let chain = "20260119T153210123Z-1-9f2c41d07a3e".to_owned();
        let failure = Checked { chain, seq: at, by: "x".repeat(300), note: None };
        let record = failure.record(&redactor);
        if at % 64 == 63 || at + 1 == records {
            ledger.append_wait(record)?;
        } else {
            ledger.append(record, drop);
        }
    }
    writeln!(io::stdout(), "recorded {}", begun.elapsed().as_secs_f64())?;
    while progress.snapshot().lag_records > 0 {
        thread::park_timeout(Duration::from_millis(5));
    }
    writeln!(io::stdout(), "shipped {}", begun.elapsed().as_secs_f64())?;
    ledger.close()?;
    fleet.finish(Duration::from_secs(60));
    Ok(())
}

fn clock() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "this is where time comes in")]
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Arc::new(move || Time::from_millis(u64::try_from(now().as_millis()).unwrap_or(u64::MAX)))
}
