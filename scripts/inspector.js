// npm run inspector: the MCP Inspector's command-line mode against our servers, over HTTP, stdio and `mcpwire dev`, in both eras. It needs a
// newer Node than ours, so that both are installed into a folder that git ignores.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ensureInstalled } from './lib/install.js'
import { root, run } from './lib/run.js'

const INSPECTOR = '2.12.0'
const NODE = '22'

const INSTALL_LIMIT_MS = 300_000
const CALL_LIMIT_MS = 60_000

const folder = fileURLToPath(new URL(`.cache/inspector-${INSPECTOR}`, root))
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const node = `${folder}/node_modules/${nodePackage}/bin/node${process.platform === 'win32' ? '.exe' : ''}`
const inspector = `${folder}/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`

/** What the command line is asked to do with the server of the interop catalogue, and what its output must contain. */
const CATALOGUE_CALLS = [
  [['--method', 'tools/list'], '"echo"'],
  [['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'text=hello'], 'hello'],
  [['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=1', 'b=2'], '"sum": 3'],
  [['--method', 'resources/list'], 'note://plain'],
  [['--method', 'resources/read', '--uri', 'note://plain'], '漢字'],
  [['--method', 'resources/templates/list'], 'note://item/{id}'],
  [['--method', 'prompts/list'], '"greet"'],
  [['--method', 'prompts/get', '--prompt-name', 'greet', '--prompt-args', 'name=Ada'], 'Please greet Ada.'],
]
const CONFORMANCE_CALLS = [
  [['--method', 'tools/list'], '"test_simple_text"'],
  [['--method', 'tools/call', '--tool-name', 'test_simple_text'], '"text"'],
  [['--method', 'resources/list'], '"uri"'],
  [['--method', 'prompts/list'], '"prompts"'],
]

const DEV_CALLS = [
  [['--method', 'tools/list'], '"add"'],
  [['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=1', 'b=2'], '3'],
]

ensureInstalled()
installInspector()
run('build', 'scripts/build.js', [], { stdio: ['ignore', 'ignore', 'inherit'] })

let failures = 0
for (const era of ['legacy', 'modern']) {
  const catalogue = fileURLToPath(new URL('interop/servers/mcpwire.js', root))
  inspect(`stdio, ${era}`, [process.execPath, catalogue, 'stdio'], era, CATALOGUE_CALLS)
  await withServer([catalogue, 'http-sse'], (url) => inspect(`HTTP, ${era}`, [url], era, CATALOGUE_CALLS))
  const dev = ['dist/cli/mcpwire.js', 'test/fixtures/cli/exported.js'].map((path) => fileURLToPath(new URL(path, root)))
  inspect(`mcpwire dev --stdio, ${era}`, [process.execPath, dev[0], 'dev', dev[1], '--stdio'], era, DEV_CALLS)
  const conformance = fileURLToPath(new URL('build/conformance/server.js', root))
  await withServer([conformance], (url) => inspect(`HTTP, conformance, ${era}`, [url], era, CONFORMANCE_CALLS))
}
console.log(failures === 0 ? '\nThe Inspector understands us.' : `\n${failures} calls failed.`)
process.exitCode = failures === 0 ? 0 : 1

function installInspector() {
  if (existsSync(node) && existsSync(inspector)) return
  console.log(`Installing the MCP Inspector ${INSPECTOR} and Node ${NODE}…`)
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const packages = [`${nodePackage}@${NODE}`, `@modelcontextprotocol/inspector@${INSPECTOR}`]
  const windows = process.platform === 'win32'
  spawnSync(windows ? 'npm.cmd' : 'npm', ['install', '--prefix', folder, ...flags, ...packages], {
    stdio: 'inherit',
    timeout: INSTALL_LIMIT_MS,
    shell: windows,
  })
  if (existsSync(node) && existsSync(inspector)) return
  console.error('It could not be installed.')
  process.exit(1)
}

function inspect(title, target, era, calls) {
  console.log(`\n— ${title}`)
  for (const [args, expected] of calls) {
    const { status, stdout, stderr } = callInspector([...target, '--protocol-era', era, ...args])
    const isFine = status === 0 && stdout.includes(expected)
    if (!isFine) failures++
    console.log(`${isFine ? 'ok    ' : 'FAILED'} ${args.slice(1).join(' ')}`)
    if (!isFine) console.log(`       exit ${status}: ${`${stdout}\n${stderr}`.trim().slice(0, 1_000)}`)
  }
}

function callInspector(args) {
  // What it keeps stays in our folder, away from what the user may have.
  const home = { HOME: folder, USERPROFILE: folder }
  return spawnSync(node, [inspector, '--cli', ...args], {
    encoding: 'utf8',
    timeout: CALL_LIMIT_MS,
    env: { ...process.env, ...home },
  })
}

/** Runs one of our servers on a port of the system's choice while `use` works with its URL. */
async function withServer(args, use) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const url = await Promise.race([
      new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
      ended.then((code) => Promise.reject(new Error(`the server ended with code ${code}`))),
    ])
    use(url)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
