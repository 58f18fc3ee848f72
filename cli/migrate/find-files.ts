// The source files to migrate.
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/
const DECLARATION = /\.d\.[cm]?ts$/
/** Left out unless they are named. */
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'vendor'])
/** More than this is a wrong folder rather than a project. */
const MAX_FILES = 20_000

export function findFiles(paths: readonly string[]): string[] {
  const found = new Set<string>()
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const whole = resolve(path)
    const kind = statSync(whole, { throwIfNoEntry: false })
    if (kind === undefined) {
      throw new Failure(`The file or folder "${path}" does not exist.`, {
        slug: 'file-not-found',
        exitCode: EXIT.noConnection,
        hint: 'Check the path.',
      })
    }
    if (kind.isDirectory()) collect(whole, found)
    else if (SOURCE.test(whole)) found.add(whole)
    else
      throw usageFailure(`"${path}" is not a TypeScript or JavaScript file.`, 'Name files or folders with source code.')
  }
  return [...found].sort()
}

function collect(folder: string, found: Set<string>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name) && !entry.name.startsWith('.')) collect(path, found)
    } else if (entry.isFile() && SOURCE.test(entry.name) && !DECLARATION.test(entry.name)) {
      found.add(path)
      if (found.size > MAX_FILES) {
        throw usageFailure(
          `There are more than ${MAX_FILES} source files in ${folder}.`,
          'Name the folders that use the SDK.',
        )
      }
    }
  }
}
