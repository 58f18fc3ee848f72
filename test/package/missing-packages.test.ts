// A project that installed mcpwire alone: what needs a further package says which, and its page is about that.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNode } from '../support/child.ts'

const root = new URL('../../', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'mcpwire-missing-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROGRAM = `
import { fileURLToPath } from 'node:url'
import { devAuthorizationServer } from 'mcpwire/auth/dev'
import { nats } from 'mcpwire/nats'
import { postgres } from 'mcpwire/postgres'
import { redis } from 'mcpwire/redis'
import { sqlite } from 'mcpwire/sqlite'
import { MCPServer } from 'mcpwire/server'
import { codeMode } from 'mcpwire/transforms'

const scripted = new MCPServer('scripted')
scripted.tool('add', () => 3)
const opened = async (backend) => {
  await backend.open()
  await backend.close()
}
const uses = {
  'oidc-provider': () => devAuthorizationServer(),
  'quickjs-emscripten-core': async () => {
    scripted.transform(codeMode())
    await scripted.callTool('run_code', { code: 'return 1' })
  },
  ioredis: () => opened(redis('redis://127.0.0.1:9')),
  pg: () => opened(postgres('postgres://127.0.0.1:9/x')),
  '@nats-io/transport-node': () => opened(nats('nats://127.0.0.1:9')),
  libsql: () => opened(sqlite(fileURLToPath(new URL('x.db', import.meta.url)))),
}
for (const [name, use] of Object.entries(uses)) {
  let failed
  await Promise.resolve().then(use).catch((error) => (failed = error))
  console.log(JSON.stringify({ name, message: failed?.message, help: failed?.help }))
}
process.exit()
`

interface Report {
  name: string
  message?: string
  help?: string
}

let reports: Report[] = []

beforeAll(async () => {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'mcpwire'), { recursive: true })
  // Copied, so that nothing finds what is installed here for tests.
  for (const part of ['package.json', 'dist/lib']) {
    cpSync(new URL(part, root), join(modules, 'mcpwire', part), { recursive: true })
  }
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(fileURLToPath(new URL(`node_modules/${name}`, root)), join(modules, name), 'junction')
  }
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  const { output, ended } = startNode(['--no-warnings', join(folder, 'program.mjs')])
  await ended
  reports = output.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  expect(reports, output.stderr).toHaveLength(6)
}, 60_000)

const hasSQLite = process.getBuiltinModule('node:sqlite') !== undefined

it.each([
  'oidc-provider',
  'quickjs-emscripten-core',
  'ioredis',
  'pg',
  '@nats-io/transport-node',
  ...(hasSQLite ? [] : ['libsql']),
])('without %s the message names it, and the page is about packages that are missing', (name) => {
  const report = reports.find((found) => found.name === name)
  expect(report?.message).toContain(name)
  expect(report?.message).toMatch(/\b[Rr]un:? npm install /)
  expect(report?.help).toBe('mcpwire/docs/errors/package-missing.md')
})
