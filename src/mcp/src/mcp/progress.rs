//! Progress notifications for a client that sent a progress token.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::sync::mpsc;

/// The shortest time between two notifications.
const PAUSE: Duration = Duration::from_millis(100);

/// Turns the engine's progress into MCP notifications.
pub(super) struct Progress {
    token: ProgressToken,
    news: mpsc::Sender<ProgressNotificationParam>,
    last: Mutex<Option<(Instant, usize)>>,
}

/// The reporter for the call, and the receiver of its notifications.
type ProgressEnds = (
    Option<Arc<dyn vault_engine::Progress>>,
    mpsc::Receiver<ProgressNotificationParam>,
);

impl Progress {
    /// Builds the progress reports for the client of this request; the client gets none if it sent no token.
    pub(super) fn for_client(context: &RequestContext<RoleServer>) -> ProgressEnds {
        // Capacity 1: if the client is slow, progress is skipped instead of queued.
        let (news, received) = mpsc::channel(1);
        let shown = context.meta.get_progress_token().map(|token| {
            let progress = Self {
                token,
                news,
                last: Mutex::new(None),
            };
            Arc::new(progress) as Arc<dyn vault_engine::Progress>
        });
        (shown, received)
    }
}

impl vault_engine::Progress for Progress {
    fn notes_read(&self, done: usize, total: usize) {
        // Another thread is reporting right now, and its numbers are as recent.
        let Ok(mut last) = self.last.try_lock() else {
            return;
        };
        // The protocol requires that progress only increases.
        if last.is_some_and(|(when, before)| done <= before || when.elapsed() < PAUSE) {
            return;
        }
        *last = Some((Instant::now(), done));
        #[expect(
            clippy::cast_precision_loss,
            reason = "no vault has 2^52 notes, and the protocol counts in floating point"
        )]
        let news = ProgressNotificationParam::new(self.token.clone(), done as f64)
            .with_total(total as f64)
            .with_message("reading notes");
        drop(self.news.try_send(news));
    }
}
