//! The same 35 tools with rmcp, written as its documentation shows.

#![expect(unused_variables, reason = "arguments are described and not used")]
#![expect(dead_code, reason = "arguments are described and not used")]

mod types;

use chrono::{DateTime, Utc};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::transport::stdio;
use rmcp::{ErrorData, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use types::*;

fn empty<T>() -> Result<T, ErrorData> {
    Err(ErrorData::resource_not_found("nothing is stored here", None))
}

#[derive(Deserialize, JsonSchema)]
struct SearchIssues {
    /// Words to look for in titles, descriptions and comments.
    query: Option<String>,
    /// Which issues to look at.
    filter: Option<IssueFilter>,
    /// How the list is sorted.
    sort: Option<IssueSort>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct GetIssue {
    issue: IssueKey,
    /// Sections to include; none if empty.
    #[serde(default)]
    include: Vec<IssueSection>,
}

#[derive(Deserialize, JsonSchema)]
struct CreateIssue {
    draft: IssueDraft,
}

#[derive(Deserialize, JsonSchema)]
struct CreateIssues {
    /// Issues to create, in this order.
    #[schemars(length(min = 1, max = 50))]
    drafts: Vec<IssueDraft>,
    /// What happens to the others if one is refused.
    mode: BatchMode,
}

#[derive(Deserialize, JsonSchema)]
struct UpdateIssue {
    issue: IssueKey,
    /// What to change.
    #[schemars(length(min = 1))]
    changes: Vec<IssueChange>,
    /// Whether watchers get a mail.
    #[serde(default = "yes")]
    notify: bool,
}

#[derive(Deserialize, JsonSchema)]
struct MoveIssue {
    issue: IssueKey,
    /// State to move it to.
    state: IssueState,
    /// Why it is done; required if the state is done.
    resolution: Option<Resolution>,
    /// Comment to leave with the move, in Markdown.
    comment: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct AssignIssue {
    issue: IssueKey,
    /// Who is to work on it; absent means nobody.
    assignee: Option<UserId>,
}

#[derive(Deserialize, JsonSchema)]
struct LinkIssues {
    issue: IssueKey,
    /// What the first issue does to the other.
    kind: LinkKind,
    /// The other issue.
    target: IssueKey,
}

#[derive(Deserialize, JsonSchema)]
struct DeleteIssue {
    issue: IssueKey,
    /// Reason for the audit log.
    #[schemars(length(min = 1, max = 500))]
    reason: String,
}

#[derive(Deserialize, JsonSchema)]
struct ListComments {
    issue: IssueKey,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct AddComment {
    issue: IssueKey,
    /// Text in Markdown.
    #[schemars(length(min = 1, max = 20000))]
    body: String,
    /// Comment to answer.
    reply_to: Option<CommentId>,
    /// Who may read it; the same as the issue if absent.
    visibility: Option<Visibility>,
}

#[derive(Deserialize, JsonSchema)]
struct LogWork {
    issue: IssueKey,
    /// When the work began.
    started_at: DateTime<Utc>,
    /// Minutes of work.
    #[schemars(range(min = 1, max = 1440))]
    minutes: u32,
    /// What was done.
    note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct ListWorklogs {
    /// Days of the work.
    days: DateRange,
    /// Issues that the work was for.
    filter: Option<IssueFilter>,
    /// Who worked; everybody if empty.
    #[serde(default)]
    authors: Vec<UserId>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct ListSprints {
    /// Name of the board.
    board: String,
    /// States; all if empty.
    #[serde(default)]
    states: Vec<SprintState>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct PlanSprint {
    sprint: SprintId,
    /// Issues to put in.
    #[serde(default)]
    add: Vec<IssueKey>,
    /// Issues to take out.
    #[serde(default)]
    remove: Vec<IssueKey>,
    /// New goal; the old one stays if absent.
    goal: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct CountIssues {
    /// Properties to group by, outermost first.
    #[schemars(length(min = 1, max = 3))]
    group_by: Vec<GroupBy>,
    /// Which issues to count; all if absent.
    filter: Option<IssueFilter>,
}

#[derive(Deserialize, JsonSchema)]
struct SearchUsers {
    /// Beginning of a name or a mail address.
    query: String,
    /// Whether to show closed accounts too.
    #[serde(default)]
    inactive: bool,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct SearchPages {
    /// Words to look for in titles and texts.
    query: String,
    /// Which pages to look at.
    filter: Option<PageFilter>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct GetPage {
    /// Which page.
    page: PageRef,
    /// Number of the version; the last one if absent.
    version: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct ReadPage {
    /// Which page.
    page: PageRef,
    /// Characters to return at most.
    #[serde(default = "twenty_thousand")]
    #[schemars(range(min = 1, max = 200000))]
    max_chars: u32,
}

#[derive(Deserialize, JsonSchema)]
struct CreatePage {
    draft: PageDraft,
}

#[derive(Deserialize, JsonSchema)]
struct EditPage {
    page: PageId,
    /// Number of the version that the edits were made for.
    version: u32,
    /// Edits, made one after the other.
    #[schemars(length(min = 1))]
    edits: Vec<PageEdit>,
    /// What changed and why, for the history.
    message: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct PageTree {
    /// Page at the root.
    root: PageId,
    /// How many levels below it.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 10))]
    depth: u32,
}

#[derive(Deserialize, JsonSchema)]
struct SetPagePermissions {
    page: PageId,
    /// All rules that the page will have.
    rules: Vec<PermissionRule>,
}

#[derive(Deserialize, JsonSchema)]
struct ListPageComments {
    page: PageId,
    /// Only resolved threads, or only others; both if absent.
    resolved: Option<bool>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct RestorePage {
    page: PageId,
    /// Number of the version to restore.
    #[schemars(range(min = 1))]
    version: u32,
}

#[derive(Deserialize, JsonSchema)]
struct ListRepositories {
    /// Which repositories to look at.
    filter: Option<RepositoryFilter>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct ReadFile {
    repository: RepositoryName,
    /// Path from the root of the repository.
    path: String,
    /// State to read; the default branch if absent.
    revision: Option<Revision>,
    /// Lines to return; all if absent.
    lines: Option<LineRange>,
}

#[derive(Deserialize, JsonSchema)]
struct ListCommits {
    repository: RepositoryName,
    /// Which commits to look at.
    filter: Option<CommitFilter>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct CompareRevisions {
    repository: RepositoryName,
    /// State before.
    base: Revision,
    /// State after.
    head: Revision,
    /// Unchanged lines to show around each change.
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 100))]
    context_lines: u32,
}

#[derive(Deserialize, JsonSchema)]
struct SearchCode {
    /// What to look for; a regular expression if it stands between slashes.
    query: String,
    /// Where to search; everywhere if absent.
    scope: Option<CodeScope>,
    paging: Option<Paging>,
}

#[derive(Deserialize, JsonSchema)]
struct CreatePullRequest {
    draft: PullRequestDraft,
}

#[derive(Deserialize, JsonSchema)]
struct ReviewPullRequest {
    /// Which pull request.
    pull_request: PullRequestRef,
    verdict: Verdict,
    /// What the review says as a whole, in Markdown.
    summary: Option<String>,
    /// What it says on single lines.
    #[serde(default)]
    comments: Vec<ReviewComment>,
}

#[derive(Deserialize, JsonSchema)]
struct MergePullRequest {
    /// Which pull request.
    pull_request: PullRequestRef,
    /// How its commits are put on the target.
    strategy: MergeStrategy,
    /// When to merge; now if absent.
    condition: Option<MergeCondition>,
    /// Whether to delete the source branch afterwards.
    #[serde(default)]
    delete_source: bool,
}

#[derive(Deserialize, JsonSchema)]
struct ListBuilds {
    repository: RepositoryName,
    /// Which builds to look at.
    filter: Option<BuildFilter>,
    paging: Option<Paging>,
}

fn yes() -> bool {
    true
}

fn twenty_thousand() -> u32 {
    20000
}

fn three() -> u32 {
    3
}

#[derive(Clone)]
struct Cost {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Cost {
    fn new() -> Self {
        Self { tool_router: Self::tool_router() }
    }

    /// Searches issues by text and filter. Without a text, everything that fits the filter is found.
    #[tool(annotations(read_only_hint = true))]
    async fn search_issues(
        &self,
        Parameters(it): Parameters<SearchIssues>,
    ) -> Result<Json<Page<IssueSummary>>, ErrorData> {
        empty()
    }

    /// Returns one issue. Long sections come only if they are asked for.
    #[tool(annotations(read_only_hint = true))]
    async fn get_issue(&self, Parameters(it): Parameters<GetIssue>) -> Result<Json<Issue>, ErrorData> {
        empty()
    }

    /// Creates an issue and returns it with its key.
    #[tool]
    async fn create_issue(&self, Parameters(it): Parameters<CreateIssue>) -> Result<Json<Issue>, ErrorData> {
        empty()
    }

    /// Creates many issues in one step. The outcome names each one that was refused and why.
    #[tool]
    async fn create_issues(
        &self,
        Parameters(it): Parameters<CreateIssues>,
    ) -> Result<Json<BatchOutcome>, ErrorData> {
        empty()
    }

    /// Changes fields of an issue. All changes are made or none.
    #[tool(annotations(idempotent_hint = true))]
    async fn update_issue(&self, Parameters(it): Parameters<UpdateIssue>) -> Result<Json<Issue>, ErrorData> {
        empty()
    }

    /// Moves an issue to another state, if the project's workflow allows it.
    #[tool]
    async fn move_issue(&self, Parameters(it): Parameters<MoveIssue>) -> Result<Json<Issue>, ErrorData> {
        empty()
    }

    /// Gives an issue to somebody, or to nobody.
    #[tool(annotations(idempotent_hint = true))]
    async fn assign_issue(
        &self,
        Parameters(it): Parameters<AssignIssue>,
    ) -> Result<Json<IssueSummary>, ErrorData> {
        empty()
    }

    /// Links one issue to another.
    #[tool(annotations(idempotent_hint = true))]
    async fn link_issues(
        &self,
        Parameters(it): Parameters<LinkIssues>,
    ) -> Result<Json<IssueLink>, ErrorData> {
        empty()
    }

    /// Deletes an issue with its comments. This cannot be undone.
    #[tool(annotations(destructive_hint = true))]
    async fn delete_issue(&self, Parameters(it): Parameters<DeleteIssue>) -> Result<String, ErrorData> {
        empty()
    }

    /// Returns the comments of an issue as threads.
    #[tool(annotations(read_only_hint = true))]
    async fn list_comments(
        &self,
        Parameters(it): Parameters<ListComments>,
    ) -> Result<Json<Discussion>, ErrorData> {
        empty()
    }

    /// Adds a comment to an issue, or an answer to a comment.
    #[tool]
    async fn add_comment(&self, Parameters(it): Parameters<AddComment>) -> Result<Json<Comment>, ErrorData> {
        empty()
    }

    /// Records time that was spent on an issue.
    #[tool]
    async fn log_work(&self, Parameters(it): Parameters<LogWork>) -> Result<Json<Worklog>, ErrorData> {
        empty()
    }

    /// Returns recorded work by issues, people and days.
    #[tool(annotations(read_only_hint = true))]
    async fn list_worklogs(
        &self,
        Parameters(it): Parameters<ListWorklogs>,
    ) -> Result<Json<Page<Worklog>>, ErrorData> {
        empty()
    }

    /// Returns the sprints of a board, newest first.
    #[tool(annotations(read_only_hint = true))]
    async fn list_sprints(
        &self,
        Parameters(it): Parameters<ListSprints>,
    ) -> Result<Json<Page<Sprint>>, ErrorData> {
        empty()
    }

    /// Puts issues into a sprint and takes others out.
    #[tool(annotations(idempotent_hint = true))]
    async fn plan_sprint(&self, Parameters(it): Parameters<PlanSprint>) -> Result<Json<Sprint>, ErrorData> {
        empty()
    }

    /// Counts issues in groups, for reports.
    #[tool(annotations(read_only_hint = true))]
    async fn count_issues(
        &self,
        Parameters(it): Parameters<CountIssues>,
    ) -> Result<Json<Statistics>, ErrorData> {
        empty()
    }

    /// Searches users by name or mail address.
    #[tool(annotations(read_only_hint = true))]
    async fn search_users(
        &self,
        Parameters(it): Parameters<SearchUsers>,
    ) -> Result<Json<Page<User>>, ErrorData> {
        empty()
    }

    /// Searches wiki pages by text and filter.
    #[tool(annotations(read_only_hint = true))]
    async fn search_pages(
        &self,
        Parameters(it): Parameters<SearchPages>,
    ) -> Result<Json<Page<PageSummary>>, ErrorData> {
        empty()
    }

    /// Returns a wiki page with its text and its place in the wiki.
    #[tool(annotations(read_only_hint = true))]
    async fn get_page(&self, Parameters(it): Parameters<GetPage>) -> Result<Json<WikiPage>, ErrorData> {
        empty()
    }

    /// Returns the text of a wiki page in Markdown and nothing else.
    #[tool(annotations(read_only_hint = true))]
    async fn read_page(&self, Parameters(it): Parameters<ReadPage>) -> Result<String, ErrorData> {
        empty()
    }

    /// Creates a wiki page.
    #[tool]
    async fn create_page(
        &self,
        Parameters(it): Parameters<CreatePage>,
    ) -> Result<Json<PageSummary>, ErrorData> {
        empty()
    }

    /// Edits the text of a wiki page. Fails if somebody else has changed the page since.
    #[tool]
    async fn edit_page(&self, Parameters(it): Parameters<EditPage>) -> Result<Json<WikiPage>, ErrorData> {
        empty()
    }

    /// Returns the pages below a page as a tree.
    #[tool(annotations(read_only_hint = true))]
    async fn page_tree(&self, Parameters(it): Parameters<PageTree>) -> Result<Json<PageNode>, ErrorData> {
        empty()
    }

    /// Replaces the permissions of a wiki page. Pages below it follow.
    #[tool(annotations(destructive_hint = true, idempotent_hint = true))]
    async fn set_page_permissions(
        &self,
        Parameters(it): Parameters<SetPagePermissions>,
    ) -> Result<Json<Permissions>, ErrorData> {
        empty()
    }

    /// Returns the comments of a wiki page as threads.
    #[tool(annotations(read_only_hint = true))]
    async fn list_page_comments(
        &self,
        Parameters(it): Parameters<ListPageComments>,
    ) -> Result<Json<Discussion>, ErrorData> {
        empty()
    }

    /// Makes an older version of a wiki page the current one.
    #[tool(annotations(idempotent_hint = true))]
    async fn restore_page(&self, Parameters(it): Parameters<RestorePage>) -> Result<String, ErrorData> {
        empty()
    }

    /// Returns the repositories that the caller may read.
    #[tool(annotations(read_only_hint = true))]
    async fn list_repositories(
        &self,
        Parameters(it): Parameters<ListRepositories>,
    ) -> Result<Json<Page<Repository>>, ErrorData> {
        empty()
    }

    /// Returns the text of a file, or some lines of it.
    #[tool(annotations(read_only_hint = true))]
    async fn read_file(&self, Parameters(it): Parameters<ReadFile>) -> Result<String, ErrorData> {
        empty()
    }

    /// Returns commits, newest first.
    #[tool(annotations(read_only_hint = true))]
    async fn list_commits(
        &self,
        Parameters(it): Parameters<ListCommits>,
    ) -> Result<Json<Page<Commit>>, ErrorData> {
        empty()
    }

    /// Returns what changed between two states of a repository, as a unified diff.
    #[tool(annotations(read_only_hint = true))]
    async fn compare_revisions(
        &self,
        Parameters(it): Parameters<CompareRevisions>,
    ) -> Result<String, ErrorData> {
        empty()
    }

    /// Searches code by text or regular expression.
    #[tool(annotations(read_only_hint = true))]
    async fn search_code(
        &self,
        Parameters(it): Parameters<SearchCode>,
    ) -> Result<Json<Page<CodeMatch>>, ErrorData> {
        empty()
    }

    /// Opens a pull request.
    #[tool]
    async fn create_pull_request(
        &self,
        Parameters(it): Parameters<CreatePullRequest>,
    ) -> Result<Json<PullRequest>, ErrorData> {
        empty()
    }

    /// Submits a review of a pull request, with comments on lines.
    #[tool]
    async fn review_pull_request(
        &self,
        Parameters(it): Parameters<ReviewPullRequest>,
    ) -> Result<Json<Review>, ErrorData> {
        empty()
    }

    /// Merges a pull request, now or as soon as something holds.
    #[tool(annotations(destructive_hint = true))]
    async fn merge_pull_request(
        &self,
        Parameters(it): Parameters<MergePullRequest>,
    ) -> Result<Json<PullRequest>, ErrorData> {
        empty()
    }

    /// Returns the builds of a repository, newest first.
    #[tool(annotations(read_only_hint = true))]
    async fn list_builds(
        &self,
        Parameters(it): Parameters<ListBuilds>,
    ) -> Result<Json<Page<Build>>, ErrorData> {
        empty()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Cost {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() {
    let service = Cost::new().serve(stdio()).await.expect("a handshake");
    let _ = service.waiting().await;
}
