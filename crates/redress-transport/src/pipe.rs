//! Pipes to and from servers: how much they take, and what is left in one whose writer has ended.

use std::os::fd::AsFd;

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::{Errno, read, retry_on_intr},
    pipe::{fcntl_getpipe_size, fcntl_setpipe_size},
};

/// How many bytes a pipe takes, so that a large message fits in.
const WIDE: usize = 1 << 20;

/// Widens a pipe so that it takes a large message whole and both ends switch less often. Anything but a pipe stays as it is.
pub fn widen(pipe: &impl AsFd) {
    if fcntl_getpipe_size(pipe).is_ok_and(|it| it < WIDE) {
        fcntl_setpipe_size(pipe, WIDE).unwrap_or_default();
    }
}

/// How much is still read from a pipe whose process has ended. A process leaves no more in it than it takes: what exceeds that is
/// written by others that hold the pipe.
#[derive(Debug)]
pub struct PipeRemainder(usize);

impl PipeRemainder {
    /// The remainder of a pipe. From now on, no read of it blocks.
    pub fn of(pipe: &impl AsFd) -> Self {
        let is_set = fcntl_getfl(pipe).and_then(|it| fcntl_setfl(pipe, it | OFlags::NONBLOCK));
        // A pipe whose reads may block is not read: other processes could hold it open for ever.
        Self(is_set.map_or(0, |()| fcntl_getpipe_size(pipe).unwrap_or(WIDE)))
    }

    /// Reads some bytes of it; nothing at the end.
    pub fn read(&mut self, pipe: &impl AsFd, into: &mut [u8]) -> usize {
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

    use super::PipeRemainder;

    #[test]
    fn what_is_left_is_read_although_others_hold_the_pipe() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"one").unwrap();
        let mut remainder = PipeRemainder::of(&reader);
        let mut piece = [0; 2];
        assert_eq!(remainder.read(&reader, &mut piece), 2);
        assert_eq!(remainder.read(&reader, &mut piece), 1);
        assert_eq!(remainder.read(&reader, &mut piece), 0);
    }

    #[test]
    fn others_that_go_on_writing_are_not_heard_for_ever() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let size = rustix::pipe::fcntl_getpipe_size(&reader).unwrap();
        let mut remainder = PipeRemainder::of(&reader);
        let (mut piece, mut read) = ([0; 1 << 10], 0);
        loop {
            writer.write_all(&piece).unwrap();
            match remainder.read(&reader, &mut piece) {
                0 => break,
                bytes => read += bytes,
            }
        }
        assert_eq!(read, size);
    }
}
