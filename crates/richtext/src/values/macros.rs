//! Panel types and status colours, as Confluence's macros and ADF name them.

/// Returns the ADF panel type of the macro `name`; `None` if that macro is not a panel.
pub(crate) fn panel_type(name: &str) -> Option<&'static str> {
    PANELS.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// Returns the macro of an ADF panel type: `panel` for `custom`, a panel with its own colours; `None` for
/// `tip`, which no macro stands for, and for unknown types.
pub(crate) fn panel_macro(panel_type: &str) -> Option<&'static str> {
    let panel_type = if panel_type == "custom" { "note" } else { panel_type };
    PANELS.iter().find(|it| it.1 == panel_type).map(|it| it.0)
}

/// Macros and their ADF panel types. Both vocabularies have a `note` and a `warning`, with different
/// meanings.
const PANELS: [(&str, &str); 5] =
    [("info", "info"), ("tip", "success"), ("note", "warning"), ("warning", "error"), ("panel", "note")];

/// Returns the ADF name of a status colour. `colour` is its name in the macro `status`, in upper or lower
/// case.
pub(crate) fn status_of_macro(colour: &str) -> Option<&'static str> {
    STATUS.iter().find(|it| it.0.eq_ignore_ascii_case(colour)).map(|it| it.1)
}

/// Returns the name of a status colour in the macro `status`. `colour` is its name in ADF.
pub(crate) fn status_of_adf(colour: &str) -> Option<&'static str> {
    STATUS.iter().find(|it| it.1 == colour).map(|it| it.0)
}

/// Status colours, as named by Confluence and by ADF.
const STATUS: [(&str, &str); 6] = [
    ("Grey", "neutral"),
    ("Green", "green"),
    ("Yellow", "yellow"),
    ("Red", "red"),
    ("Blue", "blue"),
    ("Purple", "purple"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_come_back_under_the_name_they_have_elsewhere() {
        for (name, adf) in PANELS {
            assert_eq!((panel_type(name), panel_macro(adf)), (Some(adf), Some(name)));
        }
        assert_eq!((panel_macro("custom"), panel_macro("tip")), (Some("panel"), None));
    }

    #[test]
    fn colours_of_a_status_come_back() {
        for (name, adf) in STATUS {
            assert_eq!(status_of_macro(&name.to_ascii_uppercase()), Some(adf));
            assert_eq!(status_of_adf(adf), Some(name));
        }
        assert_eq!((status_of_macro("neutral"), status_of_adf("Grey")), (None, None));
    }
}
