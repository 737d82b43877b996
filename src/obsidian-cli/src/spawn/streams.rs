//! Reads both streams of a child concurrently, so that it never blocks on a full pipe (`threats.toml`
//! F01, F02).
//!
//! At the deadline the group gets TERM and CONT, after 2 s KILL. The pipes are then drained with a bound. A grandchild
//! that keeps a pipe open is reported (`descendantsLeaked`) and not waited for.

use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::Instant;

use backend::captured::{Captured, StreamCollector};

/// Read buffer size in bytes: the capacity of a pipe on Linux.
const CHUNK: usize = 64 * 1024;

/// Number of chunks read of a pipe whose other end stays open. That is more than the largest pipe can contain; the
/// limit prevents a program that keeps printing from delaying the end of the run.
#[cfg(unix)]
const CHUNKS_AT_HAND: usize = 17;

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
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Treat a pipe that cannot be read as ended.
            Err(_broken) => self.pipe = None,
        }
    }

    /// Reads what the pipe contains now. `read` must not block.
    #[cfg(unix)]
    fn read_at_hand(&mut self, read: &impl Fn(&Pipe, &mut [u8]) -> io::Result<usize>) {
        for _ in 0..CHUNKS_AT_HAND {
            let Some(pipe) = &self.pipe else { return };
            match read(pipe, &mut self.chunk) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.collector.push(&self.chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_nothing_at_hand) => return,
            }
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

    /// Reads the present contents of both pipes, without waiting for more. `read` reads once from a pipe that does
    /// not block.
    ///
    /// The output from before the child became the app is in the pipe, and the run may end before the runtime has
    /// looked there.
    #[cfg(unix)]
    pub(super) fn read_at_hand(
        &mut self,
        read: impl Fn(BorrowedFd<'_>, &mut [u8]) -> io::Result<usize>,
    ) where
        Out: AsFd,
        Err: AsFd,
    {
        self.stdout
            .read_at_hand(&|pipe: &Out, chunk: &mut [u8]| read(pipe.as_fd(), chunk));
        self.stderr
            .read_at_hand(&|pipe: &Err, chunk: &mut [u8]| read(pipe.as_fd(), chunk));
    }

    /// Returns the captured output, and the pipes that are still open.
    pub(super) fn finish(self) -> (Captured, Captured, Option<Out>, Option<Err>) {
        (
            self.stdout.collector.captured(),
            self.stderr.collector.captured(),
            self.stdout.pipe,
            self.stderr.pipe,
        )
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write as _;

    use tokio::net::unix::pipe::Receiver;

    use super::*;

    #[test]
    fn g07_what_is_in_the_pipes_is_read_without_a_turn_of_the_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .unwrap();
        let _within = runtime.enter();
        let (stdout, mut to_stdout) = io::pipe().unwrap();
        let (stderr, to_stderr) = io::pipe().unwrap();
        to_stdout.write_all(b"starting\n").unwrap();
        let receiver = |pipe: io::PipeReader| Receiver::from_owned_fd(pipe.into()).unwrap();
        let mut streams = CapturedStreams::new(receiver(stdout), receiver(stderr), 100);
        streams.read_at_hand(|pipe, chunk| Ok(rustix::io::read(pipe, chunk)?));
        assert!(!streams.have_ended(), "both are held open");
        drop((to_stdout, to_stderr));
        let (stdout, stderr, ..) = streams.finish();
        assert_eq!(stdout.head, b"starting\n");
        assert!(stderr.head.is_empty());
    }
}
