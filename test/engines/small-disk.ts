// A small file system of its own, for an engine whose disk is to be full.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of so many MiB, or `undefined` where this user may mount nothing. */
export function mountSmall(engine: string, mebibytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'small-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=777`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    console.log(`not tested here: a full disk of ${engine} (no file system can be mounted)`)
    return undefined
  }
  chmodSync(folder, 0o777)
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}
