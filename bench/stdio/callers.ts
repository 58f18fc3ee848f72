// The clients of the benchmark: one written by hand, and the package's.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'

const NEWLINE = 0x0a

interface Answer {
  result: { content: { text: string }[] }
}

/** Calls tools, by the package or by hand. */
export interface Caller {
  call(name: string, args?: object, onProgress?: () => void): Promise<{ content: { text: string }[] }>
  close(): Promise<void>
}

/** A client written by hand: the messages of a modern client, and nothing else. */
export class BareClient implements Caller {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  readonly #progress = new Map<number, () => void>()
  #rest = ''
  #lastId = 0
  #onListEnd: (() => void) | undefined

  constructor(program: string) {
    this.#child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] }) as never
    const decoder = new StringDecoder('utf8')
    this.#child.stdout.on('data', (bytes: Buffer) => {
      if (this.#onListEnd !== undefined) {
        if (bytes.at(-1) === NEWLINE) this.#onListEnd()
        return
      }
      const chunk = decoder.write(bytes)
      this.#rest += chunk
      if (!chunk.includes('\n')) return
      const lines = this.#rest.split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#take(JSON.parse(line))
    })
  }

  call(name: string, args: object = {}, onProgress?: () => void) {
    return this.#request('tools/call', { name, arguments: args }, onProgress)
  }

  /** Not parsed: milliseconds of other work between two lists would empty the CPU caches. */
  list(): Promise<void> {
    return new Promise((resolve) => {
      this.#onListEnd = () => {
        this.#onListEnd = undefined
        resolve()
      }
      this.#send(++this.#lastId, 'tools/list', {})
    })
  }

  async #request(method: string, params: object, onProgress?: () => void) {
    const id = ++this.#lastId
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    if (onProgress !== undefined) this.#progress.set(id, onProgress)
    this.#send(id, method, params)
    return (await answer).result
  }

  #send(id: number, method: string, params: object): void {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'mcpwire', version: '0.2.0' },
      progressToken: id,
    }
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  async close() {
    this.#child.stdin.end()
    await new Promise((resolve) => this.#child.once('close', resolve))
  }

  #take(message: Answer & { id?: number; method?: string; params?: { progressToken: number } }): void {
    if (message.method !== undefined) {
      this.#progress.get(message.params?.progressToken ?? 0)?.()
      return
    }
    const id = message.id ?? 0
    this.#waiting.get(id)?.(message)
    this.#waiting.delete(id)
  }
}

export async function connectOurs(program: string): Promise<Caller> {
  const client = await Client.connect(stdio({ command: process.execPath, args: [program] }))
  return {
    call: (name, args = {}, onProgress) =>
      client.callTool(name, args as never, onProgress === undefined ? {} : { onProgress }) as never,
    close: () => client.close(),
  }
}
