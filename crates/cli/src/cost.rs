//! The cost of a result: how many tokens each part of it costs a model.

use plainwire::model::{CallToolResult, Content, ResourceContents, Role};
use plainwire_inspect::tokens::Tokenizer;

use crate::output;

/// Prints the cost of each block of a result on stderr, and that of its structured content.
pub(crate) fn show(result: &CallToolResult) {
    output::note(&text(result, Tokenizer::best()));
}

fn text(result: &CallToolResult, tokenizer: Tokenizer) -> String {
    let blocks: Vec<(usize, String)> =
        (1..).zip(&result.content).map(|(number, block)| cost(number, block, tokenizer)).collect();
    let sum = blocks.iter().map(|it| it.0).sum();
    let mut lines = vec![format!("cost: {} for a model that gets the blocks", counted(sum, tokenizer))];
    lines.extend(blocks.into_iter().map(|(tokens, what)| format!("  {tokens:>6}  {what}")));
    if let Some(value) = &result.structured_content {
        let tokens = counted(tokenizer.count(value.get()), tokenizer);
        lines.push(format!("structured content: {tokens} more, if the host passes it on"));
    }
    lines.join("\n")
}

/// Returns the tokens of a block, and what the block is.
fn cost(number: usize, block: &Content, tokenizer: Tokenizer) -> (usize, String) {
    let (tokens, what) = match block {
        Content::Text(it) => {
            let readers = it.annotations.as_ref().map(|it| &it.audience[..]).unwrap_or_default();
            let is_for_user = readers == [Role::User];
            (tokenizer.count(&it.text), if is_for_user { "text, for the user" } else { "text" })
        }
        Content::Resource(it) => match &it.resource {
            ResourceContents::Text(it) => (tokenizer.count(&it.text), "text of a resource"),
            ResourceContents::Blob(_) => (0, "bytes of a resource, not counted"),
        },
        Content::ResourceLink(it) => (tokenizer.count(&it.uri), "link to a resource"),
        Content::Image(_) => (0, "image, not counted"),
        Content::Audio(_) => (0, "audio, not counted"),
        Content::Other(_) => (0, "block of an unknown type, not counted"),
    };
    (tokens, format!("block {number}: {what}"))
}

fn counted(tokens: usize, tokenizer: Tokenizer) -> String {
    let about = if tokenizer.is_exact() { "" } else { "about " };
    format!("{about}{}", output::counted(tokens, "token"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_has_its_cost() {
        let result: CallToolResult = serde_json::from_str(
            r##"{"content":[
                {"type":"text","text":"# Moss","annotations":{"audience":["user"]}},
                {"type":"text","text":"{\"title\":\"Moss\"}"},
                {"type":"image","data":"AA==","mimeType":"image/png"}
            ],"structuredContent":{"title":"Moss"}}"##,
        )
        .expect("a result");
        let (one, two) =
            (Tokenizer::Estimate.count("# Moss"), Tokenizer::Estimate.count(r#"{"title":"Moss"}"#));
        let expected = format!(
            "cost: about {} tokens for a model that gets the blocks\n  {one:>6}  block 1: text, for the user\n  {two:>6}  block 2: \
             text\n       0  block 3: image, not counted\nstructured content: about {two} tokens more, if the host passes it on",
            one + two
        );
        assert_eq!(text(&result, Tokenizer::Estimate), expected);
    }
}
