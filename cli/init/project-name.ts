// Names of projects: those that npm accepts, so that the project can be installed and published under its name.
import { builtinModules } from 'node:module'
import { usageFailure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'

const NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/
const MAX_LENGTH = 214
const RESERVED: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico', ...builtinModules])

/** Why a name cannot be used; `undefined` for a good one. `dependencies` are the packages that the project uses. */
export function findNameProblem(name: string, dependencies: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return `The name has ${name.length} characters, and npm allows ${MAX_LENGTH}.`
  const shown = showLine(name)
  if (!NAME.test(name)) {
    return `"${shown}" is not a package name. Use lower-case letters, digits and hyphens, with a letter or digit first.`
  }
  if (RESERVED.has(name)) return `The name "${shown}" is reserved by Node.`
  // npm refuses to install a package into one of the same name.
  if (dependencies.includes(name)) return `The project uses a package of the name "${shown}".`
  return undefined
}

export function assertName(name: string, dependencies: readonly string[]): string {
  const problem = findNameProblem(name, dependencies)
  if (problem !== undefined) throw usageFailure(problem, 'Choose another name with --name.')
  return name
}

/** The name of a folder as a package name. */
export function nameFromFolder(folderName: string, otherwise: string): string {
  const name = folderName
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, MAX_LENGTH)
  return name === '' ? otherwise : name
}

/** `tools` of `@acme/tools`: what the server calls itself. */
export function withoutScope(name: string): string {
  return name.slice(name.indexOf('/') + 1)
}
