// Plays a host of MCP Apps (2026-01-26) in headless Chromium.
//
// In: the HTML of a page, and what the host says: capabilities, context, arguments, result, answers. Out: a `View`, which has the
// messages that the page sent, and the frame in which it runs. The page runs in a sandbox without an origin, under the strictest
// policy that a host may set. This module does not judge the page.

import puppeteer from 'puppeteer-core'

/** Milliseconds for one step, such as a click or the wait for a message. */
export const STEP_MS = 10_000

/** Stricter than the default of the specification: no pictures, and no scripts or styles from the page's own origin. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"

const HOST_PAGE = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Host</title>
  <style>body { margin: 0 } iframe { display: block; width: 100%; height: 150px; border: 0 }</style>
  <iframe title="view" sandbox="allow-scripts"></iframe>`

/** All that a host can do for a page, with the kinds of content that a model takes. */
export const ALL = { serverTools: {}, openLinks: {}, updateModelContext: { text: {}, structuredContent: {} } }

/** Starts the browser. The caller closes it. */
export function launch() {
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Chromium's own sandbox does not start for root, as in most containers.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--font-render-hinting=none'],
    timeout: 30_000,
    protocolTimeout: 60_000,
  })
}

/** Returns `promise`, or fails after `ms`. */
export function within(promise, what, ms = STEP_MS) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`expected ${what} within ${ms} ms`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** A page in its host. */
export class View {
  /** What the page sent, in order. */
  messages = []
  /** Errors in the console, and requests over the network. Both should stay empty. */
  errors = []
  #answers
  #asked = new Map()
  #lastId = 0

  /**
   * Opens `html`.
   *
   * `says` is { capabilities, context, args, result, answers, width, motion, starts }. `args` and `result` are sent as soon as the page is
   * initialized; without them, nothing is sent. With `starts: false`, does not wait for the page to be initialized. `answers` has a function per method; it returns the result, throws a JSON-RPC error
   * as { code, message }, or returns a promise that never ends.
   */
  static async open(browser, html, says = {}) {
    const view = new View()
    view.page = await browser.newPage()
    const { page } = view
    await page.setViewport({ width: says.width ?? 640, height: says.height ?? 800, deviceScaleFactor: 1 })
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: says.motion ?? 'reduce' }])
    page.on('console', (it) => it.type() === 'error' && view.errors.push(it.text()))
    page.on('pageerror', (it) => view.errors.push(String(it)))
    page.on('request', (it) => /^(about|data):/.test(it.url()) || view.errors.push(`request: ${it.url()}`))
    view.#answers = { ...standard(says), ...says.answers }
    await page.setContent(HOST_PAGE)
    await page.exposeFunction('heard', (message) => view.#take(message, says))
    await page.evaluate(() => {
      addEventListener(
        'message',
        ({ source, data }) => source === document.querySelector('iframe').contentWindow && window.heard(data),
      )
    })
    const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`
    const [, start] = /^((?:\s*<!--.*?-->)*\s*<!DOCTYPE html>\s*(?:<html[^>]*>)?)/is.exec(html) ?? [null, '']
    const element = await page.$('iframe')
    await element.evaluate(
      (it, srcdoc) => {
        it.srcdoc = srcdoc
      },
      start + policy + html.slice(start.length),
    )
    view.frame = await element.contentFrame()
    if (says.starts === false) return view
    await view.wait('ui/notifications/initialized')
    // Both notifications are on their way. When the page answers the ping, it has drawn them.
    await view.ping()
    return view
  }

  close() {
    return this.page.close()
  }

  /** Sends a message to the page. */
  post(message) {
    const send = (data) => document.querySelector('iframe').contentWindow.postMessage(data, '*')
    return this.page.evaluate(send, { jsonrpc: '2.0', ...message })
  }

  notify(method, params = {}) {
    return this.post({ method: `ui/notifications/${method}`, params })
  }

  /** Sends a request to the page and returns its answer. */
  async request(method, params = {}) {
    const id = `host-${++this.#lastId}`
    const answer = new Promise((resolve) => this.#asked.set(id, resolve))
    await this.post({ id, method, params })
    return within(answer, `an answer to ${method}`)
  }

  /** Waits until the page has read all messages, and until all that it sent before has arrived. */
  ping() {
    return this.request('ping')
  }

  /** Returns the parameters of the messages of a method. */
  sent(method) {
    return this.messages.filter((it) => it.method === method).map((it) => it.params)
  }

  /** Waits until the page has sent `count` messages of a method, and returns the parameters of the last. */
  async wait(method, count = 1) {
    await this.until(() => this.sent(method).length >= count, `${count} of ${method}`)
    return this.sent(method)[count - 1]
  }

  async until(condition, what, ms = STEP_MS) {
    const end = Date.now() + ms
    while (!(await condition())) {
      if (Date.now() > end)
        throw new Error(`expected ${what} within ${ms} ms, but the card shows: ${(await this.text()).slice(0, 300)}`)
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
  }

  /** Returns the visible text. */
  text() {
    return within(
      this.frame.evaluate(() => document.body.innerText),
      'the text',
    )
  }

  async sees(text) {
    await this.until(async () => (await this.text()).includes(text), `the text ${JSON.stringify(text)}`)
  }

  /** Waits for an element of the page. */
  find(selector) {
    return within(this.frame.waitForSelector(selector, { timeout: STEP_MS }), `an element ${selector}`)
  }

  /** Returns what a function returns for all elements of a selector. The function runs in the page. */
  all(selector, read) {
    const run = `(${read})([...document.querySelectorAll(${JSON.stringify(selector)})])`
    return within(this.frame.evaluate(run), `elements ${selector}`)
  }

  /** Waits until a button is enabled, and clicks it. The name of the button begins with `name`. */
  async click(name, count = 1) {
    const element = await this.find(`::-p-xpath(//button[not(@disabled) and starts-with(normalize-space(.), "${name}")])`)
    await within(element.click({ count }), `a click on ${name}`)
  }

  /** Returns the names of the buttons, in order. */
  buttons() {
    return this.all('button', (found) => found.map((it) => it.textContent))
  }

  /** Answers the page, and keeps what it sent. */
  async #take(message, says) {
    this.messages.push(message)
    if (message.method === undefined) return this.#asked.get(message.id)?.(message)
    if (message.method === 'ui/notifications/initialized') return this.#begin(says)
    if (message.method === 'ui/notifications/size-changed') return this.#resize(message.params)
    if (message.id === undefined) return undefined
    try {
      const answer = this.#answers[message.method]
      if (!answer) throw { code: -32601, message: `there is no ${message.method}` }
      await this.post({ id: message.id, result: await answer(message.params, this) })
    } catch (error) {
      if (this.page.isClosed()) return undefined
      await this.post({ id: message.id, error: { code: error.code ?? -32603, message: error.message } })
    }
    return undefined
  }

  async #begin({ args, result }) {
    if (args) await this.notify('tool-input', { arguments: args })
    if (result) await this.notify('tool-result', result)
  }

  /** Gives the page the height that it asks for, as hosts without a fixed height do. */
  async #resize({ height }) {
    if (this.page.isClosed()) return
    await this.page
      .evaluate((it) => {
        document.querySelector('iframe').style.height = `${it}px`
      }, height)
      .catch(() => {})
  }
}

function standard({ capabilities = ALL, context = {} }) {
  const tool = { name: 'plant_tree', title: 'Plant a tree', inputSchema: { type: 'object' } }
  const hostContext = { theme: 'light', locale: 'en-US', toolInfo: { id: 1, tool }, ...context }
  const hostInfo = { name: 'card.mjs', version: '1.0.0' }
  return {
    'ui/initialize': () => ({ protocolVersion: '2026-01-26', hostInfo, hostCapabilities: capabilities, hostContext }),
    'ui/open-link': () => ({}),
    'ui/update-model-context': () => ({}),
  }
}
