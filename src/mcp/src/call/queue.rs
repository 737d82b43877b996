//! The request scheduler: reads run in parallel, every other request runs alone, in order of
//! arrival.
//!
//! A read that was sent after a write therefore sees that write, as if the requests had run one
//! after the other.

use std::collections::VecDeque;

/// Waiting and running requests, by number.
pub(super) struct RequestQueue {
    /// Each with whether it runs alone.
    waiting: VecDeque<(u64, bool)>,
    pub(super) running: usize,
    is_alone: bool,
    most: usize,
}

impl RequestQueue {
    /// An empty queue that runs at most `most` requests at once.
    pub(super) fn new(most: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            running: 0,
            is_alone: false,
            most,
        }
    }

    /// Adds a request that waits for its turn. A possible change runs alone; reads may run at the same time.
    pub(super) fn push(&mut self, number: u64, runs_alone: bool) {
        self.waiting.push_back((number, runs_alone));
    }

    /// Takes the next request that may start now and counts it as running.
    pub(super) fn start_next(&mut self) -> Option<u64> {
        let (number, runs_alone) = *self.waiting.front()?;
        let has_place = !self.is_alone && self.running < self.most;
        if !has_place || runs_alone && self.running > 0 {
            return None;
        }
        self.waiting.pop_front();
        self.running += 1;
        self.is_alone = runs_alone;
        Some(number)
    }

    /// Counts one running request as finished.
    pub(super) fn ended(&mut self) {
        self.running = self.running.saturating_sub(1);
        self.is_alone &= self.running > 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn started(queue: &mut RequestQueue) -> Vec<u64> {
        std::iter::from_fn(|| queue.start_next()).collect()
    }

    #[test]
    fn reads_run_side_by_side_and_writes_alone_in_their_turn() {
        let mut queue = RequestQueue::new(2);
        for (number, is_write) in (0..).zip([false, false, false, true, false]) {
            queue.push(number, is_write);
        }
        assert_eq!(started(&mut queue), [0, 1]);
        queue.ended();
        assert_eq!(started(&mut queue), [2]);
        queue.ended();
        assert_eq!(started(&mut queue), [0; 0], "2 still runs");
        queue.ended();
        assert_eq!(started(&mut queue), [3]);
        queue.ended();
        assert_eq!(started(&mut queue), [4]);
        queue.ended();
        assert_eq!((started(&mut queue), queue.running), (vec![], 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn j01_never_too_many_and_never_beside_a_write_and_all_in_order(
            writes in proptest::collection::vec(any::<bool>(), 0..30),
            ends in proptest::collection::vec(any::<usize>(), 60),
            most in 1_usize..5,
        ) {
            let mut queue = RequestQueue::new(most);
            for (number, write) in (0_u64..).zip(&writes) {
                queue.push(number, *write);
            }
            let (mut order, mut running) = (Vec::<u64>::new(), Vec::<u64>::new());
            for end in ends {
                let new = started(&mut queue);
                order.extend(&new);
                running.extend(new);
                prop_assert!(running.len() <= most && running.len() == queue.running);
                let write = |number: &u64| writes[usize::try_from(*number).unwrap()];
                prop_assert!(running.len() <= 1 || !running.iter().any(write));
                if !running.is_empty() {
                    running.swap_remove(end % running.len());
                    queue.ended();
                }
            }
            prop_assert!(order.iter().copied().eq(0..u64::try_from(writes.len()).unwrap()));
        }
    }
}
