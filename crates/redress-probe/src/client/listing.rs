//! The tools of a server, for callers that need nothing else of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{ServerAddress, Unprobed, greet};

/// Every tool of a server, as it describes it.
///
/// # Errors
/// Why they could not be listed within that time.
pub fn tools(place: &ServerAddress, within: Duration) -> Result<Vec<Value>, Unprobed> {
    let stop = Arc::new(AtomicBool::new(false));
    let stops = Arc::clone(&stop);
    let timer = thread::spawn(move || {
        thread::park_timeout(within);
        stops.store(true, Ordering::Relaxed);
    });
    let listed = greet(place, None, &stop).and_then(|mut it| it.client.tools(within));
    timer.thread().unpark();
    listed
}
