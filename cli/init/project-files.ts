// The files of a new project: those of its template, with the name of the project and the words of its package manager.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readVersion } from '../terminal/version.ts'
import { inWordsOf, ownFiles, type PackageManager } from './package-managers.ts'
import { withoutScope } from './project-name.ts'
import { PLACEHOLDER_NAME } from './templates.ts'

export interface ProjectOptions {
  readonly template: string
  readonly name: string
  readonly packageManager: PackageManager
}

/** The text of each file by its path in the project, with slashes. */
export type ProjectFiles = ReadonlyMap<string, string>

/** For every template that has no file of that name. */
const SHARED = 'shared'

/** npm leaves a file of the right name out of packages. */
const RENAMED = new Map([['gitignore', '.gitignore']])

/** Beside this program in the package. */
export function templatesFolder(): string {
  return fileURLToPath(new URL('dist/cli/templates/', import.meta.resolve('mcpwire/package.json')))
}

/** The packages that the projects of a template use. */
export function dependenciesOf(template: string, folder = templatesFolder()): string[] {
  const { dependencies = {}, devDependencies = {} } = parseManifest(readTemplate(template, folder))
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)]
}

export function createProjectFiles(options: ProjectOptions, folder = templatesFolder()): ProjectFiles {
  const { template, name, packageManager } = options
  const files = new Map<string, string>()
  const texts = readTemplate(template, folder)
  for (const [path, text] of texts) {
    const named = text.replaceAll(PLACEHOLDER_NAME, withoutScope(name))
    files.set(path, inWordsOf(packageManager, path === 'package.json' ? createManifest(texts, name) : named))
  }
  for (const [path, text] of ownFiles(packageManager)) files.set(path, text)
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)))
}

interface Manifest {
  name?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

function createManifest(texts: ProjectFiles, name: string): string {
  const manifest = parseManifest(texts)
  const dependencies = { ...manifest.dependencies, mcpwire: `^${readVersion()}` }
  return `${JSON.stringify({ ...manifest, name, dependencies }, null, 2)}\n`
}

function parseManifest(texts: ProjectFiles): Manifest {
  return JSON.parse(texts.get('package.json') ?? '{}') as Manifest
}

function readTemplate(template: string, folder: string): ProjectFiles {
  return new Map([...readFolder(join(folder, SHARED)), ...readFolder(join(folder, template))])
}

function readFolder(folder: string): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const inside = path.slice(folder.length + 1).replaceAll('\\', '/')
      return [RENAMED.get(inside) ?? inside, readFileSync(path, 'utf8')]
    })
}
