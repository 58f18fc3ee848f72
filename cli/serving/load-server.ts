// Finds the server of a program: what it runs itself, or what it exports.
import type { Failure } from '../terminal/failure.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { importWithLoader } from '../typescript/loader.ts'
import { programFailure } from './program-failure.ts'
import { loadFailure, type ServerFile } from './server-file.ts'

/** `Server` and `MCPServer`, of whichever copy of this package the program has. */
export interface LoadedServer {
  connect(...args: never[]): unknown
  run?(options: object): Promise<unknown>
}

const NO_SERVER = 'no-server-in-file'
/** Tried in this order, before all other names. */
const USUAL_NAMES = ['default', 'server', 'mcp', 'app']

/** What a program exports. Resolves when its top level has finished, which may be when its own server has ended. */
export async function importProgram({ path }: ServerFile): Promise<Record<string, unknown>> {
  try {
    return await importWithLoader(path)
  } catch (cause) {
    if ((cause as { code?: unknown } | undefined)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION')
      throw await programFailure(path, cause)
    throw loadFailure(
      'typescript-not-supported',
      `The loader that Node was started with does not load ${path}.`,
      'Remove it from NODE_OPTIONS and from the command line: mcpwire runs TypeScript files without it.',
      cause,
    )
  }
}

/** The named export, or the one with a usual name, or the only one; `undefined` if no export is a server. */
export function findServer(file: ServerFile, namespace: Record<string, unknown>): LoadedServer | undefined {
  const { path, exportName } = file
  const exports = withCommonJS(namespace)
  // What TypeScript makes of `export default` in CommonJS is one step further in.
  const inner = (exports['default'] as { default?: unknown } | undefined)?.default
  if (isServer(inner) && (exportName ?? 'default') === 'default') return inner
  if (exportName !== undefined) {
    const named = exports[exportName]
    if (isServer(named)) return named
    throw loadFailure(
      NO_SERVER,
      `${path} exports no server named '${exportName}': ${namesOf(exports)}.`,
      'Name an export that is a server, or leave the name out.',
    )
  }
  const usual = USUAL_NAMES.map((name) => exports[name]).find(isServer)
  if (usual !== undefined) return usual
  const servers = Object.entries(exports).filter(([, value]) => isServer(value))
  const [only] = servers
  if (servers.length > 1) {
    const names = servers.map(([name]) => name).join(', ')
    throw loadFailure(NO_SERVER, `${path} exports several servers: ${names}.`, `Choose one, as in ${path}:${only?.[0]}`)
  }
  return only?.[1] as LoadedServer | undefined
}

/** Node can't always read the names of `module.exports` off the text, but has all of it as the default export. */
function withCommonJS(namespace: Record<string, unknown>): Record<string, unknown> {
  const whole = namespace['default']
  return isPlainObject(whole) && !isServer(whole) ? { ...whole, ...namespace } : namespace
}

export function noServerFailure(path: string): Failure {
  return loadFailure(
    NO_SERVER,
    `${path} neither runs nor exports a server.`,
    "Export one, as in: export const server = new MCPServer('my-server')",
  )
}

/** Duck typing: the program may have loaded another copy of this package. A database client has `connect` alone. */
function isServer(value: unknown): value is LoadedServer {
  const { connect, connectInProcess } = (value ?? {}) as { connect?: unknown; connectInProcess?: unknown }
  return typeof connect === 'function' && typeof connectInProcess === 'function'
}

function namesOf(exports: Record<string, unknown>): string {
  const names = Object.keys(exports)
  return names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`
}
