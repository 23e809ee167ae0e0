//! Gates that are killed at any moment: whatever a client has read is in the ledger, and the ledger is in order.

use std::{
    collections::BTreeSet,
    io::Write as _,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::home::{Gate, Home, failing, receipt, rounds};
use crate::gate::client::pause;

/// Numbers that look random and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// When a gate is killed.
#[derive(Clone, Copy)]
enum Moment {
    AfterStart(Duration),
    AfterFirstAnswer(Duration),
}

/// A gate that is killed while a client asks without pause; gives what the client has read.
fn killed(home: &Home, moment: Moment) -> Vec<String> {
    let mut gate = home.silent_gate(&[], &[]);
    let pid = gate.child.id().to_string();
    let kill_after = |time: Duration| {
        thread::spawn(move || {
            #[expect(clippy::disallowed_methods, reason = "the moment is to be any")]
            thread::sleep(time);
            assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
        })
    };
    let mut read = Vec::new();
    let ask = |gate: &mut Gate| {
        // The gate may be gone.
        let input = gate.input.as_mut().unwrap();
        drop(writeln!(input, "{}", call()));
    };
    for _ in 0..16 {
        ask(&mut gate);
    }
    let killer = match moment {
        Moment::AfterStart(time) => kill_after(time),
        Moment::AfterFirstAnswer(time) => {
            read.extend(gate.hear().and_then(|it| receipt(&it)));
            kill_after(time)
        }
    };
    while let Some(answer) = gate.hear() {
        read.extend(receipt(&answer));
        ask(&mut gate);
    }
    killer.join().unwrap();
    gate.child.wait().unwrap();
    read
}

/// A call that fails, under an id of its own.
fn call() -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let params = json!({"name": "read", "arguments": failing()});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[test]
fn whatever_a_client_has_read_survives_a_kill_at_any_moment() {
    let home = Home::new();
    let mut chance = Chance(41);
    let mut read = Vec::new();
    for round in 0..rounds(24, 300) {
        let time = Duration::from_millis(chance.below(120));
        let moment =
            if round % 4 == 0 { Moment::AfterStart(time) } else { Moment::AfterFirstAnswer(time) };
        // Two at once, now and then: one of them finds what the other left.
        if round % 3 == 0 {
            let two = thread::scope(|scope| {
                let other = scope.spawn(|| killed(&home, moment));
                let mut all = killed(&home, moment);
                all.extend(other.join().unwrap());
                all
            });
            read.extend(two);
        } else {
            read.extend(killed(&home, moment));
        }
    }
    assert!(read.len() > 100, "hardly anything was read: {}", read.len());
    let until = Instant::now() + Duration::from_secs(60);
    while !home.is_deserted() {
        assert!(Instant::now() < until, "a server outlived its gate");
        pause();
    }
    home.gate(&[], &[]).end();
    home.assert_sound();
    let recorded: BTreeSet<String> = home
        .json(&["query", "--kind", "fault"])
        .iter()
        .map(|it| format!("{}:{}", it["seq"], &it["hash"].as_str().unwrap()[..32]))
        .collect();
    for told in &read {
        assert!(recorded.contains(told), "{told} was told and is lost");
    }
    let some: Vec<&str> = read.iter().step_by(20).flat_map(|it| ["--receipt", it]).collect();
    let ran = home.run(&[&["verify"], &some[..]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.out, ran.err);
}
