//! The handler at work on one call: what it throws is caught, its time is measured, the faults of its tools are kept.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use rmcp::{ErrorData, model::CallToolResponse};
use tokio::{
    task::{Unconstrained, unconstrained},
    time::{Instant, Sleep, sleep_until},
};

use crate::{
    panics::{self, Panic},
    tool_fault::Carried,
};

/// What a handler answers.
pub(crate) type Answer = Result<CallToolResponse, ErrorData>;

/// How a call ends: with an answer, with none in time, or with a panic.
pub(crate) type End = Result<Option<Answer>, Panic>;

/// Runs a call to its end, and drops what is left of it: that may panic, too.
pub(crate) fn run<F: Future<Output = Answer>>(
    mut call: Pin<&mut Option<F>>,
    limit: Option<Instant>,
    carried: &mut Carried,
) -> impl Future<Output = End> {
    let mut timer = Timer::new(limit);
    poll_fn(move |cx| {
        let polled = carried.around(|| panics::caught(|| poll(call.as_mut(), cx)));
        match polled {
            Ok(Poll::Ready(answer)) => Poll::Ready(Ok(Some(answer))),
            Ok(Poll::Pending) if timer.is_over(cx) => {
                // What the handler leaves behind changes nothing about it.
                drop(panics::caught(|| call.set(None)));
                Poll::Ready(Ok(None))
            }
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => {
                drop(panics::caught(|| call.set(None)));
                Poll::Ready(Err(panic))
            }
        }
    })
}

fn poll<F: Future>(mut call: Pin<&mut Option<F>>, cx: &mut Context<'_>) -> Poll<F::Output> {
    let Some(running) = call.as_mut().as_pin_mut() else { return Poll::Pending };
    let polled = running.poll(cx);
    if polled.is_ready() {
        call.set(None);
    }
    polled
}

/// A limit of time: what is answered at once needs no timer.
pub(crate) struct Timer {
    limit: Option<Instant>,
    sleep: Option<Pin<Box<Unconstrained<Sleep>>>>,
}

impl Timer {
    pub(crate) const fn new(limit: Option<Instant>) -> Self {
        Self { limit, sleep: None }
    }

    /// Whether the time is over; if not, the task is woken when it is.
    pub(crate) fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(limit) = self.limit else { return false };
        // A future that always has something to do must not keep the timer from being heard.
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(unconstrained(sleep_until(limit))));
        sleep.as_mut().poll(cx).is_ready()
    }
}
