// Runs one cell: starts the server, connects the client, makes every check, leaves nothing behind.
import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { CHECKS } from './checks.js'
import { EVERYTHING_CHECKS } from './everything.js'
import { knownGap } from './matrix.js'
import { FILESYSTEM_CHECKS, MEMORY_CHECKS } from './packages.js'
import { PYTHON, pythonProgram, SERVER_ENVIRONMENT } from './python/environment.js'

const CHECKS_OF = { everything: EVERYTHING_CHECKS, filesystem: FILESYSTEM_CHECKS, memory: MEMORY_CHECKS }

const CHECK_LIMIT_MS = 20_000
const START_LIMIT_MS = 20_000

/** What came of each check: `ok`, a reason why the pair cannot do it, or the error. */
export async function runCell(cell) {
  const driver = await import(`./clients/${cell.client}.js`)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpwire-interop-')))
  const server = await startServer(cell, folder)
  const root = pathToFileURL(folder).href
  const logs = []
  const outcomes = {}
  try {
    const session = await within(
      CHECK_LIMIT_MS,
      driver.connect(server.target, cell.era, { onLog: (log) => logs.push(log), root }),
    )
    try {
      for (const [name, check] of Object.entries(CHECKS_OF[cell.server] ?? CHECKS)) {
        outcomes[name] = knownGap(cell, name) ?? (await runCheck(check, session, { logs, folder, root }))
      }
    } finally {
      await within(CHECK_LIMIT_MS, session.close())
    }
  } catch (error) {
    outcomes.connect = describe(error)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return outcomes
}

async function runCheck(check, session, context) {
  try {
    await within(CHECK_LIMIT_MS, check(session, context))
    return 'ok'
  } catch (error) {
    return describe(error)
  }
}

function describe(error) {
  return `failed: ${error instanceof Error ? error.message.split('\n').slice(0, 6).join(' ') : String(error)}`
}

async function startServer({ server, transport }, folder) {
  const command = server === 'python' ? PYTHON : process.execPath
  const args = argsOf(server, transport, folder)
  const own = server === 'python' ? SERVER_ENVIRONMENT : {}
  // Over stdio the client starts the server itself.
  if (transport === 'stdio') {
    const env = { ...own, MEMORY_FILE_PATH: join(folder, 'memory.json') }
    return { target: { command, args, env }, close: async () => {} }
  }
  const port = server === 'everything' ? await freePort() : undefined
  const env = { ...process.env, ...own, ...(port !== undefined && { PORT: String(port) }) }
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const close = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', resolve)
      child.kill('SIGKILL')
    })
  try {
    const url = await within(
      START_LIMIT_MS,
      server === 'everything' ? everythingUrl(child, port, transport) : urlOf(child),
    )
    child.stderr.resume()
    return { target: { url, kind: transport }, close }
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

/** This one has no way to choose a port by itself; it says when it listens. */
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
  if (server === 'python') return [pythonProgram('server.py'), transport]
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
