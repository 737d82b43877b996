//! Requests in progress on stdio: rejects duplicate ids, and bounds their number and size
//! (`threats.toml` I13, J04).

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use rmcp::model::RequestId;
use tokio::sync::Notify;

use crate::lock;

/// The maximum number of requests in progress. Above that, the next line is read when one is answered.
const MOST_REQUESTS: usize = 256;
/// The maximum number of bytes of requests in progress, exceeded by at most one request.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// The maximum number of cancelled ids that are remembered.
const MOST_CANCELLED: usize = 1024;

/// The requests in progress on one connection.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    state: Mutex<FlightState>,
    room: Notify,
}

#[derive(Debug, Default)]
struct FlightState {
    /// The length of each request's message, in bytes.
    requests: HashMap<RequestId, usize>,
    bytes: usize,
    /// A cancelled request may still be running, so its id stays reserved: otherwise its answer
    /// could be taken for the answer to a new request.
    cancelled: VecDeque<RequestId>,
}

impl InFlight {
    /// Admits a request; `false` if its id is in use or was cancelled.
    pub(super) fn enter(&self, id: &RequestId, bytes: usize) -> bool {
        let mut state = lock(&self.state);
        if state.requests.contains_key(id) || state.cancelled.contains(id) {
            return false;
        }
        state.requests.insert(id.clone(), bytes);
        state.bytes += bytes;
        true
    }

    /// Removes an answered request.
    pub(super) fn answered(&self, id: &RequestId) {
        let mut state = lock(&self.state);
        state.leave(id);
        drop(state);
        self.room.notify_one();
    }

    /// Removes a cancelled request, which gets no answer, and reserves its id.
    pub(super) fn cancelled(&self, id: &RequestId) {
        let mut state = lock(&self.state);
        if !state.leave(id) {
            return;
        }
        state.cancelled.push_back(id.clone());
        if state.cancelled.len() > MOST_CANCELLED {
            state.cancelled.pop_front();
        }
        drop(state);
        self.room.notify_one();
    }

    /// Waits until another request may start.
    pub(super) async fn room(&self) {
        while !self.has_room() {
            self.room.notified().await;
        }
    }

    fn has_room(&self) -> bool {
        let state = lock(&self.state);
        state.requests.len() < MOST_REQUESTS && state.bytes < MOST_BYTES
    }
}

impl FlightState {
    fn leave(&mut self, id: &RequestId) -> bool {
        let bytes = self.requests.remove(id);
        self.bytes -= bytes.unwrap_or_default();
        bytes.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn i13_an_id_counts_once_while_its_work_may_go_on() {
        let flight = InFlight::default();
        assert!(flight.enter(&id(1), 10));
        assert!(!flight.enter(&id(1), 10));
        assert!(
            flight.enter(&RequestId::String("1".into()), 10),
            "another id"
        );
        flight.answered(&id(1));
        assert!(flight.enter(&id(1), 10));
        flight.cancelled(&id(1));
        assert!(!flight.enter(&id(1), 10));
        flight.cancelled(&id(7));
        assert!(flight.enter(&id(7), 10), "nothing was cancelled");
        for number in 100..100 + 1024 {
            flight.enter(&id(number), 1);
            flight.cancelled(&id(number));
        }
        assert!(flight.enter(&id(1), 10), "forgotten by now");
    }

    #[test]
    fn j04_many_and_large_requests_wait_outside() {
        let flight = InFlight::default();
        for number in 0..256 {
            assert!(flight.has_room());
            flight.enter(&id(number), 1);
        }
        assert!(!flight.has_room());
        flight.answered(&id(0));
        assert!(flight.has_room());
        flight.enter(&id(0), MOST_BYTES);
        assert!(!flight.has_room());
    }
}
