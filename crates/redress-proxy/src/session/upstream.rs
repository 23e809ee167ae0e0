//! `Upstream`: the state of a session's one upstream, and the lines that wait until it takes them.

use std::{sync::Arc, time::Instant};

use super::{
    interface::{Actions, Exit, UpstreamKind},
    stray_output::StrayOutput,
};
use crate::{memory::Reservation, restarts::Restarts, tail::Tail, upstream_id::UpstreamId};

/// What a session knows of its upstream as a peer: whether it runs, what it was sent and what it wrote.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) kind: UpstreamKind,
    pub(super) state: State,
    /// What it gets once it is ready.
    queue: Vec<QueuedLine>,
    queued_bytes: usize,
    pub(super) restarts: Restarts,
    /// Whether the present process has written anything.
    pub(super) has_spoken: bool,
    pub(super) stderr: Arc<Tail>,
    /// When it last wrote something.
    pub(super) heard: Option<Instant>,
    /// How many messages without an answer it was sent, and how many of them it has read for sure: it has answered something that
    /// was sent later.
    pub(super) notes: u64,
    pub(super) notes_read: u64,
    /// When a deadline last passed in which it wrote nothing.
    pub(super) silent: Option<Instant>,
    /// How the last process ended.
    pub(super) last_exit: Option<Exit>,
    /// The lines that answered nothing.
    pub(super) stray: StrayOutput,
}

/// Whether an upstream runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It does not run.
    Down,
    /// It is to be started then.
    StartAt(Instant),
    /// It is being started.
    Starting,
    /// It runs, and the gate opens its session.
    Handshaking { since: Instant, until: Instant },
    /// It runs.
    Up { since: Instant },
}

/// A line for an upstream that is not ready.
#[derive(Debug)]
pub(super) struct QueuedLine {
    /// The request that it is; a notification has none.
    pub(super) id: Option<UpstreamId>,
    pub(super) line: Vec<u8>,
    /// The bytes that are reserved for it.
    pub(super) memory: Vec<Reservation>,
}

impl Upstream {
    /// An upstream that is being started.
    pub(super) fn new(kind: UpstreamKind) -> Self {
        Self {
            kind,
            state: State::Starting,
            queue: Vec::new(),
            queued_bytes: 0,
            restarts: Restarts::default(),
            has_spoken: false,
            stderr: Arc::default(),
            heard: None,
            notes: 0,
            notes_read: 0,
            silent: None,
            last_exit: None,
            stray: StrayOutput::default(),
        }
    }

    /// Whether it takes lines now.
    pub(super) const fn is_up(&self) -> bool {
        matches!(self.state, State::Up { .. })
    }

    /// Since when it runs.
    pub(super) const fn up_since(&self) -> Option<Instant> {
        match self.state {
            State::Up { since } | State::Handshaking { since, .. } => Some(since),
            _ => None,
        }
    }

    /// When its state has to change, if nothing happens before.
    pub(super) const fn next_deadline(&self) -> Option<Instant> {
        match self.state {
            State::StartAt(then) => Some(then),
            State::Handshaking { until, .. } => Some(until),
            _ => None,
        }
    }

    /// It runs now. Gives whether it ran before.
    pub(super) fn started(&mut self, stderr: Arc<Tail>, now: Instant) -> bool {
        self.stderr = stderr;
        self.state = State::Up { since: now };
        self.has_spoken = false;
        self.notes_read = self.notes;
        self.restarts.started()
    }

    /// The time to start it has come. Gives whether it is to be started: only if something waits for it.
    pub(super) fn start_is_due(&mut self) -> bool {
        let is_needed = !self.queue.is_empty();
        self.state = if is_needed { State::Starting } else { State::Down };
        is_needed
    }

    /// Keeps a line until it is ready, with the bytes that are reserved for the line.
    pub(super) fn enqueue(&mut self, id: Option<UpstreamId>, line: Vec<u8>, actions: &mut Actions) {
        self.queued_bytes += line.len();
        self.queue.push(QueuedLine { id, line, memory: std::mem::take(&mut actions.queued) });
    }

    /// Whether that many more bytes may wait for it.
    pub(super) const fn has_room(&self, bytes: usize, most: usize) -> bool {
        self.queued_bytes + bytes <= most
    }

    /// The requests that wait for it.
    pub(super) fn queued_requests(&self) -> impl Iterator<Item = UpstreamId> {
        self.queue.iter().filter_map(|it| it.id)
    }

    /// Takes out every line that waits for it.
    pub(super) fn take_queue(&mut self) -> Vec<QueuedLine> {
        self.queued_bytes = 0;
        std::mem::take(&mut self.queue)
    }

    /// Whether it was silent when a deadline passed, and has written nothing since.
    pub(super) fn is_silent(&self) -> bool {
        self.silent.is_some_and(|it| self.heard.is_none_or(|heard| heard < it))
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Instant};

    use redress_ledger::Time;

    use super::{Actions, State, Upstream, UpstreamKind};
    use crate::moment::Moment;

    fn actions() -> Actions {
        Actions::new(Moment { at: Instant::now(), wall: Time::from_millis(0) })
    }

    #[test]
    fn lines_wait_until_they_are_taken() {
        let (mut upstream, mut actions) = (Upstream::new(UpstreamKind::Pipe), actions());
        upstream.enqueue(None, b"one\n".to_vec(), &mut actions);
        upstream.enqueue(None, b"two\n".to_vec(), &mut actions);
        assert!(upstream.has_room(2, 10) && !upstream.has_room(3, 10));
        let lines: Vec<_> = upstream.take_queue().into_iter().map(|it| it.line).collect();
        assert_eq!(lines, [b"one\n", b"two\n"]);
        assert!(upstream.has_room(10, 10));
    }

    #[test]
    fn it_starts_late_only_for_a_line_that_waits() {
        let (mut upstream, mut actions) = (Upstream::new(UpstreamKind::Pipe), actions());
        assert!(!upstream.start_is_due());
        assert_eq!(upstream.state, State::Down);
        upstream.enqueue(None, b"one\n".to_vec(), &mut actions);
        assert!(upstream.start_is_due());
        assert_eq!(upstream.state, State::Starting);
    }

    #[test]
    fn a_second_start_is_a_restart() {
        let mut upstream = Upstream::new(UpstreamKind::Pipe);
        let now = Instant::now();
        assert_eq!(upstream.up_since(), None);
        assert!(!upstream.started(Arc::default(), now));
        assert_eq!((upstream.is_up(), upstream.up_since()), (true, Some(now)));
        assert!(upstream.started(Arc::default(), now));
    }
}
