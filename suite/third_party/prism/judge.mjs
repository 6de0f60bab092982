// Judges what a client and a Jira site say to each other with Prism, a program of Stoplight that reads OpenAPI documents.
//
//     node judge.mjs PRISM FOLDER DEPLOYMENT SITE COMMAND [ARGUMENT...]
//
// PRISM is the start script of Prism, FOLDER has the documents, DEPLOYMENT is cloud or datacenter, SITE is the address of the site. The
// command is run with the address of a proxy in front of the site as the variable JIRA_URL. Prints what Prism found, and how much it saw.
// Exit code 1 if the command failed, or if Prism found a violation that excuses.mjs does not explain.
//
// Prism changes what passes through it: it sends a body that is a JSON string without its quotes, writes bytes as text, and follows
// redirects. So the exchanges do not pass through it. The proxy here passes bytes on as they are and keeps each exchange; Prism then is a
// proxy between that request and the kept response. It runs without `--errors`, with which a violation in the request hides those in the
// response: they come in a header of its answer.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { EXCUSES, UNDESCRIBED } from "./excuses.mjs";

const PLATFORM = { cloud: "jira-cloud-platform-v3.json", datacenter: "jira-dc-11.3.8.json" };
const AGILE = { cloud: "jira-cloud-software-agile-1.0.json", datacenter: "jira-dc-11.3.8.json" };
// An exchange that breaks its description on both sides. Prism has to say so, or it judges nothing.
const BROKEN = {
  method: "GET",
  headers: {},
  requestBody: Buffer.alloc(0),
  status: 200,
  type: "application/json",
  responseBody: Buffer.from('{"id":[]}'),
};
const BROKEN_TARGETS = {
  "jira-cloud-platform-v3.json": ["/rest/api/3/issue/ABC-1?updateHistory=maybe"],
  "jira-cloud-software-agile-1.0.json": ["/rest/agile/1.0/board/one"],
  "jira-dc-11.3.8.json": ["/rest/agile/1.0/board/one"],
};
// A Prism reads a document of 2 MB in seconds, and answers one request at a time.
const START_SECONDS = 120;
const AT_ONCE = 2;

const [prism, folder, deployment, site, ...command] = process.argv.slice(2);
const kept = new Map();
const queues = new Map();
const children = [];
const counts = { judged: 0, excused: new Map(), undescribed: new Map() };
const problems = new Map();

function add(map, key) {
  map.set(key, (map.get(key) ?? 0) + 1);
}

async function body(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

async function listening(handler) {
  const server = createServer((incoming, outgoing) => {
    handler(incoming, outgoing).catch((error) => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

// Sends a request, and returns the response with its body.
async function sent(base, method, target, headers, bytes) {
  const outgoing = request(base + target, { method, headers, insecureHTTPParser: false });
  outgoing.end(bytes);
  const [incoming] = await once(outgoing, "response");
  return { incoming, bytes: await body(incoming) };
}

// Between client and site: passes bytes on, and keeps the exchange.
async function pass(incoming, outgoing) {
  const requestBody = await body(incoming);
  const { method, url, headers } = incoming;
  const answer = await sent(site, method, url, headers, requestBody);
  const { statusCode, rawHeaders } = answer.incoming;
  outgoing.writeHead(statusCode, rawHeaders);
  outgoing.end(answer.bytes);
  const type = answer.incoming.headers["content-type"];
  judgeLater({ method, target: url, headers, requestBody, status: statusCode, type, responseBody: answer.bytes });
}

// Behind Prism: answers with the kept response. Without its other headers, so no redirect is followed.
async function replay(incoming, outgoing) {
  await body(incoming);
  const { status, type, responseBody } = kept.get(incoming.headers["x-exchange"]);
  outgoing.writeHead(status, type ? { "content-type": type } : {});
  outgoing.end(responseBody);
}

async function freePort() {
  const { server } = await listening(async () => {});
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function startPrism(document, upstream) {
  const port = await freePort();
  const words = [prism, "proxy", join(folder, document), upstream, "--port", String(port), "--verboseLevel", "warn"];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let said = "";
  child.stdout.on("data", (text) => (said = (said + text).slice(-2000)));
  child.stderr.on("data", (text) => (said = (said + text).slice(-2000)));
  const url = `http://127.0.0.1:${port}`;
  for (let tenth = 0; tenth < START_SECONDS * 10; tenth++) {
    if (child.exitCode !== null) break;
    try {
      await sent(url, "OPTIONS", "/", {}, "");
      return { url, waiting: [], running: 0, idle: () => {} };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`expected a Prism for ${document} within ${START_SECONDS} s, but it said: ${said}`);
}

function judgeLater(exchange) {
  const document = exchange.target.startsWith("/rest/agile/") ? AGILE[deployment] : PLATFORM[deployment];
  const queue = queues.get(document);
  queue.waiting.push(exchange);
  next(queue);
}

function next(queue) {
  while (queue.running < AT_ONCE && queue.waiting.length > 0) {
    const exchange = queue.waiting.shift();
    queue.running += 1;
    violations(queue, exchange)
      .then((found) => sort(exchange, found))
      .catch((error) => add(problems, `${exchange.method} ${exchange.target}: Prism gave no judgement: ${error}`))
      .finally(() => {
        queue.running -= 1;
        next(queue);
      });
  }
  if (queue.running === 0) queue.idle();
}

let number = 0;

// Returns what Prism finds in an exchange, each with a place such as `response.body.fields`.
async function violations(queue, exchange) {
  const id = String((number += 1));
  kept.set(id, exchange);
  const headers = { ...exchange.headers, "x-exchange": id };
  delete headers.host;
  const { incoming } = await sent(queue.url, exchange.method, exchange.target, headers, exchange.requestBody);
  kept.delete(id);
  const text = incoming.headers["sl-violations"];
  if (incoming.statusCode !== exchange.status) {
    throw new Error(`expected the status ${exchange.status} as it was kept, but found ${incoming.statusCode}`);
  }
  if (text === undefined) return [];
  try {
    return JSON.parse(text).map(({ location = [], message }) => ({ place: location.join("."), message }));
  } catch {
    return [{ place: "", message: text.slice(0, 2000) }];
  }
}

function sort(exchange, found) {
  const path = exchange.target.split("?")[0];
  if (found.some(({ message }) => message === "Selected route not found")) {
    add(counts.undescribed, `${exchange.method} ${general(path)}`);
    if (!UNDESCRIBED.some((pattern) => pattern.test(path))) add(problems, `${exchange.method} ${path}: no document has it`);
    return;
  }
  counts.judged += 1;
  for (const { place, message } of found) {
    const line = `${exchange.method} ${general(path)} (${exchange.status}): ${place} ${message}`;
    const excuse = EXCUSES.find((it) => it.deployment.includes(deployment) && it.matches(exchange, place, message));
    if (excuse) add(counts.excused, excuse.name);
    else add(problems, line);
  }
}

// Returns a path with a sign for each key and id, to count what is the same.
function general(path) {
  return path.replace(/\/(?:[A-Z][A-Z0-9]*-\d+|\d+(?=\/|$)|[0-9a-f]{8}-[0-9a-f-]+)/g, "/…");
}

async function judgesAtAll() {
  for (const [document, queue] of queues) {
    for (const target of BROKEN_TARGETS[document]) {
      const found = await violations(queue, { ...BROKEN, target });
      for (const side of ["request", "response"]) {
        if (!found.some(({ place }) => place.startsWith(side))) {
          throw new Error(`expected violations in ${side} of ${target}, but Prism found ${JSON.stringify(found)}`);
        }
      }
    }
  }
}

function report() {
  for (const [line, times] of [...problems].sort()) console.log(`not ok ${line}${times > 1 ? ` (${times} times)` : ""}`);
  for (const [name, times] of [...counts.excused].sort()) console.log(`excused ${times} times: ${name}`);
  const unused = EXCUSES.filter((it) => it.deployment.includes(deployment) && !counts.excused.has(it.name));
  for (const { name } of unused) console.log(`not ok ${name} excused nothing: the list has to lose it`);
  const undescribed = [...counts.undescribed].sort().map(([line, times]) => `${line} (${times})`);
  console.log(`in no document: ${undescribed.join(", ") || "none"}`);
  console.log(`${deployment}: Prism judged ${counts.judged} exchanges, and found ${problems.size} violations`);
  return problems.size + unused.length;
}

async function main() {
  const behind = await listening(replay);
  const documents = [...new Set([PLATFORM[deployment], AGILE[deployment]])];
  const started = await Promise.all(documents.map((document) => startPrism(document, behind.url)));
  documents.forEach((document, index) => queues.set(document, started[index]));
  await judgesAtAll();
  const before = await listening(pass);
  const child = spawn(command[0], command.slice(1), {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, JIRA_URL: before.url },
  });
  const [code] = await once(child, "exit");
  await Promise.all([...queues.values()].map((queue) => new Promise((resolve) => ((queue.idle = resolve), next(queue)))));
  const failed = report();
  return code === 0 && failed === 0 && counts.judged > 0 ? 0 : 1;
}

let code = 1;
try {
  code = await main();
} catch (error) {
  console.error(`error: ${error.message}`);
} finally {
  for (const child of children) child.kill();
}
process.exit(code);
