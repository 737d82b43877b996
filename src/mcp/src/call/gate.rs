//! Limits how much standard input is read ahead: a line is read only if there is room for its request (`threats.toml`
//! J01, J04).

use std::sync::{Condvar, Mutex, PoisonError};

use crate::lock;

/// The maximum number of bytes that unfinished requests and unprinted answers may use. One line of any size is
/// admitted, otherwise a large request could never be read.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Counts admitted lines and their bytes until their answers are printed.
pub(super) struct InputGate {
    most: usize,
    inside: Mutex<PendingInput>,
    left: Condvar,
}

#[derive(Default)]
struct PendingInput {
    lines: usize,
    bytes: usize,
}

impl InputGate {
    /// A gate that admits at most `most` lines at once.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            inside: Mutex::default(),
            left: Condvar::new(),
        }
    }

    /// Blocks until another line may be read.
    pub(super) fn wait_for_room(&self) {
        let mut inside = lock(&self.inside);
        while inside.lines > 0 && (inside.lines >= self.most || inside.bytes >= MOST_BYTES) {
            inside = self
                .left
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Admits a line of `bytes` bytes.
    pub(super) fn enter(&self, bytes: usize) {
        let mut inside = lock(&self.inside);
        inside.lines += 1;
        inside.bytes += bytes;
    }

    /// Updates the size of an admitted line: its request of `before` bytes became an answer of
    /// `now` bytes.
    pub(super) fn become_so_long(&self, before: usize, now: usize) {
        let mut inside = lock(&self.inside);
        inside.bytes = (inside.bytes + now).saturating_sub(before);
        drop(inside);
        self.left.notify_one();
    }

    /// Releases an admitted line that now uses `bytes` bytes.
    pub(super) fn leave(&self, bytes: usize) {
        let mut inside = lock(&self.inside);
        inside.lines = inside.lines.saturating_sub(1);
        inside.bytes = inside.bytes.saturating_sub(bytes);
        drop(inside);
        self.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn j01_no_more_come_in_than_may_and_all_do_in_the_end() {
        let gate = InputGate::new(3);
        let (inside, peak) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..100 {
                    gate.wait_for_room();
                    gate.enter(10);
                    let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                    peak.fetch_max(now, Ordering::SeqCst);
                    sender.send(()).unwrap();
                }
            });
            for () in receiver.iter().take(100) {
                inside.fetch_sub(1, Ordering::SeqCst);
                gate.leave(10);
            }
        });
        assert!(peak.load(Ordering::SeqCst) <= 3);
    }

    #[test]
    fn j04_a_large_line_is_let_in_and_nothing_beside_it() {
        let gate = InputGate::new(10);
        gate.wait_for_room();
        gate.enter(1);
        gate.become_so_long(1, MOST_BYTES);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.wait_for_room());
            gate.leave(MOST_BYTES);
            waiting.join().unwrap();
        });
    }
}
