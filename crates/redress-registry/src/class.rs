//! `Class`: the closed set of 16 that tells a client what to do with a code it does not know.

/// What kind of failure a code is. The names are those of gRPC; the set never grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The caller gave the call up.
    Cancelled,
    /// Nothing better is known.
    Unknown,
    /// The arguments can never work, whatever the state.
    InvalidArgument,
    /// Time ran out; the call may still take effect.
    DeadlineExceeded,
    /// What was asked for is not there.
    NotFound,
    /// What was to be made is already there.
    AlreadyExists,
    /// The caller is known and may not.
    PermissionDenied,
    /// A quota, a size or a rate is used up.
    ResourceExhausted,
    /// The system is not in the state that the call needs.
    FailedPrecondition,
    /// Another change came in between.
    Aborted,
    /// Past the end of what exists.
    OutOfRange,
    /// The server does not do this.
    Unimplemented,
    /// A bug or an invariant that broke.
    Internal,
    /// The service is away; it may come back.
    Unavailable,
    /// Data is lost or broken for good.
    DataLoss,
    /// The caller is not known.
    Unauthenticated,
}

impl Class {
    /// Every class, in gRPC's order.
    pub const ALL: [Self; 16] = [
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// The name in files and on the wire.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The HTTP status that the class gives when a code names none.
    pub const fn http(self) -> u16 {
        self.row().1
    }

    /// The class that an HTTP status says most likely. A status that says only that the server failed is `unknown`.
    pub const fn of_http(status: u16) -> Self {
        match status {
            401 | 407 | 511 => Self::Unauthenticated,
            402 | 403 | 451 => Self::PermissionDenied,
            404 | 410 => Self::NotFound,
            405 | 501 | 505 => Self::Unimplemented,
            408 | 504 => Self::DeadlineExceeded,
            409 | 412 | 423 | 424 | 425 | 428 => Self::FailedPrecondition,
            413 | 429 | 431 | 507 => Self::ResourceExhausted,
            499 => Self::Cancelled,
            502 | 503 => Self::Unavailable,
            400..=498 => Self::InvalidArgument,
            _ => Self::Unknown,
        }
    }

    /// The class of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    const fn row(self) -> (&'static str, u16) {
        match self {
            Self::Cancelled => ("cancelled", 499),
            Self::Unknown => ("unknown", 500),
            Self::InvalidArgument => ("invalid_argument", 400),
            Self::DeadlineExceeded => ("deadline_exceeded", 504),
            Self::NotFound => ("not_found", 404),
            Self::AlreadyExists => ("already_exists", 409),
            Self::PermissionDenied => ("permission_denied", 403),
            Self::ResourceExhausted => ("resource_exhausted", 429),
            Self::FailedPrecondition => ("failed_precondition", 409),
            Self::Aborted => ("aborted", 409),
            Self::OutOfRange => ("out_of_range", 400),
            Self::Unimplemented => ("unimplemented", 501),
            Self::Internal => ("internal", 500),
            Self::Unavailable => ("unavailable", 503),
            Self::DataLoss => ("data_loss", 500),
            Self::Unauthenticated => ("unauthenticated", 401),
        }
    }
}
