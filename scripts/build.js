// Builds dist/: each entry point bundled with shared chunks, readable as it is, once for Node and once for everywhere else; types from tsc.
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createList } from '../site/llms.js'
import { readNavigation } from '../site/nav.js'
import { buildInspector } from './lib/build-inspector.js'
import { buildCommandLine } from './lib/command-line.js'
import { referDisposables, removeUnreachable } from './lib/declarations.js'
import { ensureInstalled } from './lib/install.js'
import { writeLicences } from './lib/licences.js'
import { mergeChunks } from './lib/merge-chunks.js'
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
]

/** The two sides of `#platform`. The conditions in package.json choose between them, so that no entry point has to find out at run time. */
const sides = [
  {
    folder: 'node',
    platform: 'src/node/platform.ts',
    entryNames,
    plan: {
      start: ['src/exports/index.ts'],
      precise: {
        client: [
          'src/exports/types.ts',
          'src/exports/schema.ts',
          'src/exports/client.ts',
          'src/client/opening/open-client.ts',
        ],
      },
      // What a program loads once it needs it, each in one go.
      parts: [
        'src/client/opening/open-client.ts',
        'src/client/subscriptions/listen.ts',
        'src/server/in-process.ts',
        'src/node/stdio/stdio-client.ts',
        'src/server/state/sealing.ts',
      ],
      apart: ['src/exports/server.ts'],
      common: COMMON,
    },
  },
  {
    folder: 'web',
    platform: 'src/primitives/platform-web.ts',
    entryNames: entryNames.filter((name) => !NODE_ONLY.includes(name)),
    plan: {
      start: ['src/exports/index.ts'],
      precise: {
        base: ['src/exports/types.ts'],
        client: ['src/exports/client.ts', 'src/exports/schema.ts', 'src/client/opening/open-client.ts'],
      },
      parts: [
        'src/client/opening/open-client.ts',
        'src/client/subscriptions/listen.ts',
        'src/server/in-process.ts',
        'src/server/state/sealing.ts',
      ],
      apart: ['src/exports/server.ts'],
      common: COMMON,
    },
  },
]

for (const { folder, platform, entryNames, plan } of sides) {
  const bundle = {
    absWorkingDir: fileURLToPath(root),
    entryPoints: entryNames.map((name) => ({ in: `src/exports/${name}.ts`, out: name })),
    outdir: `dist/${folder}`,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: ['node20.19', 'es2022'],
    alias: { '#platform': `./${platform}` },
    external: ['node:*', 'cross-spawn', 'jose', 'oauth4webapi', 'ioredis', '@nats-io/transport-node', 'oidc-provider'],
    // Nothing is minified: Node prints the line above every uncaught error, and what is shipped can be read as it is.
    metafile: true,
    logLevel: 'warning',
  }
  const { metafile } = await build(bundle)
  await mergeChunks(build, bundle, metafile, plan)
  writeLicences(metafile, `dist/${folder}/licences.txt`)
}

await buildCommandLine(build)

await buildInspector(build)

// The fixtures of the conformance suite are programs like any user's: they import the package by its name.
await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['conformance/server.ts', 'conformance/client.ts'],
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
