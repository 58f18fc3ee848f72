// node scripts/readme.js: does what README.md says, in an empty folder, as a newcomer does: it saves what README says to save, and runs
// each command of it in a shell. Only the name of the package is another: the tarball, as it would be published.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, homedir, loadavg, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root } from './lib/run.js'

const MAX_SECONDS = 60
/** Hundredths of a second: what /proc counts in. */
const TICKS = 100
const START_LIMIT_MS = 60_000
/** After this heading, README speaks to those who cloned the repository. */
const END = '\n## Work on mcpwire'

const folder = mkdtempSync(join(tmpdir(), 'mcpwire-readme-'))
const project = join(folder, 'project')
const home = join(folder, 'home')
for (const path of [project, home]) mkdirSync(path)

const isWindows = process.platform === 'win32'
const env = {
  ...process.env,
  // The Node that runs this script is the one that the commands find.
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  APPDATA: home,
  NO_COLOR: '1',
  npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
}
// Of the npm that may have started this script.
for (const name of Object.keys(env)) if (/^npm_(?:package|lifecycle)|^INIT_CWD$/.test(name)) delete env[name]

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function pack() {
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], shell: isWindows }
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const listing = JSON.parse(execFileSync(isWindows ? 'npm.cmd' : 'npm', args, options))
  const [{ filename }] = Array.isArray(listing) ? listing : Object.values(listing)
  return join(folder, filename)
}

/** CPU time of all commands that have ended, in seconds; nothing where the system does not say. */
function cpuOfCommands() {
  if (process.platform !== 'linux') return undefined
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS
}

const times = []

function run(command) {
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(command.replace('npm install mcpwire', `npm install "${tarball}"`), {
    cwd: project,
    env,
    encoding: 'utf8',
    shell: true,
  })
  const seconds = (performance.now() - started) / 1000
  times.push(seconds)
  console.log(`  ${seconds.toFixed(1).padStart(5)} s  ${command}`)
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

function check(command, expected) {
  const printed = run(command)
  if (printed.trim() === expected.trim()) return
  throw new Error(`${command} printed ${JSON.stringify(printed)}, and README says ${JSON.stringify(expected)}`)
}

/** Starts a program that goes on, and waits until it says where it listens. */
function start(command) {
  const [program, ...args] = command.split(' ')
  const child = spawn(program, args, { cwd: project, env, stdio: ['ignore', 'ignore', 'pipe'] })
  return new Promise((resolve, reject) => {
    let text = ''
    const limit = setTimeout(() => reject(new Error(`${command} did not listen: ${text}`)), START_LIMIT_MS)
    child.once('exit', () => reject(new Error(`${command} ended: ${text}`)))
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (!text.includes('/mcp')) return
      clearTimeout(limit)
      console.log(`           ${command}`)
      resolve(child)
    })
  })
}

/** Does what one block says; `before` is the text since the last block, `after` the line that follows. */
async function follow({ language, code, before, after }, port) {
  const name = /Save this as `([\w.-]+)`/.exec(before)?.[1]
  if (language === 'ts') {
    if (name === undefined) throw new Error(`README does not say how to save this:\n${code}`)
    writeFileSync(join(project, name), code.replaceAll('3000', String(port)))
    const [, starts] = /start it with `([^`]+)`/.exec(before) ?? []
    if (starts !== undefined) running.push(await start(starts))
    const about = after.includes('Save this') ? before : `${before}\n${after}`
    const [, command, printed] = /`(node [^`]+)` prints `([^`]+)`/.exec(about) ?? []
    if (command !== undefined) check(command, printed)
  } else if (language === 'console') {
    for (const text of code.split(/^\$ /m).slice(1)) {
      const [command, ...printed] = text.split('\n')
      check(command, printed.join('\n'))
    }
  } else for (const command of code.trim().split('\n')) run(command)
}

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm

function readBlocks() {
  const text = readFileSync(new URL('README.md', root), 'utf8').split(END)[0]
  const found = [...text.matchAll(BLOCK)]
  return found.map(({ index, 0: whole, 1: language, 2: code }, at) => {
    const previous = found[at - 1]
    const before = text.slice(previous === undefined ? 0 : previous.index + previous[0].length, index)
    return {
      language,
      code,
      before,
      after: text
        .slice(index + whole.length)
        .trimStart()
        .split('\n')[0],
    }
  })
}

const running = []
let tarball
try {
  tarball = pack()
  const port = await freePort()
  for (const block of readBlocks()) await follow(block, port)
  const seconds = times.reduce((sum, time) => sum + time, 0)
  const cpu = cpuOfCommands()
  // On a machine that others use, the time of the clock is theirs too.
  const isBusy = loadavg()[0] > cpus().length
  const counted = isBusy && cpu !== undefined ? cpu : seconds
  console.log(`${times.length} commands: ${seconds.toFixed(1)} s, CPU ${cpu?.toFixed(1) ?? 'unknown'} s`)
  if (counted > MAX_SECONDS) throw new Error(`README takes ${counted.toFixed(1)} s, and ${MAX_SECONDS} s is the limit`)
  console.log(
    `README works on Node ${process.versions.node}, in an empty folder, in ${counted.toFixed(1)} s${isBusy ? ' of CPU time' : ''}`,
  )
} finally {
  for (const child of running) child.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
