//! The result of what the benchmark does.

use std::error::Error;

/// What can go wrong ends the run or the cell, with a sentence for the person who measures.
pub(crate) type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;
