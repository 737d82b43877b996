//! Subscriptions: a client is notified when a note that it named changes (`design/agents.md`).
//!
//! Before revision 2026-07-28 a client on stdio subscribes to a resource (`resources/subscribe`).
//! From that revision on it keeps a request open (`subscriptions/listen`), also over HTTP. In both
//! cases the size and times of the named files are checked once a second, under the policy of that
//! moment: a closed file looks like a missing one. The vault itself is not watched.

use std::collections::BTreeMap;

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, SubscriptionContext, SubscriptionSendError};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use vault_engine::FileFacts;

use super::resources;
use super::server::ServerShared;
use crate::lock;

/// Most resources that one client, or one open request, may subscribe to.
const MOST_RESOURCES: usize = 64;
/// Most open requests of all clients at the same time.
const MOST_STREAMS: usize = 16;
/// Time between two checks of the files. So a file causes at most one notification in this time.
const PERIOD: Duration = Duration::from_secs(1);

/// The subscriptions of all clients of a server.
#[derive(Debug)]
pub(super) struct Subscriptions {
    /// The subscriptions of the only client on stdio, before revision 2026-07-28.
    of_connection: Mutex<Connection>,
    streams: Arc<Semaphore>,
    /// Cancelled at the end of the only connection on stdio.
    end: OnceLock<CancellationToken>,
}

#[derive(Debug, Default)]
struct Connection {
    watched: WatchedResources,
    is_looking: bool,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self {
            of_connection: Mutex::default(),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            end: OnceLock::new(),
        }
    }
}

impl Subscriptions {
    /// Ends all open requests when this token is cancelled. Otherwise a server without its client
    /// would wait for them, because they end only when they are cancelled.
    pub(super) fn end_with(&self, end: CancellationToken) {
        // There is only one connection on stdio, so the token is set once.
        drop(self.end.set(end));
    }

    async fn ended(&self) {
        match self.end.get() {
            Some(end) => end.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

/// Subscribed resources by URI: the path of each, and the facts of its file at the last check.
#[derive(Debug, Default)]
struct WatchedResources(BTreeMap<String, (String, Option<FileFacts>)>);

impl WatchedResources {
    fn paths(&self) -> Vec<String> {
        self.0.values().map(|(path, _)| path.clone()).collect()
    }

    /// Returns the resources whose files differ from the last check; `paths` and `looks` are parallel.
    fn changed(&mut self, paths: &[String], looks: Vec<Option<FileFacts>>) -> Vec<String> {
        let now: BTreeMap<&String, Option<FileFacts>> = paths.iter().zip(looks).collect();
        let mut changed = Vec::new();
        for (uri, (path, last)) in &mut self.0 {
            // A resource that was added after the check has no facts yet.
            if let Some(look) = now.get(path)
                && look != last
            {
                last.clone_from(look);
                changed.push(uri.clone());
            }
        }
        changed
    }
}

/// Reads the facts of files on another thread, so that other requests continue.
async fn look_at(shared: &Arc<ServerShared>, paths: &[String]) -> Vec<Option<FileFacts>> {
    let shared = Arc::clone(shared);
    let wanted = paths.to_vec();
    let looks = spawn_blocking(move || shared.host.gateway().look_at(&wanted)).await;
    looks.unwrap_or_else(|_| vec![None; paths.len()])
}

/// Whether the sender of the request is still admitted, which may read a file.
async fn is_admitted(shared: &Arc<ServerShared>) -> bool {
    let shared = Arc::clone(shared);
    let wanted = spawn_blocking(move || shared.host.is_sender_admitted()).await;
    wanted.unwrap_or(false)
}

/// Subscribes the client on a pipe to a resource that it may read.
///
/// # Errors
///
/// If it has too many subscriptions.
pub(super) async fn subscribe(
    shared: &Arc<ServerShared>,
    client: Peer<RoleServer>,
    uri: String,
    path: String,
) -> Result<(), ErrorData> {
    let look = look_at(shared, std::slice::from_ref(&path)).await;
    let must_start = {
        let mut connection = lock(&shared.subscriptions.of_connection);
        let watched = &mut connection.watched.0;
        if watched.len() >= MOST_RESOURCES && !watched.contains_key(&uri) {
            let text = format!("at most {MOST_RESOURCES} resources can be subscribed to");
            return Err(ErrorData::invalid_request(text, None));
        }
        watched.insert(uri, (path, look.into_iter().next().flatten()));
        !std::mem::replace(&mut connection.is_looking, true)
    };
    if must_start {
        tokio::spawn(tell_of_changes(Arc::clone(shared), client));
    }
    Ok(())
}

/// Ends a subscription. Does nothing if it does not exist.
pub(super) fn unsubscribe(shared: &ServerShared, uri: &str) {
    lock(&shared.subscriptions.of_connection)
        .watched
        .0
        .remove(uri);
}

/// Checks the subscribed files and reports changes, until there are no subscriptions or the client is gone.
async fn tell_of_changes(shared: Arc<ServerShared>, client: Peer<RoleServer>) {
    while !client.is_transport_closed() {
        tokio::time::sleep(PERIOD).await;
        let paths = {
            let mut connection = lock(&shared.subscriptions.of_connection);
            connection.is_looking = !connection.watched.0.is_empty();
            if !connection.is_looking {
                return;
            }
            connection.watched.paths()
        };
        let looks = look_at(&shared, &paths).await;
        let changed = {
            let mut connection = lock(&shared.subscriptions.of_connection);
            connection.watched.changed(&paths, looks)
        };
        for uri in changed {
            let news = ResourceUpdatedNotificationParam::new(uri);
            if client.notify_resource_updated(news).await.is_err() {
                return;
            }
        }
    }
}

/// Returns the part of a subscription request that is granted: our resources up to the limit, and changes of the tools
/// and prompts. It does not depend on whether a resource exists, so that it reveals nothing of the vault.
pub(super) fn granted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut granted = SubscriptionFilter::new();
    granted.tools_list_changed = requested.tools_list_changed;
    granted.prompts_list_changed = requested.prompts_list_changed;
    granted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
        let ours = uris.iter().filter(|uri| resources::path_of(uri).is_some());
        ours.take(MOST_RESOURCES).cloned().collect()
    });
    granted
}

/// Returns the URIs and paths of the resources in a subscription.
pub(super) fn paths(subscription: &SubscriptionContext) -> Vec<(String, String)> {
    let uris = subscription.accepted().resource_subscriptions.as_deref();
    let uris = uris.unwrap_or_default().iter();
    uris.filter_map(|uri| Some((uri.clone(), resources::path_of(uri)?)))
        .collect()
}

/// Sends changes to an open request until the client ends it. `record` writes the named files into
/// the audit log.
///
/// # Errors
///
/// If too many are open.
pub(super) async fn listen(
    shared: &Arc<ServerShared>,
    subscription: &SubscriptionContext,
    record: impl Future<Output = ()>,
) -> Result<(), ErrorData> {
    let streams = Arc::clone(&shared.subscriptions.streams);
    let Ok(_place) = streams.try_acquire_owned() else {
        let text = format!("at most {MOST_STREAMS} requests can listen at the same time");
        return Err(ErrorData::invalid_request(text, None));
    };
    // Ends also while a message waits to be sent: after the end of the input nobody reads the
    // output, so that the message would wait forever.
    tokio::select! {
        () = subscription.cancelled() => {}
        () = shared.subscriptions.ended() => {}
        () = tell_stream(shared, subscription, record) => {}
    }
    Ok(())
}

/// Sends changes to an open request until sending fails.
async fn tell_stream(
    shared: &Arc<ServerShared>,
    subscription: &SubscriptionContext,
    record: impl Future<Output = ()>,
) {
    // Taken first, so that no later change is missed.
    let mut settings = shared.host.changes();
    let resources = paths(subscription);
    let paths: Vec<String> = resources.iter().map(|(_, path)| path.clone()).collect();
    let looks = look_at(shared, &paths).await;
    record.await;
    let resources = resources.into_iter().zip(looks);
    let mut watched = WatchedResources(
        resources
            .map(|((uri, path), look)| (uri, (path, look)))
            .collect(),
    );
    let mut clock = interval(PERIOD);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            changed = settings.changed() => {
                // An agent that was revoked, or has a new token, must not hear any more on this one.
                if !is_admitted(shared).await {
                    return;
                }
                if changed.is_err() || tell_of_lists(subscription).await.is_err() {
                    return;
                }
            }
            _ = clock.tick(), if !watched.0.is_empty() => {
                let looks = look_at(shared, &paths).await;
                for uri in watched.changed(&paths, looks) {
                    if subscription.sink().notify_resource_updated(uri).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

/// Reports that the lists of tools and prompts may have changed, if the client requested that.
async fn tell_of_lists(subscription: &SubscriptionContext) -> Result<(), SubscriptionSendError> {
    if subscription.accepted().tools_list_changed == Some(true) {
        subscription.sink().notify_tool_list_changed().await?;
    }
    if subscription.accepted().prompts_list_changed == Some(true) {
        subscription.sink().notify_prompt_list_changed().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(size: u64) -> FileFacts {
        FileFacts {
            size,
            created: 0,
            modified: 0,
        }
    }

    #[test]
    fn changes_losses_and_returns_are_reported_once() {
        let watch = |path: &str| {
            (
                format!("obsidian://note/{path}"),
                (path.to_owned(), Some(facts(1))),
            )
        };
        let mut watched = WatchedResources(BTreeMap::from([watch("a.md"), watch("b.md")]));
        let paths = watched.paths();
        let a = ["obsidian://note/a.md".to_owned()];
        let sizes_of_a = [Some(1), Some(2), Some(2), None, None, Some(2)];
        for (size, is_news) in sizes_of_a
            .into_iter()
            .zip([false, true].into_iter().cycle())
        {
            let changed = watched.changed(&paths, vec![size.map(facts), Some(facts(1))]);
            assert_eq!(changed, a[..usize::from(is_news)], "{size:?}");
        }
    }

    #[test]
    fn one_subscribed_to_meanwhile_is_not_taken_for_changed() {
        let mut watched = WatchedResources::default();
        let entry = ("a.md".to_owned(), Some(facts(1)));
        watched.0.insert("obsidian://note/a.md".to_owned(), entry);
        assert!(watched.changed(&[], Vec::new()).is_empty());
    }

    #[test]
    fn only_notes_are_granted_and_not_without_bound() {
        let wanted = (0..100).map(|number| format!("obsidian://note/{number}.md"));
        let foreign = ["file:///etc/passwd", "obsidian://note/a.md?offset=5", "x"];
        let foreign = foreign.into_iter().map(str::to_owned);
        let filter = SubscriptionFilter::builder()
            .resource_subscriptions(foreign.chain(wanted))
            .prompts_list_changed()
            .build();
        let granted = granted(&filter);
        let uris = granted.resource_subscriptions.unwrap();
        assert_eq!(uris.len(), MOST_RESOURCES);
        assert_eq!(uris.first().unwrap(), "obsidian://note/0.md");
        assert_eq!(granted.prompts_list_changed, Some(true));
        assert_eq!(granted.tools_list_changed, None);
    }
}
