// An import of mcpwire that does not exist: the entry point or the name that was probably meant.
import { readFileSync } from 'node:fs'
import { nearestNames } from '../terminal/nearest.ts'

const NO_ENTRY_POINT = /^Package subpath '\.\/([^']+)' is not defined by "exports" in (.+[\\/]package\.json)/
const NO_EXPORT = /^The requested module '(mcpwire(?:\/[\w/-]+)?)' does not provide an export named '(\w+)'/

const MAIN = 'mcpwire'

/** `undefined` for every other error, and where no name is near. */
export async function importAdvice({ message }: Error): Promise<string | undefined> {
  const [, subpath, file] = NO_ENTRY_POINT.exec(message) ?? []
  if (subpath !== undefined && file !== undefined) {
    const [near] = nearestNames(subpath, entryPointsOf(file))
    return near === undefined ? undefined : `Import from 'mcpwire/${near}'.`
  }
  const [, specifier, name] = NO_EXPORT.exec(message) ?? []
  if (specifier === undefined || name === undefined) return undefined
  if ((await namesOf(MAIN)).includes(name)) return `Import ${name} from '${MAIN}'.`
  for (const from of [specifier, MAIN]) {
    const [near] = nearestNames(name, await namesOf(from))
    if (near !== undefined) return `Import ${near} from '${from}'.`
  }
  return undefined
}

/** `server` for `mcpwire/server`; none of another package. */
function entryPointsOf(file: string): string[] {
  try {
    const { name, exports } = JSON.parse(readFileSync(file, 'utf8')) as { name: unknown; exports: object }
    return name === 'mcpwire' ? Object.keys(exports).map((path) => path.slice(2)) : []
  } catch {
    return []
  }
}

async function namesOf(specifier: string): Promise<string[]> {
  try {
    return Object.keys((await import(specifier)) as object)
  } catch {
    return []
  }
}
