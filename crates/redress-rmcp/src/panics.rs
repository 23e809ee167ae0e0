//! Panics of a handler, caught: rmcp alone would never answer the request. What was said is the cause, and where is the stack.

use std::{
    any::Any,
    backtrace::{Backtrace, BacktraceStatus},
    cell::{Cell, RefCell},
    future::poll_fn,
    panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind},
    pin::Pin,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};

use redress::{
    Fault, codes,
    fault::{Cause, Origin},
};

/// A panic of a handler.
#[derive(Debug)]
pub(crate) struct Panic {
    message: String,
    place: Option<PanicPlace>,
}

/// Where a panic was.
#[derive(Debug)]
struct PanicPlace {
    location: String,
    /// Only if a policy or the environment of the process asks for it, since it costs milliseconds.
    stack: Option<String>,
}

/// Whether the stack of each panic is kept.
static KEEPS_STACKS: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// How many of our futures this thread is polling, one inside the other.
    static POLLING: Cell<usize> = const { Cell::new(0) };
    /// Where the last panic in one of them was.
    static PLACE: RefCell<Option<PanicPlace>> = const { RefCell::new(None) };
}

/// Notes from now on where handlers panic. An earlier panic hook is called as before.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if POLLING.get() > 0 {
                note(info);
            }
            before(info);
        }));
    });
}

/// Keeps the stack of each panic from now on.
pub(crate) fn keep_stacks() {
    KEEPS_STACKS.store(true, Ordering::Relaxed);
}

fn note(info: &PanicHookInfo<'_>) {
    let is_kept = KEEPS_STACKS.load(Ordering::Relaxed);
    let stack = if is_kept { Backtrace::force_capture() } else { Backtrace::capture() };
    let stack = (stack.status() == BacktraceStatus::Captured).then(|| stack.to_string());
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    PLACE.with_borrow_mut(|it| *it = Some(PanicPlace { location, stack }));
}

/// Runs a future to its end or to its panic.
pub(crate) fn catch<F: Future + Unpin>(
    future: F,
) -> impl Future<Output = Result<F::Output, Panic>> {
    let mut future = Some(future);
    poll_fn(move |cx| {
        let Some(running) = future.as_mut() else { return Poll::Pending };
        let end = match caught(|| Pin::new(running).poll(cx)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Ok(output),
            Err(panic) => Err(panic),
        };
        // What the handler has left behind may panic on its way out, too.
        let left = caught(|| drop(future.take()));
        Poll::Ready(end.and_then(|it| left.map(|()| it)))
    })
}

/// Does something that may panic.
pub(crate) fn caught<T>(it: impl FnOnce() -> T) -> Result<T, Panic> {
    if POLLING.get() == 0 {
        // A panic that a handler caught itself is not the next one's place.
        PLACE.with_borrow_mut(|it| *it = None);
    }
    POLLING.set(POLLING.get() + 1);
    let end = catch_unwind(AssertUnwindSafe(it));
    POLLING.set(POLLING.get() - 1);
    end.map_err(|payload| {
        let place = PLACE.with_borrow_mut(Option::take);
        let message = said(&*payload);
        // What was thrown may panic on its way out, too, and what that throws is not looked at any more.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(again);
        }
        Panic { message, place }
    })
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|it| (*it).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "panic".to_owned())
}

impl Panic {
    /// The failure that it is.
    pub(crate) fn fault(self) -> Fault {
        let mut fault = Fault::of(codes::INTERNAL_ERROR.entry());
        fault.origin = Origin::Server;
        fault.private.stack = self.place.map(|it| {
            let frames = it.stack.map(|it| format!("\nstack backtrace:\n{it}"));
            format!("panicked at {}{}", it.location, frames.unwrap_or_default())
        });
        let (message, name) = (self.message, "panic".to_owned());
        fault.private.push_cause(Cause::Error { message, code: None, name });
        fault
    }
}
