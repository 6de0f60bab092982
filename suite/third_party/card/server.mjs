// An MCP client over stdio: newline-delimited JSON-RPC, revision 2025-11-25, for a client that shows pages.
//
// In: the command of a server. Out: its tools, pages and results. It declares nothing besides MCP Apps, so the server asks nothing
// back; a request by the server gets the answer "method not found".

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { STEP_MS, within } from './host.mjs'

const EXTENSION = 'io.modelcontextprotocol/ui'
const MIME_TYPE = 'text/html;profile=mcp-app'

export class Server {
  #child
  #waiting = new Map()
  #lastId = 0
  #stderr = ''

  /** Starts a server and introduces the client. The caller ends it with `close`. */
  static async start(command, args) {
    const server = new Server()
    server.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const child = server.#child
    child.on('error', (error) => server.#end(error))
    child.on('exit', (code) => server.#end(new Error(`the server ended with ${code}: ${server.#stderr}`)))
    child.stdin.on('error', () => {}) // `exit` says more
    child.stderr.on('data', (text) => {
      server.#stderr = (server.#stderr + text).slice(-2_000)
    })
    createInterface({ input: child.stdout }).on('line', (line) => server.#take(line))
    const capabilities = { extensions: { [EXTENSION]: { mimeTypes: [MIME_TYPE] } } }
    const clientInfo = { name: 'card.mjs', version: '1.0.0' }
    try {
      await server.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
    } catch (error) {
      await server.close()
      throw error
    }
    server.#send({ method: 'notifications/initialized' })
    return server
  }

  /** Returns a result, or throws the JSON-RPC error as { code, message }. */
  request(method, params = {}) {
    const id = ++this.#lastId
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#send({ id, method, params })
    return within(answer, `an answer to ${method}`, 3 * STEP_MS)
  }

  /** Returns the tool `name` as tools/list has it. */
  async tool(name) {
    let cursor
    do {
      const page = await this.request('tools/list', cursor === undefined ? {} : { cursor })
      const found = page.tools.find((it) => it.name === name)
      if (found) return found
      cursor = page.nextCursor
    } while (cursor !== undefined)
    throw new Error(`expected the server to have a tool ${name}`)
  }

  /** Returns the HTML that a tool names. */
  async page(tool) {
    const uri = tool._meta?.ui?.resourceUri
    if (!uri) throw new Error(`expected the tool ${tool.name} to name a page in _meta.ui.resourceUri`)
    const { contents } = await this.request('resources/read', { uri })
    const [found] = contents
    if (found?.mimeType !== MIME_TYPE) throw new Error(`expected ${uri} to be ${MIME_TYPE}, but found ${found?.mimeType}`)
    return found.text ?? Buffer.from(found.blob, 'base64').toString()
  }

  /** Ends the server as its client would: by the end of its input. */
  async close() {
    const child = this.#child
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.stdin.end()
    await within(ended, 'the server to end', 5_000).catch(() => child.kill('SIGKILL'))
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #take(line) {
    const { id, method, result, error } = JSON.parse(line)
    if (method !== undefined) {
      if (id !== undefined) this.#send({ id, error: { code: -32601, message: `there is no ${method}` } })
      return
    }
    const asked = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) asked?.reject(error)
    else asked?.resolve(result)
  }

  #end(error) {
    for (const asked of this.#waiting.values()) asked.reject(error)
    this.#waiting.clear()
  }
}
