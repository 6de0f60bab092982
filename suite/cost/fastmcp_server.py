"""The same 35 tools with FastMCP and pydantic, in the idiom of their documentation."""

from datetime import date, datetime
from typing import Annotated, Generic, Literal, TypeVar

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel, Field

mcp = FastMCP("cost")
T = TypeVar("T")

IssueKey = Annotated[str, Field(description="Key of an issue, such as CORE-142.")]
UserId = Annotated[str, Field(description="Account name of a user.")]
CommentId = Annotated[int, Field(description="Number of a comment.")]
SprintId = Annotated[int, Field(description="Number of a sprint.")]
PageId = Annotated[int, Field(description="Number of a wiki page.")]
RepositoryName = Annotated[str, Field(description="Owner and name of a repository, such as core/engine.")]
IssueKind = Literal["bug", "task", "story", "epic", "incident"]
IssueState = Literal["open", "in_progress", "in_review", "blocked", "done"]
Priority = Literal["lowest", "low", "medium", "high", "urgent"]
Resolution = Literal["fixed", "duplicate", "wont_fix", "cannot_reproduce"]
LinkKind = Literal["blocks", "duplicates", "relates_to", "causes"]
IssueSection = Literal["comments", "links", "attachments", "worklogs", "history"]
IssueOrder = Literal["relevance", "created", "updated", "due", "priority"]
Direction = Literal["ascending", "descending"]
BatchMode = Literal["all_or_nothing", "best_effort"]
Visibility = Literal["public", "team", "private"]
SprintState = Literal["future", "active", "closed"]
GroupBy = Literal["assignee", "component", "kind", "label", "priority", "state"]
PageState = Literal["draft", "published", "archived"]
Access = Literal["read", "comment", "edit", "administer"]
PullRequestState = Literal["draft", "open", "merged", "declined"]
Verdict = Literal["approve", "comment", "request_changes"]
MergeStrategy = Literal["merge", "squash", "rebase"]
BuildState = Literal["queued", "running", "passed", "failed", "cancelled"]


class Paging(BaseModel):
    """Which part of a long list to return."""

    cursor: Annotated[str | None, Field(description="Where to go on: `next_cursor` of the page before.")] = (
        None
    )
    limit: Annotated[int, Field(description="How many entries at most.", ge=1, le=100)] = 25


class Page(BaseModel, Generic[T]):
    """Part of a long list."""

    items: Annotated[list[T], Field(description="The entries, in the order that was asked for.")]
    next_cursor: Annotated[
        str | None, Field(description="What to pass for the entries after these; absent on the last page.")
    ] = None
    total: Annotated[
        int | None, Field(description="How many entries there are on all pages, if that is known.")
    ] = None


class DateRange(BaseModel):
    """A span of days, both ends included."""

    since: Annotated[date | None, Field(description="First day; open if absent.")] = None
    until: Annotated[date | None, Field(description="Last day; open if absent.")] = None


class User(BaseModel):
    """A person with an account."""

    id: UserId
    name: Annotated[str, Field(description="Name to show.")]
    email: Annotated[str | None, Field(description="Mail address, if the caller may see it.")] = None
    active: Annotated[bool, Field(description="Whether the account still works.")]


class IssueFilter(BaseModel):
    """Which issues to look at; everything that is given has to fit."""

    projects: Annotated[list[str], Field(description="Keys of projects.")] = []
    kinds: Annotated[list[IssueKind], Field(description="Kinds of issues; all if empty.")] = []
    states: Annotated[list[IssueState], Field(description="States; all if empty.")] = []
    min_priority: Annotated[Priority | None, Field(description="Least priority.")] = None
    assignee: Annotated[UserId | None, Field(description="Who works on it.")] = None
    reporter: Annotated[UserId | None, Field(description="Who reported it.")] = None
    labels: Annotated[list[str], Field(description="Labels that all have to be there.")] = []
    created: Annotated[DateRange | None, Field(description="When it was created.")] = None
    updated: Annotated[DateRange | None, Field(description="When it was last changed.")] = None
    custom_fields: Annotated[
        dict[str, str], Field(description="Values of custom fields by the field's name.")
    ] = {}


class IssueSort(BaseModel):
    """How a list of issues is sorted."""

    by: Annotated[IssueOrder, Field(description="What to sort by.")]
    direction: Annotated[Direction | None, Field(description="Which end comes first.")] = None


class IssueSummary(BaseModel):
    """What lists show of an issue."""

    key: IssueKey
    title: Annotated[str, Field(description="One line.")]
    kind: IssueKind
    state: IssueState
    priority: Priority
    assignee: Annotated[User | None, Field(description="Who works on it.")] = None
    updated_at: Annotated[datetime, Field(description="When it was last changed.")]


class IssueLink(BaseModel):
    """A link from one issue to another."""

    kind: Annotated[LinkKind, Field(description="What the first issue does to the other.")]
    target: Annotated[IssueKey, Field(description="The other issue.")]
    title: Annotated[str | None, Field(description="Title of the other issue.")] = None


class Attachment(BaseModel):
    """A file that hangs on an issue or a page."""

    file_name: Annotated[str, Field(description="Name with extension.")]
    mime_type: Annotated[str, Field(description="Type, such as image/png.")]
    bytes: Annotated[int, Field(description="Size in bytes.")]
    url: Annotated[str, Field(description="Where to fetch it.")]


class Comment(BaseModel):
    """A comment with its answers."""

    id: CommentId
    author: Annotated[User, Field(description="Who wrote it.")]
    body: Annotated[str, Field(description="Text in Markdown.")]
    created_at: Annotated[datetime, Field(description="When it was written.")]
    edited_at: Annotated[datetime | None, Field(description="When it was last changed, if it was.")] = None
    replies: Annotated[list["Comment"], Field(description="Answers, oldest first.")]


class Worklog(BaseModel):
    """Time that somebody spent on an issue."""

    issue: IssueKey
    author: Annotated[User, Field(description="Who worked.")]
    started_at: Annotated[datetime, Field(description="When the work began.")]
    minutes: Annotated[int, Field(description="Minutes of work.")]
    note: Annotated[str | None, Field(description="What was done.")] = None


class Issue(BaseModel):
    """An issue in full."""

    key: IssueKey
    title: Annotated[str, Field(description="One line.")]
    description: Annotated[str, Field(description="Text in Markdown.")]
    kind: IssueKind
    state: IssueState
    priority: Priority
    resolution: Annotated[Resolution | None, Field(description="Why it is done, if it is.")] = None
    assignee: Annotated[User | None, Field(description="Who works on it.")] = None
    reporter: Annotated[User, Field(description="Who reported it.")]
    labels: list[str]
    parent: Annotated[IssueKey | None, Field(description="Issue that this one is a part of.")] = None
    sprint: SprintId | None = None
    due: Annotated[date | None, Field(description="Day by which it has to be done.")] = None
    estimate: Annotated[float | None, Field(description="Story points.")] = None
    created_at: datetime
    updated_at: datetime
    links: list[IssueLink]
    attachments: list[Attachment]
    comments: Annotated[list[Comment], Field(description="Comments that answer nothing, oldest first.")]
    custom_fields: Annotated[
        dict[str, str], Field(description="Values of custom fields by the field's name.")
    ]


class IssueDraft(BaseModel):
    """An issue that does not exist yet."""

    project: Annotated[str, Field(description="Key of the project.")]
    title: Annotated[str, Field(description="One line.", min_length=1, max_length=200)]
    description: Annotated[str, Field(description="Text in Markdown.")] = ""
    kind: IssueKind
    priority: Annotated[
        Priority | None, Field(description="How urgent it is; the project's usual priority if absent.")
    ] = None
    assignee: Annotated[UserId | None, Field(description="Who is to work on it.")] = None
    labels: list[str] = []
    parent: Annotated[IssueKey | None, Field(description="Issue that this one is a part of.")] = None
    due: Annotated[date | None, Field(description="Day by which it has to be done.")] = None
    links: Annotated[list[IssueLink], Field(description="Links to other issues.")] = []
    custom_fields: Annotated[
        dict[str, str], Field(description="Values of custom fields by the field's name.")
    ] = {}


class IssueChangeSetTitle(BaseModel):
    """Replaces the title."""

    kind: Literal["set_title"]
    title: Annotated[str, Field(description="One line.")]


class IssueChangeSetDescription(BaseModel):
    """Replaces the description."""

    kind: Literal["set_description"]
    description: Annotated[str, Field(description="Text in Markdown.")]


class IssueChangeSetPriority(BaseModel):
    """Makes it more or less urgent."""

    kind: Literal["set_priority"]
    priority: Priority


class IssueChangeSetDue(BaseModel):
    """Sets or clears the day by which it has to be done."""

    kind: Literal["set_due"]
    due: Annotated[date | None, Field(description="The day; absent clears it.")] = None


class IssueChangeChangeLabels(BaseModel):
    """Adds and removes labels."""

    kind: Literal["change_labels"]
    add: Annotated[list[str], Field(description="Labels to add.")] = []
    remove: Annotated[list[str], Field(description="Labels to remove.")] = []


class IssueChangeSetField(BaseModel):
    """Sets the value of a custom field."""

    kind: Literal["set_field"]
    name: Annotated[str, Field(description="Name of the field.")]
    value: Annotated[str, Field(description="Its new value.")]


IssueChange = Annotated[
    IssueChangeSetTitle
    | IssueChangeSetDescription
    | IssueChangeSetPriority
    | IssueChangeSetDue
    | IssueChangeChangeLabels
    | IssueChangeSetField,
    Field(discriminator="kind", description="One change of an issue."),
]


class BatchEntryCreated(BaseModel):
    """It was created."""

    outcome: Literal["created"]
    key: IssueKey


class BatchEntryRefused(BaseModel):
    """It was refused."""

    outcome: Literal["refused"]
    reason: Annotated[str, Field(description="Why.")]
    field: Annotated[str | None, Field(description="Field that was wrong, if it was one.")] = None


BatchEntry = Annotated[
    BatchEntryCreated | BatchEntryRefused,
    Field(discriminator="outcome", description="What became of one entry of a batch."),
]


class BatchOutcome(BaseModel):
    """What became of a batch."""

    entries: Annotated[list[BatchEntry], Field(description="One for each draft, in their order.")]
    created: Annotated[int, Field(description="How many were created.")]


class Discussion(BaseModel):
    """Comments that answer nothing, each with its answers."""

    threads: Annotated[list[Comment], Field(description="Oldest first.")]
    next_cursor: Annotated[
        str | None, Field(description="What to pass for the threads after these; absent on the last page.")
    ] = None


class Sprint(BaseModel):
    """A span of time that work is planned for."""

    id: SprintId
    name: str
    goal: Annotated[str | None, Field(description="What is to be reached.")] = None
    state: SprintState
    days: Annotated[DateRange, Field(description="Planned days.")]
    issues: Annotated[list[IssueSummary], Field(description="Issues that are planned for it.")]


class Bucket(BaseModel):
    """How many issues there are in a group."""

    group: Annotated[
        dict[str, str], Field(description="The group's value for each property that was grouped by.")
    ]
    count: Annotated[int, Field(description="Issues in the group.")]
    mean_days: Annotated[float | None, Field(description="Days until they were done, on average.")] = None


class Statistics(BaseModel):
    """Counts of issues."""

    buckets: Annotated[list[Bucket], Field(description="Largest group first.")]
    total: Annotated[int, Field(description="Issues in all groups.")]


class PageFilter(BaseModel):
    """Which wiki pages to look at; everything that is given has to fit."""

    spaces: Annotated[list[str], Field(description="Keys of spaces; all if empty.")] = []
    states: Annotated[list[PageState], Field(description="States; all if empty.")] = []
    author: Annotated[UserId | None, Field(description="Who wrote the last version.")] = None
    updated: Annotated[DateRange | None, Field(description="When it was last changed.")] = None
    below: Annotated[PageId | None, Field(description="Only pages below this one.")] = None


class PageRefId(BaseModel):
    """By its number."""

    kind: Literal["id"]
    id: PageId


class PageRefPath(BaseModel):
    """By where it stands."""

    kind: Literal["path"]
    space: Annotated[str, Field(description="Key of the space.")]
    titles: Annotated[list[str], Field(description="Titles from the top down.")]


class PageRefUrl(BaseModel):
    """By its address."""

    kind: Literal["url"]
    url: Annotated[str, Field(description="Address as a browser shows it.")]


PageRef = Annotated[
    PageRefId | PageRefPath | PageRefUrl,
    Field(discriminator="kind", description="Which page is meant."),
]


class PageSummary(BaseModel):
    """What lists show of a wiki page."""

    id: PageId
    title: str
    space: Annotated[str, Field(description="Key of the space.")]
    state: PageState
    version: Annotated[int, Field(description="Number of the last version.")]
    author: Annotated[User, Field(description="Who wrote the last version.")]
    updated_at: Annotated[datetime, Field(description="When it was last changed.")]
    excerpt: Annotated[str | None, Field(description="Text around what was searched for.")] = None


class WikiPage(BaseModel):
    """A wiki page in full."""

    summary: Annotated[PageSummary, Field(description="What lists show of it.")]
    body: Annotated[str, Field(description="Text in Markdown.")]
    ancestors: Annotated[list[PageSummary], Field(description="Pages above this one, topmost first.")]
    attachments: list[Attachment]
    labels: list[str]
    properties: Annotated[dict[str, str], Field(description="Properties by name.")]


class PageDraft(BaseModel):
    """A wiki page that does not exist yet."""

    space: Annotated[str, Field(description="Key of the space.")]
    title: Annotated[str, Field(min_length=1, max_length=200)]
    body: Annotated[str, Field(description="Text in Markdown.")]
    parent: Annotated[PageId | None, Field(description="Page that this one will stand below.")] = None
    labels: list[str] = []
    state: Annotated[PageState | None, Field(description="State to begin with.")] = None


class PageEditReplace(BaseModel):
    """Replaces text that occurs exactly once."""

    kind: Literal["replace"]
    old: Annotated[str, Field(description="What to look for.")]
    new: Annotated[str, Field(description="What to put there.")]


class PageEditAppend(BaseModel):
    """Adds text below a heading."""

    kind: Literal["append"]
    heading: Annotated[str | None, Field(description="The heading; the end of the page if absent.")] = None
    text: Annotated[str, Field(description="Text in Markdown.")]


class PageEditRemoveSection(BaseModel):
    """Removes a heading and all below it."""

    kind: Literal["remove_section"]
    heading: Annotated[str, Field(description="The heading.")]


PageEdit = Annotated[
    PageEditReplace | PageEditAppend | PageEditRemoveSection,
    Field(discriminator="kind", description="One change of a page's text."),
]


class PageNode(BaseModel):
    """A page with the pages below it."""

    id: PageId
    title: str
    children: Annotated[list["PageNode"], Field(description="Pages right below it, in the wiki's order.")]


class SubjectUser(BaseModel):
    """One user."""

    kind: Literal["user"]
    user: UserId


class SubjectGroup(BaseModel):
    """All members of a group."""

    kind: Literal["group"]
    group: Annotated[str, Field(description="Name of the group.")]


class SubjectEveryone(BaseModel):
    """Everybody with an account."""

    kind: Literal["everyone"]


Subject = Annotated[
    SubjectUser | SubjectGroup | SubjectEveryone,
    Field(discriminator="kind", description="Who a rule is for."),
]


class PermissionRule(BaseModel):
    """Who may do what."""

    subject: Annotated[Subject, Field(description="Who the rule is for.")]
    access: Annotated[Access, Field(description="What they may do.")]
    expires: Annotated[date | None, Field(description="Last day of the rule; no end if absent.")] = None


class Permissions(BaseModel):
    """The rules of a page."""

    page: PageId
    rules: list[PermissionRule]
    inherited_from: Annotated[
        PageId | None, Field(description="Page that the other rules come from, if any do.")
    ] = None


class RepositoryFilter(BaseModel):
    """Which repositories to look at; everything that is given has to fit."""

    name: Annotated[str | None, Field(description="Part of the name.")] = None
    languages: Annotated[list[str], Field(description="Main programming languages; all if empty.")] = []
    visibility: Annotated[Visibility | None, Field(description="Who may see them.")] = None
    archived: Annotated[bool, Field(description="Whether to show archived ones too.")] = False


class Repository(BaseModel):
    """A repository."""

    name: RepositoryName
    description: str | None = None
    default_branch: Annotated[str, Field(description="Branch that changes go to.")]
    visibility: Annotated[Visibility, Field(description="Who may see it.")]
    languages: Annotated[dict[str, int], Field(description="Bytes of code by programming language.")]
    pushed_at: Annotated[datetime | None, Field(description="When something was last pushed.")] = None


class RevisionBranch(BaseModel):
    """The last commit of a branch."""

    kind: Literal["branch"]
    name: Annotated[str, Field(description="Name of the branch.")]


class RevisionTag(BaseModel):
    """What a tag stands on."""

    kind: Literal["tag"]
    name: Annotated[str, Field(description="Name of the tag.")]


class RevisionCommit(BaseModel):
    """One commit."""

    kind: Literal["commit"]
    hash: Annotated[str, Field(description="Hash, at least seven digits of it.")]


Revision = Annotated[
    RevisionBranch | RevisionTag | RevisionCommit,
    Field(discriminator="kind", description="A state of a repository."),
]


class LineRange(BaseModel):
    """Lines of a file, both ends included."""

    first: Annotated[int, Field(description="First line, from 1.", ge=1)]
    last: Annotated[int | None, Field(description="Last line; the end of the file if absent.")] = None


class CommitFilter(BaseModel):
    """Which commits to look at; everything that is given has to fit."""

    revision: Annotated[
        Revision | None, Field(description="Where to begin; the default branch if absent.")
    ] = None
    author: Annotated[UserId | None, Field(description="Who wrote it.")] = None
    paths: Annotated[list[str], Field(description="Files or directories that it touches.")] = []
    made: Annotated[DateRange | None, Field(description="When it was made.")] = None
    message: Annotated[str | None, Field(description="Text in its message.")] = None


class FileChange(BaseModel):
    """How much of a file changed."""

    path: Annotated[str, Field(description="Path from the root of the repository.")]
    old_path: Annotated[str | None, Field(description="Path before, if it was moved.")] = None
    added: Annotated[int, Field(description="Lines added.")]
    removed: Annotated[int, Field(description="Lines removed.")]


class Commit(BaseModel):
    """A commit."""

    hash: Annotated[str, Field(description="Whole hash.")]
    message: Annotated[str, Field(description="Whole message.")]
    author: Annotated[User, Field(description="Who wrote it.")]
    made_at: Annotated[datetime, Field(description="When it was made.")]
    parents: Annotated[list[str], Field(description="Hashes of the commits before it.")]
    files: list[FileChange]


class CodeScope(BaseModel):
    """Where to search in code."""

    repositories: Annotated[
        list[RepositoryName], Field(description="Repositories; all that the caller may read if empty.")
    ] = []
    globs: Annotated[list[str], Field(description="Patterns of paths, such as src/**/*.rs.")] = []
    languages: Annotated[list[str], Field(description="Programming languages; all if empty.")] = []
    revision: Annotated[
        Revision | None, Field(description="State to search in; the default branch if absent.")
    ] = None


class CodeMatch(BaseModel):
    """A place in code."""

    repository: RepositoryName
    path: Annotated[str, Field(description="Path from the root of the repository.")]
    lines: Annotated[LineRange, Field(description="Lines that match.")]
    text: Annotated[str, Field(description="The lines with those around them.")]


class PullRequestRef(BaseModel):
    """Which pull request is meant."""

    repository: RepositoryName
    number: Annotated[int, Field(description="Number within the repository.", ge=1)]


class PullRequestDraft(BaseModel):
    """A pull request that does not exist yet."""

    repository: RepositoryName
    title: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(description="Text in Markdown.")] = ""
    source: Annotated[str, Field(description="Branch with the changes.")]
    target: Annotated[
        str | None, Field(description="Branch that they go to; the default branch if absent.")
    ] = None
    reviewers: Annotated[list[UserId], Field(description="Who is asked to review.")] = []
    resolves: Annotated[list[IssueKey], Field(description="Issues that it resolves.")] = []
    draft: Annotated[bool, Field(description="Whether it is not ready for review yet.")] = False


class ReviewComment(BaseModel):
    """What somebody says on a line of a pull request."""

    path: Annotated[str, Field(description="Path from the root of the repository.")]
    lines: Annotated[LineRange, Field(description="Lines that it is about, after the change.")]
    body: Annotated[str, Field(description="Text in Markdown.")]
    suggestion: Annotated[str | None, Field(description="Code to put there instead.")] = None


class Review(BaseModel):
    """A review of a pull request."""

    reviewer: User
    verdict: Verdict
    summary: Annotated[str | None, Field(description="Text in Markdown.")] = None
    comments: list[ReviewComment]
    submitted_at: datetime


class Build(BaseModel):
    """A build of a commit."""

    number: Annotated[int, Field(description="Number within the repository.")]
    state: BuildState
    commit: Annotated[str, Field(description="Hash of the commit.")]
    started_at: Annotated[datetime | None, Field(description="When it began; absent while it waits.")] = None
    seconds: Annotated[float | None, Field(description="How long it took.")] = None
    jobs: Annotated[dict[str, BuildState], Field(description="State of each job by its name.")]
    url: Annotated[str, Field(description="Where to read its output.")]


class PullRequest(BaseModel):
    """A pull request."""

    id: Annotated[PullRequestRef, Field(description="Repository and number.")]
    title: str
    description: Annotated[str, Field(description="Text in Markdown.")]
    state: PullRequestState
    author: User
    source: Annotated[str, Field(description="Branch with the changes.")]
    target: Annotated[str, Field(description="Branch that they go to.")]
    reviews: list[Review]
    build: Annotated[Build | None, Field(description="Last build of its newest commit.")] = None
    resolves: Annotated[list[IssueKey], Field(description="Issues that it resolves.")]
    created_at: datetime
    merged_at: datetime | None = None


class MergeConditionNow(BaseModel):
    """Merge now or fail."""

    kind: Literal["now"]


class MergeConditionBuildPassed(BaseModel):
    """Wait until the build has passed."""

    kind: Literal["build_passed"]
    max_minutes: Annotated[int, Field(description="Minutes to wait at most.")]


class MergeConditionApproved(BaseModel):
    """Wait until enough reviewers approve."""

    kind: Literal["approved"]
    approvals: Annotated[int, Field(description="How many.", ge=1)]


MergeCondition = Annotated[
    MergeConditionNow | MergeConditionBuildPassed | MergeConditionApproved,
    Field(discriminator="kind", description="What has to be so before a pull request is merged."),
]


class BuildFilter(BaseModel):
    """Which builds to look at; everything that is given has to fit."""

    states: Annotated[list[BuildState], Field(description="States; all if empty.")] = []
    revision: Annotated[Revision | None, Field(description="State of the repository that was built.")] = None
    started: Annotated[DateRange | None, Field(description="When it began.")] = None


@mcp.tool(annotations={"readOnlyHint": True})
async def search_issues(
    query: Annotated[
        str | None, Field(description="Words to look for in titles, descriptions and comments.")
    ] = None,
    filter: Annotated[IssueFilter | None, Field(description="Which issues to look at.")] = None,
    sort: Annotated[IssueSort | None, Field(description="How the list is sorted.")] = None,
    paging: Paging | None = None,
) -> Page[IssueSummary]:
    """Searches issues by text and filter. Without a text, everything that fits the filter is found."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def get_issue(
    issue: IssueKey,
    include: Annotated[list[IssueSection], Field(description="Sections to include; none if empty.")] = [],
) -> Issue:
    """Returns one issue. Long sections come only if they are asked for."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def create_issue(
    draft: IssueDraft,
) -> Issue:
    """Creates an issue and returns it with its key."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def create_issues(
    drafts: Annotated[
        list[IssueDraft], Field(description="Issues to create, in this order.", min_length=1, max_length=50)
    ],
    mode: Annotated[BatchMode, Field(description="What happens to the others if one is refused.")],
) -> BatchOutcome:
    """Creates many issues in one step. The outcome names each one that was refused and why."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"idempotentHint": True})
async def update_issue(
    issue: IssueKey,
    changes: Annotated[list[IssueChange], Field(description="What to change.", min_length=1)],
    notify: Annotated[bool, Field(description="Whether watchers get a mail.")] = True,
) -> Issue:
    """Changes fields of an issue. All changes are made or none."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def move_issue(
    issue: IssueKey,
    state: Annotated[IssueState, Field(description="State to move it to.")],
    resolution: Annotated[
        Resolution | None, Field(description="Why it is done; required if the state is done.")
    ] = None,
    comment: Annotated[str | None, Field(description="Comment to leave with the move, in Markdown.")] = None,
) -> Issue:
    """Moves an issue to another state, if the project's workflow allows it."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"idempotentHint": True})
async def assign_issue(
    issue: IssueKey,
    assignee: Annotated[
        UserId | None, Field(description="Who is to work on it; absent means nobody.")
    ] = None,
) -> IssueSummary:
    """Gives an issue to somebody, or to nobody."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"idempotentHint": True})
async def link_issues(
    issue: IssueKey,
    kind: Annotated[LinkKind, Field(description="What the first issue does to the other.")],
    target: Annotated[IssueKey, Field(description="The other issue.")],
) -> IssueLink:
    """Links one issue to another."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"destructiveHint": True})
async def delete_issue(
    issue: IssueKey,
    reason: Annotated[str, Field(description="Reason for the audit log.", min_length=1, max_length=500)],
) -> str:
    """Deletes an issue with its comments. This cannot be undone."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def list_comments(
    issue: IssueKey,
    paging: Paging | None = None,
) -> Discussion:
    """Returns the comments of an issue as threads."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def add_comment(
    issue: IssueKey,
    body: Annotated[str, Field(description="Text in Markdown.", min_length=1, max_length=20000)],
    reply_to: Annotated[CommentId | None, Field(description="Comment to answer.")] = None,
    visibility: Annotated[
        Visibility | None, Field(description="Who may read it; the same as the issue if absent.")
    ] = None,
) -> Comment:
    """Adds a comment to an issue, or an answer to a comment."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def log_work(
    issue: IssueKey,
    started_at: Annotated[datetime, Field(description="When the work began.")],
    minutes: Annotated[int, Field(description="Minutes of work.", ge=1, le=1440)],
    note: Annotated[str | None, Field(description="What was done.")] = None,
) -> Worklog:
    """Records time that was spent on an issue."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def list_worklogs(
    days: Annotated[DateRange, Field(description="Days of the work.")],
    filter: Annotated[IssueFilter | None, Field(description="Issues that the work was for.")] = None,
    authors: Annotated[list[UserId], Field(description="Who worked; everybody if empty.")] = [],
    paging: Paging | None = None,
) -> Page[Worklog]:
    """Returns recorded work by issues, people and days."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def list_sprints(
    board: Annotated[str, Field(description="Name of the board.")],
    states: Annotated[list[SprintState], Field(description="States; all if empty.")] = [],
    paging: Paging | None = None,
) -> Page[Sprint]:
    """Returns the sprints of a board, newest first."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"idempotentHint": True})
async def plan_sprint(
    sprint: SprintId,
    add: Annotated[list[IssueKey], Field(description="Issues to put in.")] = [],
    remove: Annotated[list[IssueKey], Field(description="Issues to take out.")] = [],
    goal: Annotated[str | None, Field(description="New goal; the old one stays if absent.")] = None,
) -> Sprint:
    """Puts issues into a sprint and takes others out."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def count_issues(
    group_by: Annotated[
        list[GroupBy],
        Field(description="Properties to group by, outermost first.", min_length=1, max_length=3),
    ],
    filter: Annotated[IssueFilter | None, Field(description="Which issues to count; all if absent.")] = None,
) -> Statistics:
    """Counts issues in groups, for reports."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def search_users(
    query: Annotated[str, Field(description="Beginning of a name or a mail address.")],
    inactive: Annotated[bool, Field(description="Whether to show closed accounts too.")] = False,
    paging: Paging | None = None,
) -> Page[User]:
    """Searches users by name or mail address."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def search_pages(
    query: Annotated[str, Field(description="Words to look for in titles and texts.")],
    filter: Annotated[PageFilter | None, Field(description="Which pages to look at.")] = None,
    paging: Paging | None = None,
) -> Page[PageSummary]:
    """Searches wiki pages by text and filter."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def get_page(
    page: Annotated[PageRef, Field(description="Which page.")],
    version: Annotated[
        int | None, Field(description="Number of the version; the last one if absent.")
    ] = None,
) -> WikiPage:
    """Returns a wiki page with its text and its place in the wiki."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def read_page(
    page: Annotated[PageRef, Field(description="Which page.")],
    max_chars: Annotated[int, Field(description="Characters to return at most.", ge=1, le=200000)] = 20000,
) -> str:
    """Returns the text of a wiki page in Markdown and nothing else."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def create_page(
    draft: PageDraft,
) -> PageSummary:
    """Creates a wiki page."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def edit_page(
    page: PageId,
    version: Annotated[int, Field(description="Number of the version that the edits were made for.")],
    edits: Annotated[list[PageEdit], Field(description="Edits, made one after the other.", min_length=1)],
    message: Annotated[str | None, Field(description="What changed and why, for the history.")] = None,
) -> WikiPage:
    """Edits the text of a wiki page. Fails if somebody else has changed the page since."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def page_tree(
    root: Annotated[PageId, Field(description="Page at the root.")],
    depth: Annotated[int, Field(description="How many levels below it.", ge=1, le=10)] = 3,
) -> PageNode:
    """Returns the pages below a page as a tree."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"destructiveHint": True, "idempotentHint": True})
async def set_page_permissions(
    page: PageId,
    rules: Annotated[list[PermissionRule], Field(description="All rules that the page will have.")],
) -> Permissions:
    """Replaces the permissions of a wiki page. Pages below it follow."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def list_page_comments(
    page: PageId,
    resolved: Annotated[
        bool | None, Field(description="Only resolved threads, or only others; both if absent.")
    ] = None,
    paging: Paging | None = None,
) -> Discussion:
    """Returns the comments of a wiki page as threads."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"idempotentHint": True})
async def restore_page(
    page: PageId,
    version: Annotated[int, Field(description="Number of the version to restore.", ge=1)],
) -> str:
    """Makes an older version of a wiki page the current one."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def list_repositories(
    filter: Annotated[RepositoryFilter | None, Field(description="Which repositories to look at.")] = None,
    paging: Paging | None = None,
) -> Page[Repository]:
    """Returns the repositories that the caller may read."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def read_file(
    repository: RepositoryName,
    path: Annotated[str, Field(description="Path from the root of the repository.")],
    revision: Annotated[
        Revision | None, Field(description="State to read; the default branch if absent.")
    ] = None,
    lines: Annotated[LineRange | None, Field(description="Lines to return; all if absent.")] = None,
) -> str:
    """Returns the text of a file, or some lines of it."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def list_commits(
    repository: RepositoryName,
    filter: Annotated[CommitFilter | None, Field(description="Which commits to look at.")] = None,
    paging: Paging | None = None,
) -> Page[Commit]:
    """Returns commits, newest first."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def compare_revisions(
    repository: RepositoryName,
    base: Annotated[Revision, Field(description="State before.")],
    head: Annotated[Revision, Field(description="State after.")],
    context_lines: Annotated[
        int, Field(description="Unchanged lines to show around each change.", ge=0, le=100)
    ] = 3,
) -> str:
    """Returns what changed between two states of a repository, as a unified diff."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def search_code(
    query: Annotated[
        str, Field(description="What to look for; a regular expression if it stands between slashes.")
    ],
    scope: Annotated[CodeScope | None, Field(description="Where to search; everywhere if absent.")] = None,
    paging: Paging | None = None,
) -> Page[CodeMatch]:
    """Searches code by text or regular expression."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def create_pull_request(
    draft: PullRequestDraft,
) -> PullRequest:
    """Opens a pull request."""
    raise ToolError("nothing is stored here")


@mcp.tool
async def review_pull_request(
    pull_request: Annotated[PullRequestRef, Field(description="Which pull request.")],
    verdict: Verdict,
    summary: Annotated[str | None, Field(description="What the review says as a whole, in Markdown.")] = None,
    comments: Annotated[list[ReviewComment], Field(description="What it says on single lines.")] = [],
) -> Review:
    """Submits a review of a pull request, with comments on lines."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"destructiveHint": True})
async def merge_pull_request(
    pull_request: Annotated[PullRequestRef, Field(description="Which pull request.")],
    strategy: Annotated[MergeStrategy, Field(description="How its commits are put on the target.")],
    condition: Annotated[MergeCondition | None, Field(description="When to merge; now if absent.")] = None,
    delete_source: Annotated[
        bool, Field(description="Whether to delete the source branch afterwards.")
    ] = False,
) -> PullRequest:
    """Merges a pull request, now or as soon as something holds."""
    raise ToolError("nothing is stored here")


@mcp.tool(annotations={"readOnlyHint": True})
async def list_builds(
    repository: RepositoryName,
    filter: Annotated[BuildFilter | None, Field(description="Which builds to look at.")] = None,
    paging: Paging | None = None,
) -> Page[Build]:
    """Returns the builds of a repository, newest first."""
    raise ToolError("nothing is stored here")


if __name__ == "__main__":
    mcp.run(show_banner=False)
