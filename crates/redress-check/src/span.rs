//! `Span`: a range of bytes in a file.

use std::ops::Range;

/// Bytes of a file.
pub(crate) type Span = Range<u32>;

/// A byte range as a span.
pub(crate) fn span(range: Range<usize>) -> Span {
    let small = |it| u32::try_from(it).unwrap_or(u32::MAX);
    small(range.start)..small(range.end)
}
