// Checks that large results can be rebuilt to the byte, with the official TypeScript client, npm `@modelcontextprotocol/client`.
//
//   node outputs.mjs <folder node_modules> <path to the plainwire binary>
//
// The checks are those of outputs.py, with another client, which also refuses a value that does not fit the output schema of its
// tool. Prints one line per check and at the end `N passed, M failed`. The exit code is 1 if anything failed.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, binary] = process.argv.slice(2)
const part = name => import(pathToFileURL(path.resolve(modules, '@modelcontextprotocol/client/dist', name)))
const { Client } = await part('index.mjs')
const { StdioClientTransport } = await part('stdio.mjs')

const ERAS = { legacy: 'legacy', modern: { pin: '2026-07-28' } }
const CALLS = [
  ['search_patterns', { q: 'graceful shutdown' }],
  ['get_pattern', { id: 'api-cors' }],
  ['list_skills', {}],
  ['get_skill', { slug: 'scheduling' }],
  ['list_analysis_rules', {}],
]

let passed = 0
let failed = 0

function check(name, isSo) {
  isSo ? (passed += 1) : (failed += 1)
  console.log(`${isSo ? 'ok' : 'not ok'} ${name}`)
}

async function connect(mode, args) {
  const client = new Client({ name: 'checks', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StdioClientTransport({ command: binary, args, stderr: 'ignore' }))
  // The client checks values against the schemas of the list.
  await client.listTools()
  return client
}

const bytes = it => (it.text !== undefined ? Buffer.from(it.text) : Buffer.from(it.base64, 'base64'))

async function ask(client, name, args) {
  return (await client.callTool({ name, arguments: args })).structuredContent
}

async function byPages(client, id) {
  const pages = []
  for (let offset = 0; offset !== undefined;) {
    const page = await ask(client, 'output_page', { id, offset, length: 1000 })
    pages.push(bytes(page))
    offset = page.nextOffset
  }
  return Buffer.concat(pages).toString('binary')
}

async function byLines(client, id) {
  let whole = ''
  for (let offset = 0; offset !== undefined;) {
    const found = await ask(client, 'output_grep', { id, pattern: '', offset, limit: 20 })
    for (const line of found.matches) whole = whole.padEnd(line.offset, '\n') + bytes(line).toString('binary')
    offset = found.nextOffset
    if (offset === undefined) whole = whole.padEnd(found.totalBytes, '\n')
  }
  return whole
}

const texts = result => result.content.filter(it => it.type === 'text').map(it => Buffer.from(it.text).toString('binary'))
const links = result => result.content.filter(it => it.type === 'resource_link' && it.uri.startsWith('output://')).map(it => it.uri)

// The program ends by itself, also if the server does not answer.
setTimeout(() => { console.log('not ok: no answer in 120 s'); process.exit(1) }, 120_000).unref()

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plainwire-outputs-'))
try {
  for (const [era, mode] of Object.entries(ERAS)) {
    for (const profile of ['gated', 'data']) {
      const args = ['serve', 'patterns', '--profile', profile]
      const whole = await connect(mode, args)
      const kept = await connect(mode, [...args, '--outputs', folder, '--outputs-threshold', '1024'])
      for (const [tool, wanted] of CALLS) {
        const original = await whole.callTool({ name: tool, arguments: wanted })
        const short = await kept.callTool({ name: tool, arguments: wanted })
        const known = new Set(texts(short))
        for (const uri of links(short)) {
          const pages = await byPages(kept, uri)
          check(`${era} ${profile} ${tool}: lines and pages are the same`, (await byLines(kept, uri)) === pages)
          known.add(pages)
        }
        check(`${era} ${profile} ${tool}: each text is rebuilt`, texts(original).every(it => known.has(it)))
      }
      await whole.close()
      await kept.close()
    }
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
