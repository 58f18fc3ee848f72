// npm run soak:stdio [rounds]: opens and closes servers over and over, kills some of them and some hosts, and counts what is left.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from './lib/run.js'

const rounds = Number(process.argv[2] ?? 1_000)
const CONCURRENCY = 4
const SERVER = fileURLToPath(new URL('bench/stdio/server.js', root))
const MARK = `MCPWIRE_SOAK=${process.pid}`
const SELF = fileURLToPath(import.meta.url)

const { Client } = await import('mcpwire')
const { stdio } = await import('mcpwire/node')

const serverTransport = () =>
  stdio({ command: process.execPath, args: [SERVER], env: markOf(process.env.MCPWIRE_SOAK), stderr: 'ignore' })

function markOf(value = String(process.pid)) {
  return { MCPWIRE_SOAK: value }
}

async function withClient(mode, work) {
  const client = await Client.connect(serverTransport(), { mode })
  try {
    await work(client)
  } finally {
    await client.close()
  }
}

/** Opens, calls and closes, in either era. */
function peacefulRound(round) {
  return withClient(round % 2 === 0 ? 'auto' : 'legacy', async (client) => {
    const { content } = await client.callTool('add', { a: round, b: 1 })
    if (content[0].text !== String(round + 1)) throw new Error(`round ${round} was answered with ${content[0].text}`)
  })
}

/** The server dies in the middle of a call. */
function deadlyRound() {
  return withClient('auto', async (client) => {
    const pid = Number((await client.callTool('pid')).content[0].text)
    const call = client.callTool('hang').then(
      () => 'answered',
      () => 'failed',
    )
    process.kill(pid, 'SIGKILL')
    if ((await call) !== 'failed') throw new Error('a call to a dead server was answered')
  })
}

/** The host dies without a word; its server has to notice by itself. */
async function orphaningRound() {
  const env = { ...process.env, ...markOf() }
  const host = spawn(process.execPath, [SELF, 'host'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => host.stdout.once('data', resolve))
  host.kill('SIGKILL')
  await new Promise((resolve) => host.once('close', resolve))
}

function roundOf(round) {
  if (round % 10 === 8) return deadlyRound()
  if (round % 10 === 9) return orphaningRound()
  return peacefulRound(round)
}

/** The processes whose environment carries the mark of this run. */
function countProcesses() {
  if (!existsSync('/proc/self/environ')) return 0
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && pid !== String(process.pid) && isMarked(pid)).length
}

function isMarked(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(MARK)
  } catch {
    // Gone, or somebody else's.
    return false
  }
}

function count() {
  const signals = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP']
  return {
    processes: countProcesses(),
    descriptors: existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0,
    listeners: signals.map((event) => process.listenerCount(event)).join(' '),
    // What the console has opened for itself is there from the first word on.
    active: process.getActiveResourcesInfo().sort().join(' '),
  }
}

async function soak() {
  console.log(`${rounds} rounds, ${CONCURRENCY} at a time`)
  await Promise.all([0, 8, 9].map(roundOf))
  const before = await settled()
  const started = performance.now()
  let next = 0
  const lane = async () => {
    while (next < rounds) await roundOf(next++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  const after = await settled()
  globalThis.gc?.()
  console.log(`took ${((performance.now() - started) / 1000).toFixed(0)} s, heap ${heapMegabytes()} MB`)
  for (const what of Object.keys(before)) console.log(`${what}: ${before[what]} before, ${after[what]} after`)
  if (JSON.stringify(before) !== JSON.stringify(after)) throw new Error('something was left behind')
  console.log('Nothing was left behind.')
}

/** What the system takes back, it takes back a moment later: an orphan may have two seconds. */
async function settled() {
  for (let look = 0; look < 20 && countProcesses() > 0; look++) await new Promise((resolve) => setTimeout(resolve, 100))
  await new Promise((resolve) => setTimeout(resolve, 50))
  return count()
}

function heapMegabytes() {
  return (process.memoryUsage().heapUsed / 1e6).toFixed(1)
}

async function host() {
  const client = await Client.connect(serverTransport())
  await client.callTool('add', { a: 1, b: 2 })
  process.stdout.write('ready\n')
}

await (process.argv[2] === 'host' ? host() : soak())
