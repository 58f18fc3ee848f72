// Drives the conformance suite as a child process and reads what it stores.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../lib/run.js'

const shim = new URL('scripts/conformance/shim.js', root).href
const entry = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', root))
const results = fileURLToPath(new URL('build/conformance/results/', root))

/** No leg takes longer than this, whatever happens in it. */
const LEG_LIMIT_MS = 180_000

/** Runs the suite; resolves when it has ended, by itself or at the limit. */
export function runSuite(args, limitMs = LEG_LIMIT_MS) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', shim, entry, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    const collect = (chunk) => {
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const limit = setTimeout(() => endGroup(child.pid), limitMs)
    child.on('close', (exitCode) => {
      clearTimeout(limit)
      endGroup(child.pid)
      resolve({ exitCode: exitCode ?? 1, output })
    })
  })
}

/** Clients that the suite has started die with it. */
function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}

/** The scenarios of one side: all there are, or those of a requirement set. */
export async function listScenarios(side, requirements) {
  const args = requirements === undefined ? [`--${side}`] : ['--requirements', requirements]
  const { output } = await runSuite(['list', ...args])
  const found = []
  let section = ''
  for (const line of output.split('\n')) {
    if (/^(Server|Client) scenarios/.test(line)) section = line.startsWith('Server') ? 'server' : 'client'
    if (/^Run and reported/.test(line)) section = 'unscored'
    const [, name, note = ''] = line.match(/^\s+- (\S+)(?: \[(.*)\])?$/) ?? []
    if (name === undefined) continue
    if (section === 'unscored' ? note === side : section === side) {
      found.push({
        scenario: name,
        isScored: requirements !== undefined && section !== 'unscored',
        versions: note.split(','),
      })
    }
  }
  if (found.length === 0) throw new Error(`The suite lists no ${side} scenarios:\n${output}`)
  return found
}

/** An empty folder for the results of a leg. */
export function makeResultFolder(leg) {
  const folder = join(results, leg)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** The checks that a scenario left in a folder; `undefined` when it left none. */
export function readChecks(folder, side, scenario) {
  const prefix = side === 'server' ? `server-${scenario}` : scenario
  const parent = join(folder, prefix, '..')
  const name = prefix.split('/').at(-1)
  if (!existsSync(parent)) return undefined
  const found = readdirSync(parent).find((entry) => entry.startsWith(`${name}-2`))
  const file = found === undefined ? undefined : join(parent, found, 'checks.json')
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
