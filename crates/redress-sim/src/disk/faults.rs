//! `DiskFault`: what goes wrong on a simulated disk, and what ends there.

/// What of the disk goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskFault {
    /// A sync fails, and what was to be synced is durable or not.
    Sync,
    /// The same of segments alone, however often.
    SegmentSync,
    /// A write fails, some of it may be there.
    Write,
    /// A write claims to have written all, and has not.
    Lie,
    /// A name cannot be given, changed or taken away.
    Name,
    /// There is no space for some bytes that are to be set aside.
    SetAside,
}

/// What ends at an operation of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The power: no process goes on, and what was not synced may be lost.
    Power,
    /// The process that is at it. The disk keeps what was written.
    Process,
}

/// A promise of the disk that it does not keep: a planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskBug {
    /// A sync that fails says that it went well.
    HidesFailedSync,
    /// When a later segment is made, the last line of the one before is lost.
    LosesAtRotation,
}
