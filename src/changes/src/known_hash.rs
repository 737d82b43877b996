//! Withholds hashes of notes that the caller has not read (`threats.toml` F15).
//!
//! `ifHash` proves that the caller has read the whole note. A caller that has seen only a part of it
//! must not get its hash from a plan, a list of changes or a refusal. These contain a hash only if the
//! caller can compute it: it is the request's `ifHash`, or the hash of the text that the request sent.
//! The journal and the audit log keep all hashes.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use serde::Deserialize as _;
use serde_json::json;

use crate::change::Plan;
use crate::envelope::Envelope;
use crate::file_change::FileChange;
use crate::request::Request;
use allowlist::RawValue;
use protocol::digest::sha256;

/// Removes the hashes that the caller cannot compute.
pub fn withhold(envelope: &mut Envelope, request: &Request) {
    let known = LazyCell::new(|| known(request));
    let is_known = |hash: &String| known.contains(hash);
    let withhold = |change: &mut FileChange| {
        // A caller that knows the text before the change can compute the text after it.
        let knows_before = change.before_sha256.as_ref().is_some_and(is_known);
        change.before_sha256 = change.before_sha256.take().filter(is_known);
        let after = change.sha256.take();
        change.sha256 = after.filter(|hash| knows_before || is_known(hash));
    };
    let plan = envelope.data.own_mut::<Plan>();
    let planned = plan.and_then(|plan| plan.changes.as_mut());
    let planned = planned.into_iter().flat_map(|plan| &mut plan.files);
    let changes = envelope.meta.changes.iter_mut();
    changes.chain(planned).for_each(withhold);
    let error = envelope.error.as_mut();
    if let Some(files) = error.and_then(|error| error.details.get_mut("files")) {
        // An entry that cannot be read as a change is left out.
        let mut changes: Vec<FileChange> = Vec::deserialize(&*files).unwrap_or_default();
        changes.iter_mut().for_each(withhold);
        *files = json!(changes);
    }
}

/// Returns the hashes that the caller has proved to know: `ifHash`, and the hash of the text it
/// sent.
fn known(request: &Request) -> BTreeSet<String> {
    let content = match request.params.0.get("content") {
        Some(RawValue::Text(text)) => text.as_bytes(),
        _ => b"",
    };
    let sent = sha256(content);
    request.if_hash.iter().cloned().chain([sent]).collect()
}
