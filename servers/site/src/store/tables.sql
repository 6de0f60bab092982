-- The tables of a site. Times are milliseconds since 1970 in UTC, dates are `YYYY-MM-DD`, durations are seconds.
-- Rich text has the form that its deployment stores: ADF on Cloud, wiki markup on Data Center.

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- People. `account_id` is what Cloud calls them; `name` (the user name) and `key` are what Data Center calls them.
CREATE TABLE person (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    display_name TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1,
    time_zone TEXT NOT NULL DEFAULT 'UTC',
    -- `atlassian`, `customer` (only of service desks) or `app`.
    account_type TEXT NOT NULL DEFAULT 'atlassian',
    -- For Basic authentication with a password, on Data Center. A SHA-256 hash.
    password TEXT
);
CREATE TABLE "group" (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE member (group_id INTEGER NOT NULL, person_id INTEGER NOT NULL, PRIMARY KEY (group_id, person_id)) WITHOUT ROWID;

-- Tokens, by their SHA-256 hash. `kind`: `api` (Cloud, Basic), `pat` (Data Center, Bearer), `access` (OAuth, Bearer).
CREATE TABLE token (
    hash TEXT PRIMARY KEY,
    person_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- Names with blanks between them; null for a classic token, which may do all that its person may.
    scopes TEXT,
    grant_id INTEGER,
    expires INTEGER
) WITHOUT ROWID;
-- OAuth: a grant, its current refresh token, and codes that were not redeemed yet. A refresh token that was used before ends its grant.
CREATE TABLE "grant" (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL, client_id TEXT NOT NULL, scopes TEXT NOT NULL, refresh TEXT, ended INTEGER NOT NULL DEFAULT 0);
CREATE TABLE used_refresh (hash TEXT PRIMARY KEY, grant_id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE code (hash TEXT PRIMARY KEY, grant_id INTEGER NOT NULL, redirect TEXT NOT NULL, challenge TEXT, expires INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    lead_id INTEGER NOT NULL,
    -- `software`, `service_desk` or `business`.
    type TEXT NOT NULL,
    category TEXT,
    url TEXT,
    archived INTEGER NOT NULL DEFAULT 0,
    -- The number of its next issue.
    next_number INTEGER NOT NULL DEFAULT 1
);
-- Keys that projects had before, and keys that issues had before.
CREATE TABLE former_project_key (key TEXT PRIMARY KEY, project_id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE former_issue_key (key TEXT PRIMARY KEY, issue_id INTEGER NOT NULL) WITHOUT ROWID;
-- Permissions by their key, such as `BROWSE_PROJECTS`, for a group; without a group for each person that is signed in.
CREATE TABLE permission (project_id INTEGER NOT NULL, name TEXT NOT NULL, group_id INTEGER, UNIQUE (project_id, name, group_id));

-- `level`: 1 for epics, 0 for standard issues, -1 for sub-tasks.
CREATE TABLE issue_type (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, level INTEGER NOT NULL, avatar INTEGER NOT NULL DEFAULT 10300);
CREATE TABLE project_issue_type (project_id INTEGER NOT NULL, issue_type_id INTEGER NOT NULL, workflow_id INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (project_id, issue_type_id)) WITHOUT ROWID;
-- `category`: `new`, `indeterminate` or `done`.
CREATE TABLE status (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, category TEXT NOT NULL);
CREATE TABLE workflow (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, initial_status_id INTEGER NOT NULL);
-- A transition without `from_status_id` is possible from each status. `rule` is empty, `assignee` (only the assignee may)
-- or `subtasks-done` (only while no sub-task is open). `sets_resolution` is the resolution that it sets if none is given, 0 to clear it.
CREATE TABLE transition (
    id INTEGER PRIMARY KEY,
    workflow_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    from_status_id INTEGER,
    to_status_id INTEGER NOT NULL,
    rule TEXT NOT NULL DEFAULT '',
    sets_resolution INTEGER,
    position INTEGER NOT NULL
);
-- The fields of a transition's screen.
CREATE TABLE transition_field (transition_id INTEGER NOT NULL, field_id TEXT NOT NULL, required INTEGER NOT NULL, PRIMARY KEY (transition_id, field_id)) WITHOUT ROWID;
CREATE TABLE priority (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, color TEXT NOT NULL, position INTEGER NOT NULL);
CREATE TABLE resolution (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL);
CREATE TABLE link_type (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, inward TEXT NOT NULL, outward TEXT NOT NULL);

CREATE TABLE component (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '', lead_id INTEGER, UNIQUE (project_id, name));
CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    start_date TEXT,
    release_date TEXT,
    released INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    position INTEGER NOT NULL,
    UNIQUE (project_id, name)
);

-- Fields. `kind` is a `field::Kind`, and says which column of `value` a value has and which form it has in JSON.
-- `custom` is the key of a custom field's type, such as `com.atlassian.jira.plugin.system.customfieldtypes:select`.
-- `clause` is the name of a system field in JQL, if it is not the id. `deployment` is `cloud`, `datacenter` or empty for both.
CREATE TABLE field (id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, custom TEXT, description TEXT NOT NULL DEFAULT '', clause TEXT, deployment TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
-- Contexts of custom fields: for the projects in `context_project`, or for all of them.
CREATE TABLE context (id INTEGER PRIMARY KEY, field_id TEXT NOT NULL, name TEXT NOT NULL);
CREATE TABLE context_project (context_id INTEGER NOT NULL, project_id INTEGER NOT NULL, PRIMARY KEY (context_id, project_id)) WITHOUT ROWID;
CREATE TABLE option (id INTEGER PRIMARY KEY, context_id INTEGER NOT NULL, parent_id INTEGER, value TEXT NOT NULL, disabled INTEGER NOT NULL DEFAULT 0, position INTEGER NOT NULL);
-- The fields of the screens of a project and issue type. `operation`: `create` or `edit`.
CREATE TABLE screen_field (project_id INTEGER NOT NULL, issue_type_id INTEGER NOT NULL, operation TEXT NOT NULL, field_id TEXT NOT NULL, required INTEGER NOT NULL DEFAULT 0, position INTEGER NOT NULL, PRIMARY KEY (project_id, issue_type_id, operation, field_id)) WITHOUT ROWID;

CREATE TABLE issue (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    key TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    -- Where it is in its backlog: texts that sort as they rank.
    rank TEXT NOT NULL
);
CREATE INDEX issue_of_project ON issue (project_id, number);
CREATE INDEX issue_by_rank ON issue (rank);
-- The value of each field of each issue, one row per element of a list; no row if the field is empty. `ref` is the id of what a
-- value names (a person, status, option, version, sprint, issue), `text` a text or date, `number` a number, duration or time.
CREATE TABLE value (issue_id INTEGER NOT NULL, field_id TEXT NOT NULL, position INTEGER NOT NULL, ref INTEGER, text TEXT, number REAL, PRIMARY KEY (issue_id, field_id, position)) WITHOUT ROWID;
CREATE INDEX value_by_ref ON value (field_id, ref);
CREATE INDEX value_by_text ON value (field_id, text) WHERE length(text) < 256;

-- The history of issues, as their changelog shows it.
CREATE TABLE change_group (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL, author_id INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE INDEX change_group_of_issue ON change_group (issue_id, created);
CREATE TABLE change_item (group_id INTEGER NOT NULL, position INTEGER NOT NULL, field TEXT NOT NULL, field_type TEXT NOT NULL, field_id TEXT, from_id TEXT, from_text TEXT, to_id TEXT, to_text TEXT, PRIMARY KEY (group_id, position)) WITHOUT ROWID;
-- When an issue had which value, for `was` and `changed` of JQL. Of the fields in `issue::TRACKED` only. `ref` is null for no value, `until` is
-- null while it has it; a field with several values (fix versions) has rows that overlap. `set_by` is null for the value at creation.
CREATE TABLE held (issue_id INTEGER NOT NULL, field_id TEXT NOT NULL, ref INTEGER, since INTEGER NOT NULL, until INTEGER, set_by INTEGER);
CREATE INDEX held_by_issue ON held (issue_id, field_id, until);

-- `visibility` is null or JSON, as in the API. `internal`: not for customers of the service desk.
CREATE TABLE comment (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL, author_id INTEGER NOT NULL, update_author_id INTEGER NOT NULL, body TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, visibility TEXT, internal INTEGER NOT NULL DEFAULT 0);
CREATE INDEX comment_of_issue ON comment (issue_id, created);
CREATE TABLE worklog (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL, author_id INTEGER NOT NULL, update_author_id INTEGER NOT NULL, comment TEXT, started INTEGER NOT NULL, seconds INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL);
CREATE INDEX worklog_of_issue ON worklog (issue_id, started);
CREATE TABLE attachment (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL, filename TEXT NOT NULL, author_id INTEGER NOT NULL, created INTEGER NOT NULL, media_type TEXT NOT NULL, content BLOB NOT NULL);
CREATE INDEX attachment_of_issue ON attachment (issue_id);
-- A link: `source` *outward* `destination`, as in "source blocks destination".
CREATE TABLE link (id INTEGER PRIMARY KEY, link_type_id INTEGER NOT NULL, source_id INTEGER NOT NULL, destination_id INTEGER NOT NULL, UNIQUE (link_type_id, source_id, destination_id));
CREATE INDEX link_by_destination ON link (destination_id);
CREATE TABLE remote_link (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL, global_id TEXT, relationship TEXT, application TEXT, object TEXT NOT NULL);
CREATE INDEX remote_link_of_issue ON remote_link (issue_id);
CREATE TABLE watcher (issue_id INTEGER NOT NULL, person_id INTEGER NOT NULL, PRIMARY KEY (issue_id, person_id)) WITHOUT ROWID;
CREATE TABLE vote (issue_id INTEGER NOT NULL, person_id INTEGER NOT NULL, PRIMARY KEY (issue_id, person_id)) WITHOUT ROWID;
-- Properties of entities. `kind`: `issue`, `project`, `comment`, `sprint`, `board`.
CREATE TABLE property (kind TEXT NOT NULL, entity_id INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, entity_id, key)) WITHOUT ROWID;

-- The words of issues, for `~` in JQL: a row of `text_of` for each text, and its words in `words` under the same id. `field_id` is that of
-- a field, or `comment`; `owner_id` is the comment, or the issue.
CREATE TABLE text_of (id INTEGER PRIMARY KEY, issue_id INTEGER NOT NULL, field_id TEXT NOT NULL, owner_id INTEGER NOT NULL, UNIQUE (issue_id, field_id, owner_id));
CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2');

-- Boards: `type` is `scrum` or `kanban`.
CREATE TABLE board (id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, project_id INTEGER NOT NULL, filter_id INTEGER NOT NULL);
-- `state`: `future`, `active` or `closed`. `activated` is when it was started.
CREATE TABLE sprint (id INTEGER PRIMARY KEY, board_id INTEGER NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL, goal TEXT NOT NULL DEFAULT '', start_date INTEGER, end_date INTEGER, completed INTEGER, activated INTEGER, created INTEGER NOT NULL);
-- `viewers`: `private`, or `global` for each person that is signed in.
CREATE TABLE filter (id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '', owner_id INTEGER NOT NULL, jql TEXT NOT NULL, viewers TEXT NOT NULL DEFAULT 'global');
CREATE TABLE favourite_filter (filter_id INTEGER NOT NULL, person_id INTEGER NOT NULL, PRIMARY KEY (filter_id, person_id)) WITHOUT ROWID;
CREATE TABLE dashboard (id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner_id INTEGER NOT NULL, description TEXT NOT NULL DEFAULT '');
CREATE TABLE gadget (id INTEGER PRIMARY KEY, dashboard_id INTEGER NOT NULL, module_key TEXT NOT NULL, title TEXT NOT NULL, color TEXT NOT NULL, row INTEGER NOT NULL, column INTEGER NOT NULL);

-- Service desks.
CREATE TABLE desk (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL UNIQUE);
CREATE TABLE request_type (id INTEGER PRIMARY KEY, desk_id INTEGER NOT NULL, issue_type_id INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, help TEXT NOT NULL DEFAULT '', group_name TEXT NOT NULL DEFAULT 'General');
-- The fields of a request type, under the names that customers see.
CREATE TABLE request_type_field (request_type_id INTEGER NOT NULL, field_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '', required INTEGER NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (request_type_id, field_id)) WITHOUT ROWID;
CREATE TABLE queue (id INTEGER PRIMARY KEY, desk_id INTEGER NOT NULL, name TEXT NOT NULL, jql TEXT NOT NULL, position INTEGER NOT NULL);

-- Work that goes on after its request was answered, such as moves of many issues. `result` is JSON.
CREATE TABLE task (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, person_id INTEGER NOT NULL, submitted INTEGER NOT NULL, ends INTEGER NOT NULL, status TEXT NOT NULL, input TEXT NOT NULL, result TEXT);
