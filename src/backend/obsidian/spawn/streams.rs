//! Reads both streams of a child concurrently, so that it never blocks on a full pipe (`faults.md`
//! F01, F02).

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::Instant;

use crate::backend::captured::{Captured, StreamCollector};

/// Read buffer size in bytes: the capacity of a pipe on Linux.
const CHUNK: usize = 64 * 1024;

/// A child's standard output and standard error.
pub(super) struct CapturedStreams<Out, Err> {
    stdout: CapturedStream<Out>,
    stderr: CapturedStream<Err>,
}

struct CapturedStream<Pipe> {
    pipe: Option<Pipe>,
    chunk: Vec<u8>,
    collector: StreamCollector,
}

impl<Pipe: AsyncRead + Unpin> CapturedStream<Pipe> {
    fn new(pipe: Pipe, most: usize) -> Self {
        Self {
            pipe: Some(pipe),
            chunk: vec![0; CHUNK],
            collector: StreamCollector::new(most),
        }
    }

    /// Reads once. Pending forever after the end of the stream. Cancel safe: no data is lost if the
    /// future is dropped.
    async fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else {
            return std::future::pending().await;
        };
        match pipe.read(&mut self.chunk).await {
            Ok(0) => self.pipe = None,
            Ok(count) => self.collector.push(&self.chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // Treat a pipe that cannot be read as ended.
            Err(_broken) => self.pipe = None,
        }
    }
}

impl<Out: AsyncRead + Unpin, Err: AsyncRead + Unpin> CapturedStreams<Out, Err> {
    /// Keeps at most `most` bytes of each stream.
    pub(super) fn new(stdout: Out, stderr: Err, most: usize) -> Self {
        Self {
            stdout: CapturedStream::new(stdout, most),
            stderr: CapturedStream::new(stderr, most),
        }
    }

    /// Whether both streams have ended.
    pub(super) fn have_ended(&self) -> bool {
        self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    /// Reads once from either stream. Pending forever after both have ended. Cancel safe.
    pub(super) async fn read(&mut self) {
        tokio::select! {
            () = self.stdout.read() => {}
            () = self.stderr.read() => {}
        }
    }

    /// Reads until both streams have ended, at most until `limit`. Keeps what was read.
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

    /// The captured output, and the pipes that are still open.
    pub(super) fn finish(self) -> (Captured, Captured, Option<Out>, Option<Err>) {
        (
            self.stdout.collector.captured(),
            self.stderr.collector.captured(),
            self.stdout.pipe,
            self.stderr.pipe,
        )
    }
}
