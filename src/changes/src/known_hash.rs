//! Withholds hashes of notes that the caller has not read (`threats.toml` F15).
//!
//! `ifHash` proves that the caller has read the whole note. A caller that has seen only a part of it
//! must not get its hash from a plan, a list of changes or a refusal. These contain a hash only if the
//! caller can compute it: it is the request's `ifHash`, or the hash of the text that the request sent.
//! The journal and the audit log keep all hashes.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::change::Plan;
use crate::envelope::Envelope;
use crate::request::Request;
use allowlist::RawValue;
use protocol::digest::sha256;

/// Removes the hashes that the caller cannot compute.
pub fn withhold(envelope: &mut Envelope, request: &Request) {
    let known = LazyCell::new(|| known(request));
    let is_known = |hash: &String| known.contains(hash);
    let planned = envelope
        .data
        .own_mut::<Plan>()
        .and_then(|plan| plan.changes.as_mut());
    let planned = planned.into_iter().flat_map(|plan| &mut plan.files);
    for change in envelope.meta.changes.iter_mut().chain(planned) {
        // A caller that knows the text before the change can compute the text after it.
        let knows_before = change.before_sha256.as_ref().is_some_and(is_known);
        change.before_sha256 = change.before_sha256.take().filter(is_known);
        change.sha256 = change
            .sha256
            .take()
            .filter(|hash| knows_before || is_known(hash));
    }
    if let Some(error) = &mut envelope.error {
        take_out(&mut error.details, &known);
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

/// Removes these hashes from the files of a plan.
fn take_out(facts: &mut Map<String, Value>, known: &BTreeSet<String>) {
    let files = facts.get_mut("files").and_then(Value::as_array_mut);
    for file in files.into_iter().flatten().filter_map(Value::as_object_mut) {
        let is_known = |file: &Map<String, Value>, key: &str| {
            let hash = file.get(key).and_then(Value::as_str);
            hash.is_none_or(|hash| known.contains(hash))
        };
        let knows_before = file.contains_key("beforeSha256") && is_known(file, "beforeSha256");
        if !knows_before && !is_known(file, "sha256") {
            file.remove("sha256");
        }
        if !knows_before {
            file.remove("beforeSha256");
        }
    }
}
