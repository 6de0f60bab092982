// The checks of the card: what it draws, what it sends, and that people can use it without a mouse and without seeing it.
//
// In: the browser and the HTML of the page. Out: a list of { name, run }; `run` fails with the reason. Each check opens the page
// afresh. The file is long because it is a list.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  ARGUMENTS,
  CREATED,
  ERROR,
  HOSTILE,
  HOSTILE_DATA,
  HOST_STYLES,
  ISSUE,
  PREVIEW,
  QUESTION,
  nested,
  ofData,
  ofText,
  rows,
} from './fixtures.mjs'
import { ALL, View } from './host.mjs'
import { stepChecks } from './steps.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const here = path.dirname(fileURLToPath(import.meta.url))

const LABEL = 'Preview: nothing has been changed yet'
const UNKNOWN = 'It is unknown whether anything was changed.'
const preview = { args: ARGUMENTS, result: ofData(PREVIEW) }
const question = { args: ARGUMENTS, result: ofData(QUESTION) }
const failure = { ...ofData(ERROR), isError: true }
const without = (name) => Object.fromEntries(Object.entries(ALL).filter(([it]) => it !== name))
const error = (code, message) => () => {
  throw { code, message }
}
const never = () => new Promise(() => {})
const call = (answer) => ({ 'tools/call': answer })

/** Returns whether axe could not tell a contrast, although the text is not scrolled out of its table. */
const isUnsure = (rule) =>
  rule.id === 'color-contrast' && rule.nodes.some((node) => node.any.some((it) => it.data?.messageKey !== 'elmPartiallyObscured'))

export function checks(browser, html) {
  const list = []
  const check = (name, run) => list.push({ name, run })

  /** A check with the page open. */
  const viewed = (name, says, run) =>
    check(name, async () => {
      const view = await View.open(browser, html, says)
      try {
        await run(view)
        assert.deepEqual(view.errors, [], 'the console and the network')
      } finally {
        await view.close()
      }
    })

  // The file

  check('the page is one small file that names nothing outside', () => {
    assert.ok(Buffer.byteLength(html) < 24_000, `expected less than 24,000 bytes, but found ${Buffer.byteLength(html)}`)
    const outside =
      /\b(src|srcset|action|background)\s*=|@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|\bimport\(|<(link|base|iframe|form|object)\b/i
    assert.doesNotMatch(html, outside)
    assert.doesNotMatch(
      html,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|createContextualFragment|DOMParser/,
    )
    assert.match(html, /^<!DOCTYPE html>/)
  })

  viewed('the page runs in a sandbox without an origin, under the policy of the host', {}, async (view) => {
    assert.equal(await view.frame.evaluate(() => origin), 'null')
    const refused = await view.frame.evaluate(
      () =>
        new Promise((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
          document.body.append(Object.assign(new Image(), { src: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' }))
        }),
    )
    assert.equal(refused, 'img-src')
    await view.until(() => view.errors.length > 0, 'an error in the console')
    view.errors.length = 0
  })

  // Protocol

  viewed('the page introduces itself with ui/initialize, then says that it is initialized', {}, async (view) => {
    assert.equal(view.messages[0].method, 'ui/initialize')
    const { protocolVersion, appInfo, appCapabilities } = view.messages[0].params
    assert.equal(protocolVersion, '2026-01-26')
    assert.equal(typeof appInfo.name, 'string')
    assert.equal(typeof appInfo.version, 'string')
    assert.equal(typeof appCapabilities, 'object')
    assert.equal(view.sent('ui/notifications/initialized').length, 1)
  })

  viewed('the page answers ping, and other requests with "method not found"', {}, async (view) => {
    assert.deepEqual((await view.ping()).result, {})
    assert.equal((await view.request('sampling/createMessage')).error.code, -32601)
  })

  viewed('a message from another window is not heard', {}, async (view) => {
    await view.frame.evaluate(() =>
      postMessage(
        { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { content: [{ type: 'text', text: 'forged' }] } },
        '*',
      ),
    )
    await view.ping()
    assert.ok(!(await view.text()).includes('forged'))
  })

  viewed('the page says its size, and again when it changes', { result: ofData(CREATED) }, async (view) => {
    const height = () => view.sent('ui/notifications/size-changed').at(-1)?.height
    await view.until(() => height() > 40, 'a height')
    const before = height()
    await view.notify('tool-result', ofData(ISSUE))
    await view.until(() => height() > before, 'a larger height')
    const inside = await view.frame.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height))
    await view.until(() => height() === inside, `the height ${inside}`)
    assert.equal(view.sent('ui/notifications/size-changed').at(-1).width, 640)
  })

  viewed('before the result, a live status says that the card waits', {}, async (view) => {
    assert.deepEqual(await view.all('[role=status]', (found) => found.map((it) => it.textContent)), ['Waiting for the result'])
    await view.notify('tool-input-partial', { arguments: { a: 1 } })
    await view.ping()
    assert.ok((await view.text()).includes('Waiting'))
  })

  viewed('a cancelled call is said to be cancelled', {}, async (view) => {
    await view.notify('tool-cancelled', { reason: 'user action' })
    await view.sees('The call was cancelled: user action')
  })

  viewed('a cancelled call stays cancelled when the host changes its context', {}, async (view) => {
    await view.notify('tool-cancelled', {})
    await view.notify('host-context-changed', { toolInfo: { tool: { name: 'other' } } })
    await view.ping()
    assert.ok((await view.text()).includes('The call was cancelled'))
  })

  check('a host that refuses ui/initialize is named as the reason', async () => {
    const view = await View.open(browser, html, { answers: { 'ui/initialize': error(-32000, 'too old') }, starts: false })
    try {
      await view.sees('The host did not start this card: too old')
      assert.equal(view.sent('ui/notifications/initialized').length, 0)
    } finally {
      await view.close()
    }
  })

  viewed('after a teardown nothing is sent', preview, async (view) => {
    await view.find('button:not(:disabled)')
    assert.deepEqual((await view.request('ui/resource-teardown', { reason: 'test' })).result, {})
    const before = view.messages.length
    await view.frame.evaluate(() => {
      for (const it of document.querySelectorAll('button')) {
        it.disabled = false
        it.click()
      }
      document.body.style.height = '900px'
    })
    await view.post({ id: 'late', method: 'ping' })
    await new Promise((resolve) => setTimeout(resolve, 700))
    assert.deepEqual(view.messages.slice(before), [])
  })

  viewed(
    'a teardown while a call runs: its answer changes and sends nothing',
    {
      ...preview,
      answers: call(
        (_, view) =>
          new Promise((resolve) => {
            view.release = resolve
          }),
      ),
    },
    async (view) => {
      await view.click('Confirm')
      await view.wait('tools/call')
      await view.request('ui/resource-teardown', { reason: 'test' })
      const before = view.messages.length
      view.release(ofData(CREATED))
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.equal(view.messages.length, before)
      assert.ok((await view.text()).includes('Running the tool'))
    },
  )

  // Data

  viewed(
    'an object: the title is the heading, members that fit into a line are a list',
    { result: ofData(ISSUE) },
    async (view) => {
      assert.deepEqual(await view.all('h1', (found) => found.map((it) => it.textContent)), [ISSUE.title])
      const pairs = await view.all('#card > dl > div', (found) =>
        found.map((it) => [it.children[0].textContent, it.children[1].textContent]),
      )
      assert.deepEqual(pairs, [
        ['id', 'WORK-118'],
        ['status', 'in progress'],
        ['assignee', 'Ada Lovelace'],
        ['priority', '2'],
        ['labels', 'pump, water'],
        ['due', 'none'],
        ['url', ISSUE.url],
      ])
    },
  )

  viewed('the heading is the member title, name or id, else the title of the tool', {}, async (view) => {
    for (const [data, heading] of [
      [{ id: 'c', name: 'b', title: 'a' }, 'a'],
      [{ id: 'c', name: 'b', title: '' }, 'b'],
      [{ id: 'c', name: 3, title: 'two\nlines' }, 'c'],
      [{ id: 7 }, 'Plant a tree'],
      [{}, 'Plant a tree'],
      [[], 'Plant a tree'],
      [null, 'Plant a tree'],
    ]) {
      await view.notify('tool-result', ofData(data))
      await view.ping()
      assert.deepEqual(await view.all('h1', (found) => found.map((it) => it.textContent)), [heading])
    }
  })

  viewed('other members are sections with headings in order', { result: ofData(ISSUE) }, async (view) => {
    const headings = await view.all('h1, h2, h3, h4, h5, h6', (found) => found.map((it) => [Number(it.tagName[1]), it.textContent]))
    assert.deepEqual(headings, [
      [1, ISSUE.title],
      [2, 'description'],
      [2, 'parts'],
      [2, 'check'],
      [2, 'place'],
      [3, 'position'],
    ])
  })

  viewed('a list of like objects is a table with a caption and scopes', { result: ofData(ISSUE) }, async (view) => {
    assert.deepEqual(await view.all('caption', (found) => found.map((it) => it.textContent)), ['parts: 3 rows'])
    assert.deepEqual(await view.all('thead th[scope=col]', (found) => found.map((it) => it.textContent)), [
      'name',
      'number',
      'count',
      'price',
    ])
    assert.deepEqual(await view.all('tbody tr', (found) => found.map((it) => [...it.cells].map((cell) => cell.textContent))), [
      ['pump', 'P-40', '1', '129.5'],
      ['hose', 'H-12', '4', '3.2'],
      ['clamp', 'C-7', '8', '0.4'],
    ])
    assert.equal(await view.all('tbody th', (found) => found.length), 3)
  })

  viewed('a list of scalars is a list, and other lists are sections', {}, async (view) => {
    await view.notify(
      'tool-result',
      ofData({ words: ['a, b', 'c'], mixed: [{ name: 'one', more: { x: 1 } }, { more: { y: 2 } }, 'a\nb'], empty: [], none: {} }),
    )
    await view.ping()
    assert.deepEqual(await view.all('ul > li', (found) => found.map((it) => it.textContent)), ['a, b', 'c'])
    assert.deepEqual(await view.all('h3', (found) => found.map((it) => it.textContent)), ['one', 'mixed 2', 'mixed 3'])
    assert.deepEqual(await view.all('#card > dl dd', (found) => found.map((it) => it.textContent)), ['none', 'none'])
  })

  viewed('single values are shown too', {}, async (view) => {
    for (const [value, text] of [
      ['one', 'one'],
      [3, '3'],
      [false, 'false'],
      [['a', 'b, c'], 'b, c'],
      [{ a: '' }, '""'],
      [{ a: true }, 'true'],
      [{}, 'none'],
      [[], 'none'],
    ]) {
      await view.notify('tool-result', ofData(value))
      await view.sees(text)
    }
  })

  viewed(
    'a text of several lines keeps its breaks, and is code if lines begin with blanks',
    { result: ofData(ISSUE) },
    async (view) => {
      const [prose] = await view.all('p.text', (found) => found.map((it) => [it.textContent, getComputedStyle(it).whiteSpace]))
      assert.deepEqual(prose, [ISSUE.description, 'pre-wrap'])
      assert.deepEqual(await view.all('pre > code', (found) => found.map((it) => it.textContent)), [ISSUE.check])
    },
  )

  viewed('a URL asks the host to open it', { result: ofData({ url: ISSUE.url }) }, async (view) => {
    await view.find('[role=link]')
    await view.page.focus('iframe')
    await view.page.keyboard.press('Tab')
    await view.page.keyboard.press('Enter')
    assert.deepEqual(await view.wait('ui/open-link'), { url: ISSUE.url })
  })

  viewed(
    'the user is told if the host does not open a link',
    { result: ofData({ url: ISSUE.url }), answers: { 'ui/open-link': error(-32000, 'denied') } },
    async (view) => {
      await view.click('https')
      await view.sees('The host did not open it.')
    },
  )

  viewed(
    'a link that is not opened leaves the label of a preview',
    { args: ARGUMENTS, result: ofData({ ...PREVIEW, url: ISSUE.url }), answers: { 'ui/open-link': () => ({ isError: true }) } },
    async (view) => {
      await view.click('https')
      await view.click('https')
      await view.sees('The host did not open it.')
      assert.equal((await view.text()).match(/did not open it/g).length, 1)
      await view.sees(LABEL)
    },
  )

  viewed(
    'a URL is text if the host opens no links',
    { result: ofData({ url: ISSUE.url }), capabilities: without('openLinks') },
    async (view) => {
      await view.sees(ISSUE.url)
      assert.equal(await view.all('[role=link], a', (found) => found.length), 0)
    },
  )

  viewed('no link for other schemes, for a user before the host, or for a host in foreign letters', {}, async (view) => {
    const texts = [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.org',
      'https://bank.example@evil.example',
      'https://ex\u0430mple.org/',
      'https://a b',
      'see https://example.org',
      'https://example.org/\u202egpj',
    ]
    await view.notify('tool-result', ofData({ texts: texts.map((it) => ({ it })) }))
    await view.sees('javascript:alert(1)')
    assert.equal(await view.all('[role=link], a', (found) => found.length), 0)
  })

  // Hostile data

  viewed(
    'hostile texts stay text and no script runs',
    { args: ARGUMENTS, result: ofData(HOSTILE_DATA), context: { toolInfo: { tool: { name: 'a', title: HOSTILE } } } },
    async (view) => {
      const results = [
        ofData(HOSTILE_DATA),
        ofData([HOSTILE_DATA]),
        ofText(HOSTILE),
        ofData({ ...HOSTILE_DATA, is_preview: true, warnings: [HOSTILE] }),
        ofData({ kind: 'toolError:v1', message: HOSTILE, code: HOSTILE, details: HOSTILE_DATA }),
        ofData({
          kind: 'needsInput:v1',
          message: HOSTILE,
          needsInput: { fields: [HOSTILE], reason: `${HOSTILE}!` },
          options: [{ label: HOSTILE, value: HOSTILE, description: HOSTILE, field: HOSTILE }],
        }),
        { content: [{ type: HOSTILE }] },
      ]
      for (const result of results) {
        await view.notify('tool-result', result)
        await view.ping()
        await view.frame.evaluate(() => {
          for (const it of document.querySelectorAll('details')) it.open = true
        })
        await view.sees('<img src=x onerror=')
        assert.deepEqual(
          await view.all('main :is(img, script, style, a, svg, [onerror])', (found) =>
            found.map((it) => it.outerHTML.slice(0, 80)),
          ),
          [],
        )
        assert.equal(await view.frame.evaluate(() => window.hacked), undefined)
      }
      await view.notify('tool-cancelled', { reason: HOSTILE })
    },
  )

  viewed(
    'control and bidi characters are shown, and each text is isolated',
    { result: ofData({ a: 'x\u202egnp.exe', b: 'tab\tbell\u0007', c: 'zero\u200bwidth \u{e0041}', d: '\u05d0\u05d1 (1)' }) },
    async (view) => {
      assert.deepEqual(await view.all('.sign', (found) => found.map((it) => it.textContent)), [
        '\\u202e',
        '\\u0007',
        '\\u200b',
        '\\ue0041',
      ])
      assert.equal(await view.all('dd', (found) => found.every((it) => it.firstElementChild.tagName === 'BDI')), true)
      assert.ok(!/[\u202e\u0007\u200b]/.test(await view.text()))
    },
  )

  viewed('of 10,000 rows, 200 are drawn, and a button shows 200 more', { result: ofData({ rows: rows(10_000) }) }, async (view) => {
    const count = () => view.all('tbody tr', (found) => found.length)
    assert.equal(await count(), 200)
    await view.sees('200 of 10,000 rows')
    await view.click('Show 200 more')
    await view.sees('400 of 10,000 rows')
    assert.equal(await count(), 400)
  })

  viewed(
    'lists and members have the same limit, and the last page takes the button away',
    { result: ofData({ list: rows(450).map((it) => `${it.name}, x`) }) },
    async (view) => {
      await view.sees('200 of 450 items')
      await view.click('Show 200 more')
      await view.click('Show 50 more')
      await view.sees('450 of 450 items')
      assert.equal(await view.all('#card button', (found) => found.length), 0)
      assert.equal(await view.frame.evaluate(() => document.activeElement.textContent), '450 of 450 items')
      await view.notify('tool-result', ofData(Object.fromEntries(rows(300).map((it) => [it.name, it.value]))))
      await view.sees('200 of 300 members')
    },
  )

  viewed('lists within lists have a limit together', {}, async (view) => {
    const inner = () => ({ more: rows(200).map((it) => ({ ...it, deep: { list: ['a,', 'b'] } })) })
    await view.notify('tool-result', ofData({ outer: Array.from({ length: 150 }, inner) }))
    await view.ping()
    const elements = await view.all('*', (found) => found.length)
    assert.ok(elements > 10_000 && elements < 150_000, `found ${elements} elements`)
    await view.sees('Show ')
  })

  viewed(
    'a table with very many columns has a limit too',
    { result: ofData({ wide: rows(300).map((it) => ({ [it.name]: 1, common: 2 })) }) },
    async (view) => {
      const cells = await view.all('td', (found) => found.length)
      assert.ok(cells > 5_000 && cells < 15_000, `found ${cells} cells`)
      await view.sees('of 300 rows')
    },
  )

  viewed('deep data are drawn to a limit, and the card says so', { result: ofData(nested(8)) }, async (view) => {
    assert.ok((await view.text()).includes('x\ny'))
    for (const depth of [11, 500]) {
      // Built in the host's window: the debugging protocol has a limit of its own.
      await view.page.evaluate((levels) => {
        let value = { end: 'x\ny' }
        for (let at = levels; at > 0; at--) value = at % 2 ? { [`level ${at}`]: value } : { list: [[value, { a: [[1]] }]] }
        document
          .querySelector('iframe')
          .contentWindow.postMessage(
            { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { content: [], structuredContent: value } },
            '*',
          )
      }, depth)
      await view.sees('Deeper than 10 levels: not drawn.')
    }
    const levels = await view.all('[aria-level]', (found) => Math.max(...found.map((it) => Number(it.getAttribute('aria-level')))))
    assert.ok(levels <= 11, `found level ${levels}`)
  })

  viewed(
    'long texts are folded',
    { result: ofData({ line: 'word '.repeat(400), lines: 'word\n'.repeat(4_000), huge: 'x'.repeat(300_000) }) },
    async (view) => {
      assert.equal(await view.all('details', (found) => found.length), 3)
      assert.ok((await view.text()).length < 2_000)
      await view.sees('(2,000 characters)')
      await view.frame.evaluate(() => {
        for (const it of document.querySelectorAll('summary')) it.click()
      })
      await view.until(async () => (await view.text()).length > 100_000, 'the whole texts')
      assert.ok((await view.text()).length < 130_000)
    },
  )

  viewed('malformed results of the known kinds are drawn too', { args: ARGUMENTS }, async (view) => {
    for (const data of [
      { kind: 'needsInput:v1' },
      { kind: 'needsInput:v1', needsInput: 3, options: { a: 1 } },
      {
        kind: 'needsInput:v1',
        needsInput: { fields: [1, null], suggestions: { constructor: 1 } },
        options: [null, 1, {}, { field: 'constructor', value: { a: 1 } }],
      },
      { kind: 'toolError:v1' },
      { kind: 'toolError:v1', message: 3, details: 'x' },
      { is_preview: true, warnings: 'x' },
      { is_preview: true, warnings: [1] },
      { is_preview: 'yes' },
      { kind: 3 },
    ]) {
      await view.notify('tool-result', ofData(data))
      await view.ping()
      assert.deepEqual(view.errors, [], JSON.stringify(data))
      assert.equal(await view.all('h1', (found) => found.length), 1)
    }
    await view.notify('tool-result', ofData({ kind: 'needsInput:v1', options: [{ field: 'a', value: { toString: 1 } }] }))
    await view.sees("The card can't draw this result.")
    await view.notify('tool-result', ofData({ text: 'a\u0000'.repeat(50_000) }))
    await view.ping()
    await view.frame.evaluate(() => {
      for (const it of document.querySelectorAll('details')) it.open = true
    })
    await view.ping()
    for (const result of [{}, { content: null }, { content: [null, 3, {}] }, { isError: true }]) {
      await view.notify('tool-result', result)
      await view.ping()
      assert.deepEqual(view.errors, [], JSON.stringify(result))
    }
  })

  // Other results

  viewed(
    'a result without structured content is drawn as its texts',
    {
      result: {
        content: [
          { type: 'text', text: 'one\n**two**' },
          { type: 'image', data: '', mimeType: 'image/png' },
        ],
      },
    },
    async (view) => {
      assert.deepEqual(await view.all('p.text', (found) => found.map((it) => it.textContent)), ['one\n**two**'])
      await view.sees('Not drawn: image')
    },
  )

  viewed('an error of the kind toolError:v1 is an alert with its message and hint', { result: failure }, async (view) => {
    const [alert] = await view.all('[role=alert]', (found) => found.map((it) => it.textContent))
    assert.ok(alert.includes(ERROR.message) && alert.includes(ERROR.details.hint), alert)
    await view.frame.evaluate(() => document.querySelector('summary').click())
    await view.sees('NOT_FOUND')
  })

  viewed('another error is an alert with its texts', { result: { ...ofText('no such bed'), isError: true } }, async (view) => {
    assert.match((await view.all('[role=alert]', (found) => found.map((it) => it.textContent)))[0], /reports an error.*no such bed/)
  })

  viewed('an error is never a preview', { args: ARGUMENTS, result: { ...ofData(PREVIEW), isError: true } }, async (view) => {
    await view.sees('reports an error')
    assert.deepEqual(await view.buttons(), [])
  })

  // Input

  viewed('a question shows the message and the options of each field', question, async (view) => {
    await view.sees(QUESTION.message)
    await view.sees(QUESTION.needsInput.reason)
    assert.deepEqual(await view.all('h2', (found) => found.map((it) => it.textContent)), ['greenhouse', 'row', 'note'])
    assert.deepEqual(await view.buttons(), ['northtwo pumps, 40 rows', 'southone pump, 12 rows', 'old', '1', '2'])
    await view.sees('Write a value in the chat.')
  })

  viewed(
    'an option calls the same tool with all arguments and the field, once, and shows the result',
    { ...question, answers: call(() => ofData(CREATED)) },
    async (view) => {
      await view.click('south', 2)
      await view.sees('WORK-118')
      await view.ping()
      assert.deepEqual(view.sent('tools/call'), [{ name: 'plant_tree', arguments: { ...ARGUMENTS, greenhouse: 'south' } }])
      assert.deepEqual((await view.wait('ui/update-model-context')).structuredContent, CREATED)
    },
  )

  viewed(
    'a second question keeps the answer to the first',
    { ...question, answers: call((params) => ofData(params.arguments.row ? CREATED : QUESTION)) },
    async (view) => {
      await view.click('south')
      await view.wait('ui/update-model-context')
      await view.click('2')
      await view.sees('WORK-118')
      assert.deepEqual(view.sent('tools/call').at(-1).arguments, { ...ARGUMENTS, greenhouse: 'south', row: '2' })
    },
  )

  viewed(
    'a double click on an option does not confirm the preview that it brings',
    { ...question, answers: call(() => ofData(PREVIEW)) },
    async (view) => {
      await view.click('north')
      await view.sees(LABEL)
      assert.equal(await view.frame.evaluate(() => document.querySelector('.primary').disabled), true)
      await view.click('Confirm')
      await view.wait('tools/call', 2)
      assert.deepEqual(view.sent('tools/call').at(-1).arguments, { ...ARGUMENTS, greenhouse: 'north', preview: false })
    },
  )

  for (const [name, says, reason] of [
    ['the host does not let it call tools', { capabilities: without('serverTools') }, 'this host does not let a card call tools'],
    ['the arguments did not arrive', { args: undefined }, 'the arguments of the call did not arrive'],
  ]) {
    viewed(`a question has no buttons if ${name}`, { ...question, ...says }, async (view) => {
      await view.sees(`Answer in the chat: ${reason}.`)
      await view.sees('south')
      assert.deepEqual(await view.buttons(), [])
    })
  }

  // Preview

  for (const name of ['is_preview', 'isPreview']) {
    viewed(
      `${name}: a visible and announced label, the warnings, Confirm and Cancel`,
      { args: ARGUMENTS, result: ofData({ ...PREVIEW, is_preview: undefined, [name]: true }) },
      async (view) => {
        await view.sees(LABEL)
        assert.equal(await view.all('[role=status][aria-live=polite]', (found) => found[0].textContent), LABEL)
        assert.deepEqual(await view.all('.warning li', (found) => found.map((it) => it.textContent)), PREVIEW.warnings)
        assert.deepEqual(await view.buttons(), ['Confirm', 'Cancel'])
        assert.ok(!(await view.text()).includes(name))
      },
    )
  }

  viewed(
    'Confirm calls the same tool with all arguments and preview: false',
    { ...preview, answers: call(() => ofData(CREATED)) },
    async (view) => {
      await view.click('Confirm')
      assert.deepEqual(await view.wait('tools/call'), { name: 'plant_tree', arguments: { ...ARGUMENTS, preview: false } })
      await view.sees('Done: this is the result')
      assert.equal(await view.all('h1', (found) => found[0].textContent), CREATED.title)
      assert.deepEqual(await view.buttons(), [])
    },
  )

  viewed('a double click on Confirm sends one call', { ...preview, answers: call(() => ofData(CREATED)) }, async (view) => {
    await view.click('Confirm', 2)
    await view.sees('Done')
    await view.ping()
    assert.equal(view.sent('tools/call').length, 1)
  })

  viewed('two activations in one turn send one call', { ...preview, answers: call(never) }, async (view) => {
    await view.find('.primary:not(:disabled)')
    await view.frame.evaluate(() => {
      const all = [...document.querySelectorAll('button')]
      for (let time = 0; time < 3; time++) for (const it of all) it.dispatchEvent(new MouseEvent('click'))
    })
    await view.ping()
    assert.equal(view.sent('tools/call').length, 1)
    assert.equal(view.sent('ui/update-model-context').length, 0)
  })

  viewed(
    'while the call runs, a live status says so and the buttons are disabled',
    { ...preview, answers: call(never) },
    async (view) => {
      await view.click('Confirm')
      await view.sees('Running the tool')
      assert.equal(await view.all('#status[role=status]', (found) => found[0].textContent), 'Running the tool')
      assert.deepEqual(await view.all('button', (found) => found.map((it) => it.disabled)), [true, true])
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.deepEqual(await view.all('button', (found) => found.map((it) => it.disabled)), [true, true])
    },
  )

  viewed(
    'after Confirm, the model is told in words and data',
    { ...preview, answers: call(() => ofData(CREATED)) },
    async (view) => {
      await view.click('Confirm')
      const { content, structuredContent, ...others } = await view.wait('ui/update-model-context')
      assert.deepEqual(others, {})
      assert.deepEqual(content, [
        { type: 'text', text: 'The user confirmed the preview of plant_tree in its card. The tool returned this result.' },
      ])
      assert.deepEqual(structuredContent, CREATED)
      assert.ok(
        view.messages.findIndex((it) => it.method === 'tools/call') <
          view.messages.findIndex((it) => it.method === 'ui/update-model-context'),
      )
    },
  )

  viewed(
    'a host that takes only text is told in words',
    { ...preview, capabilities: { ...ALL, updateModelContext: { text: {}, image: {} } }, answers: call(() => ofData(CREATED)) },
    async (view) => {
      await view.click('Confirm')
      const { content, ...others } = await view.wait('ui/update-model-context')
      assert.deepEqual(others, {})
      assert.deepEqual(content.map((it) => it.text).slice(1), ['the same as text'])
    },
  )

  viewed(
    'a host that takes no model context is told nothing',
    { ...preview, capabilities: without('updateModelContext'), answers: call(() => ofData(CREATED)) },
    async (view) => {
      await view.click('Confirm')
      await view.sees('Done')
      await view.ping()
      assert.equal(view.sent('ui/update-model-context').length, 0)
    },
  )

  viewed(
    'a host that refuses the model context does no harm',
    { ...preview, answers: { ...call(() => ofData(CREATED)), 'ui/update-model-context': error(-32000, 'no') } },
    async (view) => {
      await view.click('Confirm')
      await view.wait('ui/update-model-context')
      await view.ping()
      await view.sees('Done')
    },
  )

  viewed(
    'by keyboard only: Tab to Confirm, Enter, and the focus is on the heading of the result',
    { ...preview, answers: call(() => ofData(CREATED)) },
    async (view) => {
      await view.find('.primary:not(:disabled)')
      await view.page.focus('iframe')
      const focused = () => view.frame.evaluate(() => document.activeElement.textContent)
      for (let time = 0; time < 10 && (await focused()) !== 'Confirm'; time++) await view.page.keyboard.press('Tab')
      assert.equal(await focused(), 'Confirm')
      const outline = await view.frame.evaluate(() => [
        getComputedStyle(document.activeElement).outlineStyle,
        getComputedStyle(document.activeElement).outlineWidth,
      ])
      assert.deepEqual(outline, ['solid', '2px'])
      await view.page.keyboard.press('Enter')
      await view.page.keyboard.press('Enter')
      await view.sees('Done')
      await view.ping()
      assert.equal(view.sent('tools/call').length, 1)
      assert.deepEqual(await view.frame.evaluate(() => [document.activeElement.tagName, document.activeElement.textContent]), [
        'H1',
        CREATED.title,
      ])
    },
  )

  viewed(
    'the keyboard reaches all controls in the order of the page',
    { args: ARGUMENTS, result: ofData({ url: ISSUE.url, ...PREVIEW, more: rows(201) }) },
    async (view) => {
      await view.find('.primary:not(:disabled)')
      await view.page.focus('iframe')
      const reached = []
      for (let time = 0; time < 6; time++) {
        await view.page.keyboard.press('Tab')
        reached.push(
          await view.frame.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent),
        )
      }
      assert.deepEqual(reached, [ISSUE.url, 'changes', 'more', 'Show 1 more', 'Confirm', 'Cancel'])
    },
  )

  viewed('Cancel calls nothing, tells the model and says so', preview, async (view) => {
    await view.click('Cancel')
    await view.sees('Cancelled: nothing has been changed')
    await view.wait('ui/update-model-context')
    await view.ping()
    assert.equal(view.sent('tools/call').length, 0)
    assert.deepEqual(view.sent('ui/update-model-context'), [
      { content: [{ type: 'text', text: 'The user declined the preview of plant_tree in its card. Nothing was changed.' }] },
    ])
    assert.deepEqual(await view.buttons(), [])
    assert.equal(await view.frame.evaluate(() => document.activeElement.tagName), 'H1')
  })

  viewed(
    'a warning that begins with BLOCK: leaves no Confirm',
    { args: ARGUMENTS, result: ofData({ ...PREVIEW, warnings: ['fine', 'BLOCK: the branch is protected'] }) },
    async (view) => {
      await view.sees('This change is blocked')
      await view.sees('BLOCK: the branch is protected')
      assert.deepEqual(await view.buttons(), [])
    },
  )

  const tool = { name: 'plant_tree', inputSchema: { type: 'object' } }
  for (const [name, says, reason] of [
    ['the arguments did not arrive', { args: undefined }, 'the arguments of the call did not arrive'],
    ['the host does not let it call tools', { capabilities: without('serverTools') }, 'this host does not let a card call tools'],
    ['the host did not name the tool', { context: { toolInfo: undefined } }, 'the host did not say which tool it called'],
    [
      'only the model may call the tool',
      { context: { toolInfo: { tool: { ...tool, _meta: { ui: { visibility: ['model'] } } } } } },
      'only the model may call this tool',
    ],
  ]) {
    viewed(`no Confirm if ${name}`, { ...preview, ...says }, async (view) => {
      await view.sees(`Confirm is not possible: ${reason}.`)
      assert.deepEqual(await view.buttons(), ['Cancel'])
    })
  }

  viewed('partial arguments are no base for a call', { result: ofData(PREVIEW) }, async (view) => {
    await view.notify('tool-input-partial', { arguments: ARGUMENTS })
    await view.ping()
    assert.deepEqual(await view.buttons(), ['Cancel'])
    await view.notify('tool-input', { arguments: ARGUMENTS })
    await view.find('.primary')
  })

  viewed(
    'the name of the tool may arrive with ui/notifications/host-context-changed',
    { ...preview, context: { toolInfo: undefined } },
    async (view) => {
      await view.notify('host-context-changed', { toolInfo: { tool } })
      await view.click('Confirm')
      assert.equal((await view.wait('tools/call')).name, 'plant_tree')
    },
  )

  viewed(
    'after Confirm, late notifications of the host do not bring the preview back',
    { ...preview, answers: call(() => ofData(CREATED)) },
    async (view) => {
      await view.click('Confirm')
      await view.sees('Done')
      await view.notify('tool-input', { arguments: ARGUMENTS })
      await view.notify('tool-result', ofData(PREVIEW))
      await view.ping()
      assert.deepEqual(await view.buttons(), [])
      assert.ok((await view.text()).includes('Done'))
    },
  )

  viewed(
    'if the tool fails after Confirm, its message is an alert and there is no Confirm',
    { ...preview, answers: call(() => failure) },
    async (view) => {
      await view.click('Confirm')
      await view.sees(ERROR.message)
      await view.sees('Check what was changed before you try again.')
      assert.deepEqual(await view.buttons(), [])
      assert.equal(await view.all('[role=alert]', (found) => found.length), 1)
      assert.match((await view.wait('ui/update-model-context')).content[0].text, /reported an error/)
    },
  )

  viewed(
    'if the call surely did not reach the tool, Confirm is offered again',
    { ...preview, answers: call(error(-32601, 'no tools here')) },
    async (view) => {
      await view.click('Confirm')
      await view.sees('The host refused the call: nothing has been changed.')
      await view.sees('no tools here')
      await view.click('Confirm')
      await view.wait('tools/call', 2)
    },
  )

  for (const [name, answer] of [
    ['a time-out', error(-32001, 'Request timed out')],
    ['a closed connection', error(-32000, 'Connection closed')],
    ['an internal error', error(-32603, 'it broke')],
    ['a result that its client does not accept', error(-32602, 'Structured content does not match')],
    ['an answer that is no result', () => ({})],
  ]) {
    viewed(
      `the outcome is unknown after ${name}: the card says so and offers no Confirm`,
      { ...preview, answers: call(answer) },
      async (view) => {
        await view.click('Confirm')
        await view.sees(UNKNOWN)
        assert.deepEqual(await view.buttons(), [])
        assert.match((await view.wait('ui/update-model-context')).content[0].text, /unknown whether anything was changed/)
        assert.ok(!(await view.text()).includes(LABEL))
      },
    )
  }

  check('without an answer, the outcome is unknown after a while, and a late answer still counts', async () => {
    const quick = html.replace(/ANSWER_MS = [\d_]+/, 'ANSWER_MS = 50')
    assert.notEqual(quick, html)
    let release
    const view = await View.open(browser, quick, {
      ...preview,
      answers: call(
        () =>
          new Promise((resolve) => {
            release = resolve
          }),
      ),
    })
    try {
      await view.click('Confirm')
      await view.sees(UNKNOWN)
      assert.deepEqual(await view.buttons(), [])
      release(ofData(CREATED))
      await view.sees('Done: this is the result')
      await view.wait('ui/update-model-context', 2)
    } finally {
      await view.close()
    }
  })

  // Look and access

  viewed(
    'theme, locale, colours and fonts of the host are taken',
    { result: ofData(ISSUE), context: { theme: 'dark', locale: 'de-CH', styles: HOST_STYLES } },
    async (view) => {
      const look = () =>
        view.frame.evaluate(() => {
          const { backgroundColor, fontFamily } = getComputedStyle(document.body)
          return [document.documentElement.lang, document.documentElement.style.colorScheme, backgroundColor, fontFamily]
        })
      assert.deepEqual(await look(), ['de-CH', 'dark', 'rgb(16, 20, 24)', 'serif'])
      await view.notify('host-context-changed', { theme: 'light' })
      await view.ping()
      assert.deepEqual(await look(), ['de-CH', 'light', 'rgb(255, 253, 247)', 'serif'])
      await view.notify('host-context-changed', { locale: '"><b>' })
      await view.ping()
      assert.equal((await look())[0], 'de-CH')
    },
  )

  viewed('nothing moves if the user prefers less motion', { ...preview, answers: call(never), motion: 'reduce' }, async (view) => {
    await view.click('Confirm')
    await view.sees('Running')
    assert.equal(await view.frame.evaluate(() => document.getAnimations().length), 0)
  })

  viewed('the card has one landmark with everything in it', { result: ofData(ISSUE) }, async (view) => {
    assert.deepEqual(await view.all('body > *:not(script)', (found) => found.map((it) => it.tagName)), ['MAIN'])
  })

  viewed(
    'at 280 pixels the card does not scroll to the side, and a wide table does, by keyboard',
    {
      width: 280,
      result: ofData({
        ...ISSUE,
        long: 'x'.repeat(250),
        wide: [Object.fromEntries('abcdefghijkl'.split('').map((it) => [it.repeat(8), it]))],
      }),
    },
    async (view) => {
      const [all, shown] = await view.frame.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      assert.ok(all <= shown, `found ${all} pixels of content in ${shown}`)
      const regions = await view.all('.scroll', (found) =>
        found.map((it) => [it.getAttribute('aria-label'), it.tabIndex, it.scrollWidth > it.clientWidth]),
      )
      assert.deepEqual(regions.at(-1), ['wide', 0, true])
      await view.frame.evaluate(() => [...document.querySelectorAll('.scroll')].at(-1).focus())
      await view.page.keyboard.press('ArrowRight')
      await view.until(() => view.all('.scroll', (found) => found.at(-1).scrollLeft > 0), 'the table to scroll')
    },
  )

  const states = [
    ['data', { result: ofData(ISSUE) }],
    ['hostile data', { result: ofData(HOSTILE_DATA) }],
    ['many rows', { result: ofData({ rows: rows(300), deep: nested(12) }) }],
    ['a preview', preview],
    ['a blocked preview', { args: ARGUMENTS, result: ofData({ ...PREVIEW, warnings: ['BLOCK: no'] }) }],
    ['a question', question],
    ['an error', { result: failure }],
    ['text', { result: ofText('one\ntwo') }],
    ['a result after Confirm', { ...preview, answers: call(() => ofData(CREATED)) }, 'Confirm'],
    ['an unknown outcome', { ...preview, answers: call(error(-32000, 'closed')) }, 'Confirm'],
  ]
  for (const [name, says, click] of states) {
    check(`axe finds nothing in ${name}, light and dark, at 280 and 800 pixels`, async () => {
      for (const theme of ['light', 'dark']) {
        for (const width of [280, 800]) {
          const view = await View.open(browser, html, { ...says, width, context: { theme, ...says.context } })
          try {
            if (says.args)
              await view.until(
                async () => (await view.all('button:disabled', (found) => found.length)) === 0,
                'the buttons to be enabled',
              )
            if (click) {
              await view.click(click)
              await view.wait('ui/update-model-context')
            }
            await view.frame.evaluate(() => {
              for (const it of document.querySelectorAll('details')) it.open = true
            })
            await view.frame.evaluate(axe)
            const { violations, incomplete } = await view.frame.evaluate(() =>
              window.axe.run(document, { resultTypes: ['violations', 'incomplete'] }),
            )
            const found = [...violations, ...incomplete.filter(isUnsure)]
            const words = found.flatMap((rule) =>
              rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 120)}: ${node.failureSummary ?? ''}`),
            )
            assert.deepEqual(words, [], `${theme}, ${width} pixels`)
          } finally {
            await view.close()
          }
        }
      }
    })
  }

  // The second form of this program

  check('a real server: page, preview, Confirm, question and visibility', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'card-'))
    writeFileSync(path.join(folder, 'card.html'), html)
    const cases = [
      {
        tool: 'plant_tree',
        arguments: { kind: 'oak' },
        theme: 'dark',
        then: [
          { see: 'Plant: oak' },
          { see: LABEL },
          { calls: 0 },
          { click: 'Confirm' },
          { see: 'Planted: oak' },
          { called: { name: 'plant_tree', arguments: { kind: 'oak', preview: false } } },
          { told: 'confirmed' },
          { miss: LABEL },
        ],
      },
      { tool: 'water', then: [{ see: 'Which plant?' }, { click: 'rose' }, { see: 'Watered the rose' }, { calls: 1 }] },
      { tool: 'hidden', arguments: {}, then: [{ see: 'only the model may call this tool' }] },
    ]
    try {
      for await (const { name, run } of stepChecks(
        browser,
        [process.execPath, path.join(here, 'sample-server.mjs'), path.join(folder, 'card.html')],
        cases,
      )) {
        await run().catch((why) => {
          throw new Error(`${name}: ${why.message}`)
        })
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  return list
}
