//! Types of an issue tracker, a wiki and code hosting, shared by both Rust servers. `fastmcp_server.py`
//! defines the same types.
//!
//! Nothing here depends on a framework. Models read the doc comments. Enums without data have none, because
//! `fastmcp_server.py` writes them as `Literal`, which can't have a description.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Key of an issue, such as CORE-142.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct IssueKey(pub String);

/// Account name of a user.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct UserId(pub String);

/// Number of a comment.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct CommentId(pub u64);

/// Number of a sprint.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct SprintId(pub u64);

/// Number of a wiki page.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PageId(pub u64);

/// Owner and name of a repository, such as core/engine.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct RepositoryName(pub String);

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueKind {
    Bug,
    Task,
    Story,
    Epic,
    Incident,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueState {
    Open,
    InProgress,
    InReview,
    Blocked,
    Done,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    Lowest,
    Low,
    Medium,
    High,
    Urgent,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    Fixed,
    Duplicate,
    WontFix,
    CannotReproduce,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    Blocks,
    Duplicates,
    RelatesTo,
    Causes,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueSection {
    Comments,
    Links,
    Attachments,
    Worklogs,
    History,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IssueOrder {
    Relevance,
    Created,
    Updated,
    Due,
    Priority,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Ascending,
    Descending,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchMode {
    AllOrNothing,
    BestEffort,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    Public,
    Team,
    Private,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SprintState {
    Future,
    Active,
    Closed,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    Assignee,
    Component,
    Kind,
    Label,
    Priority,
    State,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageState {
    Draft,
    Published,
    Archived,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Read,
    Comment,
    Edit,
    Administer,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PullRequestState {
    Draft,
    Open,
    Merged,
    Declined,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Approve,
    Comment,
    RequestChanges,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeStrategy {
    Merge,
    Squash,
    Rebase,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BuildState {
    Queued,
    Running,
    Passed,
    Failed,
    Cancelled,
}

/// Which part of a long list to return.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Paging {
    /// Where to go on: `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// How many entries at most.
    #[serde(default = "page_size")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: u32,
}

fn page_size() -> u32 {
    25
}

/// Part of a long list.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Page<T> {
    /// The entries, in the order that was asked for.
    pub items: Vec<T>,
    /// What to pass for the entries after these; absent on the last page.
    pub next_cursor: Option<String>,
    /// How many entries there are on all pages, if that is known.
    pub total: Option<u64>,
}

/// A span of days, both ends included.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct DateRange {
    /// First day; open if absent.
    pub since: Option<NaiveDate>,
    /// Last day; open if absent.
    pub until: Option<NaiveDate>,
}

/// A person with an account.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct User {
    pub id: UserId,
    /// Name to show.
    pub name: String,
    /// Mail address, if the caller may see it.
    pub email: Option<String>,
    /// Whether the account still works.
    pub active: bool,
}

/// Which issues to look at; everything that is given has to fit.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct IssueFilter {
    /// Keys of projects.
    #[serde(default)]
    pub projects: Vec<String>,
    /// Kinds of issues; all if empty.
    #[serde(default)]
    pub kinds: Vec<IssueKind>,
    /// States; all if empty.
    #[serde(default)]
    pub states: Vec<IssueState>,
    /// Least priority.
    pub min_priority: Option<Priority>,
    /// Who works on it.
    pub assignee: Option<UserId>,
    /// Who reported it.
    pub reporter: Option<UserId>,
    /// Labels that all have to be there.
    #[serde(default)]
    pub labels: Vec<String>,
    /// When it was created.
    pub created: Option<DateRange>,
    /// When it was last changed.
    pub updated: Option<DateRange>,
    /// Values of custom fields by the field's name.
    #[serde(default)]
    pub custom_fields: BTreeMap<String, String>,
}

/// How a list of issues is sorted.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct IssueSort {
    /// What to sort by.
    pub by: IssueOrder,
    /// Which end comes first.
    pub direction: Option<Direction>,
}

/// What lists show of an issue.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct IssueSummary {
    pub key: IssueKey,
    /// One line.
    pub title: String,
    pub kind: IssueKind,
    pub state: IssueState,
    pub priority: Priority,
    /// Who works on it.
    pub assignee: Option<User>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// A link from one issue to another.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct IssueLink {
    /// What the first issue does to the other.
    pub kind: LinkKind,
    /// The other issue.
    pub target: IssueKey,
    /// Title of the other issue.
    pub title: Option<String>,
}

/// A file that hangs on an issue or a page.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Attachment {
    /// Name with extension.
    pub file_name: String,
    /// Type, such as image/png.
    pub mime_type: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Where to fetch it.
    pub url: String,
}

/// A comment with its answers.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Comment {
    pub id: CommentId,
    /// Who wrote it.
    pub author: User,
    /// Text in Markdown.
    pub body: String,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it was last changed, if it was.
    pub edited_at: Option<DateTime<Utc>>,
    /// Answers, oldest first.
    pub replies: Vec<Comment>,
}

/// Time that somebody spent on an issue.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Worklog {
    pub issue: IssueKey,
    /// Who worked.
    pub author: User,
    /// When the work began.
    pub started_at: DateTime<Utc>,
    /// Minutes of work.
    pub minutes: u32,
    /// What was done.
    pub note: Option<String>,
}

/// An issue in full.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Issue {
    pub key: IssueKey,
    /// One line.
    pub title: String,
    /// Text in Markdown.
    pub description: String,
    pub kind: IssueKind,
    pub state: IssueState,
    pub priority: Priority,
    /// Why it is done, if it is.
    pub resolution: Option<Resolution>,
    /// Who works on it.
    pub assignee: Option<User>,
    /// Who reported it.
    pub reporter: User,
    pub labels: Vec<String>,
    /// Issue that this one is a part of.
    pub parent: Option<IssueKey>,
    pub sprint: Option<SprintId>,
    /// Day by which it has to be done.
    pub due: Option<NaiveDate>,
    /// Story points.
    pub estimate: Option<f64>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub links: Vec<IssueLink>,
    pub attachments: Vec<Attachment>,
    /// Comments that answer nothing, oldest first.
    pub comments: Vec<Comment>,
    /// Values of custom fields by the field's name.
    pub custom_fields: BTreeMap<String, String>,
}

/// An issue that does not exist yet.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct IssueDraft {
    /// Key of the project.
    pub project: String,
    /// One line.
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// Text in Markdown.
    #[serde(default)]
    pub description: String,
    pub kind: IssueKind,
    /// How urgent it is; the project's usual priority if absent.
    pub priority: Option<Priority>,
    /// Who is to work on it.
    pub assignee: Option<UserId>,
    #[serde(default)]
    pub labels: Vec<String>,
    /// Issue that this one is a part of.
    pub parent: Option<IssueKey>,
    /// Day by which it has to be done.
    pub due: Option<NaiveDate>,
    /// Links to other issues.
    #[serde(default)]
    pub links: Vec<IssueLink>,
    /// Values of custom fields by the field's name.
    #[serde(default)]
    pub custom_fields: BTreeMap<String, String>,
}

/// One change of an issue.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum IssueChange {
    /// Replaces the title.
    SetTitle {
        /// One line.
        title: String,
    },
    /// Replaces the description.
    SetDescription {
        /// Text in Markdown.
        description: String,
    },
    /// Makes it more or less urgent.
    SetPriority { priority: Priority },
    /// Sets or clears the day by which it has to be done.
    SetDue {
        /// The day; absent clears it.
        due: Option<NaiveDate>,
    },
    /// Adds and removes labels.
    ChangeLabels {
        /// Labels to add.
        #[serde(default)]
        add: Vec<String>,
        /// Labels to remove.
        #[serde(default)]
        remove: Vec<String>,
    },
    /// Sets the value of a custom field.
    SetField {
        /// Name of the field.
        name: String,
        /// Its new value.
        value: String,
    },
}

/// What became of one entry of a batch.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum BatchEntry {
    /// It was created.
    Created { key: IssueKey },
    /// It was refused.
    Refused {
        /// Why.
        reason: String,
        /// Field that was wrong, if it was one.
        field: Option<String>,
    },
}

/// What became of a batch.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct BatchOutcome {
    /// One for each draft, in their order.
    pub entries: Vec<BatchEntry>,
    /// How many were created.
    pub created: u32,
}

/// Comments that answer nothing, each with its answers.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Discussion {
    /// Oldest first.
    pub threads: Vec<Comment>,
    /// What to pass for the threads after these; absent on the last page.
    pub next_cursor: Option<String>,
}

/// A span of time that work is planned for.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Sprint {
    pub id: SprintId,
    pub name: String,
    /// What is to be reached.
    pub goal: Option<String>,
    pub state: SprintState,
    /// Planned days.
    pub days: DateRange,
    /// Issues that are planned for it.
    pub issues: Vec<IssueSummary>,
}

/// How many issues there are in a group.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Bucket {
    /// The group's value for each property that was grouped by.
    pub group: BTreeMap<String, String>,
    /// Issues in the group.
    pub count: u64,
    /// Days until they were done, on average.
    pub mean_days: Option<f64>,
}

/// Counts of issues.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Statistics {
    /// Largest group first.
    pub buckets: Vec<Bucket>,
    /// Issues in all groups.
    pub total: u64,
}

/// Which wiki pages to look at; everything that is given has to fit.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PageFilter {
    /// Keys of spaces; all if empty.
    #[serde(default)]
    pub spaces: Vec<String>,
    /// States; all if empty.
    #[serde(default)]
    pub states: Vec<PageState>,
    /// Who wrote the last version.
    pub author: Option<UserId>,
    /// When it was last changed.
    pub updated: Option<DateRange>,
    /// Only pages below this one.
    pub below: Option<PageId>,
}

/// Which page is meant.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PageRef {
    /// By its number.
    Id { id: PageId },
    /// By where it stands.
    Path {
        /// Key of the space.
        space: String,
        /// Titles from the top down.
        titles: Vec<String>,
    },
    /// By its address.
    Url {
        /// Address as a browser shows it.
        url: String,
    },
}

/// What lists show of a wiki page.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PageSummary {
    pub id: PageId,
    pub title: String,
    /// Key of the space.
    pub space: String,
    pub state: PageState,
    /// Number of the last version.
    pub version: u32,
    /// Who wrote the last version.
    pub author: User,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// Text around what was searched for.
    pub excerpt: Option<String>,
}

/// A wiki page in full.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct WikiPage {
    /// What lists show of it.
    pub summary: PageSummary,
    /// Text in Markdown.
    pub body: String,
    /// Pages above this one, topmost first.
    pub ancestors: Vec<PageSummary>,
    pub attachments: Vec<Attachment>,
    pub labels: Vec<String>,
    /// Properties by name.
    pub properties: BTreeMap<String, String>,
}

/// A wiki page that does not exist yet.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PageDraft {
    /// Key of the space.
    pub space: String,
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// Text in Markdown.
    pub body: String,
    /// Page that this one will stand below.
    pub parent: Option<PageId>,
    #[serde(default)]
    pub labels: Vec<String>,
    /// State to begin with.
    pub state: Option<PageState>,
}

/// One change of a page's text.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PageEdit {
    /// Replaces text that occurs exactly once.
    Replace {
        /// What to look for.
        old: String,
        /// What to put there.
        new: String,
    },
    /// Adds text below a heading.
    Append {
        /// The heading; the end of the page if absent.
        heading: Option<String>,
        /// Text in Markdown.
        text: String,
    },
    /// Removes a heading and all below it.
    RemoveSection {
        /// The heading.
        heading: String,
    },
}

/// A page with the pages below it.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PageNode {
    pub id: PageId,
    pub title: String,
    /// Pages right below it, in the wiki's order.
    pub children: Vec<PageNode>,
}

/// Who a rule is for.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Subject {
    /// One user.
    User { user: UserId },
    /// All members of a group.
    Group {
        /// Name of the group.
        group: String,
    },
    /// Everybody with an account.
    Everyone {},
}

/// Who may do what.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PermissionRule {
    /// Who the rule is for.
    pub subject: Subject,
    /// What they may do.
    pub access: Access,
    /// Last day of the rule; no end if absent.
    pub expires: Option<NaiveDate>,
}

/// The rules of a page.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Permissions {
    pub page: PageId,
    pub rules: Vec<PermissionRule>,
    /// Page that the other rules come from, if any do.
    pub inherited_from: Option<PageId>,
}

/// Which repositories to look at; everything that is given has to fit.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct RepositoryFilter {
    /// Part of the name.
    pub name: Option<String>,
    /// Main programming languages; all if empty.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Who may see them.
    pub visibility: Option<Visibility>,
    /// Whether to show archived ones too.
    #[serde(default)]
    pub archived: bool,
}

/// A repository.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Repository {
    pub name: RepositoryName,
    pub description: Option<String>,
    /// Branch that changes go to.
    pub default_branch: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// Bytes of code by programming language.
    pub languages: BTreeMap<String, u64>,
    /// When something was last pushed.
    pub pushed_at: Option<DateTime<Utc>>,
}

/// A state of a repository.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Revision {
    /// The last commit of a branch.
    Branch {
        /// Name of the branch.
        name: String,
    },
    /// What a tag stands on.
    Tag {
        /// Name of the tag.
        name: String,
    },
    /// One commit.
    Commit {
        /// Hash, at least seven digits of it.
        hash: String,
    },
}

/// Lines of a file, both ends included.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct LineRange {
    /// First line, from 1.
    #[schemars(range(min = 1))]
    pub first: u32,
    /// Last line; the end of the file if absent.
    pub last: Option<u32>,
}

/// Which commits to look at; everything that is given has to fit.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct CommitFilter {
    /// Where to begin; the default branch if absent.
    pub revision: Option<Revision>,
    /// Who wrote it.
    pub author: Option<UserId>,
    /// Files or directories that it touches.
    #[serde(default)]
    pub paths: Vec<String>,
    /// When it was made.
    pub made: Option<DateRange>,
    /// Text in its message.
    pub message: Option<String>,
}

/// How much of a file changed.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct FileChange {
    /// Path from the root of the repository.
    pub path: String,
    /// Path before, if it was moved.
    pub old_path: Option<String>,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}

/// A commit.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Commit {
    /// Whole hash.
    pub hash: String,
    /// Whole message.
    pub message: String,
    /// Who wrote it.
    pub author: User,
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// Hashes of the commits before it.
    pub parents: Vec<String>,
    pub files: Vec<FileChange>,
}

/// Where to search in code.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct CodeScope {
    /// Repositories; all that the caller may read if empty.
    #[serde(default)]
    pub repositories: Vec<RepositoryName>,
    /// Patterns of paths, such as src/**/*.rs.
    #[serde(default)]
    pub globs: Vec<String>,
    /// Programming languages; all if empty.
    #[serde(default)]
    pub languages: Vec<String>,
    /// State to search in; the default branch if absent.
    pub revision: Option<Revision>,
}

/// A place in code.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct CodeMatch {
    pub repository: RepositoryName,
    /// Path from the root of the repository.
    pub path: String,
    /// Lines that match.
    pub lines: LineRange,
    /// The lines with those around them.
    pub text: String,
}

/// Which pull request is meant.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PullRequestRef {
    pub repository: RepositoryName,
    /// Number within the repository.
    #[schemars(range(min = 1))]
    pub number: u32,
}

/// A pull request that does not exist yet.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PullRequestDraft {
    pub repository: RepositoryName,
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// Text in Markdown.
    #[serde(default)]
    pub description: String,
    /// Branch with the changes.
    pub source: String,
    /// Branch that they go to; the default branch if absent.
    pub target: Option<String>,
    /// Who is asked to review.
    #[serde(default)]
    pub reviewers: Vec<UserId>,
    /// Issues that it resolves.
    #[serde(default)]
    pub resolves: Vec<IssueKey>,
    /// Whether it is not ready for review yet.
    #[serde(default)]
    pub draft: bool,
}

/// What somebody says on a line of a pull request.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct ReviewComment {
    /// Path from the root of the repository.
    pub path: String,
    /// Lines that it is about, after the change.
    pub lines: LineRange,
    /// Text in Markdown.
    pub body: String,
    /// Code to put there instead.
    pub suggestion: Option<String>,
}

/// A review of a pull request.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Review {
    pub reviewer: User,
    pub verdict: Verdict,
    /// Text in Markdown.
    pub summary: Option<String>,
    pub comments: Vec<ReviewComment>,
    pub submitted_at: DateTime<Utc>,
}

/// A build of a commit.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Build {
    /// Number within the repository.
    pub number: u32,
    pub state: BuildState,
    /// Hash of the commit.
    pub commit: String,
    /// When it began; absent while it waits.
    pub started_at: Option<DateTime<Utc>>,
    /// How long it took.
    pub seconds: Option<f64>,
    /// State of each job by its name.
    pub jobs: BTreeMap<String, BuildState>,
    /// Where to read its output.
    pub url: String,
}

/// A pull request.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct PullRequest {
    /// Repository and number.
    pub id: PullRequestRef,
    pub title: String,
    /// Text in Markdown.
    pub description: String,
    pub state: PullRequestState,
    pub author: User,
    /// Branch with the changes.
    pub source: String,
    /// Branch that they go to.
    pub target: String,
    pub reviews: Vec<Review>,
    /// Last build of its newest commit.
    pub build: Option<Build>,
    /// Issues that it resolves.
    pub resolves: Vec<IssueKey>,
    pub created_at: DateTime<Utc>,
    pub merged_at: Option<DateTime<Utc>>,
}

/// What has to be so before a pull request is merged.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MergeCondition {
    /// Merge now or fail.
    Now {},
    /// Wait until the build has passed.
    BuildPassed {
        /// Minutes to wait at most.
        max_minutes: u32,
    },
    /// Wait until enough reviewers approve.
    Approved {
        /// How many.
        #[schemars(range(min = 1))]
        approvals: u32,
    },
}

/// Which builds to look at; everything that is given has to fit.
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct BuildFilter {
    /// States; all if empty.
    #[serde(default)]
    pub states: Vec<BuildState>,
    /// State of the repository that was built.
    pub revision: Option<Revision>,
    /// When it began.
    pub started: Option<DateRange>,
}
