//! The limit of a proxy on stdio: bytes copied both ways, with or without a look at each line.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
    process::{Command, Stdio},
    thread,
};

use memchr::memchr;

use crate::{Fallible, scan::message};

const ROOM: usize = 64 << 10;

/// Copies until the command ends.
pub(super) fn run(command: &[OsString], is_by_line: bool) -> Fallible<()> {
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = child.stdin.take().map(OwnedFd::from).ok_or("no input")?;
    let output = child.stdout.take().map(OwnedFd::from).ok_or("no output")?;
    let copy = if is_by_line { copy_lines } else { copy_bytes };
    let own = |it: &dyn AsFd| it.as_fd().try_clone_to_owned().map(File::from);
    let (stdin, stdout) = (own(&io::stdin())?, own(&io::stdout())?);
    thread::spawn(move || copy(stdin, input.into()));
    copy(output.into(), stdout)?;
    child.wait()?;
    Ok(())
}

fn copy_bytes(mut from: File, mut to: File) -> io::Result<()> {
    let mut room = vec![0; ROOM];
    loop {
        let read = from.read(&mut room)?;
        if read == 0 {
            return Ok(());
        }
        to.write_all(room.get(..read).unwrap_or_default())?;
    }
}

fn copy_lines(mut from: File, mut to: File) -> io::Result<()> {
    let (mut bytes, mut room) = (Vec::new(), vec![0; ROOM]);
    let (mut searched, mut failures) = (0, 0u64);
    loop {
        let read = from.read(&mut room)?;
        if read == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(room.get(..read).unwrap_or_default());
        let mut done = 0;
        while let Some(length) = memchr(b'\n', bytes.get(searched..).unwrap_or_default()) {
            let end = searched + length;
            let line = message(bytes.get(done..end).unwrap_or_default());
            failures += u64::from(std::hint::black_box(line).is_failure);
            (done, searched) = (end + 1, end + 1);
        }
        to.write_all(bytes.get(..done).unwrap_or_default())?;
        bytes.drain(..done);
        searched = bytes.len();
        std::hint::black_box(failures);
    }
}
