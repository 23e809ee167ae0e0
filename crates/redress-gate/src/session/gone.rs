//! The upstream has ended, or could not be started: who waits is told, and what was known of it alone is forgotten.

use super::{Door, Exit, Session, State, Turn, seen::Seen};

impl Session {
    /// The upstream could not be started.
    pub fn upstream_failed(&mut self, error: &std::io::Error, turn: &mut Turn) {
        self.upstream = State::Down;
        self.fail_all(&Seen::NotStarted(error), turn);
    }

    /// The upstream ended, and all that it wrote has been read.
    pub fn upstream_gone(&mut self, exit: &Exit, turn: &mut Turn) {
        let since = self.up_since().unwrap_or(turn.now.at);
        self.upstream = State::Down;
        self.last_exit = Some(exit.clone());
        let lived = turn.now.at.saturating_duration_since(since);
        self.restarts.ended(turn.now.at, lived, self.inflight.random());
        if !self.has_spoken && self.door != Door::Closing {
            self.server.starts.failed(since, turn.now.at, self.inflight.random());
        }
        self.decide_all(turn);
        self.withdraw_upstream_requests(turn);
        self.give_up_writes();
        self.is_long_answered = false;
        if self.door == Door::Closing {
            return self.fail_all(&Seen::Closing, turn);
        }
        if self.is_idle() {
            self.note_exit(exit, turn);
        }
        self.fail_all(&Seen::Exited(exit), turn);
        self.tools.outlive_process();
        self.memo.forget();
        self.tasks.forget();
    }
}
