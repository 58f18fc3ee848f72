// Builds dist/: each entry point bundled with shared chunks, readable as it is, the same files for every runtime; types from tsc.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createList } from '../site/llms.js'
import { readNavigation } from '../site/nav.js'
import { buildInspector } from './lib/build-inspector.js'
import { withoutClassComments } from './lib/class-comments.js'
import { buildCommandLine } from './lib/command-line.js'
import { referDisposables, removeUnreachable } from './lib/declarations.js'
import { ensureInstalled } from './lib/install.js'
import { writeLicences } from './lib/licences.js'
import { mergeChunks } from './lib/merge-chunks.js'
import { keepOneCopy } from './lib/one-copy.js'
import { root, run } from './lib/run.js'

ensureInstalled()
const { build } = await import('esbuild')

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
]

/**
 * What `#platform` is called in the package: a name that no `paths` of a compiler has, since tools such as tsx follow these for every
 * file. The conditions under "imports" in package.json choose one of its two sides, and everything else is one build.
 */
const SHIPPED_PLATFORM = '#mcpwire/platform'
const SIDES = [
  { in: 'src/node/platform.ts', out: 'platform/node' },
  { in: 'src/primitives/platform-web.ts', out: 'platform/web' },
]

const bundle = {
  absWorkingDir: fileURLToPath(root),
  entryPoints: [...entryNames.map((name) => ({ in: `src/exports/${name}.ts`, out: name })), ...SIDES],
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
const { metafile } = await build({ ...bundle, plugins: [renamePlatform, withoutClassComments] })
await mergeChunks(build, bundle, metafile, {
  groups: [
    {
      name: 'main',
      start: ['src/exports/index.ts', 'src/node/platform.ts'],
      precise: {
        // What the platform loads stands below everything that imports it, so that no two files import each other.
        base: ['src/exports/types.ts', 'src/node/platform.ts', 'src/primitives/platform-web.ts'],
        client: ['src/exports/client.ts', 'src/exports/schema.ts', 'src/client/opening/open-client.ts'],
      },
    },
    {
      name: 'http',
      start: ['src/exports/server.ts', 'src/exports/node.ts'],
      precise: {
        client: ['src/exports/client.ts'],
        server: ['src/exports/server.ts'],
        node: ['src/exports/node.ts'],
      },
    },
    {
      name: 'client',
      start: ['src/exports/client.ts'],
      precise: { auth: ['src/exports/auth.ts'] },
    },
  ],
  // What a program loads once it needs it, each in one go.
  parts: [
    'src/schema/engine.ts',
    'src/schema/pattern-danger.ts',
    'src/client/opening/open-client.ts',
    'src/client/subscriptions/listen.ts',
    'src/server/in-process.ts',
    'src/server/state/sealing.ts',
    'src/node/platform.ts',
    'src/node/stdio/stdio-client.ts',
  ],
  common: COMMON,
  ofNode: [...NODE_ONLY.map((name) => `src/exports/${name}.ts`), 'src/node/platform.ts'],
})
keepOneCopy(fileURLToPath(new URL('dist/lib', root)))
writeLicences(metafile, 'dist/lib/licences.txt')

await buildCommandLine(build)

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
writeFileSync(new URL('docs/llms.txt', root), createList(readNavigation()))
console.log(`\nBuilt ${entryNames.length} entry points into dist/`)
