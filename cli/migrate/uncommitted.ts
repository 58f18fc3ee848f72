// Files with changes that git has not got: rewriting them would mix two changes, and could not be undone.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { usageFailure } from '../terminal/failure.ts'
import { withoutTools } from './package-json.ts'

const SHOWN = 5

/** Throws if git knows of changes to one of the files. Without git there is nothing to ask. */
export function checkCommitted(files: readonly string[]): void {
  const changed = [...groupByFolder(files)].flatMap(([folder, names]) => changedIn(folder, names))
  if (changed.length === 0) return
  const shown = changed.slice(0, SHOWN).join(', ')
  const more = changed.length > SHOWN ? ` and ${changed.length - SHOWN} more` : ''
  throw usageFailure(
    `These files have changes that are not committed: ${shown}${more}. Nothing was changed.`,
    'Commit or stash them, or add --force.',
  )
}

function groupByFolder(files: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const file of files) folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), basename(file)])
  return folders
}

function changedIn(folder: string, names: readonly string[]): string[] {
  const args = ['status', '--porcelain', '-z', '--untracked-files=all', '--', ...names]
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) return []
  // `XY path`, from the root of the repository; only the names in this folder were asked for.
  return stdout
    .split('\0')
    .filter((line) => line.length > 3)
    .map((line) => join(folder, basename(line.slice(3))))
    .filter((file) => basename(file) !== 'package.json' || !isPrepared(file))
}

/** Whether what git has differs from a package.json only by what has to be installed before this command can run. */
function isPrepared(file: string): boolean {
  const { status, stdout } = spawnSync('git', ['show', 'HEAD:./package.json'], { cwd: dirname(file), encoding: 'utf8' })
  if (status !== 0) return false
  return isDeepStrictEqual(withoutTools(stdout), withoutTools(readFileSync(file, 'utf8')))
}
