//! `Rest`: what is left in a pipe when the process that wrote to it has ended.

use std::os::fd::AsFd;

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::{Errno, read, retry_on_intr},
    pipe::fcntl_getpipe_size,
};

use crate::process::WIDE;

/// How much is still read from a pipe. A process leaves no more in it than it takes: what exceeds that is written by others that
/// hold the pipe.
#[derive(Debug)]
pub(crate) struct Rest(usize);

impl Rest {
    /// What is left in a pipe. From now on, no read of it waits.
    pub(crate) fn of(pipe: &impl AsFd) -> Self {
        let is_set = fcntl_getfl(pipe).and_then(|it| fcntl_setfl(pipe, it | OFlags::NONBLOCK));
        // A pipe that may wait is not read: others could hold it for ever.
        Self(is_set.map_or(0, |()| fcntl_getpipe_size(pipe).unwrap_or(WIDE)))
    }

    /// Reads some bytes of it; nothing at the end.
    pub(crate) fn read(&mut self, pipe: &impl AsFd, into: &mut [u8]) -> usize {
        let most = into.len().min(self.0);
        let Some(into) = into.get_mut(..most).filter(|it| !it.is_empty()) else { return 0 };
        let bytes: Result<usize, Errno> = retry_on_intr(|| read(pipe, &mut *into));
        let bytes = bytes.unwrap_or_default();
        self.0 -= bytes;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::Rest;

    #[test]
    fn what_is_left_is_read_although_others_hold_the_pipe() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"one").unwrap();
        let mut rest = Rest::of(&reader);
        let mut piece = [0; 2];
        assert_eq!(rest.read(&reader, &mut piece), 2);
        assert_eq!(rest.read(&reader, &mut piece), 1);
        assert_eq!(rest.read(&reader, &mut piece), 0);
    }

    #[test]
    fn others_that_go_on_writing_are_not_heard_for_ever() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let size = rustix::pipe::fcntl_getpipe_size(&reader).unwrap();
        let mut rest = Rest::of(&reader);
        let (mut piece, mut read) = ([0; 1 << 10], 0);
        loop {
            writer.write_all(&piece).unwrap();
            match rest.read(&reader, &mut piece) {
                0 => break,
                bytes => read += bytes,
            }
        }
        assert_eq!(read, size);
    }
}
