//! Pages of lists that a site answers whole.
//!
//! In: a whole list, and a token of an earlier page. Out: a part of the list, and the token of the next one.

use plainwire::ToolError;

/// A part of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Part<T> {
    /// The elements.
    pub items: Vec<T>,
    /// The number of all elements.
    pub total: u64,
    /// Where the next part begins.
    pub next: Option<String>,
}

/// Returns up to `most` elements of a list, after those of an earlier part.
///
/// # Errors
/// A token that is none of this list.
pub fn part<T>(all: Vec<T>, most: usize, token: Option<&str>) -> Result<Part<T>, ToolError> {
    let start: usize = match token.map(str::trim).filter(|it| !it.is_empty()) {
        None => 0,
        Some(text) => text.parse().map_err(|_| {
            ToolError::invalid_input(format!(
                "expected `page_token` to be one of an earlier answer, but found {text:?}"
            ))
        })?,
    };
    let total = all.len();
    let end = start.saturating_add(most);
    let items = all.into_iter().skip(start).take(most).collect();
    Ok(Part { items, total: total as u64, next: (end < total).then(|| end.to_string()) })
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn the_parts_of_a_list_are_the_list() {
        let (mut found, mut token) = (Vec::new(), None);
        loop {
            let some = part((0..10).collect(), 4, token.as_deref()).unwrap();
            assert_eq!(some.total, 10);
            found.extend(some.items);
            token = some.next;
            if token.is_none() {
                break;
            }
        }
        assert_eq!(found, (0..10).collect::<Vec<_>>());
        assert!(part(vec![1], 4, Some("x")).is_err());
        assert!(part(vec![1], 4, Some("9")).unwrap().items.is_empty());
    }
}
