//! What an operator sees of a gate while it runs and afterwards: the page of metrics, the counters of the taxonomy.

use std::{
    env, fs::DirBuilder, io, os::unix::fs::DirBuilderExt as _, path::PathBuf, sync::Arc,
    time::Instant,
};

use redress::{Dialect, ErrorStats, fault::StackPolicy};
use redress_gate::{Server, metrics, metrics_listener};
use redress_govern::Governor;

use super::redactor;
use crate::{
    config::{self, General},
    failure::Failure,
    files, govern,
    output::Err,
    place,
};

/// A server as it is gated, with what the environment says about its counters and about stacks. In the place of another one, it goes on counting from there, and, if
/// it is governed, knows what that knew.
pub(crate) fn server(
    server: &config::Server,
    general: &General,
    ledger: Option<PathBuf>,
    before: Option<&Server>,
) -> Result<Arc<Server>, Failure> {
    let mut settings = server.settings(redactor(server, general));
    settings.error_stats = error_stats()?;
    settings.stack = shown_stack();
    settings.fault_bytes_per_hour = general.ledger.fault_bytes_per_hour;
    let policy = govern::policy(general, server, &settings, ledger)?;
    let mut gated = Server::new(settings, Instant::now());
    if let Some(before) = before {
        gated = gated.counting_on(before);
    }
    let governor = policy.map(|policy| match before.and_then(Server::governor) {
        Some(before) => Governor::instead_of(&before, policy),
        None => Governor::new(policy),
    });
    Ok(Arc::new(match governor {
        Some(governor) => gated.governed_by(Arc::new(governor)),
        None => gated,
    }))
}

/// Says that the gate is ready, in the words of the client's dialect.
pub(crate) fn say_ready(server: &Server) {
    let settings = &server.settings;
    if settings.error_stats.is_some() || settings.dialect == Dialect::Rpc {
        let line = metrics::ready_line(&settings.server, settings.error_stats.is_some());
        // A program may read it: it is as the taxonomy has it.
        Err::new().line("", line.trim_end());
    }
}

/// Serves the metrics where the configuration says, if it does.
pub(crate) fn listen(
    general: &General,
    shown: impl Fn() -> metrics_listener::MetricsPage + Send + 'static,
) -> Result<(), Failure> {
    let Some(address) = general.metrics.address else { return Ok(()) };
    if general.readable().any(|it| it == "metrics") {
        return Err(Failure::readable("--metrics"));
    }
    let at = metrics_listener::listen(address.0, shown);
    if let Err(error) = &at
        && error.kind() == io::ErrorKind::AddrInUse
    {
        // Another gate with the same options has it: a second window of a client must not lose its server.
        Err::new().say(&format!(
            "no metrics: {} is taken by another program; port 0 is any that is free",
            address.0
        ));
        return Ok(());
    }
    let at = at.map_err(|it| {
        let problem = format!("Cannot listen on {}: {it}.", address.0);
        let failure = Failure::config("--metrics", &problem);
        if it.kind() == io::ErrorKind::InvalidInput {
            failure.fix("Listen on 127.0.0.1, or give a file with tokens in [auth].")
        } else {
            failure.of_machine().fix("Choose another address.")
        }
    })?;
    let scheme = general.listen.scheme();
    Err::new().say(&format!("metrics on {scheme}://{at}/metrics"));
    Ok(())
}

/// Keeps the counters of a server for after its end, if they were asked for. `name` is that of its ledger.
pub(crate) fn save_stats(server: &Server, name: &str) -> Result<(), Failure> {
    let Some(stats) = server.error_stats() else { return Ok(()) };
    let dir = place::state()?.join(name);
    let shown = dir.join("error-stats.json").to_string_lossy().into_owned();
    let made = DirBuilder::new().mode(0o700).recursive(true).create(&dir);
    made.map_err(|it| Failure::writing(&shown, &it))?;
    files::replace(&shown, &(stats + "\n"))
}

/// The value of a variable, if it is text.
fn variable(name: &str) -> Option<String> {
    env::var_os(name)?.into_string().ok()
}

/// How much of a stack is shown, by the environment.
fn shown_stack() -> StackPolicy {
    let [debug, verbose] = StackPolicy::SWITCHES.map(variable);
    StackPolicy::from_switches(debug.as_deref(), verbose.as_deref())
}

/// What the environment says about the counters.
fn error_stats() -> Result<Option<ErrorStats>, Failure> {
    let (switch, sample) = (variable(ErrorStats::SWITCH), variable(ErrorStats::SAMPLE));
    ErrorStats::from_switches(switch.as_deref(), sample.as_deref()).map_err(|bad| {
        Failure::config(ErrorStats::SAMPLE, &bad.to_string())
            .fix("Give a whole number such as 100, or leave it out.")
    })
}
