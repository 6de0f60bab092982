// Checks that large results can be rebuilt to the byte, with the official TypeScript client, npm `@modelcontextprotocol/client`.
//
//   node outputs.mjs <folder node_modules> <path to the plainwire binary>
//
// The checks are those of outputs.py, with another client, which also refuses a value that does not fit the output schema of its
// tool. Prints one line per check and at the end `N passed, M failed`. The exit code is 1 if anything failed.

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, binary] = process.argv.slice(2)
const part = name => import(pathToFileURL(path.resolve(modules, '@modelcontextprotocol/client/dist', name)))
const { Client, StreamableHTTPClientTransport } = await part('index.mjs')
const { StdioClientTransport } = await part('stdio.mjs')

const ERAS = { legacy: 'legacy', modern: { pin: '2026-07-28' } }
const CALLS = {
  patterns: [
    ['search_patterns', { q: 'graceful shutdown' }],
    ['get_pattern', { id: 'api-cors' }],
    ['list_skills', {}],
    ['get_skill', { slug: 'scheduling' }],
    ['list_analysis_rules', {}],
  ],
  learning: [
    ['search_resources', { query: 'rust' }],
    ['discover_resources', { query: 'recommend a book on consensus', explain: true }],
    ['list_categories', {}],
    ['export_results', { query: '*', format: 'json' }],
  ],
}

let passed = 0
let failed = 0

function check(name, isSo) {
  isSo ? (passed += 1) : (failed += 1)
  console.log(`${isSo ? 'ok' : 'not ok'} ${name}`)
}

// Starts a server over HTTP, and returns its address.
const running = []
function serving(args) {
  const server = spawn(binary, [...args, '--http', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  running.push(server)
  return new Promise(resolve => server.stderr.on('data', it => {
    const found = /http:\/\/\S+/.exec(it.toString())
    if (found) resolve(new URL(found[0]))
  }))
}

async function connect(transport, mode, args) {
  const client = new Client({ name: 'checks', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport === 'http'
    ? new StreamableHTTPClientTransport(await serving(args))
    : new StdioClientTransport({ command: binary, args, stderr: 'ignore' }))
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

function blocks(output) {
  try {
    const value = JSON.parse(Buffer.from(output, 'binary').toString())
    return Array.isArray(value) ? value.filter(it => it?.type === 'text') : []
  } catch {
    return []
  }
}

const texts = result => result.content.filter(it => it.type === 'text').map(it => Buffer.from(it.text).toString('binary'))
const links = result => result.content.filter(it => it.type === 'resource_link' && it.uri.startsWith('output://')).map(it => it.uri)

// The program ends by itself, also if the server does not answer.
setTimeout(() => { console.log('not ok: no answer in 120 s'); process.exit(1) }, 120_000).unref()

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plainwire-outputs-'))
try {
  for (const transport of ['stdio', 'http']) {
    for (const [era, mode] of Object.entries(ERAS)) {
      for (const server of ['patterns', 'learning']) {
        for (const profile of ['gated', 'data']) {
          const data = server === 'learning' ? ['--data', path.join(folder, 'vault.db')] : []
          const args = ['serve', server, '--profile', profile, ...data]
          const whole = await connect(transport, mode, args)
          const kept = await connect(transport, mode, [...args, '--outputs', path.join(folder, 'outputs'), '--outputs-threshold', '1024'])
          for (const [tool, wanted] of CALLS[server]) {
            const original = await whole.callTool({ name: tool, arguments: wanted })
            const short = await kept.callTool({ name: tool, arguments: wanted })
            const place = `${transport} ${era} ${server} ${profile} ${tool}`
            const known = new Set(texts(short))
            for (const uri of links(short)) {
              const pages = await byPages(kept, uri)
              check(`${place}: lines and pages are the same`, (await byLines(kept, uri)) === pages)
              known.add(pages)
              // Many blocks are one list.
              for (const block of blocks(pages)) known.add(Buffer.from(block.text).toString('binary'))
            }
            check(`${place}: each text is rebuilt`, texts(original).every(it => known.has(it)))
          }
          await whole.close()
          await kept.close()
        }
      }
    }
  }
} finally {
  running.forEach(it => it.kill())
  fs.rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
