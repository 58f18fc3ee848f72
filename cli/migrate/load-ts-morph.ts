// `ts-morph` contains a TypeScript compiler, so that it is not part of this package: the project that is migrated has it.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'

export type TsMorph = typeof import('ts-morph')

/** Looks in the folders, then beside mcpwire. */
export async function loadTsMorph(folders: readonly string[], own = import.meta.url): Promise<TsMorph> {
  for (const from of [...folders.map((folder) => join(folder, 'package.json')), own]) {
    const found = resolveFrom(from)
    if (found === undefined) continue
    const loaded = (await import(pathToFileURL(found).href)) as TsMorph & { default?: TsMorph }
    return loaded.default ?? loaded
  }
  throw new Failure('mcpwire migrate needs the package ts-morph, and it is not installed here.', {
    slug: 'ts-morph-missing',
    exitCode: EXIT.noConnection,
    hint: 'Run `npm install --save-dev ts-morph@28`, then the command again.',
  })
}

function resolveFrom(file: string): string | undefined {
  try {
    return createRequire(file).resolve('ts-morph')
  } catch {
    return undefined
  }
}
