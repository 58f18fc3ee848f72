// Writes a file as a whole, readable by its owner alone.

import { rename, rm, writeFile } from 'node:fs/promises'
import { loadCrypto } from '../runtime/builtins.ts'

/** Readers see the old file or the new one, never half of either. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${loadCrypto().randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
