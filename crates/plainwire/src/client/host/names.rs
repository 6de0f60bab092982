//! Host names for tools and prompts: stable, and valid in the APIs of models.
//!
//! In: a prefix, a separator and the server's own name. Out: `PREFIX SEPARATOR NAME` in
//! `[A-Za-z0-9_-]{1,64}`. A name depends on nothing else: neither on the other servers nor on their order. If
//! characters have to be cut or replaced, the name ends with `_` and eight digits of a hash of the whole
//! name, so that two such names stay different.

/// The longest host name. 64: the limit of the APIs of models.
pub(super) const MAX_NAME: usize = 64;

/// The longest prefix of host names. 32: half of the longest name is left for the tool.
pub(super) const MAX_PREFIX: usize = 32;

/// The separator between prefix and name.
pub(super) const SEPARATOR: &str = "__";

/// Length of the end of a cut or changed name: `_` and eight digits of its hash.
const MARK: usize = 1 + 8;

/// Returns the host's name for an entry that its server calls `own`.
pub(super) fn exposed(prefix: &str, own: &str) -> String {
    let whole = if prefix.is_empty() { own.to_owned() } else { format!("{prefix}{SEPARATOR}{own}") };
    if !whole.is_empty() && whole.len() <= MAX_NAME && whole.chars().all(is_allowed) {
        return whole;
    }
    let kept = whole.chars().map(|c| if is_allowed(c) { c } else { '_' }).take(MAX_NAME - MARK);
    format!("{}_{:08x}", kept.collect::<String>(), hash(&whole))
}

/// Returns `text` if it is a valid prefix.
///
/// # Errors
/// The rule for prefixes, and the text that was found.
pub(super) fn prefix(text: &str) -> Result<String, String> {
    let is_fit = text.len() <= MAX_PREFIX && text.chars().all(is_allowed);
    // With the separator inside, or a part of it at the end, the end of the prefix would be ambiguous.
    if is_fit && !text.contains(SEPARATOR) && !text.ends_with('_') {
        return Ok(text.to_owned());
    }
    Err(format!(
        "expected a prefix of at most {MAX_PREFIX} characters of `A-Z a-z 0-9 _ -`, without `{SEPARATOR}` and without `_` at \
         its end, but found {text:?}; `Member::prefix` sets another prefix than the name of the server"
    ))
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns the FNV-1a hash of `text`, folded to 32 bits. Unlike the hash of the standard library, this one is
/// equal on every machine and in every version.
fn hash(text: &str) -> u32 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let all = text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    ((all >> 32) ^ (all & 0xffff_ffff)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_fits_is_prefix_separator_and_name() {
        assert_eq!(exposed("jira", "search"), "jira__search");
        assert_eq!(exposed("", "search"), "search");
        assert_eq!(exposed("a", &"x".repeat(61)), format!("a__{}", "x".repeat(61)));
    }

    #[test]
    fn what_is_cut_or_replaced_gets_a_hash_that_never_changes() {
        assert_eq!(exposed("jira", "issues.get"), "jira__issues_get_6fd8c44f");
        for own in ["issues.get", "issues/get", "issues get", "größe", "", &"x".repeat(62), &"ß".repeat(500)]
        {
            let name = exposed("jira", own);
            let fits = name.len() <= MAX_NAME && name.chars().all(is_allowed);
            assert!(fits && (own.is_empty() || name != exposed("jira", "issues_get")), "{own}: {name}");
        }
        assert_ne!(exposed("jira", "issues.get"), exposed("jira", "issues/get"));
        let long = |end: char| exposed("a", &format!("{}{end}", "x".repeat(80)));
        assert_ne!(long('1'), long('2'));
    }

    #[test]
    fn a_prefix_can_be_told_from_the_name() {
        for fit in ["", "jira", "my-server", "a_b", &"x".repeat(MAX_PREFIX)] {
            assert_eq!(prefix(fit).as_deref(), Ok(fit));
        }
        for unfit in ["a__b", "a_", "a b", "ä", &"x".repeat(MAX_PREFIX + 1)] {
            assert!(prefix(unfit).is_err(), "{unfit}");
        }
    }
}
