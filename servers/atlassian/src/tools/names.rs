//! Names of tools: those of mcp-atlassian, those of a small server before it, or both.
//!
//! In: what the operator chose. Out: the tools that there are, each under the name that it is offered by. Of two tools with the same name,
//! that of `v1` gets the prefix `v1_`.

use std::fmt;
use std::str::FromStr;

use super::toolsets::{ALL, Listed};
use super::v1;

/// The names under which tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Twelve tools for the usual work, with parameters such as `issueKey`.
    V1,
    /// The names and parameters of mcp-atlassian.
    #[default]
    V2,
    /// Both sets, side by side.
    Both,
}

impl FromStr for Names {
    type Err = String;

    /// Reads `v1`, `v2`, or both with a comma, in any case.
    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let mut parts: Vec<&str> = lower.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
        parts.sort_unstable();
        parts.dedup();
        match parts.as_slice() {
            ["v1"] => Ok(Self::V1),
            ["v2"] => Ok(Self::V2),
            ["v1", "v2"] => Ok(Self::Both),
            _ => Err(format!("expected `v1`, `v2` or `v1,v2`, but found {text:?}")),
        }
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::Both => "v1,v2",
        })
    }
}

impl Names {
    /// Returns the tools that there are.
    pub(crate) fn tools(self) -> impl Iterator<Item = Listed> {
        // What takes changes back is needed by both.
        let of_v2 = ALL.iter().copied().filter(move |it| self != Self::V1 || it.toolset == "undo");
        let of_v1 = v1::ALL.iter().filter(move |_| self != Self::V2);
        let of_v1 = of_v1.map(move |it| Listed { name: it.name(self), ..it.listed });
        of_v2.chain(of_v1)
    }

    /// Returns the tool of a name.
    pub(crate) fn tool(self, name: &str) -> Option<Listed> {
        self.tools().find(|it| it.name == name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ALL, Names, v1};

    #[test]
    fn names_are_read_in_any_order_and_written_as_they_are_read() {
        for (text, names) in
            [("v1", Names::V1), (" V2 ", Names::V2), ("v2,v1", Names::Both), ("v1,v2,v2", Names::Both)]
        {
            assert_eq!(text.parse(), Ok(names), "{text}");
            assert_eq!(names.to_string().parse(), Ok(names));
        }
        for text in ["", "v3", "v1;v2", "v1,v2,v3"] {
            assert!(text.parse::<Names>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_prefix_keeps_the_sets_apart_and_only_where_they_share_a_name() {
        for names in [Names::V1, Names::V2, Names::Both] {
            let all: Vec<_> = names.tools().map(|it| it.name).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{names}");
        }
        for it in v1::ALL {
            let is_shared = ALL.iter().any(|other| other.name == it.listed.name);
            let prefix = if is_shared { "v1_" } else { "" };
            assert_eq!(it.beside_v2, format!("{prefix}{}", it.listed.name));
        }
    }
}
