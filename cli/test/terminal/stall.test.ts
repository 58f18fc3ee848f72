// A command whose end cannot come says so.
import { EventEmitter, once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { watchForStall } from '../../terminal/stall.ts'

function watch() {
  const exits = new EventEmitter()
  const { stalled, stop } = watchForStall(exits as unknown as NodeJS.Process)
  let error: Error | undefined
  stalled.catch((reason: Error) => {
    error = reason
  })
  const empty = async () => {
    exits.emit('beforeExit', 0)
    await turn()
  }
  return { exits, empty, stop, error: () => error }
}

describe('an event loop that is empty before the command is done', () => {
  it('fails the command, when nobody has given up in the meantime', async () => {
    const { empty, error } = watch()
    await empty()
    expect(error()).toBeUndefined()
    await empty()
    expect(error()?.message).toMatch(/cannot come/)
  })

  it('is no failure of a command that has ended', async () => {
    const { exits, empty, stop, error } = watch()
    stop()
    await empty()
    await empty()
    expect(error()).toBeUndefined()
    expect(exits.listenerCount('beforeExit')).toBe(0)
  })

  it('of a process keeps it running for the answer', async () => {
    const { spawn } = await import('node:child_process')
    // Types are stripped by the test runner only, so the function is passed as text.
    const source = `${watchForStall}; const AT_ONCE_MS = 100; watchForStall().stalled.catch(() => process.exit(70)); await new Promise(() => {})`
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'ignore' })
    expect((await once(child, 'exit'))[0]).toBe(70)
  })
})
