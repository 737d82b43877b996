//! Progress notifications for a client that sent a progress token.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::mpsc;
use vault_engine::Progress;

/// The shortest time between two notifications.
const PAUSE: Duration = Duration::from_millis(100);

/// The reporter for the call, and the receiver of its notifications.
type ProgressEnds = (
    Option<Arc<dyn Progress>>,
    mpsc::Receiver<ProgressNotificationParam>,
);

/// Builds the progress reports for the client of this request; the client gets none if it sent no token.
pub(super) fn for_client(context: &RequestContext<RoleServer>) -> ProgressEnds {
    // Capacity 1: if the client is slow, progress is skipped instead of queued.
    let (news, received) = mpsc::channel(1);
    let progress = context.meta.get_progress_token().map(|token| {
        let last = Mutex::new(None::<(Instant, usize)>);
        Arc::new(move |done: usize, total: usize| {
            // Another thread is reporting right now, and its numbers are as recent.
            let Ok(mut last) = last.try_lock() else {
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
            let report = ProgressNotificationParam::new(token.clone(), done as f64)
                .with_total(total as f64)
                .with_message("reading notes");
            drop(news.try_send(report));
        }) as Arc<dyn Progress>
    });
    (progress, received)
}
