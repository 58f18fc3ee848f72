// Checks the modules: who may import whom, the order of the folders inside each module, no cycles, packages only where they
// belong, and the sizes of files and folders.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Each module with the modules it may import. A folder that is not listed may not exist. */
export const modules = {
  // Bundled with the package, and able to stand alone: it imports nothing, and only `src/schema` imports it.
  'packages/json-schema/src': [],
  'src/types': ['src/primitives'],
  'src/primitives': [],
  'src/schema': ['packages/json-schema/src', 'src/primitives'],
  'src/http': ['src/types', 'src/primitives'],
  'src/dispatcher': ['src/types', 'src/primitives'],
  'src/wire': ['src/types', 'src/primitives'],
  // Shared state: knows no MCP word.
  'src/backend': ['src/primitives'],
  'src/client': ['src/types', 'src/primitives', 'src/schema', 'src/http', 'src/dispatcher', 'src/wire', 'src/backend'],
  'src/server': ['src/types', 'src/primitives', 'src/schema', 'src/http', 'src/dispatcher', 'src/wire', 'src/backend'],
  'src/auth': ['src/types', 'src/primitives', 'src/http', 'src/backend'],
  // An authorization server for development, on Node.
  'src/auth-dev': ['src/primitives'],
  // Several sources as one, and sources that change another. Knows no client.
  'src/compose': ['src/types', 'src/primitives', 'src/schema', 'src/http', 'src/dispatcher', 'src/wire', 'src/server'],
  'src/mcpserver': [
    'src/types',
    'src/primitives',
    'src/schema',
    'src/dispatcher',
    'src/wire',
    'src/server',
    'src/compose',
  ],
  // Servers from OpenAPI documents. Of auth it knows which addresses are private.
  'src/openapi': [
    'src/types',
    'src/primitives',
    'src/schema',
    'src/http',
    'src/auth',
    'src/wire',
    'src/server',
    'src/compose',
    'src/mcpserver',
  ],
  // One folder per extension, with both of its sides.
  'src/extensions': [
    'src/types',
    'src/primitives',
    'src/schema',
    'src/dispatcher',
    'src/wire',
    'src/backend',
    'src/client',
    'src/server',
    'src/mcpserver',
  ],
  // Stands in front of other servers: a client at the back, a server at the front.
  'src/proxy': [
    'src/types',
    'src/primitives',
    'src/schema',
    'src/http',
    'src/dispatcher',
    'src/wire',
    'src/backend',
    'src/auth',
    'src/client',
    'src/server',
    'src/compose',
    'src/mcpserver',
    'src/extensions',
  ],
  'src/telemetry': [
    'src/types',
    'src/primitives',
    'src/dispatcher',
    'src/wire',
    'src/backend',
    'src/client',
    'src/server',
  ],
  'src/testing': ['src/types', 'src/primitives', 'src/dispatcher', 'src/backend', 'src/client', 'src/server'],
  'src/node': ['src/types', 'src/primitives', 'src/http', 'src/auth', 'src/dispatcher', 'src/server'],
  // Engines, one module each: they know their client and nothing of MCP.
  'src/nats': ['src/primitives', 'src/backend'],
  'src/postgres': ['src/primitives', 'src/backend'],
  'src/redis': ['src/primitives', 'src/backend'],
  'src/sqlite': ['src/primitives', 'src/backend'],
  // A job system for tasks. It knows its queue by what it calls.
  'src/bullmq': ['src/primitives', 'src/backend'],
  // Names of entry points that most programs do not use.
  'src/further': ['*'],
  // The entry points: re-exports and nothing else. Nothing imports them.
  'src/exports': ['*'],
  // Types that both halves of the inspector share.
  'inspector/protocol': [],
  // Both use the package by its public names only. The page runs in a browser and knows nothing of the backend.
  'inspector/backend': ['inspector/protocol'],
  'inspector/page': ['inspector/protocol'],
  // A program that uses the package by its public names only.
  cli: ['inspector/backend'],
}

/**
 * The folders inside a module, from top to bottom: a file imports values from its own folder and from folders further down.
 * `.` is the module's own folder. Types may be imported in any direction.
 */
export const innerOrder = {
  'src/types': ['.', 'extensions', 'errors', 'features', 'protocol'],
  'src/primitives': ['uri-template', 'sealing', 'async', 'json', '.'],
  'packages/json-schema/src': ['.', 'keywords', 'formats', 'patterns', 'engine'],
  'src/wire': ['.', 'headers', 'shapes'],
  'src/backend': ['memory', 'sealed', 'engine', 'feed', '.'],
  'src/testing': ['.', 'backend-contract'],
  'src/client': ['group', '.', 'opening', 'cache', 'calls', 'session', 'subscriptions', 'extensions', 'transports'],
  'src/server': [
    'http',
    'http/modern',
    'http/legacy',
    'http/card',
    'http/answers',
    'http/log-streams',
    'http/streams',
    'http/guards',
    'middleware',
    'state',
    '.',
    'results',
    'extensions',
    'asking',
    'subscriptions',
    'cluster',
    'lifespan',
    'late',
    'reports',
  ],
  'src/auth': ['client', 'client/login', 'client/tokens', 'client/network', 'server', '.'],
  'src/compose': ['code-mode', 'transforms', 'composite', 'sources'],
  'src/proxy': ['.', 'gateway', 'front', 'sign-in', 'upstream', 'tasks', 'crossing', 'parked', 'pool', 'back', 'base'],
  'src/mcpserver': [
    '.',
    'mounting',
    'tools',
    'resources',
    'prompts',
    'lists',
    'handlers',
    'asking',
    'extensions',
    'values',
  ],
  'src/extensions': [
    'tasks',
    'tasks/core',
    'tasks/server',
    'tasks/server/runs',
    'tasks/server/values',
    'tasks/client',
    'tasks/options',
    'apps',
    'apps/server',
    'apps/host',
    'apps/rules',
    'skills',
    'skills/server',
    'skills/client',
    'skills/format',
  ],
  'src/openapi': ['.', 'call', 'operations', 'input', 'request', 'schemas', 'document', 'text'],
  'src/node': ['.', 'sandbox', 'http', 'stdio', 'process', 'files', 'runtime'],
  'src/nats': ['.', 'tasks', 'parts', 'engine', 'connection'],
  'src/postgres': ['.', 'tasks', 'parts', 'engine', 'schema'],
  'src/redis': ['.', 'connection', 'scripts'],
  // The folder of tasks uses what is beside it; `sqlite.ts` alone puts all parts together.
  'src/sqlite': ['.', 'tasks', 'parts', 'engine'],
  cli: [
    '.',
    'verbs',
    'verbs/shared',
    'completion',
    'doctor',
    'doctor/auth',
    'doctor/machine',
    'doctor/findings',
    'target',
    'values',
    'dev',
    'dev/http',
    'dev/child',
    'dev/relay',
    'serving',
    'install',
    'install/formats',
    'migrate',
    'migrate/rewrite',
    'migrate/source',
    'errors',
    'errors/catalogue',
    'typescript',
    'help',
    'init',
    'files',
    'terminal',
    'processes',
    'packages',
  ],
  'inspector/backend': ['.', 'work', 'connection', 'http', 'log'],
  'inspector/page': ['.', 'screens', 'form', 'parts', 'state'],
}

/** Packages, by the module that may import them. */
export const packages = {
  // Bundled, in a chunk of its own.
  'src/primitives': [/^js-yaml$/],
  'src/node': [/^node:/, /^cross-spawn$/],
  'src/auth': [/^oauth4webapi$/, /^jose$/],
  'src/auth-dev': [/^node:/, /^jose$/, /^oidc-provider$/],
  'src/redis': [/^node:/, /^ioredis$/],
  'src/sqlite': [/^node:/],
  'src/nats': [/^node:/, /^@nats-io\/transport-node$/],
  'src/postgres': [/^node:/],
  'inspector/backend': [/^node:/, /^mcpwire(?:\/[\w/]+)?$/],
  'inspector/page': [/^preact(?:\/hooks)?$/, /^@preact\/signals$/],
  cli: [
    /^node:/,
    /^mcpwire(?:\/\w+)*$/,
    /^commander$/,
    /^picocolors$/,
    /^jsonc-parser$/,
    /^add-mcp$/,
    // The two formats of config files that are not JSON, and a list to choose hosts from, each in a chunk of its own.
    /^smol-toml$/,
    /^js-yaml$/,
    /^@clack\/prompts$/,
    /^string-width$/,
    /^sucrase$/,
    /^chokidar$/,
    // Types only: the project that is migrated has the package.
    /^ts-morph$/,
  ],
}

/** The folders with code of the package and of what stands beside it. */
const TOPS = ['src', 'cli', 'inspector', 'packages']

/** The import of package.json that every module may use. */
const PLATFORM = '#platform'
const MAX_FILES_IN_FOLDER = 25
/** Without hover texts: each name that users see has one, and a short text must not be the price of a short file. */
const MAX_LINES = 400
const HOVER_TEXT = /^ *\/\*\*[\s\S]*?\*\/\n/gm

const importPattern =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?([^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g

/** The imports of one file: from where, and whether anything of them is left at run time. */
export function importsOf(source) {
  const found = []
  for (const [, , typeKeyword, clause, target, dynamicTarget] of source.matchAll(importPattern)) {
    const specifier = target ?? dynamicTarget
    found.push({ specifier, isTypeOnly: typeKeyword !== undefined || isAllTypes(clause) })
  }
  return found
}

function isAllTypes(clause) {
  const names = clause?.match(/^\{([\s\S]*)\}\s*from\s*$/)?.[1]
  if (names === undefined) return false
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .every((name) => name.startsWith('type '))
}

function moduleOf(name) {
  return Object.keys(modules).find((module) => name.startsWith(`${module}/`))
}

function folderIn(module, name) {
  return dirname(name.slice(module.length + 1))
}

/** Everything that is wrong with the sources under `root`, as sentences, and the sizes. */
export function findProblems(root) {
  const problems = []
  const graph = new Map()
  const used = new Set()
  const lines = []
  const folders = new Map()
  const files = listFiles(root)
  if (files.length === 0) problems.push(`No files in ${root}: the check looked at nothing.`)
  for (const name of files) {
    const module = moduleOf(name)
    if (module === undefined) {
      problems.push(`${name} belongs to no module. Add its folder to scripts/check-modules.js.`)
      continue
    }
    const source = readFileSync(resolve(root, name), 'utf8')
    lines.push({ name, count: source.replaceAll(HOVER_TEXT, '').split('\n').length - 1 })
    folders.set(dirname(name), (folders.get(dirname(name)) ?? 0) + 1)
    graph.set(name, checkImports(root, name, module, source, { problems, used }))
  }
  for (const cycle of findCycles(graph)) problems.push(`Cycle of value imports: ${cycle.join(' → ')}.`)
  for (const [folder, count] of folders) {
    if (count > MAX_FILES_IN_FOLDER) problems.push(`${folder} has ${count} files; ${MAX_FILES_IN_FOLDER} is the limit.`)
  }
  for (const { name, count } of lines) {
    if (count > MAX_LINES) problems.push(`${name} has ${count} lines; ${MAX_LINES} is the limit.`)
  }
  return { problems, used, sizes: sizesOf(lines, folders), partSizes: sizesOfParts(lines, folders) }
}

/** Reports the imports that are not allowed; returns the files whose values are imported. */
function checkImports(root, name, module, source, { problems, used }) {
  const targets = []
  for (const { specifier, isTypeOnly } of importsOf(source)) {
    if (specifier === PLATFORM) continue
    if (!specifier.startsWith('.')) {
      if (!packages[module]?.some((pattern) => pattern.test(specifier))) {
        problems.push(`${name}: ${module} may not import the package '${specifier}'.`)
      }
      continue
    }
    const target = relative(root, resolve(root, dirname(name), specifier))
      .split(sep)
      .join('/')
    const targetModule = moduleOf(target)
    if (!isTypeOnly) targets.push(target)
    if (targetModule === module) {
      if (!isTypeOnly) problems.push(...checkInnerOrder(module, name, target))
      continue
    }
    used.add(`${module} ${targetModule}`)
    if (targetModule?.startsWith('packages/') && dirname(target) !== targetModule) {
      problems.push(`${name}: ${targetModule} is imported by the files of its top folder only (${target}).`)
    }
    if (targetModule === 'src/exports') problems.push(`${name}: nothing inside imports the entry point ${target}.`)
    else if (!modules[module].includes('*') && !modules[module].includes(targetModule)) {
      problems.push(`${name}: ${module} may not import ${targetModule ?? 'what is in no module'} (${target}).`)
    }
  }
  return targets
}

function checkInnerOrder(module, name, target) {
  const order = innerOrder[module]
  const from = folderIn(module, name)
  const to = folderIn(module, target)
  if (from === to) return []
  if (order === undefined) return [`${name}: ${module} has folders, but no order in scripts/check-modules.js.`]
  for (const folder of [from, to]) {
    if (!order.includes(folder)) return [`${name}: '${folder}' is not in the order of ${module}.`]
  }
  if (order.indexOf(from) < order.indexOf(to)) return []
  return [`${name}: inside ${module}, '${from}' is below '${to}' and may not import ${target}.`]
}

function listFiles(root) {
  return TOPS.filter((top) => existsSync(resolve(root, top))).flatMap((top) =>
    readdirSync(resolve(root, top), { recursive: true })
      .map((file) => `${top}/${file.split(sep).join('/')}`)
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('/test/') && !file.includes('/node_modules/'))
      // Projects of users, which the command line copies.
      .filter((file) => !file.startsWith('cli/templates/')),
  )
}

function sizesOf(lines, folders) {
  const counts = lines.map(({ count }) => count).sort((a, b) => a - b)
  const at = (share) => counts[Math.floor((counts.length - 1) * share)] ?? 0
  return {
    files: counts.length,
    median: at(0.5),
    p90: at(0.9),
    longest: at(1),
    fullestFolder: Math.max(0, ...folders.values()),
  }
}

/** The same for each of the top folders. */
function sizesOfParts(lines, folders) {
  return TOPS.map((top) => {
    const isIn = (name) => name === top || name.startsWith(`${top}/`)
    const inside = new Map([...folders].filter(([folder]) => isIn(folder)))
    return {
      top,
      ...sizesOf(
        lines.filter(({ name }) => isIn(name)),
        inside,
      ),
    }
  })
}

function describeSizes({ files, median, p90, longest, fullestFolder }) {
  return `${files} files; lines: median ${median}, 90 % below ${p90 + 1}, longest ${longest}; largest folder ${fullestFolder}`
}

function findCycles(graph) {
  const cycles = []
  const state = new Map()
  const path = []
  const visit = (file) => {
    state.set(file, 'open')
    path.push(file)
    for (const target of graph.get(file) ?? []) {
      if (state.get(target) === 'open') cycles.push([...path.slice(path.indexOf(target)), target])
      else if (!state.has(target) && graph.has(target)) visit(target)
    }
    path.pop()
    state.set(file, 'done')
  }
  for (const file of graph.keys()) if (!state.has(file)) visit(file)
  return cycles
}

/** Permissions that no file needs. */
export function findUnusedPermissions(used) {
  return Object.entries(modules).flatMap(([module, allowed]) =>
    allowed
      .filter((target) => target !== '*' && !used.has(`${module} ${target}`))
      .map((target) => `No file of ${module} imports ${target}: remove the permission.`),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { problems, used, sizes, partSizes } = findProblems(fileURLToPath(new URL('..', import.meta.url)))
  problems.push(...findUnusedPermissions(used))
  for (const problem of problems) console.error(problem)
  console.log(`${TOPS.join(', ')}: ${describeSizes(sizes)}`)
  for (const { top, ...part } of partSizes) console.log(`  ${top}: ${describeSizes(part)}`)
  console.log(`limits: ${MAX_LINES} lines in a file without hover texts, ${MAX_FILES_IN_FOLDER} files in a folder`)
  console.log(problems.length === 0 ? 'modules, layers and sizes are as they should be' : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
