// How a program is loaded: decided here, for every command that runs a file.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { formatOf, isModuleByName } from './module-format.ts'
import { NOT_SUPPORTED } from './not-supported.ts'

/**
 * - `none`: JavaScript, which Node runs as it is
 * - `given`: a loader that the user chose on Node's command line
 * - `node`: type stripping by Node; the built-in loader takes the files that need more than that
 * - `tsx`: the `tsx` of the project
 * - `built-in`: the loader of this package
 */
export type LoaderKind = 'none' | 'given' | 'node' | 'tsx' | 'built-in'

export interface Runtime {
  /** `process.features.typescript`; `undefined` before Node 22.10. */
  readonly stripping: string | false | undefined
  /** The options of Node itself, with those of `NODE_OPTIONS`. */
  readonly options: readonly string[]
  /** The URL of a module as the server file would import it. */
  find(specifier: string, from: string): string | undefined
  /** Whether a file is an ES module by its name or its package. */
  isModule(path: string): boolean
}

/** Loaders that people pass to `--import`, `--loader` and `--require`. */
const KNOWN_LOADER = /(?:^|[/@=])(?:tsx|ts-node|jiti|swc-node|esbuild-register|sucrase|oxc-node|amaro)(?:[/@.]|$)/
const LOADER_OPTION = /^(?:--import|--loader|--experimental-loader|--require|-r)(?:=(.*))?$/

export function decideLoader(path: string, runtime: Runtime = presentRuntime()): LoaderKind {
  if (!isTypeScript(path)) return 'none'
  if (hasLoader(runtime.options)) return 'given'
  if (runtime.stripping) return 'node'
  // Where package.json does not say that files are ES modules, tsx loads them and their packages as CommonJS, and packages that
  // import parts of themselves later twice. There it takes only what the built-in loader cannot load.
  return runtime.find('tsx', path) === undefined || !runtime.isModule(path) ? 'built-in' : 'tsx'
}

export function isTypeScript(path: string): boolean {
  return ['.ts', '.mts', '.cts'].includes(extname(path))
}

/** Makes Node ready for a file. A second call does nothing. */
export async function registerLoader(path: string): Promise<void> {
  const runtime = presentRuntime()
  const kind = decideLoader(path, runtime)
  if (kind === 'tsx') {
    await chooseConfig(path)
    await import(runtime.find('tsx', path) as string)
  }
  if (kind === 'built-in' || kind === 'node') {
    const { registerTypeScript } = await import('./register.ts')
    await registerTypeScript({ usesNode: kind === 'node' })
  }
}

/** Imports a program, whatever it is written in. */
export async function importWithLoader(path: string): Promise<Record<string, unknown>> {
  await registerLoader(path)
  const url = pathToFileURL(path).href
  try {
    return isRequired(path) ? requireProgram(path) : ((await import(url)) as Record<string, unknown>)
  } catch (cause) {
    ignoreRejection(cause)
    const { code, hint } = (cause ?? {}) as { code?: unknown; hint?: string }
    if (code !== NOT_SUPPORTED) throw cause
    const withTsx = await importWithTsx(findFrom('tsx/esm/api', path), path)
    if (withTsx !== undefined) return withTsx
    throw new Failure((cause as Error).message, { slug: NOT_SUPPORTED, exitCode: EXIT.noConnection, hint, cause })
  }
}

/**
 * Node 22.23 cannot `require` an ES module, such as this package, from CommonJS that was imported with its source from a hook: "request
 * for … is from a module not been linked". From CommonJS that was itself required it can.
 */
function isRequired(path: string): boolean {
  return decideLoader(path) === 'node' && formatOf(path, readFileSync(path, 'utf8')) === 'commonjs'
}

function requireProgram(path: string): Record<string, unknown> {
  const exported = createRequire(pathToFileURL(path))(path) as Record<string, unknown>
  // As an import of CommonJS has it.
  return { ...exported, default: exported }
}

/** Node 20 rejects a second promise, which nobody has, where a CommonJS file that was imported throws. */
function ignoreRejection(cause: unknown): void {
  process.on('unhandledRejection', (reason) => {
    if (reason !== cause) throw reason
  })
}

/** In a namespace of its own, because Node remembers the modules that could not be loaded. */
async function importWithTsx(api: string | undefined, path: string): Promise<Record<string, unknown> | undefined> {
  if (api === undefined) return undefined
  const { unregisterTypeScript } = await import('./register.ts')
  unregisterTypeScript()
  await chooseConfig(path)
  const { tsImport } = (await import(api)) as { tsImport(url: string, from: string): Promise<Record<string, unknown>> }
  const url = pathToFileURL(path).href
  return tsImport(url, url)
}

/** Otherwise tsx takes the tsconfig.json of the working directory. */
async function chooseConfig(path: string): Promise<void> {
  const { readSettings } = await import('./tsconfig.ts')
  const { file } = readSettings(path)
  if (file !== undefined) process.env['TSX_TSCONFIG_PATH'] ??= file
}

function presentRuntime(): Runtime {
  const { typescript } = process.features as { typescript?: string | false }
  const fromEnvironment = (process.env['NODE_OPTIONS'] ?? '').split(/\s+/).filter((word) => word !== '')
  return {
    stripping: typescript,
    options: [...process.execArgv, ...fromEnvironment],
    find: findFrom,
    isModule: isModuleByName,
  }
}

function findFrom(specifier: string, from: string): string | undefined {
  try {
    // `require` finds the CommonJS half of a package.
    return pathToFileURL(createRequire(from).resolve(specifier)).href.replace(/\.cjs$/, '.mjs')
  } catch {
    return undefined
  }
}

function hasLoader(options: readonly string[]): boolean {
  return options.some((option, index) => {
    const [isLoader, attached] = LOADER_OPTION.exec(option) ?? []
    return isLoader !== undefined && KNOWN_LOADER.test(attached ?? options[index + 1] ?? '')
  })
}
