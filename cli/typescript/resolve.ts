// Finds the TypeScript file that an import means: `./tools.js` where there is a `tools.ts`, `./tools` as bundlers allow it.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isTypeScriptUrl } from './load.ts'
import { notSupported } from './not-supported.ts'
import { isMappedPath, readSettings } from './tsconfig.ts'

type Resolved = { url: string } | object

const NOT_FOUND = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'])

/** Node's own answer first. Works with a `next` that returns a promise and with one that does not. */
export function resolveTypeScript<T extends Resolved | Promise<Resolved>>(
  specifier: string,
  importer: string | undefined,
  next: (specifier: string) => T,
): T {
  const recover = (error: unknown): T => {
    const { code } = (error ?? {}) as { code?: string }
    if (importer === undefined || !isTypeScriptUrl(importer) || !NOT_FOUND.has(code ?? '')) throw error
    const found = findTypeScript(specifier, importer)
    if (found !== undefined) return next(found)
    refuseMapped(specifier, importer)
    throw error
  }
  let answer: T
  try {
    answer = next(specifier)
  } catch (error) {
    return recover(error)
  }
  return answer instanceof Promise ? (answer.catch(recover) as T) : answer
}

export function findTypeScript(specifier: string, importer: string): string | undefined {
  if (!/^(?:\.{1,2}(?:\/|$)|\/|file:)/.test(specifier)) return undefined
  const url = new URL(specifier, importer)
  const path = url.pathname
  const candidates = /\.[cm]?js$/.test(path)
    ? [path.replace(/js$/, 'ts')]
    : [`${path}.ts`, `${path}.mts`, `${path}.cts`, `${path.replace(/\/$/, '')}/index.ts`]
  const found = candidates.find((candidate) => existsSync(fileURLToPath(new URL(candidate, importer))))
  if (found === undefined) return undefined
  url.pathname = found
  return url.href
}

function refuseMapped(specifier: string, importer: string): void {
  const path = fileURLToPath(importer)
  const settings = readSettings(path)
  if (!isMappedPath(specifier, settings)) return
  throw notSupported(
    `${path} imports "${specifier}" through "paths" in ${settings.file}, which Node does not read.`,
    'Import the file by its relative path, or install tsx: npm i -D tsx',
  )
}
