// What keeps the tests from being about the speed of the machine that runs them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import config from '../../../vitest.config.ts'

const root = join(import.meta.dirname, '../../..')
const folders = ['test', 'cli/test', 'packages']

it('no test depends on the speed of the machine: what something took by the clock is nowhere bounded', () => {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, folder, name)),
  )
  expect(files.length).toBeGreaterThan(300)
  const measured = /expect\(\s*(?:performance\.now\(\)|Date\.now\(\)|Number\(process\.hrtime)[^)]*\)\s*\.toBeLess/
  expect(files.filter((name) => measured.test(readFileSync(name, 'utf8')))).toEqual([])
})

it('no test depends on the speed of the machine: limits end what hangs, and nothing sooner', async () => {
  const { testTimeout = 0, hookTimeout = 0 } = config.test ?? {}
  expect(Math.min(testTimeout, hookTimeout)).toBeGreaterThanOrEqual(180_000)
  // Longer than `vi.waitFor` and `expect.poll` wait when nobody says how long.
  const isOver = performance.now() + 1_500
  await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(isOver))
  await expect.poll(() => performance.now()).toBeGreaterThan(isOver + 1_500)
})
