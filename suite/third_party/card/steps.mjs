// Steps against a real MCP server.
//
// In: a list of cases, as JSON:
//
//   [{ "tool": "plant_tree", "arguments": { "kind": "oak" }, "then": [{ "see": "Preview" }, { "click": "Confirm" }] }]
//
// Each case calls the tool, opens its page and does the steps in order. A case may set "name", "theme" ("light" or "dark") and
// "width". Each step has one member:
//
//   see         a text that is visible, at once or soon
//   miss        a text that is not visible, at once or soon
//   click       the beginning of the name of an enabled button
//   press       a key, such as "Tab" or "Enter"
//   called      the parameters of the last tools/call of the page, such as { "name": "a", "arguments": {} }
//   calls       how many tools/call the page has sent
//   told        a text in the last ui/update-model-context
//   screenshot  a file into which the page is drawn
//
// Out: a check per case, and a check per step. Once a step has failed, the others of its case are not done, and fail too.

import assert from 'node:assert/strict'
import { View } from './host.mjs'
import { Server } from './server.mjs'

const kinds = {
  see: (view, text) => view.sees(text),
  miss: (view, text) =>
    view.until(async () => !(await view.text()).includes(text), `no text ${JSON.stringify(text)}`),
  click: (view, name) => view.click(name),
  press: (view, key) => view.page.keyboard.press(key),
  called: async (view, params) => {
    await view.wait('tools/call')
    assert.deepEqual(view.sent('tools/call').at(-1), params)
  },
  calls: async (view, count) => {
    await view.ping()
    assert.equal(view.sent('tools/call').length, count)
  },
  told: (view, text) =>
    view.until(
      () => JSON.stringify(view.sent('ui/update-model-context').at(-1) ?? '').includes(text),
      `the model to be told ${text}`,
    ),
  screenshot: async (view, path) => (await view.page.$('iframe')).screenshot({ path }),
}

/** Yields { name, run } for each case and step, and ends the server. */
export async function* stepChecks(browser, [command, ...args], cases) {
  const server = await Server.start(command, args)
  try {
    for (const it of cases) yield* caseChecks(browser, server, it)
  } finally {
    await server.close()
  }
}

async function* caseChecks(browser, server, given) {
  const title = given.name ?? given.tool
  let view
  let broken = false
  yield {
    name: `${title}: the page of the tool opens`,
    run: async () => {
      view = await open(browser, server, given)
    },
  }
  for (const step of given.then ?? []) {
    const [[kind, value]] = Object.entries(step)
    const run = async () => {
      assert.ok(view && !broken, 'a step before it failed')
      broken = true
      assert.ok(kinds[kind], `expected a step of ${Object.keys(kinds).join(', ')}, but found ${kind}`)
      await kinds[kind](view, value)
      broken = false
    }
    yield { name: `${title}: ${JSON.stringify(step)}`, run }
  }
  if (!view) return
  yield { name: `${title}: nothing goes to the console as an error`, run: async () => assert.deepEqual(view.errors, []) }
  await view.close()
}

/** Calls the tool, and opens its page with the arguments and the result. Calls of the page go to the server. */
async function open(browser, server, { tool: name, arguments: given = {}, theme = 'light', width }) {
  const tool = await server.tool(name)
  const html = await server.page(tool)
  const result = await server.request('tools/call', { name, arguments: given })
  const bridge = async (params) => {
    const called = await server.tool(params.name)
    // The specification: "Host MUST reject tools/call requests from apps for tools that don't include "app" in visibility".
    if (called._meta?.ui?.visibility?.includes('app') === false)
      throw { code: -32000, message: `a page may not call ${params.name}` }
    return server.request('tools/call', params)
  }
  const context = { theme, toolInfo: { tool } }
  return View.open(browser, html, { args: given, result, context, width, answers: { 'tools/call': bridge } })
}
