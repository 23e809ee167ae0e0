//! `Room`: how many connections there may be at once. The number may change while there are some.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Room for a number of connections.
#[derive(Debug)]
pub(super) struct Room {
    free: Arc<Semaphore>,
    size: Mutex<Size>,
}

#[derive(Debug, Clone, Copy)]
struct Size {
    most: usize,
    /// How many connections there are beyond that, since the number became smaller.
    beyond: usize,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    permit: Option<OwnedSemaphorePermit>,
    room: Arc<Room>,
}

impl Room {
    pub(super) fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        let size = Mutex::new(Size { most, beyond: 0 });
        Self { free: Arc::new(Semaphore::new(most)), size }
    }

    /// Waits for a place.
    pub(super) async fn enter(self: &Arc<Self>) -> Place {
        // The semaphore is never closed; if it were, there would be no bound, and no place would be given back.
        let permit = Arc::clone(&self.free).acquire_owned().await.ok();
        Place { permit, room: Arc::clone(self) }
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

impl Drop for Place {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        let mut size = self.room.size.lock().unwrap_or_else(PoisonError::into_inner);
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

    use super::{Place, Room};

    /// Takes places as long as there are any.
    fn fill(room: &Arc<Room>) -> Vec<Place> {
        let mut places = Vec::new();
        while let Poll::Ready(place) =
            pin!(room.enter()).poll(&mut Context::from_waker(Waker::noop()))
        {
            places.push(place);
        }
        places
    }

    #[test]
    fn a_room_takes_as_many_as_it_says_also_after_it_changed() {
        let room = Arc::new(Room::new(3));
        let mut first = fill(&room);
        assert_eq!(first.len(), 3);
        room.resize(1);
        first.pop();
        assert_eq!(fill(&room).len(), 0, "there are two, and one may be");
        room.resize(2);
        assert_eq!(fill(&room).len(), 0, "there are two already");
        room.resize(4);
        let second = fill(&room);
        assert_eq!(second.len(), 2);
        room.resize(2);
        drop(first);
        assert_eq!(fill(&room).len(), 0);
        drop(second);
        assert_eq!(fill(&room).len(), 2);
        room.resize(usize::MAX);
        room.resize(5);
        assert_eq!(fill(&room).len(), 5);
    }
}
