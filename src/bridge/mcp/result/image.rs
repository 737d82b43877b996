//! An image in a result: a block of its own, and no second time in the structure.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value};

use crate::bridge::mcp::media::{READ_IMAGE, take_image};

/// Takes the image out of the data of the command that reads one.
pub(super) fn taken(command: &str, data: &mut Map<String, Value>) -> Option<ContentBlock> {
    let image = (command == READ_IMAGE).then(|| take_image(data));
    image?.map(|(base64, mime_type)| ContentBlock::image(base64, mime_type))
}
