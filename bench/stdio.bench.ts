// What stdio costs each side, next to programs that parse and write the same lines by hand. Measures the built package.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { goal } from './measure.ts'

const folder = new URL('../../bench/stdio/', import.meta.url)
const OURS = fileURLToPath(new URL('server.js', folder))
const BARE = fileURLToPath(new URL('bare-server.js', folder))
const OUR_LIST = fileURLToPath(new URL('list-server.js', folder))
const BARE_LIST = fileURLToPath(new URL('bare-list-server.js', folder))

interface Answer {
  result: { content: { text: string }[] }
}

/** Someone who calls tools; the same for the package and for a client by hand. */
interface Caller {
  call(name: string, args?: object, onProgress?: () => void): Promise<{ content: { text: string }[] }>
  close(): Promise<void>
}

/** A client by hand: the messages of a modern client, and nothing else. */
class BareClient implements Caller {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  readonly #progress = new Map<number, () => void>()
  #rest = ''
  #lastId = 0

  constructor(program: string) {
    this.#child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] }) as never
    this.#child.stdout.setEncoding('utf8')
    this.#child.stdout.on('data', (chunk: string) => {
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

  list() {
    return this.#request('tools/list', {})
  }

  async #request(method: string, params: object, onProgress?: () => void) {
    const id = ++this.#lastId
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'mcpwire', version: '0.1.0' },
      progressToken: id,
    }
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    if (onProgress !== undefined) this.#progress.set(id, onProgress)
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
    return (await answer).result
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

async function connectOurs(program: string): Promise<Caller> {
  const client = await Client.connect(stdio({ command: process.execPath, args: [program] }))
  return {
    call: (name, args = {}, onProgress) =>
      client.callTool(name, args as never, onProgress === undefined ? {} : { onProgress }) as never,
    close: () => client.close(),
  }
}

type Work = (caller: Caller) => Promise<void>

const inFlight =
  (width: number, count: number): Work =>
  async (caller) => {
    const lane = async () => {
      for (let index = 0; index < count / width; index++) await caller.call('add', { a: 1, b: 2 })
    }
    await Promise.all(Array.from({ length: width }, lane))
  }

const largeResults: Work = async (caller) => {
  for (let index = 0; index < 4; index++) {
    const { content } = await caller.call('large')
    if (content[0]?.text.length !== 10_000_000) throw new Error('a large result is incomplete')
  }
}

const progress: Work = async (caller) => {
  let heard = 0
  await caller.call('progress', {}, () => {
    heard += 1
  })
  if (heard !== 10_000) throw new Error(`${heard} of 10,000 progress notifications came before the result`)
}

async function childMicros(caller: Caller): Promise<number> {
  return Number((await caller.call('usage')).content[0]?.text)
}

function ownMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** The median, over many turns, of how much more CPU time the second takes than the first. */
async function ratio(work: Work, callers: [Caller, Caller], usage: (caller: Caller) => Promise<number>, turns: number) {
  const [bare, ours] = callers
  const samples: [number[], number[]] = [[], []]
  for (let turn = -3; turn < turns; turn++) {
    for (const [index, caller] of [bare, ours].entries()) {
      const before = await usage(caller)
      await work(caller)
      const spent = (await usage(caller)) - before
      if (turn >= 0) samples[index as 0 | 1].push(spent)
    }
  }
  return median(samples[1]) / median(samples[0])
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

const scenarios: [name: string, work: Work, turns: number, atMost: number][] = [
  ['64 in flight', inFlight(64, 4_096), 15, 1.3],
  ['one at a time', inFlight(1, 1_024), 15, 1.5],
  ['10 MB results', largeResults, 9, 1.15],
  ['10,000 progress notifications', progress, 15, 1.4],
]
const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part))

async function compare(side: string, callers: [Caller, Caller], usage: (caller: Caller) => Promise<number>) {
  for (const [name, work, turns, atMost] of scenarios) {
    if (!isWanted(`${side}, ${name}`)) continue
    goal(`${side}, ${name}`, await ratio(work, callers, usage, turns), atMost)
  }
  for (const caller of callers) await caller.close()
}

await compare('server', [new BareClient(BARE), new BareClient(OURS)], childMicros)
if (isWanted('server, tools/list')) {
  const callers: [BareClient, BareClient] = [new BareClient(BARE_LIST), new BareClient(OUR_LIST)]
  const lists: Work = async (caller) => {
    for (let index = 0; index < 100; index++) await (caller as BareClient).list()
  }
  goal('server, tools/list of 1,000 tools / prepared bytes', await ratio(lists, callers, childMicros, 25), 1.1)
  for (const caller of callers) await caller.close()
}
await compare('client', [new BareClient(BARE), await connectOurs(BARE)], async () => ownMicros())

/** From the start of a process to the result of the first call. */
async function firstResult(program: string): Promise<number> {
  const started = performance.now()
  const caller = new BareClient(program)
  await caller.call('add', { a: 1, b: 2 })
  const elapsed = performance.now() - started
  await caller.close()
  return elapsed
}

/** The median over turns of how much longer ours takes: what else the machine does falls on both of a turn alike. */
async function compareFirstResults(turns: number): Promise<void> {
  const bare: number[] = []
  const ours: number[] = []
  const ratios: number[] = []
  for (let turn = -2; turn < turns; turn++) {
    const pair = [await firstResult(BARE), await firstResult(OURS)] as const
    if (turn < 0) continue
    bare.push(pair[0])
    ours.push(pair[1])
    ratios.push(pair[1] / pair[0])
  }
  const times = `after ${median(ours).toFixed(0)} ms, bare Node's after ${median(bare).toFixed(0)} ms`
  goal(`first result ${times}`, median(ratios), 1.4)
}

if (isWanted('first result')) await compareFirstResults(41)
