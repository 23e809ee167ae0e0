//! The odd server of the examples, and a probe of it.

use std::{
    env,
    path::PathBuf,
    process::Command,
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::Duration,
};

use redress_probe::{ProbeOptions, Probed, ServerAddress, Unprobed, probe};

/// The built program. Whoever runs one test alone has not built it.
fn odd_server() -> &'static PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let test = env::current_exe().unwrap();
        let path = test.ancestors().nth(2).unwrap().join("examples/odd_server");
        if !path.exists() {
            let args =
                ["build", "--quiet", "--locked", "-p", "redress-probe", "--example", "odd_server"];
            assert!(Command::new(env!("CARGO")).args(args).status().unwrap().success());
        }
        path
    })
}

/// How the odd server is probed.
pub(crate) fn options(args: &[&str]) -> ProbeOptions {
    let command = std::iter::once(odd_server().into()).chain(args.iter().map(Into::into));
    at(ServerAddress::Command(command.collect()))
}

/// How a server anywhere is probed.
pub(crate) fn at(place: ServerAddress) -> ProbeOptions {
    ProbeOptions {
        target: place.clone(),
        place,
        seed: 1,
        budget: 500,
        time: Duration::from_secs(60),
        deadline: Duration::from_secs(3),
        with_valid: false,
        is_quick: false,
        allow_effects: false,
        only: Vec::new(),
        contract: None,
        repeat: Vec::new(),
    }
}

/// Probes to the end.
pub(crate) fn run(options: &ProbeOptions) -> Result<Probed, Unprobed> {
    probe(options, &mut |_| (), &Arc::new(AtomicBool::new(false)))
}
