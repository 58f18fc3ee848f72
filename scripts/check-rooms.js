// Holds the floors: which room may use which, no cycles, no packages where none belong, doors open outward only.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Each room with the rooms below it. A room that is not listed may not exist. */
export const rooms = {
  types: [],
  primitives: [],
  schema: ['types', 'primitives'],
  http: ['types', 'primitives'],
  dispatcher: ['types', 'primitives'],
  wire: ['types', 'primitives'],
  client: ['types', 'primitives', 'schema', 'http', 'dispatcher', 'wire'],
  server: ['types', 'primitives', 'schema', 'http', 'dispatcher', 'wire'],
  mcpserver: ['types', 'primitives', 'schema', 'http', 'dispatcher', 'wire', 'server'],
  auth: ['types', 'primitives', 'schema', 'http'],
  telemetry: ['types', 'primitives', 'dispatcher', 'wire', 'client', 'server'],
  testing: ['types', 'primitives', 'dispatcher', 'client', 'server'],
  node: ['types', 'primitives', 'schema', 'http', 'auth', 'dispatcher', 'wire', 'client', 'server', 'mcpserver'],
  // It comes in by the doors, like any user; from the rooms it takes types and small tools.
  cli: ['types', 'primitives', 'server', 'mcpserver', 'node'],
}

/** Packages, by the one room that may use them. Node's own modules belong to `node` and to `cli`, which users import nothing of. */
export const packages = {
  node: [/^node:/, /^cross-spawn$/],
  auth: [/^oauth4webapi$/, /^jose$/],
  cli: [/^node:/, /^mcpwire(?:\/\w+)?$/, /^commander$/, /^picocolors$/, /^jsonc-parser$/, /^add-mcp$/],
}

/** Entries of package.json's `imports` that any room may use. */
const platformDoor = '#platform'

const importPattern =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?([^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g

/** The imports of one file: where to, and whether anything of them is left at run time. */
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

/** Everything that is wrong with a source folder, as sentences. */
export function findProblems(src) {
  const problems = []
  const graph = new Map()
  const files = readdirSync(src, { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => resolve(src, file))
  if (files.length === 0) problems.push(`no files found in ${src}: the check looked at nothing`)
  for (const file of files) {
    const name = relative(src, file).split(sep).join('/')
    const room = name.split('/')[0]
    if (room !== 'exports' && !(room in rooms)) problems.push(`${name}: there is no room '${room}'`)
    const targets = []
    for (const { specifier, isTypeOnly } of importsOf(readFileSync(file, 'utf8'))) {
      if (specifier === platformDoor) continue
      if (!specifier.startsWith('.')) {
        if (!packages[room]?.some((pattern) => pattern.test(specifier))) {
          problems.push(`${name}: room '${room}' may not use the package '${specifier}'`)
        }
        continue
      }
      const target = resolve(dirname(file), specifier)
      const targetName = relative(src, target).split(sep).join('/')
      const targetRoom = targetName.split('/')[0]
      if (!isTypeOnly) targets.push(target)
      if (targetRoom === 'exports') problems.push(`${name}: doors open outward, nothing imports ${targetName}`)
      else if (room !== 'exports' && targetRoom !== room && !rooms[room]?.includes(targetRoom)) {
        problems.push(`${name}: room '${room}' may not use room '${targetRoom}' (${targetName})`)
      }
    }
    graph.set(file, targets)
  }
  for (const cycle of findCycles(graph)) {
    problems.push(`cycle: ${cycle.map((file) => relative(src, file).split(sep).join('/')).join(' → ')}`)
  }
  return { problems, fileCount: files.length }
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

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { problems, fileCount } = findProblems(fileURLToPath(new URL('../src', import.meta.url)))
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? `${fileCount} files keep to their floors` : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
