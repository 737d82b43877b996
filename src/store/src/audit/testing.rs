//! Builds records and logs for tests.

use std::path::Path;

use serde_json::json;
use uuid::Uuid;

use super::{Audit, AuditRecord, Phase};
use allowlist::{Effect, EffectSet, Tier};
use protocol::Caller;
use settings::AuditSettings;

/// Returns a record as most reads write it.
pub(super) fn record(command: &str) -> AuditRecord {
    let time = "2026-03-14T09:26:53Z".parse().unwrap();
    let mut record = AuditRecord::new(
        Phase::Decision,
        time,
        Uuid::from_u128(1),
        Caller::Agent,
        command,
    );
    record.params.insert("path".to_owned(), json!("Home.md"));
    record.effects = EffectSet::from_iter([Effect::Read]);
    record.tier = Some(Tier::V1);
    record.vault = Some("Notes".to_owned());
    record.duration_ms = Some(3);
    record
}

/// Returns a record of one phase of a change.
pub(super) fn step(phase: Phase, run: u128) -> AuditRecord {
    AuditRecord {
        phase,
        run_id: Uuid::from_u128(run),
        ..record("append")
    }
}

/// Returns a log whose files never fill up.
pub(super) fn audit(state: &Path) -> Audit {
    Audit::open(state.to_owned(), AuditSettings::default(), None)
}
