//! Markdown: code-shaped words in texts for people and models.

use crate::scan::Scan;

/// Reads the words of a document.
pub(crate) fn read(_scan: &mut Scan<'_>) {}
