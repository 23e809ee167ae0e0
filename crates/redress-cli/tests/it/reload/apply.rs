//! `redress config apply`: what lets more in comes into force.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::{Gate, initialize, server};

/// A gate of a file that names one caller, whose token is `a` sixteen times.
fn config(callers: &[char], rest: &str) -> String {
    let row = |it: &char| {
        let token = it.to_string().repeat(16);
        format!("[auth.caller.{it}]\nsha256 = '{}'\n", redress_govern::eval::sha256(&token))
    };
    server("files", "one") + &callers.iter().map(row).collect::<String>() + rest
}

/// Whether callers are let in.
fn let_in(gate: &Gate, callers: &[char]) -> Vec<u16> {
    let status = |it: &char| {
        let bearer = format!("Bearer {}", it.to_string().repeat(16));
        let headers = [("Authorization", bearer.as_str())];
        let message = initialize().to_string();
        crate::gate::http::post(&gate.address, "/files/mcp", &headers, message.as_bytes())
            .head()
            .status
    };
    callers.iter().map(status).collect()
}

#[test]
fn what_waits_is_applied_and_told() {
    let gate = Gate::start(&config(&['a'], ""));
    gate.change(&config(&['b'], "[listen]\nmax_connections = 20\n"));
    gate.said("would let more in");
    assert_eq!(let_in(&gate, &['a', 'b']), [401, 401]);
    let out = gate.apply();
    let process = gate.child.id();
    assert_eq!(
        out,
        format!(
            "the gate in process {process}:\n  loosened: auth.caller.b (added)\nredress.toml: applied by 1 of 1 gate\n"
        )
    );
    assert_eq!(let_in(&gate, &['a', 'b']), [401, 200]);
    let again = gate.apply();
    assert!(again.contains("  nothing changed\n"), "{again}");
    // What the gate has not looked at yet is applied, too, in one go.
    gate.change(&config(&['a', 'b'], ""));
    let out = gate.apply();
    assert!(out.contains("  loosened: listen.max_connections (from 20 to 10000)\n"), "{out}");
    assert_eq!(let_in(&gate, &['a', 'b']), [200, 200]);
}

#[test]
fn the_exit_code_says_how_far_it_came() {
    let gate = Gate::start(&config(&['a'], ""));
    let apply = |file: &str| gate.shell(&format!("redress config apply {file}"));
    // Part of it counts after a restart.
    gate.change(&config(&['a'], "[metrics]\naddress = '127.0.0.1:0'\n"));
    let ran = apply("redress.toml");
    assert_eq!(ran.exit, 1, "{}{}", ran.out, ran.err);
    let line = "  loosened: metrics.address (from nothing to \"127.0.0.1:0\"), which counts after a restart\n";
    assert!(ran.out.contains(line), "{}", ran.out);
    // It is not valid: nothing changes, and the place is told.
    gate.change(&config(&['a', 'b'], "[listen]\nmax_connections = 0\n"));
    let ran = apply("redress.toml");
    assert_eq!(
        (ran.exit, ran.out.as_str()),
        (2, "redress.toml: applied by 0 of 1 gate\n"),
        "{}",
        ran.err
    );
    let problem =
        "CONFIG_INVALID: redress.toml:8:19: `listen.max_connections` must be 1 to 1000000, not 0.";
    assert!(ran.err.starts_with(problem), "{}", ran.err);
    gate.said(problem);
    assert_eq!(let_in(&gate, &['a', 'b']), [200, 401]);
    // The gate serves another file, which is named.
    fs::write(gate.dir.path().join("other.toml"), config(&['b'], "")).unwrap();
    let ran = apply("other.toml");
    assert_eq!(ran.exit, 2, "{}", ran.out);
    assert!(
        ran.err.starts_with("NOT_FOUND: No running gate of this user was started with"),
        "{}",
        ran.err
    );
    let own = gate.file().canonicalize().unwrap();
    let serves = format!("The gate in process {} serves {}.", gate.child.id(), own.display());
    assert!(ran.err.contains(&serves), "{}", ran.err);
    assert_eq!(let_in(&gate, &['a', 'b']), [200, 401]);
    // There is no such file; and no gate.
    let ran = apply("gone.toml");
    assert_eq!(ran.exit, 2, "{}", ran.out);
    assert!(ran.err.starts_with("FILE_NOT_FOUND: "), "{}", ran.err);
    let ran = gate.shell("HOME=$PWD/root redress config apply redress.toml");
    assert_eq!(ran.exit, 3, "{}", ran.out);
    assert!(ran.err.starts_with("NOT_FOUND: No running gate of this user"), "{}", ran.err);
}

#[test]
fn all_gates_of_a_file_are_reached_without_waiting_for_dead() {
    let gate = Gate::start(&config(&['a'], ""));
    let again = |gate: &Gate| {
        let dir = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_redress"));
        command.args(super::SERVE).arg("--no-ledger");
        // It has the directory of the first one, and its own is empty.
        command.env("HOME", gate.dir.path()).current_dir(gate.dir.path());
        let mut other = Gate::launched(&mut command, dir);
        other.listens();
        other
    };
    let other = again(&gate);
    let sockets = || {
        let control = gate.dir.path().join(".local/state/redress/control");
        fs::read_dir(control).unwrap().count()
    };
    assert_eq!(sockets(), 2);
    gate.change(&config(&['a', 'b'], ""));
    let ran = gate.shell("redress config apply redress.toml");
    assert!(
        ran.exit == 0 && ran.out.ends_with("applied by 2 of 2 gates\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!((let_in(&gate, &['b']), let_in(&other, &['b'])), (vec![200], vec![200]));
    // Killed, it leaves its socket.
    drop(other);
    assert_eq!(sockets(), 2);
    let ran = gate.shell("redress config apply redress.toml");
    assert!(
        ran.exit == 0 && ran.out.ends_with("applied by 1 of 1 gate\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    // The next gate removes what is left of dead ones.
    let mut third = again(&gate);
    assert_eq!(sockets(), 2);
    let kill = std::process::Command::new("kill").arg(third.child.id().to_string()).status();
    assert!(kill.unwrap().success() && third.child.wait().unwrap().success());
    assert_eq!(sockets(), 1, "a gate that ends removes its own");
}

#[test]
fn a_gate_without_a_control_socket_serves_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("server.sh"), super::SERVER).unwrap();
    fs::write(dir.path().join("redress.toml"), config(&['a'], "")).unwrap();
    let control = dir.path().join(".local/state/redress/control");
    fs::create_dir_all(&control).unwrap();
    fs::set_permissions(&control, fs::Permissions::from_mode(0o755)).unwrap();
    let mut gate = Gate::spawn_in(dir, &["--no-ledger"]);
    gate.said("`redress config apply` cannot reach this gate: ");
    gate.listens();
    assert_eq!(let_in(&gate, &['a', 'b']), [200, 401]);
    let ran = gate.shell("redress config apply redress.toml");
    assert_eq!(ran.exit, 3, "{}", ran.out);
    assert!(
        ran.err.contains("Other users can enter") && ran.err.contains("chmod 700"),
        "{}",
        ran.err
    );
}
