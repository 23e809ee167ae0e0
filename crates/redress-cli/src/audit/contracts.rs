//! Contracts: what a governed gate knows of its tools must be worth trusting.

use std::path::Path;

use redress_govern::invariant::INV_CONTRACT;
use redress_registry::Level;

use super::{AuditProblem, Checks, Subject};
use crate::{config::Server, contract, findings::counted, registry};

pub(super) fn check(subject: &Subject<'_>, checks: &mut Checks) {
    for server in &subject.config.servers {
        checks.add(&INV_CONTRACT, lints(server));
    }
}

/// The built-in ones are under the lint where they are made.
fn lints(server: &Server) -> Result<(), AuditProblem> {
    let Some(file) = &server.contract.file else { return Ok(()) };
    let file = file.to_string_lossy();
    if let Some(problem) = &server.contract.problem {
        return Err(unread(&file, problem));
    }
    let found = contract::source(&file).and_then(|it| registry::lint::all(&it, None));
    let found = found.map_err(|it| AuditProblem {
        place: file.clone().into_owned(),
        what: it.message().trim_end_matches('.').to_owned(),
        fix: format!("redress registry lint {file}"),
    })?;
    let mut violations = found.iter().filter(|it| it.level == Level::Violation);
    let Some(first) = violations.next() else { return Ok(()) };
    let more = match violations.count() {
        0 => String::new(),
        more => format!(", and {}", counted(more, "more violation")),
    };
    Err(AuditProblem {
        place: first.place.to_string(),
        what: format!("{}{more}", first.message.trim_end_matches('.')),
        fix: format!("{} See: redress registry lint {file}", first.fix),
    })
}

/// A contract that cannot be read.
fn unread(file: &str, problem: &str) -> AuditProblem {
    let inside = problem.split_once(": ").filter(|it| it.0.starts_with(file));
    let (place, what) = inside.unwrap_or((file, problem));
    let fix = if Path::new(file).exists() {
        format!("Correct it there. See: redress registry lint {file}")
    } else {
        "Name a file that is there.".to_owned()
    };
    AuditProblem { place: place.to_owned(), what: what.trim_end_matches('.').to_owned(), fix }
}
