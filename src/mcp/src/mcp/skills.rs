//! The skill over MCP: the extension `io.modelcontextprotocol/skills` (SEP-2640). Its only file is
//! also a resource, so that every client can read it.

use rmcp::model::{
    ErrorData, GetSkillResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents,
    Skill, SkillFrontmatter, SkillResource, SkillResources,
};

use frontend::skill::{COMPATIBILITY, DESCRIPTION, NAME};

/// The URI of the resource with the skill's only file.
const URI: &str = "skill://vault-gw/obsidian-vault/SKILL.md";
const MARKDOWN: &str = "text/markdown";

/// Whether this is the URI of the skill.
pub(super) fn is_ours(uri: &str) -> bool {
    uri == URI
}

fn entry(text: &str) -> Skill {
    let frontmatter =
        SkillFrontmatter::new(NAME, DESCRIPTION).with_field("compatibility", COMPATIBILITY);
    let file = SkillResource::from_bytes(URI, text.as_bytes());
    Skill::new(URI, frontmatter, SkillResources::Files(vec![file]))
}

/// Returns the list of skills: there is one.
pub(super) fn list(text: &str) -> ListSkillsResult {
    ListSkillsResult::with_all_items(vec![entry(text)])
}

/// Returns the skill at this URI.
///
/// # Errors
///
/// If it is another URI than the skill's.
pub(super) fn get(uri: &str, text: &str) -> Result<GetSkillResult, ErrorData> {
    if is_ours(uri) {
        return Ok(GetSkillResult::new(entry(text)));
    }
    Err(ErrorData::invalid_params(
        "there is no such skill; `skills/list` lists them",
        None,
    ))
}

/// Returns the skill as an entry in a list of resources.
pub(super) fn resource(text: &str) -> Resource {
    Resource::new(URI, NAME)
        .with_title("How to work with this vault")
        .with_description(DESCRIPTION)
        .with_mime_type(MARKDOWN)
        .with_size(u64::try_from(text.len()).unwrap_or(u64::MAX))
}

/// Returns the result of reading the skill's file.
pub(super) fn contents(text: String) -> ReadResourceResult {
    let contents = ResourceContents::text(text, URI).with_mime_type(MARKDOWN);
    ReadResourceResult::new(vec![contents])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_is_valid_and_vouches_for_the_file() {
        let text = "---\nname: obsidian-vault\n---\n";
        let listed = list(text);
        let skill = listed.skills.first().unwrap();
        skill.validate().unwrap();
        let SkillResources::Files(files) = &skill.resources else {
            panic!("files");
        };
        files.first().unwrap().verify(text.as_bytes()).unwrap();
        assert!(get("skill://vault-gw/other/SKILL.md", text).is_err());
        assert_eq!(get(URI, text).unwrap().skill, *skill);
    }
}
