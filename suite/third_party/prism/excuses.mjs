// What Prism finds although nothing is wrong, each with its reason. Faults of the documents are not here: openapi-documents removes them.
//
// An entry that excuses nothing in a run fails, so the list has nothing that is no longer so.

/** Violations that count for nothing, by name. */
export const EXCUSES = [
  {
    // Any operation may refuse a request with these; suite/src/openapi/body.rs has the same list.
    name: "DOCUMENTS_LEAVE_OUT_REFUSALS",
    deployment: ["cloud", "datacenter"],
    matches: ({ status }, place, message) =>
      [400, 401, 403, 404, 429].includes(status) && message.startsWith("Unable to match the returned status code"),
  },
  {
    // As in suite/src/openapi/body.rs: the documents describe many empty answers as `{}`.
    name: "EMPTY_ANSWERS_ARE_DESCRIBED_AS_OBJECTS",
    deployment: ["cloud"],
    matches: ({ responseBody }, place, message) =>
      responseBody.length === 0 && message.startsWith('The received media type "" does not match'),
  },
  {
    // Their description says that they are names of fields, and their schema that each is an object without members.
    name: "NAMES_OF_FIELDS_ARE_DESCRIBED_AS_OBJECTS",
    deployment: ["cloud"],
    matches: ({ target }, place, message) =>
      target.startsWith("/rest/agile/") && place.startsWith("request.query.fields") && message.endsWith("must be object"),
  },
  {
    // As in suite/src/openapi/schema.rs: products get new members all the time. Only for the owner of a dashboard, whose description
    // is older than that of other people.
    name: "OWNERS_OF_DASHBOARDS_HAVE_MORE_MEMBERS",
    deployment: ["cloud"],
    matches: (exchange, place, message) =>
      /^response\.body\.dashboards\.\d+\.owner$/.test(place) && message.includes("must NOT have additional properties"),
  },
  {
    // The document of Cloud says that they are days; that of Data Center has the format of Java's class for both.
    name: "DAYS_OF_VERSIONS_ARE_DESCRIBED_AS_TIMES",
    deployment: ["datacenter"],
    matches: ({ target }, place, message) =>
      target.startsWith("/rest/api/2/version") && /\.(startDate|releaseDate)$/.test(place) && message.endsWith('format "date-time"'),
  },
  {
    // Described as one string of bytes. Prism reads the parts of a body as the members of an object.
    name: "AN_UPLOAD_IS_NO_STRING",
    deployment: ["datacenter"],
    matches: ({ method, target }, place) =>
      method === "POST" && /\/issue\/[^/]+\/attachments$/.test(target) && place === "request.body",
  },
];

/** Paths that no document of Jira has: docs/atlassian/operations.md says where their form comes from. */
export const UNDESCRIBED = [
  /^\/_edge\/tenant_info$/,
  /^\/_media\//,
  /^\/jira\/forms\/cloud\//,
  /^\/rest\/dev-status\/1\.0\//,
  /^\/rest\/servicedeskapi\//,
  /^\/secure\/attachment\//,
];
