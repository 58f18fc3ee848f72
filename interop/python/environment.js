// The virtual environment that holds the Python SDK: made on the first use, kept in a folder that git ignores.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as catalogue from '../catalogue.js'

export const MCP_VERSION = '2.3.0'

const INSTALL_LIMIT_MS = 300_000
const folder = fileURLToPath(new URL('../../.cache/python', import.meta.url))
const stamp = `${folder}/mcp-${MCP_VERSION}`

/** The interpreter that has the SDK, once `preparePython` said nothing. */
export const PYTHON = process.platform === 'win32' ? `${folder}/Scripts/python.exe` : `${folder}/bin/python`

/** What the server in Python needs to know; compiled files would lie in the repository. */
export const SERVER_ENVIRONMENT = { INTEROP_CATALOGUE: JSON.stringify(catalogue), PYTHONDONTWRITEBYTECODE: '1' }

/** The path of a program in this folder. */
export const pythonProgram = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Makes the environment unless it is there; returns why there is none, if so. */
export function preparePython() {
  if (existsSync(stamp) && existsSync(PYTHON)) return undefined
  const system = findPython()
  if (system === undefined) return 'no Python 3.10 or newer here'
  rmSync(folder, { recursive: true, force: true })
  const made = runQuietly(system, ['-m', 'venv', folder])
  if (made !== undefined) return `no virtual environment: ${made}`
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `mcp==${MCP_VERSION}`]
  const installed = runQuietly(PYTHON, pip)
  if (installed !== undefined) return `pip cannot install mcp ${MCP_VERSION}: ${installed}`
  writeFileSync(stamp, '')
  return undefined
}

function findPython() {
  const asks = ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']
  return ['python3', 'python'].find((name) => runQuietly(name, asks) === undefined)
}

/** Returns nothing when the command succeeds, else the last line of what it said. */
function runQuietly(command, args) {
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_LIMIT_MS })
  if (result.status === 0) return undefined
  return (result.error?.message ?? result.stderr ?? '').trim().split('\n').at(-1) || 'no reason given'
}
