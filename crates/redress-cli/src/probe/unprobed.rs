//! Why a server could not be probed, as a fault with its hint.

use std::io;

use redress::{codes, text};
use redress_probe::{ServerAddress, Trouble, Unprobed};

use crate::failure::Failure;

const NONE: [(&str, &str); 0] = [];

/// The failure of a probe that never began.
pub(crate) fn failure(unprobed: &Unprobed, place: &ServerAddress) -> Failure {
    let who = match place {
        ServerAddress::Command(words) => words.first().map(|it| it.to_string_lossy().into_owned()),
        ServerAddress::Program(it) => {
            it.command.first().map(|it| it.to_string_lossy().into_owned())
        }
        ServerAddress::Url { url, .. } => Some(url.clone()),
    };
    let who = text::strip(&who.unwrap_or_default());
    match unprobed {
        Unprobed::NotStarted { program, error } => not_started(program, error),
        Unprobed::Died { log, .. } => {
            let failure = Failure::environment(codes::UPSTREAM_CRASHED.raise(NONE))
                .note(format!("{who}: {unprobed} before it answered."))
                .fix("Start the command by hand and see what it needs: arguments, variables, files.");
            let said = text::strip(&log.text);
            if said.trim().is_empty() { failure } else { failure.note(format!("It said: {said}")) }
        }
        Unprobed::Silent { .. } => Failure::environment(codes::TIMEOUT.raise(NONE))
            .note(format!("{who}: {unprobed}."))
            .fix("See whether it is an MCP server that speaks on its standard streams; others take --url."),
        Unprobed::Unreachable(trouble) => unreachable(trouble, &who),
        Unprobed::Unauthorized(_) => Failure::environment(codes::AUTH_REQUIRED.raise(NONE))
            .note(format!("{who}: {unprobed}."))
            .fix("Give the credentials with --header 'Authorization: Bearer …'."),
        Unprobed::NotMcp(_) => Failure::input(codes::UPSTREAM_PROTOCOL_ERROR.raise(NONE))
            .note(format!("{who}: {unprobed}"))
            .fix("See whether this is an MCP server, and whether the path of the URL is right."),
        Unprobed::NotAnAddress(why) => {
            Failure::option(&format!("The URL or a header cannot be used: {why}"))
                .fix("Give an address such as http://127.0.0.1:3000/mcp.")
        }
        Unprobed::NoSuchCase(names) => no_case(names),
        Unprobed::Interrupted => Failure::environment(codes::CANCELLED.raise(NONE))
            .fix("Start it again; --time and --budget make it shorter."),
    }
}

fn not_started(program: &str, error: &io::Error) -> Failure {
    Failure::not_started(program).note(format!("{}: {error}", text::strip(program)))
}

fn unreachable(trouble: &Trouble, who: &str) -> Failure {
    let failure = Failure::environment(codes::UPSTREAM_UNAVAILABLE.raise(NONE))
        .note(format!("{who}: {trouble}."));
    match trouble {
        Trouble::Name(_) => failure.fix("Check the name of the host."),
        Trouble::Connect(_) => failure.fix("Start the server, or check host and port."),
        Trouble::Tls(_) => {
            failure.fix("Check the certificate: this machine must trust who signed it, and it must be for this host.")
        }
        Trouble::Cut(_) => failure.fix("See the log of the server: it closed the connection."),
    }
}

fn no_case(names: &[String]) -> Failure {
    let shown = text::strip(&names.join(", "));
    if names.is_empty() {
        return Failure::input(codes::NOT_FOUND.raise(NONE)).note("There is nothing to call.");
    }
    Failure::input(codes::NOT_FOUND.raise([("id", shown.as_str())]))
        .note(format!(
            "No case is called {shown}; cases that may change something need --allow-effects."
        ))
        .fix("Take a name from a report of the same server: tool/kind/argument, or server/kind.")
}
