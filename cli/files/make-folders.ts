// Creates a folder with those above it. Node's own recursive way never ends below /proc, where nobody can create one.
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The folders that were created, the outermost first. Throws the error of the system where one cannot be. */
export function makeFolders(path: string, mode?: number): string[] {
  const missing: string[] = []
  for (let folder = resolve(path); !exists(folder); folder = dirname(folder)) missing.unshift(folder)
  return missing.filter((folder) => {
    try {
      mkdirSync(folder, mode)
      return true
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      return false
    }
  })
}

/** The root exists. What cannot be looked at counts as existing: to write into it says why. */
function exists(path: string): boolean {
  if (path === dirname(path)) return true
  try {
    statSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
