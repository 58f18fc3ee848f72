// Work that many wait for: it ends early only where a person is waited for, and only when the last one has left.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Flight } from '../../../../../src/auth/client/tokens/flight.ts'
import { Canceller } from '../../../../../src/http/poster.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { ScriptedOAuth } from '../../../../support/scripted-oauth.ts'
import { browsingProvider, createCaller } from '../login-support.ts'

const GRACE_MS = 2_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a flight', () => {
  it('R55 continues when one of several requests stops waiting, by signal or canceller', async () => {
    const { promise, resolve } = createDeferred<string>()
    const flight = new Flight(() => promise)
    const controller = new AbortController()
    const canceller = new Canceller()
    const [first, second, third] = [
      flight.join({ signal: controller.signal }),
      flight.join({ canceller }),
      flight.join({}),
    ]
    flight.requireUser()
    controller.abort('first')
    canceller.cancel('second')
    await expect(first).rejects.toBe('first')
    await expect(second).rejects.toBe('second')
    vi.advanceTimersByTime(GRACE_MS)
    expect(flight.signal.aborted).toBe(false)
    resolve('done')
    expect(await third).toBe('done')
  })

  it('R55 is not aborted when all requests stop waiting, unless the user has to act', async () => {
    const flight = new Flight(() => new Promise(() => {}))
    const canceller = new Canceller()
    const only = flight.join({ canceller })
    canceller.cancel('gone')
    await expect(only).rejects.toBe('gone')
    vi.advanceTimersByTime(GRACE_MS)
    expect(flight.signal.aborted).toBe(false)
    flight.requireUser()
    vi.advanceTimersByTime(GRACE_MS)
    expect(flight.signal.aborted).toBe(true)
  })

  it('still serves a request that arrives right after the last one stopped waiting', async () => {
    const flight = new Flight(() => new Promise(() => {}))
    flight.requireUser()
    vi.advanceTimersByTime(GRACE_MS - 1)
    void flight.join({})
    vi.advanceTimersByTime(GRACE_MS)
    expect(flight.signal.aborted).toBe(false)
  })

  it('rejects a cancelled request at once', async () => {
    const flight = new Flight(() => new Promise(() => {}))
    await expect(flight.join({ signal: AbortSignal.abort('early') })).rejects.toBe('early')
  })

  it('holds the clocks of all requests that wait while a person acts, neither before nor after', async () => {
    const { promise, resolve } = createDeferred()
    const person = createDeferred()
    const held = new Set<string>()
    const request = (name: string) => ({
      hold: () => {
        held.add(name)
        return () => held.delete(name)
      },
    })
    const flight = new Flight(() => promise)
    const early = flight.join(request('early'))
    expect(held.size).toBe(0)
    const acting = flight.whileUserActs(() => person.promise)
    const late = flight.join(request('late'))
    expect([...held]).toEqual(['early', 'late'])
    person.resolve()
    await acting
    expect(held.size).toBe(0)
    resolve()
    await Promise.all([early, late])
    expect(held.size).toBe(0)
  })

  it('holds no clock of a request that was given up while a person acts', async () => {
    const held = new Set<string>()
    const canceller = new Canceller()
    const hold = () => {
      held.add('only')
      return () => held.delete('only')
    }
    const flight = new Flight(() => new Promise(() => {}))
    void flight.whileUserActs(() => new Promise(() => {}))
    const only = flight.join({ canceller, hold })
    expect(held.size).toBe(1)
    canceller.cancel('gone')
    await expect(only).rejects.toBe('gone')
    expect(held.size).toBe(0)
  })
})

describe('a login that no request waits for any more', () => {
  it('is ended, and the next call starts another', async () => {
    const as = new ScriptedOAuth()
    const waiting = createDeferred<AbortSignal>()
    let isPatient = true
    let back: URL | undefined
    const provider = browsingProvider(as, {
      redirect: (url) => {
        back = as.browse(url)
      },
      callback: ({ signal }) => {
        waiting.resolve(signal)
        return isPatient ? new Promise(() => {}) : Promise.resolve(back!)
      },
    })
    const { poster, call } = createCaller(as, provider)
    const canceller = new Canceller()
    const only = poster({ method: 'POST', url: as.resource, headers: {}, body: '{}', canceller })
    const signal = await waiting.promise
    canceller.cancel(new Error('never mind'))
    await expect(only).rejects.toThrow('never mind')
    vi.advanceTimersByTime(GRACE_MS)
    expect(signal.aborted).toBe(true)
    isPatient = false
    expect((await call()).status).toBe(200)
  })
})
