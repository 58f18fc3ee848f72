// npm run engines: installs the engines that tests run against (Redis, NATS, Postgres, nginx, Caddy) with Debian's package manager, where this
// machine has it and lets us. The tests start each one themselves, in a temporary folder.
import { spawnSync } from 'node:child_process'
import { ENGINES } from './lib/find-engines.js'

/** Packages of Debian start their services; tests want none of them. */
const ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }

const missing = Object.entries(ENGINES).filter(([, { find }]) => find() === undefined)
if (missing.length > 0 && hasApt()) install(missing.map(([, engine]) => engine.package))

let isComplete = true
for (const [name, { program, package: packageName, find }] of Object.entries(ENGINES)) {
  const path = find()
  if (path === undefined) isComplete = false
  const wasMissing = missing.some(([other]) => other === name)
  const state = path === undefined ? `no ${program} found` : `${wasMissing ? 'installed' : 'found'}: ${path}`
  console.log(`${name}: ${state}`)
  if (path === undefined)
    console.log(`  Install ${packageName} with the package manager of this machine, as an administrator.`)
}
process.exitCode = isComplete ? 0 : 1

function hasApt() {
  const isAdministrator = process.getuid?.() === 0
  return isAdministrator && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0
}

function install(names) {
  console.log(`Installing ${names.join(', ')}…`)
  const args = ['install', '-y', '--no-install-recommends', ...names]
  if (apt(args) !== 0) {
    apt(['update'])
    apt(args)
  }
}

function apt(args) {
  const { status, stderr } = spawnSync('apt-get', args, { env: ENVIRONMENT, encoding: 'utf8' })
  if (status !== 0) console.log(stderr.trim().split('\n').slice(-3).join('\n'))
  return status
}
