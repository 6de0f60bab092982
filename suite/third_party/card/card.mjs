// Judges card.html in headless Chromium, as a host of MCP Apps that keeps to the published protocol.
//
//   node card.mjs [--page FILE] [--only TEXT] [--screenshots DIR]
//   node card.mjs --steps FILE --server COMMAND ARGUMENTS…
//
// The first form runs the checks of checks.mjs; with --only, those whose names contain TEXT. It also draws the screenshots. The
// second form drives the page and the tools of an MCP server, as steps.mjs describes. Prints a line for each check, then
// `N passed, M failed`. The exit code is 1 if a check failed, and 2 for a wrong command line. Needs Node 20 or later, and Chromium
// at /usr/bin/chromium or $CHROMIUM.

import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { checks } from './checks.mjs'
import { launch, within } from './host.mjs'
import { draw } from './screenshots.mjs'
import { stepChecks } from './steps.mjs'

/** Milliseconds for one check, whose steps have deadlines of their own. */
const CHECK_MS = 90_000

const here = path.dirname(fileURLToPath(import.meta.url))
const usage = 'usage: node card.mjs [--page FILE] [--only TEXT] [--screenshots DIR] | --steps FILE --server COMMAND ARGUMENTS…'

function options(words) {
  const found = { page: path.join(here, 'card.html'), only: '' }
  while (words.length > 0) {
    const word = words.shift()
    const name = word.slice(2)
    if (!['--page', '--only', '--screenshots', '--steps', '--server'].includes(word) || words.length === 0) return undefined
    found[name] = name === 'server' ? words.splice(0) : words.shift()
  }
  return (found.steps === undefined) === (found.server === undefined) ? found : undefined
}

const asked = options(process.argv.slice(2))
if (!asked) {
  console.error(usage)
  process.exit(2)
}

let passed = 0
let failed = 0

async function judge(name, run) {
  try {
    await within(run(), `the check ${name}`, CHECK_MS)
    passed += 1
    console.log(`ok ${name}`)
  } catch (error) {
    failed += 1
    console.log(
      `not ok ${name}: ${String(error?.message ?? error)
        .replace(/\s+/g, ' ')
        .slice(0, 600)}`,
    )
  }
}

const browser = await launch()
try {
  if (asked.server) {
    for await (const { name, run } of stepChecks(browser, asked.server, JSON.parse(readFileSync(asked.steps, 'utf8'))))
      await judge(name, run)
  } else {
    const html = readFileSync(asked.page, 'utf8')
    for (const { name, run } of checks(browser, html)) if (name.includes(asked.only)) await judge(name, run)
    if (asked.screenshots) {
      mkdirSync(asked.screenshots, { recursive: true })
      await draw(browser, html, asked.screenshots)
    }
  }
} catch (error) {
  failed += 1
  console.log(`not ok the run: ${error?.message ?? error}`)
} finally {
  await within(browser.close(), 'the browser to close').catch(() => browser.process()?.kill('SIGKILL'))
}
console.log(`${passed} passed, ${failed} failed`)
// A run without a check says nothing, so it is no success.
process.exit(failed > 0 || passed === 0 ? 1 : 0)
