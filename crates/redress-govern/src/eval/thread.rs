//! A judgement on a thread of its own: a parser that goes as deep as its input has a stack for that, and one that dies takes nothing with it.

use std::{
    sync::{
        Condvar, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use super::{Refusal, TOO_SLOW, UNREADABLE};

/// The most stack that one byte of a payload was seen to need is a tenth of this; what is not used is never touched.
const STACK_OF_BYTE: usize = 8 * 1024;
const STACK: usize = 1024 * 1024;
/// How many bytes may be judged at once, those included whose callers gave up: each costs up to a thousand of memory.
const MOST: usize = 256 << 10;
/// Shorter payloads count as this many: a thread costs something, too.
const LEAST: usize = 16 << 10;
const PAUSE: Duration = Duration::from_millis(1);
const DEAD: Refusal = Refusal::Syntax { line: 1, column: 1, reason: UNREADABLE };

static UNDER_WAY: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// Counts the bytes of a judgement for as long as it runs.
struct ReservedBytes(usize);

impl ReservedBytes {
    /// Waits for one while others are judged.
    fn wait(bytes: usize, expired: &mut dyn FnMut() -> bool) -> Option<Self> {
        let bytes = bytes.max(LEAST);
        let mut under_way = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
        while !expired() {
            if let Some(more) = with(*under_way, bytes) {
                *under_way = more;
                return Some(Self(bytes));
            }
            let waited = FREED.wait_timeout(under_way, PAUSE);
            under_way = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        FREED.notify_all();
    }
}

/// What is under way with so many bytes more, if that is not too much. One payload alone never is.
fn with(under_way: usize, bytes: usize) -> Option<usize> {
    Some(under_way + bytes).filter(|it| under_way == 0 || *it <= MOST)
}

/// Judges a payload, for as long as `expired` allows.
pub(super) fn judged(
    code: &str,
    expired: &mut dyn FnMut() -> bool,
    judge: fn(&str) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let place = ReservedBytes::wait(code.len(), expired).ok_or(TOO_SLOW)?;
    let stack = STACK + code.len() * STACK_OF_BYTE;
    let code = code.to_owned();
    let (tell, told) = sync_channel(1);
    let work = move || {
        let _place = place;
        drop(tell.send(judge(&code)));
    };
    if thread::Builder::new().stack_size(stack).spawn(work).is_err() {
        return Err(DEAD);
    }
    loop {
        match told.recv_timeout(PAUSE) {
            Ok(verdict) => return verdict,
            Err(RecvTimeoutError::Disconnected) => return Err(DEAD),
            Err(RecvTimeoutError::Timeout) if expired() => return Err(TOO_SLOW),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST, with};
    use crate::eval::MAX_CHARS;

    #[test]
    fn many_short_payloads_or_two_of_the_longest_are_judged_at_once() {
        let fits = |bytes: usize| {
            let more = |under_way: &usize| with(*under_way, bytes);
            std::iter::successors(Some(0), more).count() - 1
        };
        assert_eq!(fits(LEAST), 16);
        assert_eq!(fits(MAX_CHARS), 2);
        assert_eq!(fits(4 * MAX_CHARS), 1, "however long its characters are");
    }
}
