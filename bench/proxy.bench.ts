// What a proxy costs, in a process of its own: its CPU against that of both ends of direct calls, the server end over the transport of
// its front and the client end over that of its back. Needs Linux.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '../src/client/client.ts'
import { goal } from './measure.ts'
import { cpuOf, descendantsWith } from './proxy/cpu.ts'

type Transport = 'http' | 'stdio'
type Mode = 'modern' | 'legacy'

const IN_FLIGHT = 16
const ROUNDS = 9
const file = (name: string) => fileURLToPath(new URL(`../../bench/proxy/${name}`, import.meta.url))
const programs: ChildProcess[] = []

async function start(
  name: string,
  ...args: string[]
): Promise<{ url: string; child: ChildProcess; lines: AsyncIterator<string> }> {
  const child = spawn(process.execPath, ['--expose-gc', file(name), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  programs.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value: url } = await lines.next()
  return { url: url as string, child, lines }
}

const command = (name: string, ...args: string[]) => ({ command: process.execPath, args: [file(name), ...args] })

interface Path {
  readonly client: Client
  /** The processes whose CPU counts, beside this one where `countsOwn` is set. */
  readonly pids: readonly number[]
  readonly countsOwn: boolean
}

/** What the proxy takes the place of: a server towards its client, and a client towards its server. */
interface Halves {
  /** A direct call over the transport of the front, of which the server counts. */
  readonly front: Path
  /** A direct call over that of the back, of which the client counts. */
  readonly back: Path
}

/** CPU of one round, in nanoseconds per call. */
async function costOf(
  { client, pids, countsOwn }: Path,
  tool: string,
  calls: number,
  inFlight: number,
): Promise<number> {
  const total = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0) + (countsOwn ? ownCpu() : 0)
  const options = tool === 'count' ? { onProgress: hear } : {}
  const before = total()
  let left = calls
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1
        await client.callTool(tool, tool === 'add' ? { a: 1, b: 2 } : {}, options)
      }
    }),
  )
  return (total() - before) / calls
}

let heard = 0
function hear(): void {
  heard += 1
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1_000
}

async function directTo(
  transport: Transport,
  mode: Mode,
  url: string | undefined,
): Promise<[Client, number | undefined]> {
  const before = new Set(descendantsWith('server.js'))
  const client = await Client.connect(transport === 'http' ? (url as string) : command('server.js', 'stdio'), { mode })
  const started = descendantsWith('server.js').find((pid) => !before.has(pid))
  return [client, started]
}

async function pathsOf(front: Transport, back: Transport, mode: Mode): Promise<Halves & { proxied: Path }> {
  const server = front === 'http' || back === 'http' ? await start('server.js', 'http') : undefined
  const [frontClient, frontServer = server?.child.pid as number] = await directTo(front, mode, server?.url)
  const [backClient] = await directTo(back, mode, server?.url)
  const target = back === 'http' ? (server?.url as string) : 'stdio'
  const proxy = front === 'http' ? await start('proxy.js', 'http', target) : undefined
  const proxied = await Client.connect(proxy?.url ?? command('proxy.js', 'stdio', target), { mode })
  await proxied.callTool('add', { a: 1, b: 2 })
  const proxies = proxy === undefined ? descendantsWith('proxy.js').slice(-1) : [proxy.child.pid as number]
  return {
    front: { client: frontClient, pids: [frontServer], countsOwn: false },
    back: { client: backClient, pids: [], countsOwn: true },
    proxied: { client: proxied, pids: proxies, countsOwn: false },
  }
}

async function compare(
  title: string,
  front: Transport,
  back: Transport,
  mode: Mode,
  what: { tool: string; calls: number; inFlight?: number; atMost: number },
) {
  const paths = await pathsOf(front, back, mode)
  const { proxied } = paths
  const { tool, calls, inFlight = IN_FLIGHT, atMost } = what
  const direct = [paths.front, paths.back]
  for (let n = 0; n < 3; n++) for (const path of [...direct, proxied]) await costOf(path, tool, calls, inFlight)
  const samples: [number, number][] = []
  heard = 0
  for (let n = 0; n < ROUNDS; n++) {
    let both = 0
    for (const path of direct) both += await costOf(path, tool, calls, inFlight)
    samples.push([both, await costOf(proxied, tool, calls, inFlight)])
  }
  const middle = (at: 0 | 1) => samples.map((one) => one[at]).sort((a, b) => a - b)[ROUNDS >> 1] as number
  const micros = (nanoseconds: number) => `${(nanoseconds / 1_000).toFixed(0)} µs`
  console.log(`\n${title}: both ends ${micros(middle(0))}, proxy ${micros(middle(1))}`)
  goal(title, middle(1) / middle(0), atMost)
  if (tool === 'count') goal('progress that is lost', 3 * ROUNDS * calls * 100 - heard, 0)
  const handshakes = async () =>
    Number(((await proxied.client.callTool('handshakes')).content[0] as { text: string }).text)
  const before = await handshakes()
  for (let n = 0; n < 20; n++) await proxied.client.callTool('add', { a: 1, b: 2 })
  goal('handshakes of 20 calls', (await handshakes()) - before, 0)
  await Promise.all([...direct, proxied].map(({ client }) => client.close()))
}

/** Clients of a session each, with a connection behind. */
async function heap(): Promise<void> {
  const server = await start('server.js', 'http')
  const proxy = await start('proxy.js', 'http', server.url)
  const heapNow = async () => {
    proxy.child.stdin?.write('\n')
    return Number((await proxy.lines.next()).value)
  }
  const connect = async () => {
    const client = await Client.connect(proxy.url, { mode: 'legacy' })
    await client.callTool('add', { a: 1, b: 2 })
    return client
  }
  const first = await Promise.all(Array.from({ length: 20 }, connect))
  const before = await heapNow()
  const COUNT = 200
  const clients: Client[] = []
  while (clients.length < COUNT) clients.push(...(await Promise.all(Array.from({ length: 20 }, connect))))
  const each = ((await heapNow()) - before) / COUNT / 1024
  console.log(`\nheap of an idle client with its connection behind: ${each.toFixed(1)} KB`)
  goal('heap / 25 KB', each / 25, 1)
  await Promise.all([...first, ...clients].map((client) => client.close()))
}

if (process.platform !== 'linux') console.log('The CPU of other processes is read from /proc: needs Linux.')
else {
  const wanted = process.argv.slice(2)
  const run = async (title: string, work: () => Promise<void>) => {
    if (wanted.length === 0 || wanted.some((word) => title.includes(word))) await work()
    for (const child of programs.splice(0)) {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  }
  for (const front of ['http', 'stdio'] as const) {
    for (const back of ['http', 'stdio'] as const) {
      const title = `${front} → ${back}`
      await run(title, () => compare(title, front, back, 'modern', { tool: 'add', calls: 800, atMost: 1.25 }))
    }
  }
  const legacy = 'http → http, legacy'
  await run(legacy, () => compare(legacy, 'http', 'http', 'legacy', { tool: 'add', calls: 800, atMost: 1.25 }))
  const progress = 'progress, 100 each'
  await run(progress, () =>
    compare(progress, 'http', 'http', 'modern', { tool: 'count', calls: 20, inFlight: 4, atMost: 1.3 }),
  )
  const large = '10 MB'
  await run(large, () =>
    compare(large, 'http', 'http', 'modern', { tool: 'large', calls: 4, inFlight: 1, atMost: 0.6 }),
  )
  await run('heap', heap)
  process.exit()
}
