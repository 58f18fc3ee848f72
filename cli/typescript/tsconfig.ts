// What the loader reads of the nearest tsconfig.json.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'jsonc-parser'

export interface TypeScriptSettings {
  /** `verbatimModuleSyntax`: what is imported without `type` stays. */
  readonly keepsUnusedImports: boolean
  /** The patterns of `paths`. */
  readonly paths: readonly string[]
  /** The file that they are from. */
  readonly file: string | undefined
}

interface CompilerOptions {
  verbatimModuleSyntax?: unknown
  paths?: unknown
}

const NAME = 'tsconfig.json'
const MAX_BASES = 10
const NONE: TypeScriptSettings = { keepsUnusedImports: false, paths: [], file: undefined }
const known = new Map<string, TypeScriptSettings>()

export function readSettings(path: string): TypeScriptSettings {
  return settingsOf(dirname(path))
}

/** Whether `paths` would say where a module is. */
export function isMappedPath(specifier: string, { paths }: TypeScriptSettings): boolean {
  return paths.some((pattern) => {
    const [start = '', end] = pattern.split('*')
    return end === undefined ? specifier === pattern : specifier.startsWith(start) && specifier.endsWith(end)
  })
}

function settingsOf(folder: string): TypeScriptSettings {
  const before = known.get(folder)
  if (before !== undefined) return before
  const file = join(folder, NAME)
  const options = readOptions(file, MAX_BASES)
  const parent = dirname(folder)
  const settings = options === undefined ? (parent === folder ? NONE : settingsOf(parent)) : toSettings(options, file)
  known.set(folder, settings)
  return settings
}

function toSettings({ verbatimModuleSyntax, paths }: CompilerOptions, file: string): TypeScriptSettings {
  const patterns = typeof paths === 'object' && paths !== null ? Object.keys(paths) : []
  // `*` alone maps everything, packages too.
  return { keepsUnusedImports: verbatimModuleSyntax === true, paths: patterns.filter((name) => name !== '*'), file }
}

/** With what it extends from files beside it; packages with settings are not searched. */
function readOptions(file: string, basesLeft: number): CompilerOptions | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  const { compilerOptions = {}, extends: bases } = (parse(text) ?? {}) as {
    compilerOptions?: CompilerOptions
    extends?: string | string[]
  }
  const inherited = [bases ?? []]
    .flat()
    .filter((base) => typeof base === 'string' && base.startsWith('.') && basesLeft > 0)
    .map((base) => readOptions(resolve(dirname(file), base.endsWith('.json') ? base : `${base}.json`), basesLeft - 1))
  return Object.assign({}, ...inherited, compilerOptions) as CompilerOptions
}
