//! Withholds hashes of notes that the caller has not read (`faults.md` F15).
//!
//! `ifHash` proves that the caller has read the whole note. A caller that has seen only a part of it
//! must not get its hash from a plan, a list of changes or a refusal. These contain a hash only if the
//! caller can compute it: it is the request's `ifHash`, or the hash of the text that the request sent.
//! The journal and the audit log keep all hashes.

use std::collections::BTreeSet;

use serde_json::json;

use super::envelope::Envelope;
use super::file_change::{FileChange, planned_changes};
use super::request::Request;
use crate::allowlist::RawValue;
use crate::digest::sha256;

/// Removes the hashes that the caller cannot compute.
pub(super) fn withhold(envelope: &mut Envelope, request: &Request) {
    let known = known(request);
    take_out(&mut envelope.meta.changes, &known);
    let error = envelope.error.as_mut().map(|error| &mut error.details);
    for plan in envelope.data.plan_mut().into_iter().chain(error) {
        if let Some(mut changes) = planned_changes(plan) {
            take_out(&mut changes, &known);
            plan.insert("files".to_owned(), json!(changes));
        }
    }
}

/// The hashes that the caller has proved to know: `ifHash`, and the hash of the text it sent.
fn known(request: &Request) -> BTreeSet<String> {
    let content = match request.params.0.get("content") {
        Some(RawValue::Text(text)) => text.as_bytes(),
        _ => b"",
    };
    let sent = sha256(content);
    request.if_hash.iter().cloned().chain([sent]).collect()
}

/// Removes the hashes that are not known from the changes of files.
fn take_out(changes: &mut [FileChange], known: &BTreeSet<String>) {
    let is_known = |hash: &String| known.contains(hash);
    for change in changes {
        // A caller that knows the text before the change can compute the text after it.
        let knows_before = change.before_sha256.as_ref().is_some_and(is_known);
        change.before_sha256.take_if(|hash| !is_known(hash));
        let is_unknown = |hash: &mut String| !knows_before && !is_known(hash);
        change.sha256.take_if(is_unknown);
    }
}
