//! Guards: what has to be there still, for a step to be taken back.
//!
//! In: checks of a step. Out: nothing, or an error that names what was changed since.

use plainwire::prelude::*;

use crate::rest::{Request, Site};

/// A value that has to be as the change left it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Check {
    /// What people call it, such as the key of an issue.
    pub name: String,
    /// The path of the thing that has it, in segments.
    pub path: Vec<String>,
    /// The query of the request.
    pub query: Vec<(String, String)>,
    /// The place of the value in the answer, as a JSON pointer.
    pub place: String,
    /// The value.
    pub expected: Value,
}

/// Issues that have to be in the order that the change left them in, by a text that each has.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Order {
    /// The paths of the issues, in segments, in their order.
    pub paths: Vec<Vec<String>>,
    /// The field of the issues that has the text.
    pub field: String,
}

/// Asks for each value, and refuses the first that is another one.
///
/// # Errors
/// Those of the site; a value that was changed since.
pub(super) async fn hold(site: &Site, checks: &[Check]) -> Result<(), ToolError> {
    for check in checks {
        let request = Request::get(check.path.iter().map(String::as_str));
        let request = check.query.iter().fold(request, |it, (name, value)| it.query(name, value));
        let now: Value = site.json(request).await?;
        if now.pointer(&check.place).unwrap_or(&Value::Null) != &check.expected {
            let message = format!("nothing was taken back, because {} was changed since", check.name);
            return Err(ToolError::new("conflict", message)
                .hint("read what is there now, and change it yourself if that is still right"));
        }
    }
    Ok(())
}

/// Asks for the text of each issue, and refuses an order that is another one.
///
/// # Errors
/// Those of the site; two issues of which one was ranked since.
pub(super) async fn in_order(site: &Site, order: &Order) -> Result<(), ToolError> {
    let mut above: Option<(&str, String)> = None;
    for path in &order.paths {
        let key = path.last().map_or("", String::as_str);
        let request = Request::get(path.iter().map(String::as_str)).query("fields", &order.field);
        let now: Value = site.json(request).await?;
        let rank = now["fields"][&order.field].as_str().unwrap_or_default().to_owned();
        if let Some((other, _)) = above.filter(|(_, it)| *it >= rank) {
            let message =
                format!("nothing was taken back, because the order of {other} and {key} was changed since");
            return Err(ToolError::new("conflict", message).hint(
                "read the order that is there now, and rank the issues yourself if that is still right",
            ));
        }
        above = Some((key, rank));
    }
    Ok(())
}
