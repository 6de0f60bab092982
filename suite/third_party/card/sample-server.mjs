// A small MCP server over stdio, with which card.mjs checks that it can drive a real server.
//
// It has the page of its first argument, and three tools: `plant_tree` has a preview, `water` asks for input, `hidden` may not be
// called by a page.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const PAGE = 'ui://garden/card.html'
const html = readFileSync(process.argv[2], 'utf8')
let planted = 0

const ui = (visibility) => ({ ui: { resourceUri: PAGE, ...(visibility ? { visibility } : {}) } })
const inputSchema = { type: 'object' }
const tools = [
  { name: 'plant_tree', title: 'Plant a tree', inputSchema, _meta: ui() },
  { name: 'water', inputSchema, _meta: ui() },
  { name: 'hidden', inputSchema, _meta: ui(['model']) },
]

const calls = {
  plant_tree({ kind, preview = true }) {
    if (preview) return { title: `Plant: ${kind}`, is_preview: true, warnings: ['The ground is dry.'], planted }
    planted += 1
    return { title: `Planted: ${kind}`, planted }
  },
  water({ plant }) {
    if (['fern', 'rose'].includes(plant)) return { title: `Watered the ${plant}` }
    const options = ['fern', 'rose'].map((value) => ({ label: value, value, field: 'plant' }))
    return {
      kind: 'needsInput:v1',
      type: 'elicitation',
      message: 'Which plant?',
      needsInput: { fields: ['plant'], reason: 'Which plant?' },
      options,
    }
  },
  hidden: () => ({ title: 'Hidden', is_preview: true }),
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'garden', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/html;profile=mcp-app', text: html }] }),
  'tools/call': ({ name, arguments: given }) => {
    const structuredContent = calls[name](given)
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = methods[method]?.(params ?? {})
  const answer = result ? { result } : { error: { code: -32601, message: `there is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
