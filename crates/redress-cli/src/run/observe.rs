//! What an operator sees of a gate while it runs and afterwards: the page of metrics, the counters of the taxonomy.

use std::{env, fs::DirBuilder, io, os::unix::fs::DirBuilderExt as _, sync::Arc, time::Instant};

use redress::Dialect;
use redress_gate::{Access, ErrorStats, Server, metrics};

use super::{place, redactor};
use crate::{
    config::{self, General},
    failure::Failure,
    files,
    output::Err,
};

/// Turns the counters of the taxonomy on.
const STATS: &str = "MCP_ERROR_METRICS";
/// Counts only every so many-th failure of a symbol.
const SAMPLE: &str = "MCP_ERROR_METRICS_SAMPLE";

/// A server as it is gated, with what the environment says about its counters.
pub(crate) fn server(server: &config::Server) -> Result<Arc<Server>, Failure> {
    let mut settings = server.settings(redactor(server));
    settings.error_stats = error_stats(&|it| env::var_os(it)?.into_string().ok())?;
    Ok(Arc::new(Server::new(settings, Instant::now())))
}

/// Says that the gate is ready, in the words of the taxonomy, to whoever speaks it.
pub(crate) fn say_ready(server: &Server) {
    let settings = &server.settings;
    if settings.error_stats.is_some() || settings.dialect == Dialect::Rpc {
        let line = metrics::ready_line(&settings.server, settings.error_stats.is_some());
        Err::new().line("", line.trim_end());
    }
}

/// Serves the metrics where the configuration says, if it does.
pub(crate) fn listen(
    general: &General,
    shown: impl Fn() -> (Access, Vec<Arc<Server>>) + Send + 'static,
) -> Result<(), Failure> {
    let Some(address) = general.metrics.address else { return Ok(()) };
    let at = metrics::listen(address.0, shown);
    let at = at.map_err(|it| {
        let fix = if it.kind() == io::ErrorKind::InvalidInput {
            "Listen on 127.0.0.1, or give a file with tokens in [auth]."
        } else {
            "Choose another address, or end what listens there."
        };
        Failure::config("--metrics", &format!("Cannot listen on {}: {it}.", address.0)).fix(fix)
    })?;
    Err::new().line("", &format!("metrics on http://{at}/metrics"));
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

/// What the environment says about the counters.
fn error_stats(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<ErrorStats>, Failure> {
    if !variable(STATS).is_some_and(|it| is_truthy(&it)) {
        return Ok(None);
    }
    let sample = variable(SAMPLE).filter(|it| !it.trim().is_empty());
    let sample = sample.map(|it| it.trim().parse().ok().filter(|it| *it > 0).ok_or(it));
    match sample.transpose() {
        Ok(sample) => Ok(Some(ErrorStats { sample })),
        Err(given) => Err(Failure::config(SAMPLE, &format!("{given:?} is no number above zero."))
            .fix("Give a whole number such as 100, or leave it out.")),
    }
}

fn is_truthy(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    !matches!(&*value, "" | "0" | "false" | "no" | "off")
}

#[cfg(test)]
mod tests {
    use redress_gate::ErrorStats;

    use super::{SAMPLE, STATS, error_stats};

    const ON: Option<ErrorStats> = Some(ErrorStats { sample: None });

    fn read(stats: Option<&str>, sample: Option<&str>) -> Result<Option<ErrorStats>, ()> {
        let variable = |name: &str| match name {
            STATS => stats.map(str::to_owned),
            SAMPLE => sample.map(str::to_owned),
            _ => None,
        };
        error_stats(&variable).map_err(drop)
    }

    #[test]
    fn any_value_that_means_yes_turns_the_counters_on() {
        for value in ["1", "true", "yes", "on", "2", " x "] {
            assert_eq!(read(Some(value), None), Ok(ON), "{value}");
        }
        for value in ["", " ", "0", "false", "FALSE", "no", "Off"] {
            assert_eq!(read(Some(value), Some("nonsense")), Ok(None), "{value}");
        }
        assert_eq!(read(None, Some("5")), Ok(None));
    }

    #[test]
    fn a_sample_is_a_number_above_zero() {
        assert_eq!(read(Some("1"), Some("100")), Ok(Some(ErrorStats { sample: Some(100) })));
        assert_eq!(read(Some("1"), Some("")), Ok(ON));
        for value in ["0", "-1", "1.5", "many"] {
            assert_eq!(read(Some("1"), Some(value)), Err(()), "{value}");
        }
    }
}
