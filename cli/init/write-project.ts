// Writes the files of a project. A file that is there is never overwritten; where one cannot be written, those before it go again.
import { lstat, open, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolders } from '../files/make-folders.ts'
import { Failure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'
import type { ProjectFiles } from './project-files.ts'

/** How many names a message lists. */
const MAX_LISTED = 10

export async function writeProject(folder: string, files: ProjectFiles): Promise<void> {
  const inTheWay = await findInTheWay(folder, [...files.keys()])
  if (inTheWay.length > 0) throw inTheWayFailure(folder, inTheWay)
  const undo: (() => Promise<unknown>)[] = []
  try {
    for (const [path, text] of files) {
      const file = join(folder, path)
      for (const made of makeFolders(dirname(file))) undo.push(() => rmdir(made))
      // `wx` also refuses what came in the meantime, and links.
      const handle = await open(file, 'wx')
      undo.push(() => rm(file))
      try {
        await handle.writeFile(text)
      } finally {
        await handle.close()
      }
    }
  } catch (cause) {
    for (const step of undo.reverse()) await step().catch(() => {})
    throw new Failure(`The project cannot be written to ${showLine(folder)}: ${(cause as Error).message}`, {
      slug: 'project-not-written',
      hint: 'Nothing was created. Choose a folder that you can write to.',
      cause,
    })
  }
}

/** Paths that exist, and folders on the way that are no folders. A link could lead out of the project. */
async function findInTheWay(folder: string, paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  const state = await stateOf(folder, true)
  if (state === 'other') return ['.']
  if (state === undefined) return []
  for (const path of paths) {
    const parts = path.split('/')
    for (let count = 1; count <= parts.length; count += 1) {
      const part = parts.slice(0, count).join('/')
      const there = await stateOf(join(folder, part), false)
      if (there === undefined) break
      if (there === 'folder' && count < parts.length) continue
      found.add(part)
      break
    }
  }
  return [...found].sort()
}

async function stateOf(path: string, followsLink: boolean): Promise<'folder' | 'other' | undefined> {
  try {
    const { stat } = await import('node:fs/promises')
    return (await (followsLink ? stat : lstat)(path)).isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    // A file among the folders above.
    return 'other'
  }
}

function inTheWayFailure(folder: string, names: readonly string[]): Failure {
  const shown = showLine(folder)
  if (names[0] === '.') {
    return new Failure(`${shown} is not a folder.`, {
      slug: 'files-in-the-way',
      hint: 'Nothing was created. Choose another folder.',
    })
  }
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ''
  return new Failure(`${shown} already has ${names.slice(0, MAX_LISTED).join(', ')}${more}.`, {
    slug: 'files-in-the-way',
    hint: 'Nothing was created. Choose an empty folder, or move these files first.',
  })
}
