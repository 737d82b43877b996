//! Reads both of a child's streams at once, so that it never waits for us (`faults.md` F01, F02).

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::Instant;

use crate::backend::captured::{Captured, Collector};

/// How much is read at a time, in bytes: as much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// A child's standard output and standard error.
pub(super) struct Streams<Out, Err> {
    stdout: Stream<Out>,
    stderr: Stream<Err>,
}

struct Stream<Pipe> {
    pipe: Option<Pipe>,
    chunk: Vec<u8>,
    collector: Collector,
}

impl<Pipe: AsyncRead + Unpin> Stream<Pipe> {
    fn new(pipe: Pipe, most: usize) -> Self {
        Self {
            pipe: Some(pipe),
            chunk: vec![0; CHUNK],
            collector: Collector::new(most),
        }
    }

    /// Reads once; never ends once the stream has. Nothing is lost when it is dropped midway.
    async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else {
            return std::future::pending().await;
        };
        match pipe.read(&mut self.chunk).await {
            Ok(0) => self.pipe = None,
            Ok(count) => self.collector.push(&self.chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A pipe that cannot be read any more has ended for us.
            Err(_broken) => self.pipe = None,
        }
    }
}

impl<Out: AsyncRead + Unpin, Err: AsyncRead + Unpin> Streams<Out, Err> {
    /// Keeps at most `most` bytes of each.
    pub(super) fn new(stdout: Out, stderr: Err, most: usize) -> Self {
        Self {
            stdout: Stream::new(stdout, most),
            stderr: Stream::new(stderr, most),
        }
    }

    /// Whether both have ended.
    pub(super) fn have_ended(&self) -> bool {
        self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    /// Reads once from either; never ends once both have.
    pub(super) async fn read(&mut self) {
        tokio::select! {
            () = self.stdout.read() => {}
            () = self.stderr.read() => {}
        }
    }

    /// Reads until both have ended, at most until `limit`. What was read is kept.
    pub(super) async fn drain_until(&mut self, limit: Instant) {
        let limit = tokio::time::sleep_until(limit);
        tokio::pin!(limit);
        while !self.have_ended() {
            tokio::select! {
                () = self.read() => {}
                () = &mut limit => return,
            }
        }
    }

    /// What was captured, and the ends that are still open.
    pub(super) fn finish(self) -> (Captured, Captured, Option<Out>, Option<Err>) {
        (
            self.stdout.collector.captured(),
            self.stderr.collector.captured(),
            self.stdout.pipe,
            self.stderr.pipe,
        )
    }
}
