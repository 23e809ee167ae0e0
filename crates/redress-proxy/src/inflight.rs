//! `InFlight`: every request that waits for an upstream, under an id that cannot be guessed.

pub(crate) mod questions;

use std::{
    borrow::Cow,
    hash::{BuildHasher as _, Hash, Hasher as _},
    time::Instant,
};

use indexmap::IndexMap;
use redress_wire::json::Value;
use rustc_hash::FxBuildHasher;

use self::questions::Questions;
use crate::{
    exchange::Exchange,
    upstream_id::{DIGITS, PLACE_BITS, Secret, UpstreamId},
};

/// The most requests that can be in flight.
pub(crate) const MOST: usize = 1 << PLACE_BITS;

/// How long a number is under which a client is asked: every reader of JSON keeps that many bits.
const NUMBER_BITS: u32 = 46;

/// The most finished requests whose memory is kept for new ones.
const MOST_SPARE: usize = 64;

/// What is owed for a request.
#[derive(Debug)]
pub(crate) enum InFlightEntry {
    /// An answer to the client.
    Answer(Box<Exchange>),
    /// Nothing more: the client withdrew its request.
    Nothing {
        /// When we stop waiting for an answer that may still come.
        until: Instant,
    },
    /// The gate itself asked.
    Own(OwnRequest),
}

/// What the gate itself asks of an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnRequest {
    /// The client's `initialize`, again, for a new process.
    Initialize,
    /// The list of tools.
    Tools,
}

#[derive(Debug, Default)]
struct TableSlot {
    /// The last id that was given out for this place.
    id: Option<UpstreamId>,
    entry: Option<InFlightEntry>,
    /// The client's id, as a key.
    key: u64,
}

/// All requests in flight.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    slots: Vec<TableSlot>,
    free: Vec<usize>,
    /// The client's ids: small numbers, or hashes with a secret key. Different ids have different keys.
    by_client: IndexMap<u64, UpstreamId, FxBuildHasher>,
    secret: Secret,
    given_out: u64,
    /// How many requests of clients there have been.
    opened: u64,
    /// How many of them have no deadline.
    endless: usize,
    /// Requests of the upstream that wait for a client.
    pub(crate) questions: Questions,
    /// Finished requests, whose memory new ones take over.
    #[expect(clippy::vec_box, reason = "they move in and out as they are")]
    spare: Vec<Box<Exchange>>,
}

impl InFlight {
    /// No request yet; ids are drawn by a secret.
    pub(crate) fn new(secret: Secret) -> Self {
        Self { secret, ..Self::default() }
    }

    /// How many clients' requests wait for an answer that is to come in time.
    pub(crate) fn answers(&self) -> usize {
        self.by_client.len() - self.endless
    }

    /// The key of an id, which is unique within a scope; `1` and `"1"` are two ids.
    pub(crate) fn key(&self, scope: (u64, u64), id: Value<'_>) -> u64 {
        // Most ids are small numbers, which are their own keys: no hash is even.
        match id.as_u64() {
            Some(number) if scope == (0, 0) && number < 1 << 63 => number << 1,
            _ => self.hash(scope, id) | 1,
        }
    }

    fn hash(&self, scope: (u64, u64), id: Value<'_>) -> u64 {
        let mut hasher = self.secret.build_hasher();
        // Of fixed length, so that what follows needs none; and few parts, since each costs as much as its bytes.
        hasher.write_u128(u128::from(scope.0) << 64 | u128::from(scope.1));
        match id.as_str() {
            // One of two spellings: with quotes it is none that a number has.
            Some(Cow::Owned(text)) => {
                hasher.write(&[b"\"", text.as_bytes(), b"\""].concat());
            }
            _ => hasher.write(id.raw().as_bytes()),
        }
        hasher.finish()
    }

    /// Under which id the client's request is in flight.
    pub(crate) fn find(&self, key: u64) -> Option<UpstreamId> {
        self.by_client.get(&key).copied()
    }

    /// Whether nothing is in flight.
    pub(crate) const fn is_empty(&self) -> bool {
        self.slots.len() == self.free.len()
    }

    /// Whether as many are in flight as may be. Withdrawn requests make room.
    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.slots.len() >= MOST && self.oldest_withdrawn().is_none()
    }

    fn oldest_withdrawn(&self) -> Option<UpstreamId> {
        let until = |entry: &InFlightEntry| match entry {
            InFlightEntry::Nothing { until } => Some(*until),
            InFlightEntry::Answer(_) | InFlightEntry::Own(_) => None,
        };
        self.all()
            .filter_map(|(id, entry)| Some((until(entry)?, id)))
            .min_by_key(|it| it.0)
            .map(|it| it.1)
    }

    /// Takes in a client's request. The caller has asked whether there is room; a request too many is not kept.
    pub(crate) fn open(&mut self, key: u64, mut exchange: Box<Exchange>) -> Option<UpstreamId> {
        let place = self.place()?;
        self.opened += 1;
        exchange.opened = self.opened;
        exchange.is_alone &= self.by_client.is_empty();
        self.endless += usize::from(exchange.deadline.is_none());
        let id = self.insert(place, InFlightEntry::Answer(exchange), key);
        self.by_client.insert(key, id);
        Some(id)
    }

    /// Takes in a question of our own, if there is room.
    pub(crate) fn ask(&mut self, ask: OwnRequest) -> Option<UpstreamId> {
        let place = self.place()?;
        Some(self.insert(place, InFlightEntry::Own(ask), 0))
    }

    /// Takes in a question of our own whose answer is of no use, if there is room; after a while none is waited for.
    pub(crate) fn ask_aside(&mut self, until: Instant) -> Option<UpstreamId> {
        let place = self.place()?;
        Some(self.insert(place, InFlightEntry::Nothing { until }, 0))
    }

    /// Takes out what is owed under an id. What was taken out before is not there again.
    pub(crate) fn take(&mut self, id: UpstreamId) -> Option<InFlightEntry> {
        let slot = self.slots.get_mut(id.place()).filter(|it| it.id == Some(id))?;
        let mut entry = slot.entry.take()?;
        self.free.push(id.place());
        if let InFlightEntry::Answer(exchange) = &mut entry {
            exchange.is_alone &= exchange.opened == self.opened;
            self.by_client.swap_remove(&slot.key);
            self.endless -= usize::from(exchange.deadline.is_none());
        }
        Some(entry)
    }

    /// Takes out the request of a client that waits under an id.
    pub(crate) fn take_exchange(&mut self, id: UpstreamId) -> Option<Box<Exchange>> {
        match self.take(id)? {
            InFlightEntry::Answer(exchange) => Some(exchange),
            _ => None,
        }
    }

    /// The memory of a finished request, if one is kept.
    pub(crate) fn spare(&mut self) -> Option<Box<Exchange>> {
        self.spare.pop()
    }

    /// Keeps the memory of a finished request for a new one.
    pub(crate) fn recycle(&mut self, mut exchange: Box<Exchange>) {
        if self.spare.len() < MOST_SPARE && exchange.request.is_small() {
            (exchange.governed, exchange.write) = (None, None);
            (exchange.memory, exchange.place) = (None, None);
            self.spare.push(exchange);
        }
    }

    /// Keeps the id of a request of the upstream. Gives the number under which a client is asked: an answer that comes late is not
    /// taken for the answer to another process, which may use the same id.
    pub(crate) fn ask_client(&mut self, theirs: &str) -> u64 {
        let ours = self.random() >> (u64::BITS - NUMBER_BITS);
        self.questions.insert(ours, theirs);
        ours
    }

    /// Takes out what is owed under an id if its time is over.
    pub(crate) fn due(&mut self, id: UpstreamId, now: Instant) -> Option<InFlightEntry> {
        let slot = self.slots.get(id.place()).filter(|it| it.id == Some(id))?;
        let until = match slot.entry.as_ref()? {
            InFlightEntry::Answer(exchange) => exchange.deadline?,
            InFlightEntry::Nothing { until } => *until,
            InFlightEntry::Own(_) => return None,
        };
        if until <= now { self.take(id) } else { None }
    }

    /// A keyed hash.
    pub(crate) fn secret(&self, value: impl Hash) -> u64 {
        self.secret.hash_one(value)
    }

    /// A number that cannot be guessed.
    pub(crate) fn random(&mut self) -> u64 {
        self.given_out += 1;
        self.secret.hash_one(self.given_out)
    }

    /// The client withdraws its request.
    pub(crate) fn withdraw(&mut self, id: UpstreamId) -> Option<Box<Exchange>> {
        let slot = self.slots.get_mut(id.place()).filter(|it| it.id == Some(id))?;
        let Some(InFlightEntry::Answer(exchange)) = slot.entry.take() else { return None };
        slot.entry =
            Some(InFlightEntry::Nothing { until: exchange.deadline.unwrap_or(exchange.started) });
        self.by_client.swap_remove(&slot.key);
        self.endless -= usize::from(exchange.deadline.is_none());
        Some(exchange)
    }

    /// Whether a request waits for its answer under an id.
    pub(crate) fn is_owed(&self, id: UpstreamId) -> bool {
        let slot = self.slots.get(id.place()).filter(|it| it.id == Some(id));
        slot.is_some_and(|it| {
            matches!(it.entry, Some(InFlightEntry::Answer(_) | InFlightEntry::Own(_)))
        })
    }

    /// The request of a client under an id.
    pub(crate) fn exchange(&self, id: UpstreamId) -> Option<&Exchange> {
        match self.slots.get(id.place()).filter(|it| it.id == Some(id))?.entry.as_ref()? {
            InFlightEntry::Answer(exchange) => Some(exchange.as_ref()),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn exchange_mut(&mut self, id: UpstreamId) -> Option<&mut Exchange> {
        match self.slots.get_mut(id.place()).filter(|it| it.id == Some(id))?.entry.as_mut()? {
            InFlightEntry::Answer(exchange) => Some(exchange.as_mut()),
            _ => None,
        }
    }

    /// Whether a question of our own waits for its answer under an id.
    pub(crate) fn is_asked(&self, id: UpstreamId) -> bool {
        let slot = self.slots.get(id.place()).filter(|it| it.id == Some(id));
        slot.is_some_and(|it| matches!(it.entry, Some(InFlightEntry::Own(_))))
    }

    /// Whether the id was ours once, and its request is over.
    pub(crate) fn is_over(&self, id: UpstreamId) -> bool {
        self.slots.get(id.place()).is_some_and(|it| it.id == Some(id) && it.entry.is_none())
    }

    /// The only request in flight that is to be answered in time, if there is but one.
    pub(crate) fn only(&self) -> Option<&Exchange> {
        if self.answers() != 1 {
            return None;
        }
        let mut all = self.by_client.values().filter_map(|it| self.exchange(*it));
        all.find(|it| it.deadline.is_some())
    }

    /// Every id in flight with what is owed for it, in no order that means anything.
    pub(crate) fn all(&self) -> impl Iterator<Item = (UpstreamId, &InFlightEntry)> {
        self.slots.iter().filter_map(|it| Some((it.id?, it.entry.as_ref()?)))
    }

    /// Every id in flight, oldest request first.
    pub(crate) fn in_order(&self) -> Vec<UpstreamId> {
        let started = |entry: &InFlightEntry| match entry {
            InFlightEntry::Answer(exchange) => Some(exchange.started),
            _ => None,
        };
        let mut ids: Vec<_> = self.all().map(|(id, it)| (started(it), id)).collect();
        ids.sort_by_key(|it| it.0);
        ids.into_iter().map(|it| it.1).collect()
    }

    /// The request whose client wants to hear of progress under a token.
    pub(crate) fn waiting_under(&self, token: Value<'_>) -> Option<UpstreamId> {
        let is_its = |it: &InFlightEntry| match it {
            InFlightEntry::Answer(exchange) => exchange.request.token() == Some(token.raw()),
            _ => false,
        };
        self.all().find(|it| is_its(it.1)).map(|it| it.0)
    }

    /// The ids in flight that occur in bytes which are no message.
    pub(crate) fn search(&self, bytes: &[u8]) -> Vec<UpstreamId> {
        let mut found = Vec::new();
        for digits in bytes.split(|it| !it.is_ascii_digit()).filter(|it| it.len() == DIGITS) {
            let Some(id) = UpstreamId::read(digits) else { continue };
            let is_in_flight = self
                .slots
                .get(id.place())
                .is_some_and(|it| it.id == Some(id) && it.entry.is_some());
            if is_in_flight && !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }

    /// A place that is free.
    fn place(&mut self) -> Option<usize> {
        if let Some(place) = self.free.pop() {
            return Some(place);
        }
        if self.slots.len() >= MOST {
            let withdrawn = self.oldest_withdrawn()?;
            self.take(withdrawn);
            return self.free.pop();
        }
        self.slots.push(TableSlot::default());
        Some(self.slots.len() - 1)
    }

    fn insert(&mut self, place: usize, entry: InFlightEntry, key: u64) -> UpstreamId {
        let id = UpstreamId::new(self.random(), place);
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = TableSlot { id: Some(id), entry: Some(entry), key };
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::{DIGITS, InFlight, InFlightEntry, MOST, OwnRequest, UpstreamId};

    #[test]
    fn an_id_is_answered_once() {
        let mut inflight = InFlight::default();
        let id = inflight.ask(OwnRequest::Tools).unwrap();
        assert!(matches!(inflight.take(id), Some(InFlightEntry::Own(OwnRequest::Tools))));
        assert!(inflight.take(id).is_none());
        assert!(inflight.is_over(id));
        let next = inflight.ask(OwnRequest::Tools).unwrap();
        assert_ne!(next, id, "a place is used again, its id is not");
        assert!(!inflight.is_over(id));
    }

    #[test]
    fn an_id_is_found_in_bytes_that_are_no_message() {
        let mut inflight = InFlight::default();
        let (one, two) =
            (inflight.ask(OwnRequest::Tools).unwrap(), inflight.ask(OwnRequest::Tools).unwrap());
        let text = |id: UpstreamId| String::from_utf8(id.digits().to_vec()).unwrap();
        let bytes = format!("\u{fffd}{{\"id\":{},\"x\":[{}1 {}", text(one), text(two), text(one));
        assert_eq!(inflight.search(bytes.as_bytes()), [one]);
        assert_eq!(text(one).len(), DIGITS);
    }

    #[test]
    fn there_is_a_most() {
        let mut inflight = InFlight::default();
        let all: Vec<_> = (0..MOST).map(|_| inflight.ask(OwnRequest::Tools).unwrap()).collect();
        assert!(inflight.is_full());
        assert_eq!(inflight.ask(OwnRequest::Tools), None);
        for id in all {
            assert!(inflight.take(id).is_some());
        }
        assert!(inflight.ask(OwnRequest::Tools).is_some());
    }
}
