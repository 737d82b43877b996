//! Lines to standard output, written by a thread of its own: nothing else in this process writes there
//! (`faults.md` I01).

use std::io::{self, Write};
use std::sync::Arc;

use tokio::sync::{Notify, mpsc};

/// Lines that may wait for a slow reader.
const CAPACITY: usize = 16;

/// Where lines are handed in.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    lines: mpsc::Sender<Vec<u8>>,
}

/// The end of the writing.
#[derive(Clone, Debug)]
pub(super) struct Written(Arc<Notify>);

impl Written {
    /// Waits until every line was written, or the reader has gone.
    pub(super) async fn wait(&self) {
        self.0.notified().await;
    }
}

impl Writer {
    /// A writer on `output`, with its thread.
    pub(super) fn start(mut output: impl Write + Send + 'static) -> io::Result<(Self, Written)> {
        let (lines, mut handed_in) = mpsc::channel::<Vec<u8>>(CAPACITY);
        let written = Written(Arc::new(Notify::new()));
        let end = written.clone();
        std::thread::Builder::new()
            .name("mcp-output".to_owned())
            .spawn(move || {
                while let Some(line) = handed_in.blocking_recv() {
                    if output
                        .write_all(&line)
                        .and_then(|()| output.flush())
                        .is_err()
                    {
                        // The reader has gone, which is its right; senders see the closed channel.
                        break;
                    }
                }
                drop(handed_in);
                end.0.notify_one();
            })?;
        Ok((Self { lines }, written))
    }

    /// Hands a line in as soon as there is room; an error once the reader has gone.
    pub(super) async fn line(&self, line: Vec<u8>) -> io::Result<()> {
        self.lines.send(line).await.map_err(|_| gone())
    }

    /// Waits for room, without anything to be lost where the waiting is given up.
    pub(super) async fn room(&self) -> io::Result<mpsc::Permit<'_, Vec<u8>>> {
        self.lines.reserve().await.map_err(|_| gone())
    }

    /// Waits until the reader has gone.
    pub(super) async fn gone(&self) {
        self.lines.closed().await;
    }
}

fn gone() -> io::Error {
    io::Error::from(io::ErrorKind::BrokenPipe)
}
