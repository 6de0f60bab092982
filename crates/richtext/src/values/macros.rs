//! The words by which Confluence's macros and ADF call the same: types of panels, colours of a status.

/// The type of panel that a macro is.
pub(crate) fn panel_type(name: &str) -> Option<&'static str> {
    PANELS.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// The macro that a type of panel is; `tip` has none, and a panel with its own colours is `panel`.
pub(crate) fn panel_macro(panel_type: &str) -> Option<&'static str> {
    let panel_type = if panel_type == "custom" { "note" } else { panel_type };
    PANELS.iter().find(|it| it.1 == panel_type).map(|it| it.0)
}

/// Macros and the panel types of ADF they are. Both have `note` and `warning`, and mean different things.
const PANELS: [(&str, &str); 5] =
    [("info", "info"), ("tip", "success"), ("note", "warning"), ("warning", "error"), ("panel", "note")];

/// What ADF calls the colour of the macro `status`, in whatever case it is written.
pub(crate) fn status_of_macro(colour: &str) -> Option<&'static str> {
    STATUS.iter().find(|it| it.0.eq_ignore_ascii_case(colour)).map(|it| it.1)
}

/// What the macro `status` calls a colour of ADF.
pub(crate) fn status_of_adf(colour: &str) -> Option<&'static str> {
    STATUS.iter().find(|it| it.1 == colour).map(|it| it.0)
}

/// The colours of a status, as Confluence and as ADF call them.
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
