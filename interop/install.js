// Installs peers, each in its own folder that git ignores: from npm, from PyPI, or built from our sources by Go or Cargo, which
// fetch their dependencies. Every function returns nothing, or the reason why the peer can't be installed here.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const INSTALL_LIMIT_MS = 1_800_000
const isWindows = process.platform === 'win32'

export const cacheFolder = (name) => fileURLToPath(new URL(`../.cache/peers/${name}`, import.meta.url))
export const ownFile = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Some peers need a newer Node than mcpwire. */
const NODE = '24'
const nodePackage = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
export const NEWER_NODE = `${cacheFolder(`node-${NODE}`)}/node_modules/${nodePackage}/bin/node${isWindows ? '.exe' : ''}`

export function installNode() {
  if (existsSync(NEWER_NODE)) return undefined
  return installPackages(`node-${NODE}`, [`${nodePackage}@${NODE}`])
}

/** Packages such as `name@1.2.3`, in a folder under `.cache/peers`. */
export function installPackages(folder, packages) {
  return once(folder, () => {
    const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    const args = ['install', '--prefix', cacheFolder(folder), ...flags, ...packages]
    return runQuietly(isWindows ? 'npm.cmd' : 'npm', args, { shell: isWindows })
  })
}

export const pythonOf = (folder) => `${cacheFolder(folder)}/${isWindows ? 'Scripts/python.exe' : 'bin/python'}`

/** Requirements such as `name==1.2.3`, in a virtual environment under `.cache/peers`. */
export function installPython(folder, requirements) {
  return once(folder, () => {
    const asks = ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']
    const system = ['python3', 'python'].find((name) => runQuietly(name, asks) === undefined)
    if (system === undefined) return 'no Python 3.10 or newer here'
    rmSync(cacheFolder(folder), { recursive: true, force: true })
    const made = runQuietly(system, ['-m', 'venv', cacheFolder(folder)])
    if (made !== undefined) return `no virtual environment: ${made}`
    return runQuietly(pythonOf(folder), [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      ...requirements,
    ])
  })
}

export const builtProgram = (folder) => `${cacheFolder(folder)}/${isWindows ? 'interop.exe' : 'interop'}`

/** Cargo and Go check by themselves whether the build is up to date. */
export function buildGo(folder) {
  if (runQuietly('go', ['version']) !== undefined) return 'no Go here'
  return runQuietly('go', ['build', '-o', builtProgram(folder), '.'], { cwd: ownFile('go') })
}

export const rustProgram = (folder) => `${cacheFolder(folder)}/debug/${isWindows ? 'interop.exe' : 'interop'}`

export function buildRust(folder) {
  if (runQuietly('cargo', ['--version']) !== undefined) return 'no Rust here'
  const env = { ...process.env, CARGO_TARGET_DIR: cacheFolder(folder) }
  return runQuietly('cargo', ['build', '--quiet'], { cwd: ownFile('rust'), env })
}

/** A peer that was installed once is not checked again. */
function once(folder, install) {
  const stamp = `${cacheFolder(folder)}/installed`
  if (existsSync(stamp)) return undefined
  console.log(`Installing ${folder}…`)
  mkdirSync(cacheFolder(folder), { recursive: true })
  const reason = install()
  if (reason === undefined) writeFileSync(stamp, '')
  return reason
}

/** Returns nothing if the command succeeds, else the last line of its output. */
function runQuietly(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_LIMIT_MS, ...options })
  if (result.status === 0) return undefined
  return (result.error?.message ?? result.stderr ?? '').trim().split('\n').at(-1)?.slice(0, 200) || 'no reason given'
}
