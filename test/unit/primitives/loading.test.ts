// A clock that a test moves waits for parts of the package that are being loaded, so each of them has to be counted.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { isLoading, loading } from '../../../src/primitives/loading.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'

const COUNTED = /(?:loading\(|\.load\(\(\) => )import\(/

it('every part that is loaded later is counted', () => {
  const uncounted: string[] = []
  for (const entry of readdirSync('src', { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
    const path = join(entry.parentPath, entry.name)
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (/^\s*(\*|\/\/|\/\*)/.test(line)) continue
      const code = line.replaceAll('typeof import(', '')
      if (/(?<![\w'`<:|] ?)import\('\.{1,2}\//.test(code) && !COUNTED.test(code))
        uncounted.push(`${path}: ${line.trim()}`)
    }
  }
  expect(uncounted).toEqual([])
})

it('a clock of a test stands still while a part is loaded', async () => {
  const clock = fakeClock()
  const seen: string[] = []
  const arrival = createDeferred()
  const part = loading(arrival.promise).then(() => {
    seen.push('part')
    clock.setTimer(() => seen.push('its timer'), 10)
  })
  clock.setTimer(() => seen.push('a second later'), 1_000)
  const moved = clock.advance(1_000)
  // Far more turns of the event loop than a clock waits for without a reason.
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0))
  expect(seen).toEqual([])
  arrival.resolve()
  await Promise.all([moved, part])
  expect(seen).toEqual(['part', 'its timer', 'a second later'])
})

it('a part that cannot be loaded is not waited for', async () => {
  await expect(loading(Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  expect(isLoading()).toBe(false)
})
