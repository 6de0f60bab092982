//! The 35 tools with Plainwire. They exist to be listed: nothing is stored, and every call fails with that
//! message.

#![expect(unused_variables, reason = "arguments are described and not used")]

mod types;

use chrono::{DateTime, Utc};
use plainwire::prelude::*;
use types::*;

fn empty<T>() -> Result<T, ToolError> {
    Err(ToolError::not_found("nothing is stored here"))
}

/// Searches issues by text and filter. Without a text, everything that fits the filter is found.
#[tool(read_only)]
async fn search_issues(
    /// Words to look for in titles, descriptions and comments.
    query: Option<String>,
    /// Which issues to look at.
    filter: Option<IssueFilter>,
    /// How the list is sorted.
    sort: Option<IssueSort>,
    paging: Option<Paging>,
) -> Result<Page<IssueSummary>, ToolError> {
    empty()
}

/// Returns one issue. Long sections come only if they are asked for.
#[tool(read_only)]
async fn get_issue(
    issue: IssueKey,
    /// Sections to include; none if empty.
    #[serde(default)]
    include: Vec<IssueSection>,
) -> Result<Issue, ToolError> {
    empty()
}

/// Creates an issue and returns it with its key.
#[tool]
async fn create_issue(draft: IssueDraft) -> Result<Issue, ToolError> {
    empty()
}

/// Creates many issues in one step. The outcome names each one that was refused and why.
#[tool]
async fn create_issues(
    /// Issues to create, in this order.
    #[length(1..=50)]
    drafts: Vec<IssueDraft>,
    /// What happens to the others if one is refused.
    mode: BatchMode,
) -> Result<BatchOutcome, ToolError> {
    empty()
}

/// Changes fields of an issue. All changes are made or none.
#[tool(idempotent)]
async fn update_issue(
    issue: IssueKey,
    /// What to change.
    #[length(1..)]
    changes: Vec<IssueChange>,
    /// Whether watchers get a mail.
    #[default(true)]
    notify: bool,
) -> Result<Issue, ToolError> {
    empty()
}

/// Moves an issue to another state, if the project's workflow allows it.
#[tool]
async fn move_issue(
    issue: IssueKey,
    /// State to move it to.
    state: IssueState,
    /// Why it is done; required if the state is done.
    resolution: Option<Resolution>,
    /// Comment to leave with the move, in Markdown.
    comment: Option<String>,
) -> Result<Issue, ToolError> {
    empty()
}

/// Gives an issue to somebody, or to nobody.
#[tool(idempotent)]
async fn assign_issue(
    issue: IssueKey,
    /// Who is to work on it; absent means nobody.
    assignee: Option<UserId>,
) -> Result<IssueSummary, ToolError> {
    empty()
}

/// Links one issue to another.
#[tool(idempotent)]
async fn link_issues(
    issue: IssueKey,
    /// What the first issue does to the other.
    kind: LinkKind,
    /// The other issue.
    target: IssueKey,
) -> Result<IssueLink, ToolError> {
    empty()
}

/// Deletes an issue with its comments. This cannot be undone.
#[tool(destructive)]
async fn delete_issue(
    issue: IssueKey,
    /// Reason for the audit log.
    #[length(1..=500)]
    reason: String,
) -> Result<String, ToolError> {
    empty()
}

/// Returns the comments of an issue as threads.
#[tool(read_only)]
async fn list_comments(issue: IssueKey, paging: Option<Paging>) -> Result<Discussion, ToolError> {
    empty()
}

/// Adds a comment to an issue, or an answer to a comment.
#[tool]
async fn add_comment(
    issue: IssueKey,
    /// Text in Markdown.
    #[length(1..=20000)]
    body: String,
    /// Comment to answer.
    reply_to: Option<CommentId>,
    /// Who may read it; the same as the issue if absent.
    visibility: Option<Visibility>,
) -> Result<Comment, ToolError> {
    empty()
}

/// Records time that was spent on an issue.
#[tool]
async fn log_work(
    issue: IssueKey,
    /// When the work began.
    started_at: DateTime<Utc>,
    /// Minutes of work.
    #[range(1..=1440)]
    minutes: u32,
    /// What was done.
    note: Option<String>,
) -> Result<Worklog, ToolError> {
    empty()
}

/// Returns recorded work by issues, people and days.
#[tool(read_only)]
async fn list_worklogs(
    /// Days of the work.
    days: DateRange,
    /// Issues that the work was for.
    filter: Option<IssueFilter>,
    /// Who worked; everybody if empty.
    #[serde(default)]
    authors: Vec<UserId>,
    paging: Option<Paging>,
) -> Result<Page<Worklog>, ToolError> {
    empty()
}

/// Returns the sprints of a board, newest first.
#[tool(read_only)]
async fn list_sprints(
    /// Name of the board.
    board: String,
    /// States; all if empty.
    #[serde(default)]
    states: Vec<SprintState>,
    paging: Option<Paging>,
) -> Result<Page<Sprint>, ToolError> {
    empty()
}

/// Puts issues into a sprint and takes others out.
#[tool(idempotent)]
async fn plan_sprint(
    sprint: SprintId,
    /// Issues to put in.
    #[serde(default)]
    add: Vec<IssueKey>,
    /// Issues to take out.
    #[serde(default)]
    remove: Vec<IssueKey>,
    /// New goal; the old one stays if absent.
    goal: Option<String>,
) -> Result<Sprint, ToolError> {
    empty()
}

/// Counts issues in groups, for reports.
#[tool(read_only)]
async fn count_issues(
    /// Properties to group by, outermost first.
    #[length(1..=3)]
    group_by: Vec<GroupBy>,
    /// Which issues to count; all if absent.
    filter: Option<IssueFilter>,
) -> Result<Statistics, ToolError> {
    empty()
}

/// Searches users by name or mail address.
#[tool(read_only)]
async fn search_users(
    /// Beginning of a name or a mail address.
    query: String,
    /// Whether to show closed accounts too.
    #[default(false)]
    inactive: bool,
    paging: Option<Paging>,
) -> Result<Page<User>, ToolError> {
    empty()
}

/// Searches wiki pages by text and filter.
#[tool(read_only)]
async fn search_pages(
    /// Words to look for in titles and texts.
    query: String,
    /// Which pages to look at.
    filter: Option<PageFilter>,
    paging: Option<Paging>,
) -> Result<Page<PageSummary>, ToolError> {
    empty()
}

/// Returns a wiki page with its text and its place in the wiki.
#[tool(read_only)]
async fn get_page(
    /// Which page.
    page: PageRef,
    /// Number of the version; the last one if absent.
    version: Option<u32>,
) -> Result<WikiPage, ToolError> {
    empty()
}

/// Returns the text of a wiki page in Markdown and nothing else.
#[tool(read_only)]
async fn read_page(
    /// Which page.
    page: PageRef,
    /// Characters to return at most.
    #[default(20000)]
    #[range(1..=200000)]
    max_chars: u32,
) -> Result<String, ToolError> {
    empty()
}

/// Creates a wiki page.
#[tool]
async fn create_page(draft: PageDraft) -> Result<PageSummary, ToolError> {
    empty()
}

/// Edits the text of a wiki page. Fails if somebody else has changed the page since.
#[tool]
async fn edit_page(
    page: PageId,
    /// Number of the version that the edits were made for.
    version: u32,
    /// Edits, made one after the other.
    #[length(1..)]
    edits: Vec<PageEdit>,
    /// What changed and why, for the history.
    message: Option<String>,
) -> Result<WikiPage, ToolError> {
    empty()
}

/// Returns the pages below a page as a tree.
#[tool(read_only)]
async fn page_tree(
    /// Page at the root.
    root: PageId,
    /// How many levels below it.
    #[default(3)]
    #[range(1..=10)]
    depth: u32,
) -> Result<PageNode, ToolError> {
    empty()
}

/// Replaces the permissions of a wiki page. Pages below it follow.
#[tool(destructive, idempotent)]
async fn set_page_permissions(
    page: PageId,
    /// All rules that the page will have.
    rules: Vec<PermissionRule>,
) -> Result<Permissions, ToolError> {
    empty()
}

/// Returns the comments of a wiki page as threads.
#[tool(read_only)]
async fn list_page_comments(
    page: PageId,
    /// Only resolved threads, or only others; both if absent.
    resolved: Option<bool>,
    paging: Option<Paging>,
) -> Result<Discussion, ToolError> {
    empty()
}

/// Makes an older version of a wiki page the current one.
#[tool(idempotent)]
async fn restore_page(
    page: PageId,
    /// Number of the version to restore.
    #[range(1..)]
    version: u32,
) -> Result<String, ToolError> {
    empty()
}

/// Returns the repositories that the caller may read.
#[tool(read_only)]
async fn list_repositories(
    /// Which repositories to look at.
    filter: Option<RepositoryFilter>,
    paging: Option<Paging>,
) -> Result<Page<Repository>, ToolError> {
    empty()
}

/// Returns the text of a file, or some lines of it.
#[tool(read_only)]
async fn read_file(
    repository: RepositoryName,
    /// Path from the root of the repository.
    path: String,
    /// State to read; the default branch if absent.
    revision: Option<Revision>,
    /// Lines to return; all if absent.
    lines: Option<LineRange>,
) -> Result<String, ToolError> {
    empty()
}

/// Returns commits, newest first.
#[tool(read_only)]
async fn list_commits(
    repository: RepositoryName,
    /// Which commits to look at.
    filter: Option<CommitFilter>,
    paging: Option<Paging>,
) -> Result<Page<Commit>, ToolError> {
    empty()
}

/// Returns what changed between two states of a repository, as a unified diff.
#[tool(read_only)]
async fn compare_revisions(
    repository: RepositoryName,
    /// State before.
    base: Revision,
    /// State after.
    head: Revision,
    /// Unchanged lines to show around each change.
    #[default(3)]
    #[range(0..=100)]
    context_lines: u32,
) -> Result<String, ToolError> {
    empty()
}

/// Searches code by text or regular expression.
#[tool(read_only)]
async fn search_code(
    /// What to look for; a regular expression if it stands between slashes.
    query: String,
    /// Where to search; everywhere if absent.
    scope: Option<CodeScope>,
    paging: Option<Paging>,
) -> Result<Page<CodeMatch>, ToolError> {
    empty()
}

/// Opens a pull request.
#[tool]
async fn create_pull_request(draft: PullRequestDraft) -> Result<PullRequest, ToolError> {
    empty()
}

/// Submits a review of a pull request, with comments on lines.
#[tool]
async fn review_pull_request(
    /// Which pull request.
    pull_request: PullRequestRef,
    verdict: Verdict,
    /// What the review says as a whole, in Markdown.
    summary: Option<String>,
    /// What it says on single lines.
    #[serde(default)]
    comments: Vec<ReviewComment>,
) -> Result<Review, ToolError> {
    empty()
}

/// Merges a pull request, now or as soon as something holds.
#[tool(destructive)]
async fn merge_pull_request(
    /// Which pull request.
    pull_request: PullRequestRef,
    /// How its commits are put on the target.
    strategy: MergeStrategy,
    /// When to merge; now if absent.
    condition: Option<MergeCondition>,
    /// Whether to delete the source branch afterwards.
    #[default(false)]
    delete_source: bool,
) -> Result<PullRequest, ToolError> {
    empty()
}

/// Returns the builds of a repository, newest first.
#[tool(read_only)]
async fn list_builds(
    repository: RepositoryName,
    /// Which builds to look at.
    filter: Option<BuildFilter>,
    paging: Option<Paging>,
) -> Result<Page<Build>, ToolError> {
    empty()
}

#[tokio::main]
async fn main() -> Result<()> {
    plainwire::server!("cost")
        .tool(search_issues)
        .tool(get_issue)
        .tool(create_issue)
        .tool(create_issues)
        .tool(update_issue)
        .tool(move_issue)
        .tool(assign_issue)
        .tool(link_issues)
        .tool(delete_issue)
        .tool(list_comments)
        .tool(add_comment)
        .tool(log_work)
        .tool(list_worklogs)
        .tool(list_sprints)
        .tool(plan_sprint)
        .tool(count_issues)
        .tool(search_users)
        .tool(search_pages)
        .tool(get_page)
        .tool(read_page)
        .tool(create_page)
        .tool(edit_page)
        .tool(page_tree)
        .tool(set_page_permissions)
        .tool(list_page_comments)
        .tool(restore_page)
        .tool(list_repositories)
        .tool(read_file)
        .tool(list_commits)
        .tool(compare_revisions)
        .tool(search_code)
        .tool(create_pull_request)
        .tool(review_pull_request)
        .tool(merge_pull_request)
        .tool(list_builds)
        .stdio()
        .await
}
