// Whether a TypeScript file is an ES module. A package made by `npm init -y` says that it is CommonJS, though its files import.
import { readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { blankText } from './source-text.ts'

export type ModuleFormat = 'module' | 'commonjs'

const ES_SYNTAX =
  /^[ \t]*(?:import\b(?!\s*\()(?!\s+(?:type\s+)?[\p{L}_$][\p{L}\p{N}_$]*\s*=)|export\b(?!\s*=))|\bimport\.meta\b/mu
const COMMON_JS_SYNTAX = /\brequire\s*\(|\bmodule\.exports\b|\bexports\.|^[ \t]*export\s*=|\b__(?:file|dir)name\b/m

export function formatOf(path: string, text: string): ModuleFormat {
  if (isModuleByName(path)) return 'module'
  if (extname(path) === '.cts') return 'commonjs'
  const code = blankText(text)
  if (ES_SYNTAX.test(code)) return 'module'
  return COMMON_JS_SYNTAX.test(code) ? 'commonjs' : 'module'
}

/** As Node and other loaders see it. */
export function isModuleByName(path: string): boolean {
  const extension = extname(path)
  return extension === '.mts' || (extension === '.ts' && packageType(dirname(path)) === 'module')
}

const types = new Map<string, string | undefined>()

/** `type` of the nearest `package.json`. */
function packageType(folder: string): string | undefined {
  if (types.has(folder)) return types.get(folder)
  const type = readPackageType(folder)
  types.set(folder, type)
  return type
}

function readPackageType(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { type?: string }).type
  } catch (error) {
    // Node reports a manifest that it cannot read.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined
  }
  const parent = dirname(folder)
  return parent === folder ? undefined : packageType(parent)
}
