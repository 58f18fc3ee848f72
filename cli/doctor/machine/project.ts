// The project of the working directory: copies of the package that it has, and whether its files are ES modules.
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isPlainObject } from '../../terminal/primitives.ts'
import { type Finding, ok, skipped, warning } from '../findings/step.ts'
import type { PrintedFinding } from '../print-report.ts'

const NAME = 'mcpwire'
/** Folders of node_modules that are looked into. */
const MAX_FOLDERS = 20_000

interface Copy {
  readonly folder: string
  readonly version: string
}

export function checkCopies(cwd: string = process.cwd()): PrintedFinding {
  return { title: 'Copies', ...judgeCopies(cwd) }
}

/** Two copies have two sets of classes: `instanceof` fails between them. */
function judgeCopies(cwd: string): Finding {
  const project = findProject(cwd)
  if (project === undefined) return skipped('No package.json in this folder or above it')
  const copies = findCopies(project)
  const running = dirname(fileURLToPath(import.meta.resolve('mcpwire/package.json')))
  const own = copies.find(({ folder }) => folder === realpathSync(running))
  if (copies.length > 1) {
    return warning(`The project has ${copies.length} copies of mcpwire`, 'npx-cache', {
      cause: 'Each copy has its own classes, so that instanceof fails between them, and state is not shared.',
      fix: 'Run npm dedupe, and let all packages name one version of mcpwire.',
      details: copies.map(({ folder, version }) => `${version} in ${folder}`),
    })
  }
  const [only] = copies
  if (only === undefined) return ok(`The project has no mcpwire of its own; this is ${running}`)
  if (own !== undefined) return ok(`One copy, ${only.version}, in ${only.folder}`)
  return warning(`The project has mcpwire ${only.version}, and this command is another copy`, 'npx-cache', {
    cause: 'The command was not started from the project, so that it may be of another version.',
    fix: 'Run it with npx in the project.',
    details: [`This command: ${running}`, `The project: ${only.folder}`],
  })
}

export function checkModuleType(cwd: string = process.cwd()): PrintedFinding {
  return { title: 'Module type', ...judgeModuleType(cwd) }
}

function judgeModuleType(cwd: string): Finding {
  const project = findProject(cwd)
  if (project === undefined) return skipped('No package.json in this folder or above it')
  const { type } = readManifest(project)
  if (type === 'module') return ok('"type": "module" in package.json')
  return warning('package.json has no "type": "module"', 'file-cannot-load', {
    cause:
      '.js files of the project are CommonJS. mcpwire runs them, but import and top-level await work in .mjs and .ts files only.',
    fix: 'Run npm pkg set type=module, or name server files .mjs or .mts.',
  })
}

function findProject(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function readManifest(folder: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isPlainObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Every copy below node_modules of the project and of the folders above it, each once. */
function findCopies(project: string): Copy[] {
  const found = new Map<string, Copy>()
  let looked = 0
  const look = (modules: string) => {
    for (const name of list(modules)) {
      looked += 1
      if (looked > MAX_FOLDERS) return
      const folder = join(modules, name)
      if (name.startsWith('@')) look(folder)
      else visit(folder, name)
    }
  }
  const visit = (folder: string, name: string) => {
    if (name === NAME && existsSync(join(folder, 'package.json'))) {
      const real = realpathSync(folder)
      found.set(real, { folder: real, version: String(readManifest(real)['version'] ?? 'unknown version') })
    }
    // Links lead out of node_modules, and in circles.
    if (!lstatSync(folder).isSymbolicLink()) look(join(folder, 'node_modules'))
  }
  for (let folder = project; ; folder = dirname(folder)) {
    look(join(folder, 'node_modules'))
    if (dirname(folder) === folder) return [...found.values()]
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}
