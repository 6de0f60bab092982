// Checks that a call which lacks something asks back, with the official TypeScript client, npm `@modelcontextprotocol/client`.
//
//   node needs_input.mjs <folder node_modules> <path to the plainwire binary>
//
// The checks are those of needs_input.py, with another client: in each era, a client with a user is asked natively and once, and
// the call goes on with the answer; a client without one gets the value `needsInput:v1`. Prints one line per check and at the end
// `N passed, M failed`. The exit code is 1 if anything failed.

import assert from 'node:assert/strict'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, binary] = process.argv.slice(2)
const part = name => import(pathToFileURL(path.resolve(modules, '@modelcontextprotocol/client/dist', name)))
const { Client } = await part('index.mjs')
const { StdioClientTransport } = await part('stdio.mjs')

/** The eras, as the client names them. */
const ERAS = { legacy: 'legacy', modern: { pin: '2026-07-28' } }

let passed = 0
let failed = 0

/** Calls a tool, with a user who answers `answer`; without a user if it is undefined. */
async function call(mode, answer, name, args) {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } }
  const client = new Client({ name: 'checks', version: '1' }, { capabilities, versionNegotiation: { mode } })
  const asked = []
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', request => {
      asked.push(request.params)
      return answer === null ? { action: 'decline' } : { action: 'accept', content: answer }
    })
  }
  await client.connect(new StdioClientTransport({ command: binary, args: ['serve', 'patterns'], stderr: 'ignore' }))
  try {
    return { asked, result: await client.callTool({ name, arguments: args }) }
  } finally {
    await client.close()
  }
}

async function check(name, run) {
  try {
    await run()
    passed += 1
    console.log(`ok ${name}`)
  } catch (error) {
    failed += 1
    console.log(`not ok ${name}: ${String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 400)}`)
  }
}

// The program ends by itself, also if the server does not answer.
setTimeout(() => { console.log('not ok: no answer in 60 s'); process.exit(1) }, 60_000).unref()

for (const [era, mode] of Object.entries(ERAS)) {
  await check(`${era}: too many matches: the user is asked once, with choices, and the call goes on`, async () => {
    const { asked, result } = await call(mode, { category: 'scheduling' }, 'search_patterns', { q: 'stream' })
    assert.equal(asked.length, 1)
    assert.deepEqual(asked[0].requestedSchema.properties.difficulty.enum, ['intermediate', 'beginner', 'advanced'])
    assert.equal(result.structuredContent.kind, 'patternSearchResults:v1')
    assert.equal(result.structuredContent.query.category, 'scheduling')
  })
  await check(`${era}: an unknown id: the answer is used`, async () => {
    const { asked, result } = await call(mode, { id: 'api-cors' }, 'get_pattern', { id: 'api-corz', format: 'json' })
    assert.deepEqual([asked.length, JSON.parse(result.content.at(-1).text).id], [1, 'api-cors'])
  })
  await check(`${era}: a wrong answer is not asked for again`, async () => {
    const { asked, result } = await call(mode, { id: 'api-corz' }, 'get_pattern', { id: 'x' })
    assert.deepEqual([asked.length, result.structuredContent.kind], [1, 'needsInput:v1'])
  })
  await check(`${era}: a user who declines: the value`, async () => {
    const { asked, result } = await call(mode, null, 'search_patterns', { q: '' })
    assert.deepEqual([asked.length, result.structuredContent.kind], [1, 'needsInput:v1'])
  })
  await check(`${era}: without a user: the value in both channels, and no error`, async () => {
    const { result } = await call(mode, undefined, 'search_patterns', { q: '', format: 'both' })
    assert.deepEqual([result.structuredContent.kind, result.isError ?? false], ['needsInput:v1', false])
    assert.deepEqual(JSON.parse(result.content.at(-1).text), result.structuredContent)
  })
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
