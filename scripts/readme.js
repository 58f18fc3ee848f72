// node scripts/readme.js: does what README.md says, in an empty folder, with the packed package. Everything must work as it stands there.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './lib/run.js'
import { findBlocks } from './lib/snippets.js'

/** Where README says to save its programs. */
const NAMES = {
  'docs/examples/start/server.ts': 'server.ts',
  'docs/examples/start/http.ts': 'http.js',
  'docs/examples/start/client.ts': 'client.js',
  'docs/examples/test/in-process.test.ts': 'calculator.test.ts',
}

const folder = mkdtempSync(join(tmpdir(), 'mcpwire-readme-'))
const started = performance.now()
const port = await freePort()
const home = join(folder, 'node_modules/mcpwire')
const bin = join(home, 'dist/cli/mcpwire.js')
const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, '.config'), APPDATA: folder, NO_COLOR: '1' }

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** The package as it would be published, and beside it what `npm install` would bring. */
function install() {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const options = {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  }
  const listing = JSON.parse(
    execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], options),
  )
  const [{ filename }] = Array.isArray(listing) ? listing : Object.values(listing)
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['xzf', join(folder, filename), '-C', home, '--strip-components=1'])
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), 'zod', 'vitest']) {
    const place = join(folder, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(fileURLToPath(new URL(`node_modules/${name}`, root)), place, 'junction')
  }
}

const words = (command) =>
  command
    .replace(/^npx mcpwire/, '')
    .trim()
    .split(/\s+/)

function mcpwire(command) {
  return execFileSync(process.execPath, [bin, ...words(command)], { cwd: folder, env, encoding: 'utf8' })
}

function check(what, got, expected) {
  if (got.trim() !== expected.trim())
    throw new Error(`${what} printed ${JSON.stringify(got)}, and README says ${JSON.stringify(expected)}`)
  console.log(`  ${what}`)
}

/** Commands with a prompt, each with what README says it prints. */
function commandsIn(code) {
  return code
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command, ...printed] = text.split('\n')
      return { command, printed: printed.join('\n') }
    })
}

let http
try {
  install()
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const blocks = findBlocks(readFileSync(new URL('README.md', root), 'utf8'))
  for (const { file, code } of blocks) {
    if (file in NAMES) writeFileSync(join(folder, NAMES[file]), code.replaceAll('3000', String(port)))
  }
  for (const { language, code } of blocks) {
    if (language === 'console') {
      for (const { command, printed } of commandsIn(code)) check(command, mcpwire(command), printed)
    }
    if (language === 'sh' && code.includes('mcpwire install ')) {
      mcpwire(code)
      console.log(`  ${code.trim()}`)
    }
  }
  http = spawn(process.execPath, ['http.js'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise((resolve, reject) => {
    let text = ''
    http.stderr.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('/mcp')) resolve()
    })
    http.once('exit', () => reject(new Error(`node http.js ended: ${text}`)))
  })
  const printed = execFileSync(process.execPath, ['client.js'], { cwd: folder, env, encoding: 'utf8' })
  check('node client.js', printed, '{ result: 3 }')
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
  execFileSync(process.execPath, [vitest, 'run', '--root', folder], { cwd: folder, env, encoding: 'utf8' })
  console.log('  npx vitest run')
  console.log(
    `README works on Node ${process.versions.node}, in ${((performance.now() - started) / 1000).toFixed(0)} s`,
  )
} finally {
  http?.kill()
  rmSync(folder, { recursive: true, force: true })
}
