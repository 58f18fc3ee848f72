// Uses the packed package as a stranger would: unpacked into node_modules, imported, required, and type-checked strictly.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findCompilers } from './lib/compilers.js'
import { root } from './lib/run.js'

const program = `
import { Client, MCPError, type Tool } from 'mcpwire'
import { oauth } from 'mcpwire/auth'
import { streamableHttp } from 'mcpwire/client'
import { type AppHost, mountView, type View } from 'mcpwire/extensions/apps'
import { Server } from 'mcpwire/server'
import { connect } from 'mcpwire/testing'
import { createMemoryChannelPair } from 'mcpwire/dispatcher'
import { compileSchema } from 'mcpwire/schema'
import { isCallToolResult, LATEST_PROTOCOL_VERSION } from 'mcpwire/types'

const tools: Tool[] = [{ name: 'add', inputSchema: { type: 'object' } }]
const server = new Server('s', {
  handlers: {
    'tools/list': () => ({ tools }),
    'tools/call': (_ctx, params) => ({ content: [{ type: 'text', text: params.name }] }),
  },
})
const client: Client = await Client.connect(server)
const result = await client.callTool('add')
const { kind } = streamableHttp('https://example.com/mcp', { auth: oauth() })
const other = await connect(server, { mode: 'legacy' })
await Promise.all([client.close(), other.close()])
const facts = [isCallToolResult(result), new MCPError(1, 'x').code, createMemoryChannelPair().length]
export function show(view: View): AppHost {
  const frame = document.body.appendChild(document.createElement('iframe'))
  return mountView(frame, { view, sandboxUrl: 'https://sandbox.example.com', self: window })
}
console.log(JSON.stringify([kind, ...facts, compileSchema({ type: 'string' }).check(''), LATEST_PROTOCOL_VERSION]))
`
const expected = JSON.stringify(['streamable-http', true, 1, 2, true, '2026-07-28'])

const server = `
import { MCPServer } from 'mcpwire'
export const server = new MCPServer('s')
server.tool('hello', {}, () => 'hello')
`

/** What the programs of test/types/consumer bring along beside ours. */
const SCHEMA_LIBRARIES = ['zod', 'valibot', '@valibot/to-json-schema', 'arktype', 'typebox']

/** What programs in docs/examples bring along. */
const DOCUMENTED = [
  '@types/node',
  '@hono/node-server',
  'bullmq',
  'fastify',
  'hono',
  'ioredis',
  'undici-types',
  'vitest',
  '@opentelemetry/api',
]

/**
 * Programs for packages without types here (Express), for the globals of other runtimes, and those of other SDKs. `npm run telemetry`
 * checks that for a collector.
 */
const UNCHECKED = /^(?:mount-express|run\/(?:bun|collector|deno)|migrate\/.*-before)\.ts$/

const folder = mkdtempSync(join(tmpdir(), 'mcpwire-consumer-'))
const node = (...args) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim()
try {
  const home = join(folder, 'node_modules', 'mcpwire')
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['xzf', process.argv[2], '-C', home, '--strip-components=1'])
  const { bin, dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) link(name)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'program.ts'), program)
  // No library beyond the language and the console, and ours is checked too.
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    outDir: 'out',
  }
  const compilers = findCompilers()
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  for (const { path } of compilers) compile(path, 'tsconfig.json')
  assertPrints(node(join('out', 'program.js')))
  writeFileSync(
    join(folder, 'required.cjs'),
    "const { LATEST_PROTOCOL_VERSION } = require('mcpwire/types')\nconst { Client } = require('mcpwire')\n" +
      "if (typeof Client !== 'function' || LATEST_PROTOCOL_VERSION !== '2026-07-28') process.exit(1)",
  )
  node('--no-warnings', 'required.cjs')
  // With nothing beside it but what a user gets.
  writeFileSync(join(folder, 'server.js'), server)
  const said = node('--no-warnings', join(home, bin.mcpwire), 'inspect', 'server.js', '--call', 'hello')
  if (said !== 'hello') throw new Error(`expected hello, got ${said}`)
  console.log('  compiles without skipLibCheck, runs, can be required, and has a command line')
  // What users write with schemas, which libraries that need a newer compiler than ours must not spoil.
  for (const name of SCHEMA_LIBRARIES) link(name)
  const programs = fileURLToPath(new URL('test/types/consumer', root))
  cpSync(programs, folder, { recursive: true })
  const withSchemas = {
    ...compilerOptions,
    lib: ['ES2023', 'DOM', 'ESNext.Disposable'],
    skipLibCheck: true,
    noEmit: true,
  }
  writeFileSync(
    join(folder, 'schemas.json'),
    JSON.stringify({ compilerOptions: withSchemas, files: readdirSync(programs) }),
  )
  for (const { path } of compilers) compile(path, 'schemas.json')
  // The programs of the first pages, with every compiler; all others with ours.
  const pages = join(folder, 'docs')
  cpSync(fileURLToPath(new URL('docs/examples', root)), pages, { recursive: true })
  for (const name of DOCUMENTED) link(name)
  const isFirst = (file) => /^(?:start|servers|clients)\//.test(file) && !/schemas\.ts$/.test(file)
  const programsOnPages = readdirSync(pages, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /(?<!\.d)\.ts$/.test(file) && !UNCHECKED.test(file))
  const onPages = { ...withSchemas, lib: ['ES2023', 'DOM', 'DOM.AsyncIterable', 'ESNext.Disposable'], types: ['node'] }
  const filesOnPages = (fits) => programsOnPages.filter(fits).map((file) => `docs/${file}`)
  writeFileSync(
    join(folder, 'first-pages.json'),
    JSON.stringify({ compilerOptions: onPages, files: filesOnPages(isFirst) }),
  )
  for (const { path } of compilers) compile(path, 'first-pages.json')
  writeFileSync(
    join(folder, 'pages.json'),
    JSON.stringify({ compilerOptions: onPages, files: filesOnPages(() => true) }),
  )
  compile(fileURLToPath(new URL('node_modules/typescript/bin/tsc', root)), 'pages.json')
  console.log(`  ${programsOnPages.length} programs of the documentation compile against it`)
  console.log(`  compiled by TypeScript ${compilers.map(({ version }) => version).join(', ')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function link(name) {
  const place = join(folder, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(fileURLToPath(new URL(`node_modules/${name}`, root)), place, 'junction')
}

function compile(compiler, project) {
  execFileSync(process.execPath, [compiler, '-p', join(folder, project)], { stdio: 'inherit' })
}

function assertPrints(output) {
  if (output !== expected) throw new Error(`expected ${expected}, got ${output}`)
}
