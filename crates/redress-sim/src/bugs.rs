//! `Bug`: the planted bugs: a part of the world that breaks one promise, so that a test shows that it is found.

use crate::{connection::ConnectionBug, disk::DiskBug, recorder::RecorderBug};

/// A planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// An answer is delivered twice.
    AnswersTwice,
    /// An answer goes to another request.
    AnswersAnother,
    /// A failure is told before its record is durable.
    TellsFirst,
    /// A record is lost when a new segment is made.
    LosesAtRotation,
    /// A call that changes something is made again after it may have been carried out.
    RepeatsUnsafe,
    /// An answer is dropped whose id was cancelled once.
    DropsCancelled,
    /// A failure is told that is in no record and no count.
    Miscounts,
    /// Requests are left over when a process ends or a deadline passes.
    Leaks,
    /// A byte of a success is changed.
    ChangesSuccess,
    /// A sync that failed is taken for one that went well.
    HidesFailedSync,
}

impl Bug {
    /// Every planted bug.
    pub const ALL: [Self; 10] = [
        Self::AnswersTwice,
        Self::AnswersAnother,
        Self::TellsFirst,
        Self::LosesAtRotation,
        Self::RepeatsUnsafe,
        Self::DropsCancelled,
        Self::Miscounts,
        Self::Leaks,
        Self::ChangesSuccess,
        Self::HidesFailedSync,
    ];

    pub(crate) const fn of_disk(self) -> Option<DiskBug> {
        match self {
            Self::LosesAtRotation => Some(DiskBug::LosesAtRotation),
            Self::HidesFailedSync => Some(DiskBug::HidesFailedSync),
            _ => None,
        }
    }

    pub(crate) const fn of_recorder(self) -> Option<RecorderBug> {
        match self {
            Self::TellsFirst => Some(RecorderBug::TellsFirst),
            Self::Miscounts => Some(RecorderBug::Miscounts),
            _ => None,
        }
    }

    pub(crate) const fn of_connection(self) -> Option<ConnectionBug> {
        match self {
            Self::AnswersTwice => Some(ConnectionBug::AnswersTwice),
            Self::AnswersAnother => Some(ConnectionBug::AnswersAnother),
            Self::RepeatsUnsafe => Some(ConnectionBug::RepeatsUnsafe),
            Self::DropsCancelled => Some(ConnectionBug::DropsCancelled),
            Self::Leaks => Some(ConnectionBug::Leaks),
            Self::ChangesSuccess => Some(ConnectionBug::ChangesSuccess),
            _ => None,
        }
    }
}
