// Builds dist/: each entry point bundled with shared chunks, readable as it is, the same files for every runtime; types from tsc.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createList } from '../site/llms.js'
import { readNavigation } from '../site/nav.js'
import { buildInspector } from './lib/build-inspector.js'
import { withoutClassComments } from './lib/class-comments.js'
import { buildCommandLine } from './lib/command-line.js'
import { referDisposables, removeUnreachable } from './lib/declarations.js'
import { furtherNames } from './lib/further.js'
import { ensureInstalled } from './lib/install.js'
import { writeLicences } from './lib/licences.js'
import { mergeChunks } from './lib/merge-chunks.js'
import { mergeImports } from './lib/merge-imports.js'
import { keepOneCopy } from './lib/one-copy.js'
import { markPureValues } from './lib/pure-values.js'
import { root, run } from './lib/run.js'
import { indentByTabs } from './lib/tab-indents.js'

ensureInstalled()
const { build, transform } = await import('esbuild')

rmSync(new URL('dist', root), { recursive: true, force: true })

const entryNames = readdirSync(new URL('src/exports', root), { recursive: true })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace('.ts', '').replaceAll('\\', '/'))
/** Entry points that are for Node alone. */
const NODE_ONLY = ['auth/dev', 'nats', 'node', 'postgres', 'redis', 'sqlite', 'stdio-guard']

/** Small files that entry points share with large parts, and would otherwise load the part for. */
const COMMON = [
  'src/backend/backend-error.ts',
  'src/client/session/internals.ts',
  'src/dispatcher/wire-tap.ts',
  'src/server/internals.ts',
  'src/server/kept-trace.ts',
  'src/http/principal.ts',
  'src/primitives/byte-tools.ts',
]

/** What stands below the rest: it is loaded with the platform, or with the types alone. */
const BASE = ['src/exports/types.ts', 'src/node/platform.ts', 'src/primitives/platform-web.ts']
/** What a server loads once it runs, and once it runs over stdio. */
const RUNNING = ['src/server/running-parts.ts', 'src/mcpserver/calling-parts.ts', 'src/node/stdio/stream-channel.ts']
/** All of the client, with what it loads later. */
const CLIENT = ['src/exports/client.ts', 'src/client/opening/open-client.ts', 'src/further/client.ts']

/**
 * What `#platform` is called in the package: a name that no `paths` of a compiler has, since tools such as tsx follow these for every
 * file. The conditions under "imports" in package.json choose one of its two sides, and everything else is one build.
 */
const SHIPPED_PLATFORM = '#mcpwire/platform'
const SIDES = [
  { in: 'src/node/platform.ts', out: 'platform/node' },
  { in: 'src/primitives/platform-web.ts', out: 'platform/web' },
]

/** Names of entry points that most programs do not use. */
const FURTHER = ['client', 'server'].map((name) => ({ in: `src/further/${name}.ts`, out: `further/${name}` }))

const bundle = {
  absWorkingDir: fileURLToPath(root),
  entryPoints: [...entryNames.map((name) => ({ in: `src/exports/${name}.ts`, out: name })), ...FURTHER, ...SIDES],
  outdir: 'dist/lib',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  target: ['node20.19', 'es2022'],
  external: [
    SHIPPED_PLATFORM,
    'node:*',
    'cross-spawn',
    'jose',
    'oauth4webapi',
    'ioredis',
    '@nats-io/transport-node',
    'oidc-provider',
  ],
  // Nothing is minified: Node prints the line above every uncaught error, and what is shipped can be read as it is.
  metafile: true,
  logLevel: 'warning',
}
const renamePlatform = {
  name: 'rename-platform',
  setup: ({ onResolve }) => onResolve({ filter: /^#platform$/ }, () => ({ path: SHIPPED_PLATFORM, external: true })),
}
const { metafile } = await build({
  ...bundle,
  plugins: [furtherNames({ isApart: true }), renamePlatform, withoutClassComments],
})
await mergeChunks(build, bundle, metafile, {
  groups: [
    {
      name: 'main',
      start: ['src/exports/index.ts', 'src/node/platform.ts'],
      // What the platform loads stands below everything that imports it, so that no two files import each other.
      precise: { base: BASE, client: [...BASE, ...CLIENT], server: [...BASE, 'src/exports/server.ts'] },
      // Which HTTP servers share with whatever runs.
      also: { source: 'src/primitives/async/deadlines.ts', users: ['client', 'server'] },
    },
    {
      name: 'running',
      start: ['src/exports/types.ts', ...CLIENT],
      precise: { types: ['src/exports/types.ts'] },
      within: RUNNING,
    },
    ...RUNNING,
    {
      name: 'http',
      start: ['src/exports/server.ts', 'src/exports/node.ts'],
      precise: { server: ['src/exports/server.ts'], client: CLIENT },
    },
    {
      name: 'client',
      start: CLIENT,
      precise: {
        opened: ['src/client/opening/open-client.ts'],
        http: ['src/server/http/endpoint.ts', 'src/exports/auth.ts'],
      },
    },
    'src/node/platform.ts',
    {
      name: 'node',
      start: ['src/exports/node.ts'],
      precise: {},
      isOfNode: true,
      without: ['src/node/stdio/stdio-client.ts'],
    },
    {
      name: 'legacy',
      start: ['src/server/http/legacy/legacy.ts'],
      precise: { server: ['src/further/server.ts'] },
    },
  ],
  // What a program loads once it needs it, each in one go.
  parts: [
    'src/schema/engine.ts',
    'src/schema/pattern-danger.ts',
    'src/client/opening/open-client.ts',
    'src/client/subscriptions/listen.ts',
    'src/server/http/endpoint.ts',
    'src/server/in-process.ts',
    'src/server/http/legacy/legacy.ts',
    'src/server/http/legacy/sse.ts',
    'src/server/state/sealing.ts',
    'src/node/stdio/stdio-client.ts',
    'src/node/stdio/running-child.ts',
  ],
  common: COMMON,
  withPlatform: {
    file: 'src/node/platform.ts',
    sources: ['src/node/runtime/builtins.ts', 'src/node/stdio/byte-tools.ts'],
  },
  ofNode: [...NODE_ONLY.map((name) => `src/exports/${name}.ts`), 'src/node/platform.ts'],
})
markPureValues(fileURLToPath(new URL('dist/lib/chunks', root)))
keepOneCopy(fileURLToPath(new URL('dist/lib', root)))
writeLicences(metafile, 'dist/lib/licences.txt')

await buildCommandLine(build, transform)
const folderOf = (path) => fileURLToPath(new URL(path, root))
for (const folder of ['dist/lib', 'dist/cli']) mergeImports(folderOf(folder))
indentByTabs(folderOf('dist/lib'), { ending: '.js', width: 2 })
indentByTabs(folderOf('dist/cli'), { ending: '.js', width: 2, isDeep: false })

await buildInspector(build)

// The fixtures of the conformance suite are programs like any user's: they import the package by its name.
await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['conformance/server.ts', 'conformance/client.ts', 'conformance/proxy.ts'],
  outdir: 'build/conformance',
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
})

run('types', 'tsc', ['-p', 'tsconfig.build.json'])
run('types of what needs Node', 'tsc', ['-p', 'tsconfig.build-node.json'])

const types = fileURLToPath(new URL('dist/types', root))
removeUnreachable(types, fileURLToPath(new URL('dist/types/src/exports', root)))
referDisposables(types)
indentByTabs(types, { ending: '.d.ts', width: 4 })
writeFileSync(new URL('docs/llms.txt', root), createList(readNavigation()))
console.log(`\nBuilt ${entryNames.length} entry points into dist/`)
