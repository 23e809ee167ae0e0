//! The side of `redress config apply`: asks every gate of this user to apply a file.

use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use redress::codes;
use sha2::{Digest as _, Sha256};

use super::{
    Outcome,
    directory::Directory,
    message::{self, ANSWER_BYTES, Apply},
    peer,
};
use crate::{failure::Failure, files};

/// How long a gate may take to answer.
const ANSWERING: Duration = Duration::from_secs(90);

/// What one gate answered.
pub(crate) struct GateAnswer {
    /// Its process.
    pub(crate) process: u32,
    /// What came of it.
    pub(crate) outcome: Outcome,
}

/// Asks every gate of this user to apply a file, as it is now, if it serves that file.
pub(crate) fn apply(file: &Path) -> Result<Vec<GateAnswer>, Failure> {
    let shown = file.to_string_lossy();
    let unread = |it: io::Error| Failure::reading(&shown, &it);
    let real = file.canonicalize().map_err(unread)?;
    let bytes = files::read(&real).map_err(unread)?;
    let asked = Apply { file: message::shown(&real), sha256: Sha256::digest(bytes).into() };
    let Some(directory) = Directory::find()? else { return Ok(Vec::new()) };
    let path = directory.path.to_string_lossy();
    let names = directory.names().map_err(|it| Failure::reading(&path, &it).of_machine())?;
    let mut answers = Vec::new();
    for name in names {
        let stream = match directory.connect(&name) {
            Ok(stream) => stream,
            // Its gate is gone.
            Err(error) if is_gone(&error) => continue,
            Err(error) => {
                let path = directory.path.join(&name);
                return Err(Failure::reading(&path.to_string_lossy(), &error).of_machine());
            }
        };
        let process = peer::own(&stream)?;
        let outcome = ask(stream, &asked).unwrap_or_else(|error| Outcome::Refused(lost(&error)));
        answers.push(GateAnswer { process, outcome });
    }
    Ok(answers)
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound)
}

fn ask(mut stream: UnixStream, asked: &Apply) -> io::Result<Outcome> {
    stream.set_write_timeout(Some(ANSWERING))?;
    stream.set_read_timeout(Some(ANSWERING))?;
    stream.write_all(asked.to_line().as_bytes())?;
    let mut line = Vec::new();
    stream.take(ANSWER_BYTES).read_to_end(&mut line)?;
    Outcome::read(&line).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A gate that did not answer as one does. It may have applied the file.
fn lost(error: &io::Error) -> Failure {
    let mut fault = codes::UPSTREAM_UNAVAILABLE.raise([] as [(&str, &str); 0]);
    "The gate did not say what came of it.".clone_into(&mut fault.message);
    fault.may_have_changed_something();
    Failure::environment(fault).note(error).fix("Look at what the gate says, and apply it again.")
}
