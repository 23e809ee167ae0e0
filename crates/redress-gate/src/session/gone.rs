//! The upstream has ended, or could not be started: who waits is told, and what was known of it alone is forgotten.

use super::{Actions, Door, Exit, Session, State, seen::Seen};

impl Session {
    /// The upstream could not be started.
    pub fn upstream_failed(&mut self, error: &std::io::Error, actions: &mut Actions) {
        self.upstream = State::Down;
        self.fail_all(&Seen::NotStarted(error), actions);
    }

    /// The upstream ended, and all that it wrote has been read.
    pub fn upstream_gone(&mut self, exit: &Exit, actions: &mut Actions) {
        let since = self.up_since().unwrap_or(actions.now.at);
        self.upstream = State::Down;
        self.last_exit = Some(exit.clone());
        let lived = actions.now.at.saturating_duration_since(since);
        self.restarts.ended(actions.now.at, lived, self.inflight.random());
        if !self.has_spoken && self.door != Door::Closing {
            self.server.starts.failed(since, actions.now.at, self.inflight.random());
        }
        self.decide_all(actions);
        self.withdraw_upstream_requests(actions);
        self.give_up_writes();
        self.is_long_answered = false;
        if self.door == Door::Closing {
            return self.fail_all(&Seen::Closing, actions);
        }
        if self.is_idle() {
            self.note_exit(exit, actions);
        }
        self.fail_all(&Seen::Exited(exit), actions);
        self.tools.outlive_process();
        self.memo.forget();
        self.tasks.forget();
    }
}
