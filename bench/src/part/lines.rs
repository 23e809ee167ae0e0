//! Lines of a stream, handed on as soon as they are whole.

use std::io::Read;

use memchr::{memchr_iter, memrchr};

use crate::fallible::Fallible;

/// How much is read at once.
pub(super) const ROOM: usize = 64 << 10;

/// Reads to the end; what is whole after each read, one line or several, is given with its line ends.
pub(super) fn each_block(
    mut from: impl Read,
    mut hand_on: impl FnMut(&[u8]) -> Fallible<()>,
) -> Fallible<()> {
    let (mut bytes, mut room) = (Vec::new(), vec![0; ROOM]);
    loop {
        let read = from.read(&mut room)?;
        if read == 0 {
            return Ok(());
        }
        let searched = bytes.len();
        bytes.extend_from_slice(room.get(..read).unwrap_or_default());
        if let Some(last) = memrchr(b'\n', bytes.get(searched..).unwrap_or_default()) {
            let end = searched + last + 1;
            hand_on(bytes.get(..end).unwrap_or_default())?;
            bytes.drain(..end);
        }
    }
}

/// The lines of a block, without their ends.
pub(super) fn lines(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut begin = 0;
    memchr_iter(b'\n', block).map(move |end| {
        let line = block.get(begin..end).unwrap_or_default();
        begin = end + 1;
        line
    })
}
