// What a program is made of: the modules that its bundle loads at the start, by size, and who imports each. From the sources, without
// the chunks of dist: `node scripts/weigh.js server`, or `client`, `stdio`, `low-level`, `index`, `node`; `--folders` sums them up, and
// `--first-call` adds what the first call of an ordinary peer loads.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { furtherNames } from './lib/further.js'
import { root } from './lib/run.js'

const SERVER = "const server = new MCPServer('s'); server.tool('hello', {}, () => 'hello')"

const PROGRAMS = {
  server: [
    'browser',
    `import { createHandler, MCPServer, toFetch } from 'mcpwire/server'
     ${SERVER}; export default { fetch: toFetch(createHandler(server)) }`,
  ],
  'low-level': [
    'browser',
    `import { createHandler, Server, toFetch } from 'mcpwire/server'
     export default { fetch: toFetch(createHandler(new Server('s', { handlers: {} }))) }`,
  ],
  client: [
    'browser',
    "import { Client } from 'mcpwire/client'; export const client = await Client.connect('http://localhost/mcp')",
  ],
  stdio: ['node', `import { MCPServer } from 'mcpwire'; ${SERVER}; await server.run()`],
  index: ['node', "import * as all from 'mcpwire'; globalThis.all = all"],
  node: ['node', "import * as all from 'mcpwire/node'; globalThis.all = all"],
}

const FIRST_CALL =
  /\/(?:running-parts|calling-parts|http\/endpoint|http\/web-exchange|opening\/open-client|transports\/streamable-http|stream-channel)\.ts$/

const [name = 'server', ...flags] = process.argv.slice(2)
const program = PROGRAMS[name]
if (program === undefined) throw new Error(`Name one of ${Object.keys(PROGRAMS).join(', ')}.`)
const [platform, contents] = program

const path = (file) => fileURLToPath(new URL(file, root))
const sources = {
  name: 'sources',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^mcpwire(?:\/|$)/ }, ({ path: from }) => {
      return { path: path(`src/exports/${from === 'mcpwire' ? 'index' : from.slice('mcpwire/'.length)}.ts`) }
    })
    onResolve({ filter: /^#platform$/ }, () => {
      return { path: path(platform === 'node' ? 'src/node/platform.ts' : 'src/primitives/platform-web.ts') }
    })
    // As package.json says of what is shipped.
    onResolve({ filter: /^\.\.?\// }, async ({ path: from, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === 'asked') return undefined
      const found = await resolve(from, { importer, resolveDir, kind, pluginData: 'asked' })
      return { ...found, sideEffects: false }
    })
  },
}

const { metafile, outputFiles } = await build({
  absWorkingDir: fileURLToPath(root),
  stdin: { contents, resolveDir: fileURLToPath(root), sourcefile: 'program.js' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform,
  target: 'es2022',
  outdir: 'out',
  external: ['node:*', 'cross-spawn', 'jose', 'oauth4webapi', 'ioredis'],
  plugins: [furtherNames({ isApart: false }), sources],
  metafile: true,
  write: false,
})

const entry = Object.keys(metafile.outputs).find((file) => 'program.js' in metafile.outputs[file].inputs)
const loaded = new Set()
const visit = (file) => {
  if (loaded.has(file) || metafile.outputs[file] === undefined) return
  loaded.add(file)
  for (const { path: next, kind } of metafile.outputs[file].imports) {
    const isOfFirstCall = FIRST_CALL.test(metafile.outputs[next]?.entryPoint ?? '')
    if (kind === 'import-statement' || (isOfFirstCall && flags.includes('--first-call'))) visit(next)
  }
}
visit(entry)

const sizes = new Map()
for (const file of loaded) {
  for (const [source, { bytesInOutput }] of Object.entries(metafile.outputs[file].inputs)) {
    const key = flags.includes('--folders') ? source.slice(0, source.lastIndexOf('/')) : source
    sizes.set(key, (sizes.get(key) ?? 0) + bytesInOutput)
  }
}
const importers = new Map()
for (const [source, { imports }] of Object.entries(metafile.inputs)) {
  for (const { path: target, kind } of imports) {
    if (kind === 'import-statement' && sizes.has(source))
      importers.set(target, [...(importers.get(target) ?? []), source])
  }
}
for (const [source, bytes] of [...sizes].sort(([, a], [, b]) => b - a)) {
  if (bytes > 0)
    console.log(`${String(bytes).padStart(7)}  ${source}  ${(importers.get(source) ?? []).slice(0, 6).join(' ')}`)
}
const total = (files) => {
  const bytes = Buffer.concat(files.map((file) => file.contents))
  return `${bytes.length} bytes minified, ${gzipSync(bytes, { level: 9 }).length} gzip`
}
const atStart = outputFiles.filter((file) => [...loaded].some((chunk) => file.path.endsWith(chunk)))
console.log(
  `\n${name}: ${total(atStart)} ${flags.includes('--first-call') ? 'after the first call' : 'at the start'}; ${total(outputFiles)} in all`,
)
