// Breaks the card on purpose, and shows that the checks notice it.
//
//   node mutants.mjs [TEXT]
//
// Each mutant is a copy of card.html with one change. It is found if the named check fails. With TEXT, only the mutants whose check
// contains TEXT. Exit code 1 if one is not found.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))

/** Check, text to replace, replacement. */
const MUTANTS = [
  [
    'hostile texts stay text and no script runs',
    'for (const child of children.flat()) element.append(child);',
    'for (const child of children.flat()) typeof child === "string" ? element.insertAdjacentHTML("beforeend", child) : element.append(child);',
  ],
  ['control and bidi characters are shown', '\\u2028-\\u202e', '\\u2028'],
  [
    'control and bidi characters are shown',
    'el("bdi", {}, visible(beginning(text, most)))',
    'el("span", {}, visible(beginning(text, most)))',
  ],
  ['no link for other schemes', 'LINK.test(text)', '/^\\w+:/.test(text)'],
  ['of 10,000 rows, 200 are drawn', 'const ROWS = 200', 'const ROWS = 100_000'],
  ['lists within lists have a limit together', 'const VALUES = 10_000', 'const VALUES = 10_000_000'],
  ['deep data are drawn to a limit', 'const LEVELS = 10', 'const LEVELS = 100'],
  ['long texts are folded', 'const LINE = 300', 'const LINE = 300_000'],
  ['a list of like objects is a table', 'scope: "col"', 'abbr: "col"'],
  ['other members are sections with headings in order', 'section(name, level + 1, drawValue', 'section(name, level + 2, drawValue'],
  ['a message from another window is not heard', 'source !== parent || ', ''],
  ['after a teardown nothing is sent', 'closed = isEnd', 'closed = false'],
  ['after a teardown nothing is sent', 'if (!closed) parent', 'parent'],
  ['a teardown while a call runs', 'if (closed || source', 'if (source'],
  ['the page says its size, and again', 'new ResizeObserver(reportSize)', 'new ResizeObserver(() => {})', 'reportSize();\n}', '}'],
  ['an option calls the same tool with all arguments', '{ ...args, [field]: value }', '{ [field]: value }'],
  ['a second question keeps the answer to the first', '[result, args] = [found, newArgs]', 'result = found'],
  ['a double click on an option does not confirm', 'yes.disabled = true', ''],
  ['Confirm calls the same tool', '{ ...args, preview: false }', '{ preview: false }'],
  ['Confirm calls the same tool', '{ ...args, preview: false }', 'args'],
  [
    'two activations in one turn send one call',
    'busy = acted = true; // before',
    'await 0; busy = acted = true; freeze = () => {}; // before',
  ],
  ['while the call runs, a live status', '  freeze();\n  say("Running', '  say("Running'],
  [
    'after Confirm, the model is told',
    'params.structuredContent = found.structuredContent',
    'params.structured = found.structuredContent',
  ],
  [
    'a host that takes no model context is told nothing',
    'if (!taken) return;\n',
    'if (!taken) return void ask("ui/update-model-context", {}).catch(() => {});\n',
  ],
  ['by keyboard only', 'if (acted && document.hasFocus()) top.focus();', ''],
  ['by keyboard only', ':focus-visible { outline: 2px solid', ':focus-visible { outline: 0 solid'],
  ['Cancel calls nothing', 'function cancel() {', 'function cancel() {\n  return call({ ...args, preview: true }, "x");'],
  ['a warning that begins with BLOCK:', '/^\\s*BLOCK:/', '/^\\s*BLOCKED:/'],
  [
    'no Confirm if the arguments did not arrive',
    'return args ? undefined : "the arguments of the call did not arrive"',
    'return undefined',
  ],
  ['no Confirm if the host does not let it call tools', 'if (!can.serverTools)', 'if (false)'],
  [
    'partial arguments are no base for a call',
    '"ui/notifications/tool-input"(',
    '"ui/notifications/tool-input-partial"(p) { heard["ui/notifications/tool-input"](p); },\n  "ui/notifications/tool-input"(',
  ],
  ['after Confirm, late notifications', 'if (acted) return;\n    result', 'result'],
  ['the outcome is unknown after a time-out', 'code === NOT_FOUND', 'code < 0'],
  ['the outcome is unknown after an answer that is no result', 'Array.isArray(found?.content)', 'found && !found.error'],
  ['without an answer, the outcome is unknown', 'const late = setTimeout(', 'const late = (() => {})('],
  ['an error is never a preview', 'if (isError || data', 'if (data'],
  ['at 280 pixels the card does not scroll', 'overflow-wrap: anywhere', 'overflow-wrap: normal'],
  ['at 280 pixels the card does not scroll', 'role: "group", tabindex: "0"', 'role: "group"'],
  ['axe finds nothing in a preview', 'light-dark(#744800, #efc471)', 'light-dark(#c79a3a, #efc471)'],
  ['axe finds nothing in data', '<html lang="en">', '<html>', 'root.lang = context.locale', ''],
  ['theme, locale, colours and fonts', 'root.style.colorScheme = context.theme', ''],
  [
    'nothing moves if the user prefers less motion',
    '#status { margin: 0;',
    '@keyframes a { to { opacity: 0 } }\n#status { animation: a 9s infinite; margin: 0;',
  ],
  ['the page is one small file', '<title>', '<link rel="stylesheet" href="https://example.org/a.css"><title>'],
  ['single values are shown too', 'return el("i", {}, "none")', 'return ""'],
  ['the page answers ping', 'send(isEnd || method === "ping"', 'console.error("oops"); send(isEnd || method === "ping"'],
]

const html = readFileSync(path.join(here, 'card.html'), 'utf8')
const folder = mkdtempSync(path.join(tmpdir(), 'mutants-'))
const only = process.argv[2] ?? ''
let lost = 0
for (const [check, ...changes] of MUTANTS.filter(([it]) => it.includes(only))) {
  let text = html
  for (let at = 0; at < changes.length; at += 2) {
    if (!text.includes(changes[at])) throw new Error(`expected card.html to contain ${changes[at]}`)
    text = text.replace(changes[at], () => changes[at + 1])
  }
  const page = path.join(folder, 'card.html')
  writeFileSync(page, text)
  const { stdout } = spawnSync(process.execPath, [path.join(here, 'card.mjs'), '--page', page, '--only', check], {
    encoding: 'utf8',
  })
  const why = stdout.split('\n').find((it) => it.startsWith('not ok'))
  if (!why) lost += 1
  console.log(`${why ? 'found' : 'LOST '} ${changes[0].slice(0, 60).replace(/\s+/g, ' ')}\n      ${why?.slice(0, 150) ?? check}`)
}
rmSync(folder, { recursive: true })
console.log(lost ? `${lost} not found` : 'all found')
process.exit(lost ? 1 : 0)
