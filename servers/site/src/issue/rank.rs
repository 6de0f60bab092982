//! Ranks: texts whose order is that of the backlog. Between any two there is a third.
//!
//! In: the ranks of two neighbours. Out: one between them. Their form is that of Jira's LexoRank: `0|hzzzzz:`, with more digits
//! after the colon when there is no room before it.

use crate::fault::Result;
use crate::work::Work;

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A side of another issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Ranked lower than it.
    After,
    /// Ranked higher than it.
    Before,
}

/// The distance of a rank at the end from the one before it: there is room for some between them, and for 1.6 million at the end.
const STEP: u64 = 36 * 36;

/// Returns a rank between two others; `None` is the beginning or the end of all ranks.
pub fn between(above: Option<&str>, below: Option<&str>) -> String {
    if let (Some(above), None) = (above, below)
        && let Some(next) = after(above)
    {
        return next;
    }
    let low: Vec<u8> = above.map_or_else(Vec::new, digits);
    let high: Option<Vec<u8>> = below.map(digits);
    let mut found = Vec::new();
    let mut bounded = high;
    for at in 0.. {
        let low = low.get(at).copied().unwrap_or(0);
        let high = match &bounded {
            Some(all) => all.get(at).copied().unwrap_or(0),
            None => 36,
        };
        let middle = low + high.saturating_sub(low) / 2;
        if middle > low {
            found.push(middle);
            break;
        }
        found.push(low);
        if high > low {
            // Everything that follows `low` is below `high`.
            bounded = None;
        }
    }
    while found.len() < 6 {
        found.push(0);
    }
    let text: String = found.iter().map(|it| char::from(DIGITS[usize::from(*it)])).collect();
    format!("0|{}:{}", &text[..6], &text[6..])
}

/// Returns the rank one step after another one, unless the six digits are used up.
fn after(rank: &str) -> Option<String> {
    let all = digits(rank);
    let number = (0..6).fold(0_u64, |sum, at| sum * 36 + u64::from(all.get(at).copied().unwrap_or(0)));
    let mut next = number + STEP;
    if next >= 36_u64.pow(6) {
        return None;
    }
    let mut text = [b'0'; 6];
    for place in text.iter_mut().rev() {
        *place = DIGITS[usize::try_from(next % 36).unwrap_or_default()];
        next /= 36;
    }
    Some(format!("0|{}:", String::from_utf8_lossy(&text)))
}

fn digits(rank: &str) -> Vec<u8> {
    let digits = rank.strip_prefix("0|").unwrap_or(rank).bytes();
    digits.filter_map(|it| DIGITS.iter().position(|digit| *digit == it)).map(|it| it as u8).collect()
}

/// Ranks an issue directly before or after another one.
///
/// # Errors
/// Those of SQLite.
pub fn move_beside(work: &Work<'_>, issue: i64, side: Side, other: i64) -> Result<()> {
    let rank: Option<String> = work.one("SELECT rank FROM issue WHERE id = ?1", [other], |row| row.get(0))?;
    let Some(rank) = rank.filter(|_| issue != other) else { return Ok(()) };
    let sql = match side {
        Side::After => "SELECT min(rank) FROM issue WHERE rank > ?1 AND id <> ?2",
        Side::Before => "SELECT max(rank) FROM issue WHERE rank < ?1 AND id <> ?2",
    };
    let next: Option<String> = work.one(sql, (&rank, issue), |row| row.get(0))?.flatten();
    let rank = match side {
        Side::After => between(Some(&rank), next.as_deref()),
        Side::Before => between(next.as_deref(), Some(&rank)),
    };
    work.run("UPDATE issue SET rank = ?1 WHERE id = ?2", (rank, issue))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn there_is_a_rank_between_any_two() {
        let mut ranks = vec![between(None, None)];
        for n in 0..2_000_usize {
            let at = (n * 7) % (ranks.len() + 1);
            let above = at.checked_sub(1).map(|it| ranks[it].clone());
            let rank = between(above.as_deref(), ranks.get(at).map(String::as_str));
            ranks.insert(at, rank);
        }
        assert!(ranks.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn many_ranks_before_the_first_one_stay_apart() {
        let mut first = between(None, None);
        for _ in 0..300 {
            let next = between(None, Some(&first));
            assert!(next < first, "{next} {first}");
            first = next;
        }
    }
}
