//! JSON with comments, as configuration files have it.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;

/// Returns options for JSON with comments and trailing commas, as VS Code writes it, and with no other
/// extension.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

pub(crate) fn parse(text: &str) -> Result<CstRootNode, String> {
    let broken = |line: usize, why: String| format!("expected JSON, but found in line {line}: {why}");
    CstRootNode::parse(text, &options())
        .map_err(|error| broken(error.line_display(), error.kind().to_string()))
}
