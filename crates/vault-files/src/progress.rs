//! Progress of reading notes.

/// Receives progress reports, from any thread and not strictly in order.
pub trait Progress: Send + Sync {
    /// `done` of `total` notes have been read. Notes that the cache still knows do not count.
    fn notes_read(&self, done: usize, total: usize);
}

impl<F: Fn(usize, usize) + Send + Sync> Progress for F {
    fn notes_read(&self, done: usize, total: usize) {
        self(done, total);
    }
}
