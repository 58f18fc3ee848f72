// Once per run of Vitest: shared engines, and the line about engines that are missing.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { NOT_TESTED } from './not-tested.ts'
import { serveShared } from './shared.ts'

const folder = new URL('../../build/', import.meta.url)
const file = fileURLToPath(new URL('not-tested.txt', folder))

export async function setup(): Promise<() => Promise<void>> {
  mkdirSync(folder, { recursive: true })
  rmSync(file, { force: true })
  process.env[NOT_TESTED] = file
  const closeShared = await serveShared()
  return async () => {
    await closeShared()
    if (!existsSync(file)) return
    const reasons = new Set(readFileSync(file, 'utf8').trim().split('\n'))
    console.log(`not tested here: ${[...reasons].join(', ')}`)
  }
}
