//! A judgement on a thread of its own: a parser that goes as deep as its input has a stack for that, and one that dies takes nothing with it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use super::{Refusal, TOO_SLOW, UNREADABLE};

/// The most stack that one byte of a payload was seen to need is a tenth of this; what is not used is never touched.
const STACK_OF_BYTE: usize = 8 * 1024;
const STACK: usize = 1024 * 1024;
/// How many judgements may be under way, those included that nobody waits for any more.
const MOST: usize = 16;
const PAUSE: Duration = Duration::from_millis(1);
const DEAD: Refusal = Refusal::Syntax { line: 1, column: 1, reason: UNREADABLE };

static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Counts a judgement for as long as it runs.
struct Place;

impl Place {
    fn take() -> Option<Self> {
        let more = |it| (it < MOST).then_some(it + 1);
        UNDER_WAY.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok().then_some(Self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Judges a payload, for as long as `expired` allows.
pub(super) fn judged(
    code: &str,
    expired: &mut dyn FnMut() -> bool,
    judge: fn(&str, &dyn Fn() -> bool) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    if expired() {
        return Err(TOO_SLOW);
    }
    let place = Place::take().ok_or(TOO_SLOW)?;
    let stack = STACK + code.len() * STACK_OF_BYTE;
    let code = code.to_owned();
    let given_up = Arc::new(AtomicBool::new(false));
    let (tell, told) = sync_channel(1);
    let asked = Arc::clone(&given_up);
    let work = move || {
        let _place = place;
        let verdict = judge(&code, &|| asked.load(Ordering::Relaxed));
        drop(tell.send(verdict));
    };
    if thread::Builder::new().stack_size(stack).spawn(work).is_err() {
        return Err(DEAD);
    }
    loop {
        match told.recv_timeout(PAUSE) {
            Ok(verdict) => return verdict,
            Err(RecvTimeoutError::Disconnected) => return Err(DEAD),
            Err(RecvTimeoutError::Timeout) if expired() => {
                given_up.store(true, Ordering::Relaxed);
                return Err(TOO_SLOW);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
