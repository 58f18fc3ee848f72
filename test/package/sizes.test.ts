// What the package costs its users, as ceilings: bundles, imports, and the package itself. A change that exceeds one either
// shrinks again or raises the figure here, where a reviewer sees it.
import { afterAll, describe, expect, it } from 'vitest'
import {
  bundleSize,
  dependenciesSize,
  importTimeRatio,
  initialSize,
  loadedFiles,
  modulesLoadedBy,
  type Platform,
  packedSize,
} from './measure-sizes.ts'

/** How much more than the figure below is accepted. */
const MARGIN = 1.02

const SERVER = "const server = new MCPServer('s'); server.tool('hello', {}, () => 'hello')"
const LOW_LEVEL = `import { Server, createHandler, toFetch } from 'mcpwire/server'
  export default { fetch: toFetch(createHandler(new Server('s', { handlers: {} }))) }`
const CALL = "console.log(await client.callTool('hello'))"

/** What a server and a client without a backend never load, and a server that mounts nothing. */
const WITH_BACKEND =
  /\/(?:create-composite|backend-state|backend-store|membership|shared-endpoint|shared-changes|session-values|spread|sse-relay)-\w+\.js$/

/** What only nodes need, by its source. */
const FOR_BACKENDS = /^src\/(?:backend|server\/cluster)\/|\/(?:shared-values|states-on-backend|readiness)\.ts$/
/**
 * What a server without a backend has loaded of it after its first call, minified. The goal for all that backends add is 3,000 after gzip:
 * with the lines in other modules it was 520 at the start and 1,315 after the first call, against sources from which all of it was removed.
 */
const MAX_FOR_NO_BACKEND = 1_300

/** Typical programs, with their size in bytes: minified by esbuild, then by gzip. None of them has a backend. */
const BUNDLES: readonly [name: string, platform: Platform, gzipped: number, program: string][] = [
  ['server over stdio', 'node', 166_500, `import { MCPServer } from 'mcpwire'; ${SERVER}; await server.run()`],
  [
    'server over fetch',
    'browser',
    140_200,
    `import { MCPServer, createHandler, toFetch } from 'mcpwire/server'; ${SERVER}
     export default { fetch: toFetch(createHandler(server)) }`,
  ],
  ['low-level server over fetch', 'browser', 95_400, LOW_LEVEL],
  [
    'client of a URL',
    'browser',
    96_200,
    `import { Client } from 'mcpwire/client'; const client = await Client.connect('http://localhost/mcp'); ${CALL}`,
  ],
  [
    'client of a command',
    'node',
    147_400,
    `import { Client } from 'mcpwire'; const client = await Client.connect({ command: 'x' }); ${CALL}`,
  ],
  [
    'client and server',
    'node',
    210_800,
    `import { Client, MCPServer } from 'mcpwire'; ${SERVER}; const client = await Client.connect(server); ${CALL}`,
  ],
  [
    'type guards',
    'browser',
    9_500,
    "import { isCallToolResult } from 'mcpwire/types'; console.log(isCallToolResult({}))",
  ],
  [
    'schemas',
    'browser',
    23_800,
    "import { compileSchema } from 'mcpwire/schema'; console.log(compileSchema({}).check(1))",
  ],
  [
    'dispatcher',
    'browser',
    14_100,
    `import { JSONRPCDispatcher, createMemoryChannelPair } from 'mcpwire/dispatcher'
     console.log(new JSONRPCDispatcher(createMemoryChannelPair()[0]))`,
  ],
  ['OAuth client', 'browser', 19_800, "import { oauth } from 'mcpwire/auth'; console.log(oauth())"],
  ['telemetry', 'browser', 9_100, "import { traceServer } from 'mcpwire/telemetry'; console.log(traceServer)"],
  ['tests', 'node', 148_400, "import { connect } from 'mcpwire/testing'; console.log(connect)"],
  ['HTTP server on Node', 'node', 55_000, "import { serveHttp } from 'mcpwire/node'; console.log(serveHttp)"],
]

/** What the typical programs load at their start, after gzip; the rest comes with what needs it. The goals are 55,000 and 40,000. */
const STARTS: readonly [name: string, gzipped: number][] = [
  ['server over stdio', 63_600],
  ['server over fetch', 59_400],
  ['low-level server over fetch', 42_500],
  ['client of a URL', 26_900],
]

/** The same with what the first call of an ordinary peer loads. */
const WITH_FIRST_CALL: readonly [name: string, gzipped: number, later: RegExp][] = [
  ['server over fetch', 134_500, /\/(?:running-parts|calling-parts|endpoint|web-exchange)-/],
  ['low-level server over fetch', 97_600, /\/(?:running-parts|endpoint|web-exchange)-/],
  ['client of a URL', 84_500, /\/(?:open-client|streamable-http)-/],
]

const CLIENT = `import { Client } from 'mcpwire/client'; const client = await Client.connect('http://localhost/mcp'); ${CALL}`
/** What a client without extensions and without a backend, that does not listen, never loads. */
const UNUSED_WITHOUT_EXTENSIONS =
  /\/(?:backend-store|claimed-calls|task-calls|open-extensions|listen|missing-capability|task-options)-/
/**
 * The size of that program before this package had extensions of its own (85,100), with what makes it send an answer again while the
 * server is away and reports faults of callbacks (1,200), a cache that can be shared (600), errors
 * that carry the page about them (700), raw messages for proxies (900), what loads parts later (400, and
 * 400 where a loader makes the package CommonJS), and
 * bodies of known length read in one piece (100), text that is passed on (100), errors that are shown as they came and find their page by their message (800), and what tells that a value fits a plain JSON Schema (1,400), and a last page whose cursor is null (100); and how much extensions may add where none is used.
 */
const CLIENT_BEFORE_EXTENSIONS = 91_900
const MAX_FOR_NO_EXTENSIONS = 1_000

/** What an import loads at once: the number of files, and their bytes, which Node has to parse. Names count: nothing is minified. */
const IMPORTS: readonly [entryPoint: string, platform: Platform, files: number, bytes: number][] = [
  ['index', 'node', 6, 352_500],
  ['types', 'node', 3, 90_500],
  ['client', 'node', 12, 497_500],
  ['server', 'node', 14, 659_500],
  ['node', 'node', 10, 430_000],
  ['schema', 'node', 6, 407_000],
  ['dispatcher', 'node', 11, 627_000],
  ['auth', 'node', 13, 396_000],
  ['telemetry', 'node', 9, 184_000],
  ['testing', 'node', 11, 631_000],
  ['stdio-guard', 'node', 3, 57_200],
  ['index', 'browser', 6, 339_000],
  ['client', 'browser', 12, 484_000],
  ['server', 'browser', 14, 646_000],
]

/** The CPU time of `import 'mcpwire'` is 1.4 times that of Node alone; measured, so the ceiling leaves room for a busy machine. */
const MAX_IMPORT_RATIO = 2.2
const IMPORT_TURNS = 6

/** What a client that is connected at 2026-07-28 does not load: the server half, and the tasks of revision 2025-11-25. */
const TASKS_ELSEWHERE = /\/(?:server-tasks|core-tasks|client-port)-\w+\.js$/
// The goal is 8,192. What is above it bounds what a server can make a client keep, and polls the tasks that a server does not report.
const MAX_CLIENT_TASKS = 8_700

// With the inspector, which is a program of its own, and a page for each error.
const PACKAGE = { files: 1_000, packed: 1_660_000, unpacked: 5_870_000 }
/** What no change may exceed: the tarball, and the package with what it depends on. */
const GOALS = { packed: 1_700_000, installed: 6_500_000 }

const table: string[] = []
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`

function note(name: string, ...figures: readonly string[]): void {
  table.push(`  ${name.padEnd(28)} ${figures.join(', ')}`)
}

afterAll(() => console.log(`Sizes of the package:\n${table.join('\n')}`))

describe('sizes of the package stay below their ceilings', () => {
  it.each(BUNDLES)('a program that is a bundle: %s', async (name, platform, ceiling, program) => {
    const { minified, gzipped } = await bundleSize(program, platform, WITH_BACKEND)
    note(name, `${kilobytes(minified)} minified`, `${kilobytes(gzipped)} gzip (at most ${kilobytes(ceiling * MARGIN)})`)
    expect(gzipped).toBeGreaterThan(1_000)
    expect(gzipped).toBeLessThanOrEqual(ceiling * MARGIN)
  })

  it.each(STARTS)('what a bundle loads at its start: %s', async (name, ceiling) => {
    const [, platform, , program] = BUNDLES.find(([other]) => other === name) ?? expect.fail(`no bundle ${name}`)
    const gzipped = await initialSize(program, platform)
    note(`start of ${name}`, `${kilobytes(gzipped)} gzip (at most ${kilobytes(ceiling * MARGIN)})`)
    expect(gzipped).toBeGreaterThan(1_000)
    expect(gzipped).toBeLessThanOrEqual(ceiling * MARGIN)
  })

  it.each(WITH_FIRST_CALL)('what a bundle has loaded after its first call: %s', async (name, ceiling, later) => {
    const [, platform, , program] = BUNDLES.find(([other]) => other === name) ?? expect.fail(`no bundle ${name}`)
    const gzipped = await initialSize(program, platform, later)
    note(`first call of ${name}`, `${kilobytes(gzipped)} gzip (at most ${kilobytes(ceiling * MARGIN)})`)
    expect(gzipped).toBeGreaterThan(await initialSize(program, platform))
    expect(gzipped).toBeLessThanOrEqual(ceiling * MARGIN)
  })

  it.each(['low-level', 'server'])('what a server without a backend loads for backends: %s', (program) => {
    const modules = [...modulesLoadedBy(program)].filter(([source]) => FOR_BACKENDS.test(source))
    const bytes = modules.reduce((sum, [, size]) => sum + size, 0)
    note(`${program}, for backends`, `${bytes} bytes minified (at most ${MAX_FOR_NO_BACKEND})`)
    expect(modules.map(([source]) => source)).toContain('src/server/cluster/joining.ts')
    expect(bytes).toBeLessThanOrEqual(MAX_FOR_NO_BACKEND)
  })

  it('a client without extensions, by what it loads', async () => {
    const { gzipped: whole } = await bundleSize(CLIENT, 'browser')
    const { gzipped } = await bundleSize(CLIENT, 'browser', UNUSED_WITHOUT_EXTENSIONS)
    const ceiling = CLIENT_BEFORE_EXTENSIONS + MAX_FOR_NO_EXTENSIONS
    note('client without extensions', `loads ${kilobytes(gzipped)} gzip (at most ${kilobytes(ceiling)})`)
    expect(gzipped).toBeLessThan(whole)
    expect(gzipped).toBeLessThanOrEqual(ceiling)
  })

  it('tasks in a client, with everything that it loads for them', async () => {
    const connect = "const client = await Client.connect('http://localhost/mcp'"
    const without = `import { Client } from 'mcpwire/client'; ${connect}); ${CALL}`
    const using = `import { tasks } from 'mcpwire/extensions/tasks'
      import { Client } from 'mcpwire/client'; ${connect}, { extensions: [tasks()] }); ${CALL}`
    const plain = await bundleSize(without, 'browser', TASKS_ELSEWHERE)
    const { gzipped } = await bundleSize(using, 'browser', TASKS_ELSEWHERE)
    const added = gzipped - plain.gzipped
    note('tasks in a client', `${added} bytes gzip (at most ${MAX_CLIENT_TASKS})`)
    expect(added).toBeGreaterThan(1_000)
    expect(added).toBeLessThanOrEqual(MAX_CLIENT_TASKS)
  })

  it.each(IMPORTS)('an import of %s on %s: files and bytes', async (entryPoint, platform, maxFiles, maxBytes) => {
    const { files, bytes } = await loadedFiles(`dist/lib/${entryPoint}.js`, platform)
    note(
      `${entryPoint}, ${platform}`,
      `${files} files (at most ${maxFiles})`,
      `${kilobytes(bytes)} (at most ${kilobytes(maxBytes * MARGIN)})`,
    )
    expect(bytes).toBeGreaterThan(1_000)
    expect(files).toBeLessThanOrEqual(maxFiles)
    expect(bytes).toBeLessThanOrEqual(maxBytes * MARGIN)
  })

  it('the CPU time of an import, as a ratio to bare Node', async () => {
    const ratio = await importTimeRatio('mcpwire', IMPORT_TURNS)
    note('import of mcpwire', `${ratio.toFixed(2)} times the CPU time of bare Node (at most ${MAX_IMPORT_RATIO})`)
    expect(ratio).toBeLessThan(MAX_IMPORT_RATIO)
  })

  it('the package as npm would publish it', async () => {
    const { files, packed, unpacked } = await packedSize()
    note('package', `${files} files`, `${kilobytes(packed)} packed`, `${kilobytes(unpacked)} unpacked`)
    expect(files).toBeLessThanOrEqual(PACKAGE.files)
    expect(packed).toBeLessThanOrEqual(PACKAGE.packed * MARGIN)
    expect(unpacked).toBeLessThanOrEqual(PACKAGE.unpacked * MARGIN)
    expect(packed).toBeLessThanOrEqual(GOALS.packed)
    const dependencies = dependenciesSize()
    note(
      'installation',
      `${kilobytes(unpacked + dependencies)} with dependencies (at most ${kilobytes(GOALS.installed)})`,
    )
    expect(dependencies).toBeGreaterThan(400_000)
    expect(unpacked + dependencies).toBeLessThanOrEqual(GOALS.installed)
  })
})
