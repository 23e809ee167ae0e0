//! What a process writes to its output, line by line, into the session of its link.

use std::sync::Arc;

use super::{FIRST, Link, Role};
use crate::{
    lines::{Line, Lines},
    session::Turn,
};

impl Link {
    /// Takes in the lines that are whole. Gives whether a commit must follow.
    pub(crate) fn upstream_lines(
        self: &Arc<Self>,
        lines: &mut Lines,
        turn: &mut Turn,
        generation: u64,
    ) -> bool {
        let (first, is_to_commit) = self.upstream_piece(lines, turn, generation, FIRST);
        if first < FIRST {
            return is_to_commit;
        }
        self.upstream_piece(lines, turn, generation, usize::MAX).1 || is_to_commit
    }

    /// Takes in as many lines. Gives how many there were, and whether a commit must follow.
    fn upstream_piece(
        self: &Arc<Self>,
        lines: &mut Lines,
        turn: &mut Turn,
        generation: u64,
        most: usize,
    ) -> (usize, bool) {
        turn.now = self.now();
        let mut core = self.lock();
        let is_current = core.is_current(generation);
        let session = &mut core.session;
        let mut taken = 0;
        while taken < most
            && let Some(line) = lines.next_line()
        {
            taken += 1;
            match line {
                _ if !is_current => (),
                Line::Whole(line) => session.upstream_line(line, turn),
                Line::LongHead(head) => session.upstream_long(head, turn),
                Line::LongTail(tail, bytes) => session.upstream_long_end(tail, bytes, turn),
            }
        }
        (taken, self.settle(core, turn, Role::Server))
    }

    /// Takes in what was written last, without a line break. Gives whether a commit must follow.
    pub(crate) fn upstream_rest(
        self: &Arc<Self>,
        lines: &mut Lines,
        turn: &mut Turn,
        generation: u64,
    ) -> bool {
        turn.now = self.now();
        let mut core = self.lock();
        if let Some(Line::Whole(rest)) = lines.rest()
            && core.is_current(generation)
        {
            core.session.upstream_rest(rest, turn);
        }
        self.settle(core, turn, Role::Server)
    }
}
