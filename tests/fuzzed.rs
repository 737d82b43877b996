//! The properties of the fuzz targets (`fuzz/`), tried here with a few hundred inputs each, so that they
//! build and hold on the stable toolchain. Long runs are made with cargo-fuzz.

use proptest::prelude::*;

const CASES: &str = include_str!("data/fuzzed.txt");

#[expect(
    unreachable_pub,
    reason = "the package of the fuzz targets exports them"
)]
#[path = "../fuzz/src/lib.rs"]
mod properties;

/// Text made of what the syntaxes of notes, queries and JSON are made of.
fn syntax() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(tables::lines(CASES, "syntax"));
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_text_is_a_note(text in syntax()) {
        properties::note(&text);
    }

    #[test]
    fn any_bytes_are_a_request_or_an_error(text in syntax(), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        properties::request_line(&bytes);
        properties::request_line(format!("{{\"command\":\"read\",\"params\":{{\"path\":\"{text}\"}}}}").as_bytes());
    }

    #[test]
    fn one_property_changes_alone(
        name in "[a-z]{1,3}", value in syntax(), block in syntax(), body in syntax(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let input = format!("{name}\n{}\n---\n{block}\n---\n{body}", value.replace('\n', " "));
        properties::yaml(&input, folder.path());
    }

    #[test]
    fn a_canvas_changes_in_its_links_alone(nodes in syntax()) {
        let folder = tempfile::tempdir().unwrap();
        for json in [nodes.clone(), format!("{{\"nodes\":[{{{nodes}}}]}}")] {
            properties::canvas(&json, folder.path());
        }
    }

    #[test]
    fn every_query_ends_and_hits_inside_the_note(query in syntax(), note in syntax()) {
        let input = format!("{}\n{note}", query.replace('\n', " "));
        properties::search_query(&input);
        properties::regular_expression(&input);
    }

    #[test]
    fn every_base_has_rows_or_an_error(text in syntax(), before in prop::sample::select(vec!["", "views:\n- ", "filters: ", "formulas:\n  a: "])) {
        let folder = tempfile::tempdir().unwrap();
        properties::base(&format!("{before}{text}"), folder.path());
        properties::base_expression(&text, folder.path());
    }

    #[test]
    fn any_output_is_read_or_refused(form in any::<[u8; 2]>(), text in syntax()) {
        let mut input = form.to_vec();
        input.extend_from_slice(text.as_bytes());
        properties::cli_output(&input);
    }
}

/// Canvases that are well-formed, which made-up text hardly ever is.
#[test]
fn links_of_a_well_formed_canvas_change_alone() {
    let folder = tempfile::tempdir().unwrap();
    for json in [
        r#"{"nodes":[{"type":"file","file":"note.md","x":1},{"type":"text","text":"[[note]] \u00e9","z":"\""}],"edges":[]}"#,
        r#"{"nodes":[],"nodes":[{"type":"text","text":"![[note|a]]"}]}"#,
        r#"{"nodes":[{"file":"note.md","type":"file"},{"type":"file","file":7},[],null]}"#,
    ] {
        properties::canvas(json, folder.path());
    }
    properties::index_cache(&vault_engine::Vault::open(folder.path()).unwrap());
}
