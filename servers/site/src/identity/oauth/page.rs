//! The page on which a person allows an application to act for them.
//!
//! In: the request. Out: HTML, without scripts and without anything from elsewhere. All that came with the
//! request is escaped.

use std::fmt::Write as _;

use super::Request;

/// The parameters that the form sends again.
const KEPT: [&str; 9] = [
    "audience",
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
];

/// Returns the page. `parameters` are those of the request; `note` says why it is shown again.
pub(super) fn consent(
    request: &Request,
    parameters: &[(String, String)],
    note: &str,
    has_demo: bool,
) -> String {
    let mut hidden = String::new();
    for (name, value) in parameters.iter().filter(|(name, _)| KEPT.contains(&name.as_str())) {
        let _ =
            write!(hidden, "<input type=\"hidden\" name=\"{}\" value=\"{}\">", escaped(name), escaped(value));
    }
    let mut scopes = String::new();
    for scope in request.scopes.split(' ') {
        let _ = write!(scopes, "<li><code>{}</code></li>", escaped(scope));
    }
    let demo = match has_demo {
        true => "<p><button name=\"decision\" value=\"allow-demo\">Allow as the demo user</button></p>",
        false => "",
    };
    let client = escaped(&request.client_id);
    let host = escaped(request.redirect.host_str().unwrap_or_default());
    let note = escaped(note);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Allow access</title></head><body>\
         <h1>Allow access to this site</h1>\
         <p>The application <code>{client}</code> at <code>{host}</code> asks for:</p><ul>{scopes}</ul>\
         <form method=\"post\">{hidden}{demo}\
         <p><label>E-mail or user name <input name=\"account\" autocomplete=\"username\"></label></p>\
         <p><label>API token or password <input name=\"secret\" type=\"password\" autocomplete=\"off\"></label></p>\
         <p role=\"alert\">{note}</p>\
         <p><button name=\"decision\" value=\"allow\">Allow</button> <button name=\"decision\" value=\"deny\">Deny</button></p>\
         </form></body></html>"
    )
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
