//! Faults of Atlassian's documents, and their corrections.
//!
//! In: a document. Out: the document without its known faults. Each fault has a name, its places, and the
//! reason. A place that is no longer in the document is an error: then the document has changed, and the
//! fault may be gone.
//!
//! One more fault needs no correction: Jira Data Center names only Basic authentication, though the product
//! takes access tokens as Bearer. The judge does not see credentials.

use serde_json::{Value, json};

/// A fault of a document.
struct Fault {
    document: &'static str,
    /// JSON pointers into the document, or `answer to GET /path` for the schema of status 200, or
    /// `request of PUT /path`.
    places: &'static [&'static str],
    correction: Correction,
}

/// The value that takes the place of a fault.
enum Correction {
    /// A schema that every value fits.
    Anything,
    /// Schemas below the place that say only `object` fit every value.
    BareObjects,
    /// A list of what was there.
    List,
    /// The same, or null.
    Nullable,
    /// The same without `additionalProperties`.
    Open,
    /// A page of what was there: a list in the member `values`.
    Page,
    /// The component of this name.
    Component(&'static str),
    /// The same parameters, and one more of the query.
    Parameter(&'static str),
    /// The same without required members that it does not have.
    WithoutUnknownRequired,
}

const JIRA_CLOUD: &str = "jira-cloud-platform-v3.json.gz";
const JIRA_DATA_CENTER: &str = "jira-dc-11.3.8.json";

/// Described as an array of files, which no multipart body is.
const AN_UPLOAD_IS_NO_ARRAY: Fault = Fault {
    document: JIRA_CLOUD,
    places: &["request of POST /rest/api/3/issue/{issueIdOrKey}/attachments"],
    correction: Correction::Anything,
};

/// An ID may be a number or a string, the value of a field a list, a patch is a list of operations, and
/// `JsonNode` describes the class of a Java library where the product takes and gives any JSON.
const SOME_OBJECTS_ARE_ANY_VALUE: Fault = Fault {
    document: JIRA_CLOUD,
    places: &[
        "/components/schemas/AssociationContextObject/properties/identifier",
        "/components/schemas/FieldIdentifierObject/properties/identifier",
        "/components/schemas/JsonNode",
        "/components/schemas/fields/properties/value",
        "request of PUT /rest/api/3/plans/plan/{planId}",
        "request of PUT /rest/api/3/plans/plan/{planId}/team/atlassian/{atlassianTeamId}",
        "request of PUT /rest/api/3/plans/plan/{planId}/team/planonly/{planOnlyTeamId}",
    ],
    correction: Correction::Anything,
};

/// Its members are called `The column position of the gadget.` and so on: descriptions in place of names.
const A_POSITION_HAS_DESCRIPTIONS_AS_NAMES: Fault = Fault {
    document: JIRA_CLOUD,
    places: &["/components/schemas/DashboardGadgetPosition"],
    correction: Correction::Anything,
};

/// Closed to all members beside `oneOf` or `anyOf`, and without members of their own: nothing but `{}` fits.
const ALTERNATIVES_ARE_CLOSED: Fault = Fault {
    document: JIRA_CLOUD,
    places: &[
        "/components/schemas/CustomContextVariable",
        "/components/schemas/CustomFieldContextDefaultValue",
        "/components/schemas/JqlQueryClause",
        "/components/schemas/WorkflowCondition",
        "/components/schemas/fields",
    ],
    correction: Correction::Open,
};

/// Members that are required, and that `additionalProperties` forbids: nothing fits.
const UNKNOWN_MEMBERS_ARE_REQUIRED: Fault = Fault {
    document: JIRA_CLOUD,
    places: &[
        "/components/schemas/IssueBulkMovePayload",
        "/components/schemas/SecuritySchemeMembersRequest",
        "/components/schemas/targetToSourcesMapping",
    ],
    correction: Correction::WithoutUnknownRequired,
};

/// Null in Atlassian's own examples and descriptions: no value before or after a change, a filter that nobody
/// used, any project, no next page.
const SOME_STRINGS_ARE_NULL: Fault = Fault {
    document: JIRA_CLOUD,
    places: &[
        "/components/schemas/ChangeDetails/properties/from",
        "/components/schemas/ChangeDetails/properties/fromString",
        "/components/schemas/ChangeDetails/properties/to",
        "/components/schemas/ChangeDetails/properties/toString",
        "/components/schemas/ContextForProjectAndIssueType/properties/contextId",
        "/components/schemas/Filter/properties/approximateLastUsed",
        "/components/schemas/FilterDetails/properties/approximateLastUsed",
        "/components/schemas/SearchAndReconcileResults/properties/nextPageToken",
        // Null assigns an issue to no one, says the description of `PUT issue/{issueIdOrKey}/assignee`.
        "/components/schemas/User/properties/accountId",
        "/components/schemas/UiModificationContextDetails/properties/issueTypeId",
        "/components/schemas/UiModificationContextDetails/properties/projectId",
        "/components/schemas/UiModificationContextDetails/properties/viewType",
    ],
    correction: Correction::Nullable,
};

/// A version loses a date by null: `releaseDateSet` in the documents of Data Center tells an absent date from an empty one.
const DATES_OF_VERSIONS_MAY_BE_NULL: Fault = Fault {
    document: JIRA_CLOUD,
    places: &[
        "/components/schemas/Version/properties/releaseDate",
        "/components/schemas/Version/properties/startDate",
    ],
    correction: Correction::Nullable,
};

/// As in Jira Cloud.
const DATES_OF_VERSIONS_MAY_BE_NULL_TOO: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &[
        "/components/schemas/VersionBean/properties/releaseDate",
        "/components/schemas/VersionBean/properties/startDate",
    ],
    correction: Correction::Nullable,
};

/// As in Jira Cloud.
const CHANGES_HAVE_NULL: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &[
        "/components/schemas/ChangeItemBean/properties/from",
        "/components/schemas/ChangeItemBean/properties/fromString",
        "/components/schemas/ChangeItemBean/properties/to",
        "/components/schemas/ChangeItemBean/properties/toString",
    ],
    correction: Correction::Nullable,
};

/// Described as one property; Atlassian's example is a list.
const TRANSITION_PROPERTIES_ARE_A_LIST: Fault = Fault {
    document: JIRA_CLOUD,
    places: &["answer to GET /rest/api/3/workflow/transitions/{transitionId}/properties"],
    correction: Correction::List,
};

/// The generator writes `object` for `java.lang.Object`, which stands for any JSON: values of fields, default
/// values, lists of strings.
const OBJECTS_OF_JAVA_ARE_ANY_VALUE: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &["/components/schemas", "/paths"],
    correction: Correction::BareObjects,
};

/// The generator writes `string` for the JSON of entity properties.
const PROPERTIES_ARE_ANY_JSON: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &[
        "/components/schemas/EntityPropertyBean/properties/value",
        "request of PUT /api/2/issue/{issueIdOrKey}/properties/{propertyKey}",
    ],
    correction: Correction::Anything,
};

/// The generator writes the type of the elements for a list.
const LISTS_ARE_DESCRIBED_BY_ONE_ELEMENT: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &[
        "answer to GET /api/2/field",
        "answer to GET /api/2/filter/favourite",
        "answer to GET /api/2/issue/{issueIdOrKey}/pinned-comments",
        "answer to GET /api/2/issue/{issueIdOrKey}/remotelink",
        "answer to GET /api/2/issue/{issueIdOrKey}/subtask",
        "answer to GET /api/2/issuetype",
        "answer to GET /api/2/priority",
        "answer to GET /api/2/project",
        "answer to GET /api/2/project/type",
        "answer to GET /api/2/project/{projectIdOrKey}/components",
        "answer to GET /api/2/project/{projectIdOrKey}/statuses",
        "answer to GET /api/2/project/{projectIdOrKey}/versions",
        "answer to GET /api/2/projectCategory",
        "answer to GET /api/2/resolution",
        "answer to GET /api/2/role",
        "answer to GET /api/2/status",
        "answer to GET /api/2/statuscategory",
        "answer to GET /api/2/user/assignable/multiProjectSearch",
        "answer to GET /api/2/user/assignable/search",
        "answer to GET /api/2/user/permission/search",
        "answer to GET /api/2/user/search",
        "answer to GET /api/2/user/viewissue/search",
        "answer to POST /api/2/issue/{issueIdOrKey}/attachments",
        "answer to POST /api/2/worklog/list",
    ],
    correction: Correction::List,
};

/// The generator writes the type of the elements for a page, too.
const PAGES_ARE_DESCRIBED_BY_ONE_ELEMENT: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &[
        "answer to GET /agile/1.0/board",
        "answer to GET /agile/1.0/board/{boardId}/epic",
        "answer to GET /agile/1.0/board/{boardId}/project",
        "answer to GET /agile/1.0/board/{boardId}/sprint",
        "answer to GET /agile/1.0/board/{boardId}/version",
        "answer to GET /api/2/group/member",
        "answer to GET /api/2/issue/createmeta/{projectIdOrKey}/issuetypes",
        "answer to GET /api/2/issue/createmeta/{projectIdOrKey}/issuetypes/{issueTypeId}",
        "answer to GET /api/2/issuetype/page",
        "answer to GET /api/2/priority/page",
        "answer to GET /api/2/resolution/page",
        "answer to GET /api/2/status/page",
        "answer to GET /api/2/version",
    ],
    correction: Correction::Page,
};

/// Pages of issues have the shape of search results; described as one issue, or as one sprint.
const PAGES_OF_ISSUES_ARE_SEARCH_RESULTS: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &[
        "answer to GET /agile/1.0/board/{boardId}/backlog",
        "answer to GET /agile/1.0/board/{boardId}/epic/none/issue",
        "answer to GET /agile/1.0/board/{boardId}/epic/{epicId}/issue",
        "answer to GET /agile/1.0/board/{boardId}/issue",
        "answer to GET /agile/1.0/board/{boardId}/sprint/{sprintId}/issue",
    ],
    correction: Correction::Component("SearchResultsBean"),
};

/// A name that is null assigns an issue to no one, as on Cloud.
const NO_ONE_IS_NULL: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &["/components/schemas/UserBean/properties/name"],
    correction: Correction::Nullable,
};

/// The description says that fields come with `expand=transitions.fields`, which is not among the parameters.
const TRANSITIONS_EXPAND: Fault = Fault {
    document: JIRA_DATA_CENTER,
    places: &["/paths/~1api~12~1issue~1{issueIdOrKey}~1transitions/get/parameters"],
    correction: Correction::Parameter("expand"),
};

/// In the order in which they are corrected: bare objects last, so that lists of them stay lists.
const ALL: [Fault; 17] = [
    AN_UPLOAD_IS_NO_ARRAY,
    SOME_OBJECTS_ARE_ANY_VALUE,
    A_POSITION_HAS_DESCRIPTIONS_AS_NAMES,
    ALTERNATIVES_ARE_CLOSED,
    UNKNOWN_MEMBERS_ARE_REQUIRED,
    SOME_STRINGS_ARE_NULL,
    DATES_OF_VERSIONS_MAY_BE_NULL,
    DATES_OF_VERSIONS_MAY_BE_NULL_TOO,
    CHANGES_HAVE_NULL,
    TRANSITION_PROPERTIES_ARE_A_LIST,
    PROPERTIES_ARE_ANY_JSON,
    LISTS_ARE_DESCRIBED_BY_ONE_ELEMENT,
    PAGES_ARE_DESCRIBED_BY_ONE_ELEMENT,
    PAGES_OF_ISSUES_ARE_SEARCH_RESULTS,
    NO_ONE_IS_NULL,
    TRANSITIONS_EXPAND,
    OBJECTS_OF_JAVA_ARE_ANY_VALUE,
];

/// Corrects the known faults of the document `name`.
pub(super) fn correct(name: &str, root: &mut Value) {
    for fault in ALL.iter().filter(|it| it.document == name) {
        for place in fault.places {
            let slot = part(root, place).unwrap_or_else(|| panic!("{name} has no {place}"));
            let mut was = slot.take();
            *slot = match fault.correction {
                Correction::Anything => json!({}),
                Correction::BareObjects => without_bare_objects(was),
                Correction::List => json!({ "type": "array", "items": was }),
                Correction::Page => json!({
                    "type": "object",
                    "required": ["values"],
                    "properties": { "values": { "type": "array", "items": was } },
                }),
                Correction::Nullable => {
                    was["nullable"] = true.into();
                    was
                }
                Correction::Open => {
                    let closed = was.as_object_mut().and_then(|it| it.remove("additionalProperties"));
                    closed.unwrap_or_else(|| panic!("{place} of {name} is open"));
                    was
                }
                Correction::WithoutUnknownRequired => without_unknown_required(was),
                Correction::Parameter(name) => {
                    let more = json!({ "name": name, "in": "query", "schema": { "type": "string" } });
                    let all = was.as_array_mut().unwrap_or_else(|| panic!("{place} of {name} is no list"));
                    all.push(more);
                    was
                }
                Correction::Component(name) => json!({ "$ref": format!("#/components/schemas/{name}") }),
            };
        }
    }
}

fn without_unknown_required(mut schema: Value) -> Value {
    let names = schema["required"].take();
    let known = |name: &&Value| name.as_str().is_some_and(|it| schema["properties"].get(it).is_some());
    let known: Vec<Value> = names.as_array().into_iter().flatten().filter(known).cloned().collect();
    schema["required"] = known.into();
    schema
}

/// Returns the part of a document that a place means.
fn part<'a>(root: &'a mut Value, place: &str) -> Option<&'a mut Value> {
    let (of_answer, operation) = match (place.strip_prefix("answer to "), place.strip_prefix("request of ")) {
        (Some(operation), _) => (true, operation),
        (_, Some(operation)) => (false, operation),
        _ => return root.pointer_mut(place),
    };
    let (method, template) = operation.split_once(' ')?;
    let operation = root["paths"].get_mut(template)?.get_mut(method.to_lowercase())?;
    let body =
        if of_answer { operation.pointer_mut("/responses/200") } else { operation.get_mut("requestBody") };
    let (_, media) = body?.get_mut("content")?.as_object_mut()?.iter_mut().next()?;
    media.get_mut("schema")
}

fn without_bare_objects(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let bare = |(name, value): (&String, &Value)| match name.as_str() {
                "type" => value == "object",
                "description" | "example" | "xml" => true,
                _ => false,
            };
            if members.contains_key("type") && members.iter().all(bare) {
                return json!({});
            }
            members.into_iter().map(|(name, value)| (name, without_bare_objects(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_bare_objects).collect(),
        other => other,
    }
}
