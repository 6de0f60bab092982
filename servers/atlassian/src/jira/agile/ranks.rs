//! The order in which a change of ranks leaves issues.
//!
//! In: the order before, the issues that move, and the one beside which they come. Out: the order after, of the issues that show whether
//! somebody ranked them since.

/// Returns the issues that moved and their neighbours, before and after, in the order after the change. None if a place is not known.
pub(super) fn after<'a>(
    order: &'a [String],
    moved: &[&'a str],
    beside: &str,
    is_before: bool,
) -> Option<Vec<&'a str>> {
    if moved.iter().any(|it| !order.iter().any(|other| other == it)) {
        return None;
    }
    let is_moved = |key: &&str| moved.contains(key);
    let mut after: Vec<&str> = order.iter().map(String::as_str).filter(|it| !is_moved(it)).collect();
    let at = after.iter().position(|it| *it == beside)?;
    let at = if is_before { at } else { at + 1 };
    after.splice(at..at, moved.iter().copied());
    let neighbours = |list: &[&'a str]| -> Vec<&'a str> {
        let beside = |pair: &[&'a str]| pair.iter().any(is_moved).then(|| pair.to_vec());
        list.windows(2).filter_map(beside).flatten().collect()
    };
    let before: Vec<&str> = order.iter().map(String::as_str).collect();
    let (mut shown, more) = (neighbours(&before), neighbours(&after));
    shown.extend(more);
    after.retain(|it| shown.contains(it));
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::after;

    #[test]
    fn what_moved_is_shown_with_its_neighbours_before_and_after() {
        let order: Vec<String> = "abcdefgh".chars().map(String::from).collect();
        for (moved, beside, is_before, expected) in [
            (&["b"][..], "f", false, Some("acfbg")),
            (&["b"], "f", true, Some("acebf")),
            (&["h", "b"], "e", false, Some("acehbfg")),
            (&["a"], "h", false, Some("bha")),
            (&["c"], "b", false, Some("bcd")),
            (&["z"], "b", false, None),
            (&["a"], "z", false, None),
        ] {
            let found = after(&order, moved, beside, is_before).map(|it| it.concat());
            assert_eq!(found.as_deref(), expected, "{moved:?} {beside} {is_before}");
        }
    }
}
