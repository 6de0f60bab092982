//! Questions about what is not clear.
//!
//! In: the reason, and values to choose from. Out: an error that asks: the user, if the client can and an argument of the tool is the answer, or
//! else the model.

use plainwire::ToolError;
use plainwire::presentation::NeedsInput;

/// Returns a question. `argument` is the argument that the answer takes the place of; nothing if the answer is only a part of one, which a
/// form can't give.
pub fn question(
    reason: String,
    title: &str,
    argument: Option<&str>,
    choices: impl IntoIterator<Item = (String, String)>,
) -> ToolError {
    if let Some(argument) = argument {
        let needs = NeedsInput::new(reason).title(title);
        let add = |needs: NeedsInput, (value, told): (String, String)| {
            needs.described_choice(argument, value, told)
        };
        return choices.into_iter().fold(needs, add).into();
    }
    let told: Vec<_> = choices.into_iter().map(|(value, told)| format!("{value} ({told})")).collect();
    let message = format!("{reason}. Repeat the call with one of these in its place: {}", told.join(", "));
    NeedsInput::new(reason).title(title).message(message).into()
}
