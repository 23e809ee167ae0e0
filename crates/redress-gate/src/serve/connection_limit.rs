//! `ConnectionLimit`: limits how many connections there may be at once. The limit may change meanwhile.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits how many connections there may be at once.
#[derive(Debug)]
pub(super) struct ConnectionLimit {
    free: Arc<Semaphore>,
    size: Mutex<Size>,
}

#[derive(Debug, Clone, Copy)]
struct Size {
    most: usize,
    /// How many connections there are beyond that, since the number became smaller.
    beyond: usize,
}

/// Allows one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    permit: Option<OwnedSemaphorePermit>,
    limit: Arc<ConnectionLimit>,
}

impl ConnectionLimit {
    pub(super) fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        let size = Mutex::new(Size { most, beyond: 0 });
        Self { free: Arc::new(Semaphore::new(most)), size }
    }

    /// Waits for a place.
    pub(super) async fn enter(self: &Arc<Self>) -> Permit {
        // The semaphore is never closed; if it were, there would be no bound, and no place would be given back.
        let permit = Arc::clone(&self.free).acquire_owned().await.ok();
        Permit { permit, limit: Arc::clone(self) }
    }

    /// Changes the number. Connections that are too many go on until they end; none takes their place.
    pub(super) fn resize(&self, most: usize) {
        let most = most.min(Semaphore::MAX_PERMITS);
        let mut size = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        if most > size.most {
            let more = most - size.most;
            let kept = more.min(size.beyond);
            size.beyond -= kept;
            self.free.add_permits(more - kept);
        } else {
            let fewer = size.most - most;
            size.beyond += fewer - self.free.forget_permits(fewer);
        }
        size.most = most;
    }

    /// Waits until there is no connection.
    pub(super) async fn is_empty(&self) {
        let most = self.size.lock().unwrap_or_else(PoisonError::into_inner).most;
        let all = u32::try_from(most).unwrap_or(u32::MAX);
        drop(self.free.acquire_many(all).await);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        let mut size = self.limit.size.lock().unwrap_or_else(PoisonError::into_inner);
        if size.beyond > 0 {
            size.beyond -= 1;
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::Arc,
        task::{Context, Poll, Waker},
    };

    use super::{ConnectionLimit, Permit};

    /// Takes places as long as there are any.
    fn fill(limit: &Arc<ConnectionLimit>) -> Vec<Permit> {
        let mut places = Vec::new();
        while let Poll::Ready(place) =
            pin!(limit.enter()).poll(&mut Context::from_waker(Waker::noop()))
        {
            places.push(place);
        }
        places
    }

    #[test]
    fn a_room_takes_as_many_as_it_says_also_after_it_changed() {
        let limit = Arc::new(ConnectionLimit::new(3));
        let mut first = fill(&limit);
        assert_eq!(first.len(), 3);
        limit.resize(1);
        first.pop();
        assert_eq!(fill(&limit).len(), 0, "there are two, and one may be");
        limit.resize(2);
        assert_eq!(fill(&limit).len(), 0, "there are two already");
        limit.resize(4);
        let second = fill(&limit);
        assert_eq!(second.len(), 2);
        limit.resize(2);
        drop(first);
        assert_eq!(fill(&limit).len(), 0);
        drop(second);
        assert_eq!(fill(&limit).len(), 2);
        limit.resize(usize::MAX);
        limit.resize(5);
        assert_eq!(fill(&limit).len(), 5);
    }
}
