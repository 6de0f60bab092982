//! Forms of issues on Cloud, which were called ProForma.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::tools::writer_at;
use crate::write::{Change, Inverse, Journal, Plan, Step};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_issue_proforma_forms)
        .tool(jira_get_proforma_form_details)
        .tool(jira_update_proforma_form_answers)
}

/// The largest number of answers of one call.
const MAX_ANSWERS: usize = 200;

/// The forms of an issue.
#[data(kind = "jiraForms:v1")]
struct FormsView {
    forms: Vec<Value>,
}

/// Lists the forms of an issue. Returns their ids, names, and whether they are submitted.
#[tool(read_only, title = "Forms of an issue")]
async fn jira_get_issue_proforma_forms(
    #[argument("Such as HELP-1.")] issue_key: String,
    jira: State<Jira>,
) -> Result<FormsView, ToolError> {
    let key = jira.key(&issue_key).await?;
    Ok(FormsView { forms: jira.forms(key.as_str()).await? })
}

/// A form.
#[data(kind = "jiraForm:v1")]
struct FormView {
    form: Value,
}

/// Reads a form of an issue. Returns its questions with their ids, labels, choices and answers.
#[tool(read_only, title = "A form of an issue")]
async fn jira_get_proforma_form_details(
    #[argument("Such as HELP-1.")] issue_key: String,
    #[argument("From jira_get_issue_proforma_forms.")] form_id: String,
    jira: State<Jira>,
) -> Result<FormView, ToolError> {
    let key = jira.key(&issue_key).await?;
    let form = jira.form(key.as_str(), &form_id).await?;
    Ok(FormView { form: jira.shown_form(&form) })
}

// Answers to save.
#[data]
struct UpdateAnswers {
    /// Such as HELP-1.
    issue_key: String,
    /// From jira_get_issue_proforma_forms.
    form_id: String,
    /// Such as [{"questionId": "1", "value": "Slow"}]: ids or labels, with `type` DATE, DATETIME, TEXT, SELECT, … if it is not clear.
    answers: Vec<Value>,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Saves answers in a form of an issue; other answers stay. Returns the former answers, which can be written again.
#[tool(destructive, title = "Answer a form")]
async fn jira_update_proforma_form_answers(
    #[arguments] it: UpdateAnswers,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    if it.answers.is_empty() || it.answers.len() > MAX_ANSWERS {
        let message = format!("expected 1 to {MAX_ANSWERS} answers, but found {}", it.answers.len());
        return Err(ToolError::invalid_input(message));
    }
    let answers = jira.form_answers(key.as_str(), &it.form_id, &it.answers).await?;
    let is_same = answers.changes.is_empty();
    let plan = Plan {
        tool: "jira_update_proforma_form_answers",
        target: key.as_str().to_owned(),
        summary: format!("answer a form of {key}"),
        changes: answers.changes,
        steps: if is_same { vec![] } else { vec![Step::from(answers.request)] },
        inverse: Inverse::None(
            "forms are not on the site itself; write the old answers in `changes` again".to_owned(),
        ),
        warnings: vec![],
    };
    let site = jira.forms_site().await?;
    let mut change = writer_at(site, &journal, &context).write(plan, it.preview).await?;
    change.url = Some(jira.browse(key.as_str()));
    Ok(change)
}
