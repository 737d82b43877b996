//! Work on many files in parallel. It mostly waits for the disk, which syncs several files in the
//! time of one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The maximum number of threads, each of which waits for one file at a time.
const THREADS: usize = 16;
/// Number of files below which a further thread costs more than it saves.
const FILES_OF_ONE_THREAD: usize = 8;

/// Runs `work` on every item, several at a time and in no order. After the first error, which it
/// returns, no further item is begun.
pub(super) fn several_at_once<T: Send, E: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let threads = items.len().div_ceil(FILES_OF_ONE_THREAD).min(THREADS);
    if threads <= 1 {
        return items.into_iter().try_for_each(work);
    }
    let queue = Mutex::new(items.into_iter());
    let has_failed = AtomicBool::new(false);
    // Only a panic poisons a lock, and the scope passes the panic on.
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let first_error = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !has_failed.load(Ordering::Relaxed)
                    && let Some(item) = next()
                {
                    if let Err(error) = work(item) {
                        has_failed.store(true, Ordering::Relaxed);
                        let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
                        first.get_or_insert(error);
                    }
                }
            });
        }
    });
    let first_error = first_error.into_inner();
    first_error
        .unwrap_or_else(PoisonError::into_inner)
        .map_or(Ok(()), Err)
}
