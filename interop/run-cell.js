// Runs one cell: starts the server, connects the client, runs every check, and ends all processes.
import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { CHECKS, until } from './checks.js'
import { driven } from './clients/driven.js'
import { EVERYTHING_CHECKS } from './everything.js'
import { knownGap } from './known-gaps.js'
import { SINCE } from './matrix.js'
import { FILESYSTEM_CHECKS, MEMORY_CHECKS } from './packages.js'
import { PEERS, peerServer } from './peers.js'
import { checkEnd } from './strain.js'
import { TASK_CHECKS } from './tasks/checks.js'
import { halvesOf } from './through.js'

const FIRST_MODERN = '2026-07-28'
const WITNESS = fileURLToPath(new URL('./witness.js', import.meta.url))

const CHECKS_OF = {
  everything: EVERYTHING_CHECKS,
  filesystem: FILESYSTEM_CHECKS,
  memory: MEMORY_CHECKS,
  'mcpwire-tasks': TASK_CHECKS,
  'fastmcp-tasks': TASK_CHECKS,
  'official-v1-tasks': TASK_CHECKS,
  'rust-tasks': TASK_CHECKS,
}

/** The limit for a check that hangs, on a busy machine too. */
const CHECK_LIMIT_MS = 120_000
const START_LIMIT_MS = 120_000

/** The result of each check: `ok`, the reason why the pair can't pass it, or the error. */
export async function runCell(cell) {
  const peer = PEERS[cell.client]?.client
  const driver = peer === undefined ? await import(`./clients/${cell.client}.js`) : driven(peer)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpwire-interop-')))
  const root = pathToFileURL(folder).href
  const logs = []
  const outcomes = {}
  let server
  try {
    server = await (cell.back === undefined ? startServer(cell, folder) : startBehindProxy(cell, folder))
    const options = { onLog: (log) => logs.push(log), root, revision: cell.revision }
    const session = await within(CHECK_LIMIT_MS, driver.connect(server.target, cell.era, options))
    try {
      outcomes.version = compareVersions(session.version, cell)
      for (const [name, check] of Object.entries(CHECKS_OF[cell.server] ?? CHECKS)) {
        const context = { logs, folder, root, until }
        outcomes[name] = reasonAgainst(cell, name) ?? (await attempt(() => check(session, context)))
      }
    } finally {
      await within(CHECK_LIMIT_MS, session.close())
    }
    for (const [name, witness] of Object.entries(server.witnesses)) {
      outcomes[name] = knownGap(cell, 'exit') ?? (await attempt(() => checkEnd(witness, until)))
    }
  } catch (error) {
    outcomes.connect = describe(error)
  } finally {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return outcomes
}

/** The reason if a pair can't run a check at all. */
function reasonAgainst(cell, check) {
  const offered = PEERS[cell.client]?.client?.checks
  if (offered !== undefined && !offered.includes(check)) return 'not offered by this client'
  const lacking = PEERS[cell.server]?.server?.lacks
  if (lacking?.includes(check)) return 'not offered by this server'
  if (cell.revision !== undefined && cell.revision < (SINCE[check] ?? '')) return 'not in this revision'
  const halves = cell.back === undefined ? [] : halvesOf(cell)
  return [cell, ...halves].map((one) => knownGap(one, check)).find((reason) => reason !== undefined)
}

/** Not every client reports its revision. */
function compareVersions(spoken, { era, revision }) {
  if (!spoken) return 'not offered by this client'
  const isFit = revision === undefined ? (era === 'modern') === spoken >= FIRST_MODERN : spoken === revision
  return isFit ? 'ok' : `failed: ${spoken} is spoken instead of ${revision ?? era}`
}

async function attempt(check) {
  try {
    await within(CHECK_LIMIT_MS, check())
    return 'ok'
  } catch (error) {
    return describe(error)
  }
}

function describe(error) {
  return `failed: ${error instanceof Error ? error.message.split('\n').slice(0, 6).join(' ') : String(error)}`
}

async function startServer({ server, transport, era }, folder) {
  const peer = peerServer(server)
  const command = peer?.command ?? process.execPath
  const args = peer === undefined ? argsOf(server, transport, folder) : [...peer.args, transport, era]
  const own = peer?.env ?? {}
  // Over stdio the client starts the server itself.
  if (transport === 'stdio') {
    const env = { ...own, PATH: process.env.PATH, MEMORY_FILE_PATH: join(folder, 'memory.json') }
    const witness = join(folder, 'ended.json')
    return { target: witnessed(witness, { command, args, env }), witnesses: { exit: witness }, close: async () => {} }
  }
  const port = server === 'everything' ? await freePort() : undefined
  const env = { ...process.env, ...own, ...(port !== undefined && { PORT: String(port) }) }
  return startListening({ command, args, env }, transport, (child) =>
    server === 'everything' ? everythingUrl(child, port, transport) : urlOf(child),
  )
}

/** Over stdio the proxy starts the server, as the client starts the proxy. */
async function startBehindProxy({ server, transport, back }, folder) {
  const behind = await startServer({ server, ...back }, folder)
  const target = JSON.stringify(behind.target.url ?? behind.target)
  const args = [fileURLToPath(new URL('./servers/proxy.js', import.meta.url)), transport, back.era, target]
  const program = { command: process.execPath, args, env: { PATH: process.env.PATH } }
  if (transport === 'stdio') {
    const witness = join(folder, 'proxy-ended.json')
    const witnesses = { 'exit of the proxy': witness, ...behind.witnesses }
    return { target: witnessed(witness, program), witnesses, close: behind.close }
  }
  try {
    const proxy = await startListening(program, transport, urlOf)
    const close = async () => {
      await proxy.close()
      await behind.close()
    }
    return { ...proxy, close }
  } catch (error) {
    await behind.close()
    throw error
  }
}

/** A program that a client starts, through a witness that records how it ends. */
function witnessed(file, { command, args, env }) {
  return { command: process.execPath, args: [WITNESS, file, command, ...args], env }
}

async function startListening({ command, args, env }, kind, findUrl) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const close = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', resolve)
      child.kill('SIGKILL')
    })
  try {
    const url = await within(START_LIMIT_MS, findUrl(child))
    child.stderr.resume()
    return { target: { url, kind }, witnesses: {}, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Our servers and those of the official SDK print their address. */
function urlOf(child) {
  return new Promise((resolve, reject) => {
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.once('exit', (code) => reject(new Error(`the server ended with code ${code}: ${errors.slice(0, 500)}`)))
    createInterface({ input: child.stdout }).once('line', resolve)
  })
}

/** It can't choose a free port; it prints a line when it listens. */
function everythingUrl(child, port, transport) {
  return new Promise((resolve, reject) => {
    const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`
    let output = ''
    const look = (chunk) => {
      output += chunk
      if (/listening|running on|port/i.test(output)) resolve(url)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('exit', (code) => reject(new Error(`the server ended with code ${code}: ${output.slice(0, 500)}`)))
  })
}

function argsOf(server, transport, folder) {
  if (server === 'everything') {
    return [packageProgram(server), { stdio: 'stdio', 'http-sse': 'streamableHttp', sse: 'sse' }[transport]]
  }
  if (server === 'filesystem') return [packageProgram(server), folder]
  if (server === 'memory') return [packageProgram(server)]
  return [fileURLToPath(new URL(`./servers/${server}.js`, import.meta.url)), transport]
}

function packageProgram(name) {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`))
}

async function freePort() {
  const { createServer } = await import('node:net')
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

async function within(limitMs, promise) {
  let timer
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took more than ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
