//! An image in a result: a block of its own, and no second time in the structure.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value};

use crate::bridge::mcp::media::READ_IMAGE;

/// Takes the image out of the data of the command that reads one.
pub(super) fn taken(command: &str, data: &mut Map<String, Value>) -> Option<ContentBlock> {
    if command != READ_IMAGE {
        return None;
    }
    let Some(Value::String(base64)) = data.remove("base64") else {
        return None;
    };
    let mime_type = data.get("mimeType").and_then(Value::as_str)?;
    Some(ContentBlock::image(base64, mime_type))
}
