//! `Failure`: why a command could not do its work. The tool's own errors are faults of `core`, printed with their hint.

use std::{io, path::Path, process::ExitCode};

use redress::{Fault, codes, fault::Origin, text};
use redress_registry::shipped;
use serde_json::{Value, json};

use crate::{Status, stderr::Err};

/// What a command returns.
pub(crate) type Done = Result<Status, Failure>;

/// A fault of our own, what led to it, and the exit code.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    fault: Box<Fault>,
    /// Further lines, most important first.
    notes: Vec<String>,
    exit: u8,
    /// The reader of our output went away, which is no failure.
    quiet: bool,
}

impl Failure {
    /// Bad input or usage: exit code 2.
    pub(crate) fn input(fault: Fault) -> Self {
        Self { fault: Box::new(fault), notes: Vec::new(), exit: 2, quiet: false }
    }

    /// The machine is at fault: exit code 3.
    pub(crate) fn environment(fault: Fault) -> Self {
        Self { exit: 3, ..Self::input(fault) }
    }

    /// A file or option that is not valid at a place. The user who runs the command can correct it, so the message is shorter than one to a
    /// client of a server.
    pub(crate) fn config(place: &str, problem: &str) -> Self {
        let mut fault = codes::CONFIG_INVALID.raise([("place", place), ("problem", problem)]);
        fault.message = format!("{place}: {problem}");
        Self::input(fault).fix("Correct that place in the file.")
    }

    /// An address at which tokens would arrive in plain HTTP.
    pub(crate) fn readable(place: &str) -> Self {
        let problem = "Tokens would reach this address in plain HTTP, which the network can read.";
        Self::config(place, problem).fix(
            "Give a file with a certificate in `[listen] tls`, or with `[listen] insecure = true` if that is what you want.",
        )
    }

    /// An option whose value cannot be read or makes no sense.
    pub(crate) fn option(problem: &str) -> Self {
        let mut fault = codes::INVALID_INPUT_VALUE.raise([] as [(&str, &str); 0]);
        fault.message = format!("{problem}.");
        Self::input(fault)
    }

    /// The same where not the input is at fault but the machine.
    pub(crate) fn of_machine(self) -> Self {
        Self { exit: 3, ..self }
    }

    /// The same failure with another way out.
    pub(crate) fn fix(mut self, fix: &str) -> Self {
        self.fault.hint = fix.into();
        self
    }

    /// A file that could not be read.
    pub(crate) fn reading(path: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::input(codes::FILE_NOT_FOUND.raise([("path", path)]))
                .fix("Check the path and the directory that it starts from."),
            io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => {
                Self::input(codes::INVALID_PATH.raise([("path", path)])).note(error)
            }
            io::ErrorKind::PermissionDenied => {
                let fault = codes::FILE_READ_FAILED.raise([("path", path)]);
                Self::environment(fault).note(format!("{path}: {error}"))
            }
            _ => Self::input(codes::FILE_READ_FAILED.raise([("path", path)]))
                .note(format!("{path}: {error}")),
        }
    }

    /// A ledger that cannot be used.
    pub(crate) fn ledger(dir: &Path, error: impl std::fmt::Display) -> Self {
        let mut fault = codes::AUDIT_LOG_FAILED.raise([] as [(&str, &str); 0]);
        fault.message = format!("The ledger in {:?} cannot be used.", dir.display());
        Self::environment(fault).note(error).fix("Name a directory that this user may write to.")
    }

    /// A program that cannot be started.
    pub(crate) fn not_started(program: &str) -> Self {
        Self::environment(codes::NOT_INSTALLED.raise([("dependency", program)]))
            .fix("Check the command, or install the program.")
    }

    /// A file that could not be written.
    pub(crate) fn writing(path: &str, error: &io::Error) -> Self {
        Self::environment(codes::FILE_WRITE_FAILED.raise([("path", path)]))
            .note(format!("{path}: {error}"))
    }

    /// A file that another program changed while it was being changed here.
    pub(crate) fn changed(path: &str) -> Self {
        let mut fault = codes::CONFLICT.raise([] as [(&str, &str); 0]);
        fault.message = format!("Another program changed {path:?} meanwhile; nothing was written.");
        Self::environment(fault).fix("Close the client that writes it, and try again.")
    }

    /// Standard output or input that broke.
    pub(crate) fn stream(error: &io::Error) -> Self {
        let quiet = error.kind() == io::ErrorKind::BrokenPipe;
        let failure =
            Self::environment(codes::FILE_WRITE_FAILED.raise([("path", "standard output")]));
        let exit = if quiet { Status::Fine.code() } else { failure.exit };
        Self { exit, quiet, ..failure.note(error) }
    }

    /// The same after the exit status was decided: a closed output does not undo what was found.
    pub(crate) fn after(self, decided: Status) -> Self {
        let exit = if self.quiet { decided.code() } else { self.exit };
        Self { exit, ..self }
    }

    /// What happened, one sentence.
    pub(crate) fn message(self) -> String {
        self.fault.message
    }

    /// What led to it, in one line.
    pub(crate) fn reason(&self) -> &str {
        self.notes.first().map_or(self.fault.message.as_str(), String::as_str).trim_end_matches('.')
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> &str {
        &self.fault.hint
    }

    /// It as another process of this program can read it.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "code": self.fault.code(),
            "message": self.fault.message,
            "fix": self.fault.hint,
            "notes": self.notes,
            "exit": self.exit,
        })
    }

    /// What another process of this program printed; `None` if that is no failure.
    pub(crate) fn from_json(told: &Value) -> Option<Self> {
        let text = |key: &str| Some(told.get(key)?.as_str()?.to_owned());
        let mut fault = Fault::of(shipped::core().get(&text("code")?)?);
        fault.message = text("message")?;
        fault.hint = text("fix")?;
        let notes = told.get("notes")?.as_array()?.iter().map(|it| Some(it.as_str()?.to_owned()));
        let exit = told.get("exit")?.as_u64().filter(|it| (1..=3).contains(it))?;
        Some(Self {
            fault: Box::new(fault),
            notes: notes.collect::<Option<_>>()?,
            exit: u8::try_from(exit).ok()?,
            quiet: false,
        })
    }

    /// Adds a line that says more.
    pub(crate) fn note(mut self, note: impl std::fmt::Display) -> Self {
        self.notes.push(note.to_string());
        self
    }

    /// Prints the fault on standard error and gives the exit code.
    pub(crate) fn report(mut self) -> ExitCode {
        if self.quiet {
            return ExitCode::from(self.exit);
        }
        self.fault.origin = Origin::Client;
        let mut err = Err::new();
        err.headline(self.fault.code(), &self.fault.message);
        for note in &self.notes {
            err.line("  ", &text::cut(note, 2_000));
        }
        err.line("Fix: ", &self.fault.hint);
        ExitCode::from(self.exit)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::Failure;
    use crate::Status;

    #[test]
    fn a_reader_who_went_away_does_not_undo_what_was_found() {
        let closed = || Failure::stream(&io::ErrorKind::BrokenPipe.into());
        assert_eq!(closed().exit, 0);
        for status in [Status::Fine, Status::Findings, Status::BadInput, Status::Unreadable] {
            assert_eq!(closed().after(status).exit, status.code());
        }
        let broken = Failure::stream(&io::ErrorKind::StorageFull.into());
        assert_eq!(broken.after(Status::Findings).exit, 3);
    }
}
