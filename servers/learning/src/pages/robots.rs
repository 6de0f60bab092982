//! The rules of a robots.txt (RFC 9309): which pages of a site a program may read.
//!
//! In: the text of the file, and the name of this program. Out: [`Rules`].

use url::Url;

/// The largest number of rules that count.
const MAX_RULES: usize = 10_000;

/// The rules of a site for one program. Without rules, every page may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// Each rule: whether it allows, and the pattern of the paths that it is for.
    rules: Vec<(bool, String)>,
}

/// Reads the rules of the groups for `agent`, or those for all programs if there are none for it.
pub(super) fn parse(text: &str, agent: &str) -> Rules {
    let (mut own, mut general) = (Vec::new(), Vec::new());
    // Whether the group that is being read is for this program, and for all of them.
    let (mut is_own, mut is_general, mut has_own) = (false, false, false);
    let mut in_names = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((name, value)) = line.split_once(':') else { continue };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        match &*name {
            "user-agent" => {
                if !in_names {
                    (is_own, is_general) = (false, false);
                }
                in_names = true;
                let product: String =
                    value.chars().take_while(|it| it.is_ascii_alphabetic() || "-_".contains(*it)).collect();
                is_own |= product.eq_ignore_ascii_case(agent);
                is_general |= value == "*";
                has_own |= is_own;
            }
            "allow" | "disallow" => {
                in_names = false;
                // A rule without a path is for no page.
                if !value.is_empty() && own.len() + general.len() < MAX_RULES {
                    let rule = (name == "allow", plain(value));
                    if is_own {
                        own.push(rule.clone());
                    }
                    if is_general {
                        general.push(rule);
                    }
                }
            }
            _ => {}
        }
    }
    Rules { rules: if has_own { own } else { general } }
}

impl Rules {
    /// Returns whether a page may be read: the longest pattern that fits decides, and of two equal ones that which allows.
    pub(super) fn allow(&self, url: &Url) -> bool {
        let path = match url.query() {
            Some(query) => plain(&format!("{}?{query}", url.path())),
            None => plain(url.path()),
        };
        let fitting = self.rules.iter().filter(|(_, pattern)| fits(pattern, &path));
        fitting.max_by_key(|(allows, pattern)| (pattern.len(), *allows)).is_none_or(|(allows, _)| *allows)
    }
}

/// Returns a path with the characters that are written as `%` and two digits without need. Both sides are compared so.
fn plain(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = path.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match code.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            // What has a meaning in patterns or paths stays as it is written.
            Some(byte) if !matches!(byte, b'/' | b'*' | b'$' | b'?' | b'%') => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns whether a path begins as a pattern says: `*` stands for anything, `$` at the end for the end. In linear time for
/// each part between stars, whatever the pattern.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !is_whole || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        if is_last && is_whole {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, path: &str) -> bool {
        let url = Url::parse("https://example.com").expect("an address").join(path).expect("an address");
        parse(text, "plainwire-learning").allow(&url)
    }

    #[test]
    fn the_group_of_this_program_counts_alone() {
        let text = "User-Agent: *\nDisallow: /\n\nuser-agent: Plainwire-Learning/2\nuser-agent: other\nDisallow: /no\n";
        assert!(reads(text, "/yes") && !reads(text, "/no/where"));
        assert!(!reads("User-agent: *\nDisallow: /", "/yes"));
        assert!(reads("User-agent: other\nDisallow: /", "/yes"));
        assert!(reads("User-agent: *\nDisallow: /\nUser-agent: plainwire-learning\nDisallow:", "/yes"));
        assert!(reads("", "/") && reads("<html>\0 not: rules", "/"));
    }

    #[test]
    fn the_longest_pattern_decides() {
        // RFC 9309, 5.1 and 5.2.
        let text = "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: /x\nAllow: /x";
        assert!(reads(text, "/example/page/a") && !reads(text, "/example/page/disallowed.gif"));
        assert!(reads(text, "/x"), "of equal patterns, the one that allows");
    }

    #[test]
    fn stars_and_ends_are_understood() {
        let text =
            "User-agent: * # all\nDisallow: /*.gif$\nDisallow: /*/private*\nDisallow: /a%3Cd\nDisallow: /q?";
        for (path, may) in [
            ("/a.gif", false),
            ("/a.gif?x", true),
            ("/a/private/b", false),
            ("/private", true),
            ("/a<d", false),
            ("/a%3cd", false),
            ("/q?x=1", false),
            ("/q", true),
        ] {
            assert_eq!(reads(text, path), may, "{path}");
        }
        let hard = format!("User-agent: *\nDisallow: /{}b$", "*a".repeat(5_000));
        assert!(reads(&hard, &format!("/{}", "a".repeat(10_000))));
    }
}
