// That guards come and go without a trace: what they do meanwhile is shown with real processes, in `stdio-server.test.ts`.
import { expect, it } from 'vitest'
import { guardStdout } from '../../../../src/node/stdio/stdout-guard.ts'

it('leaves one listener on stdout, for writes that fail late, however often it is guarded', () => {
  const { stdout } = process
  const write = stdout.write
  const errorListeners = stdout.listenerCount('error')
  const drainListeners = stdout.listenerCount('drain')
  for (let round = 0; round < 20; round++) {
    const guard = guardStdout()
    expect(stdout.write).not.toBe(write)
    expect(guardStdout()).toBe(guard)
    guard.release()
  }
  expect(stdout.write).toBe(write)
  expect(stdout.listenerCount('error') - errorListeners).toBeLessThanOrEqual(1)
  expect(stdout.listenerCount('drain')).toBe(drainListeners)
})
