// The success path makes no Error, no stream and no AbortController.
import { afterEach, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** Counts what is made of these classes by modules that are loaded from here on. */
function countMade(names: readonly string[]): () => Record<string, number> {
  const made: Record<string, number> = {}
  for (const name of names) {
    const original = Reflect.get(globalThis, name) as new (...args: unknown[]) => object
    made[name] = 0
    vi.stubGlobal(
      name,
      class extends original {
        constructor(...args: unknown[]) {
          super(...args)
          made[name] = (made[name] ?? 0) + 1
        }
      },
    )
  }
  return () => ({ ...made })
}

it.each(['direct', 'JSON-RPC'])(
  'a round trip of the %s dispatcher makes none of them; a failing one does',
  async (kind) => {
    const made = countMade(['Error', 'TypeError', 'RangeError', 'AbortController', 'ReadableStream', 'TransformStream'])
    vi.resetModules()
    const { pairs, connectPair } = await import('../../support/peers.ts')
    const pair = pairs.find((candidate) => candidate.kind === kind)
    await using link = connectPair(pair!.createPair, {
      onRequest: (_context, method) => {
        if (method === 'bad') throw new Error('x')
        return { fine: true }
      },
    })
    const before = made()
    await link.caller.sendRawRequest('good', { a: 1 }, { timeoutMs: 1_000, wantsProgress: true })
    expect(made()).toEqual(before)
    await link.caller.sendRawRequest('bad').catch(() => {})
    expect(made()['Error']).toBeGreaterThan(before['Error'] as number)
  },
)

it('an answer that comes at once takes no deadline; one that comes later does', async () => {
  const { pairs, connectPair } = await import('../../support/peers.ts')
  const pair = pairs.find(({ kind }) => kind === 'direct')
  const later = createDeferred<object>()
  await using link = connectPair(pair!.createPair, {
    onRequest: (_context, method) => (method === 'later' ? (later.promise as Promise<never>) : {}),
  })
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  try {
    await link.caller.sendRawRequest('at once', {}, { timeoutMs: 1_000 })
    expect(setTimer).not.toHaveBeenCalled()
    const waiting = link.caller.sendRawRequest('later', {}, { timeoutMs: 1_000 })
    expect(setTimer).toHaveBeenCalledTimes(1)
    later.resolve({})
    await waiting
  } finally {
    setTimer.mockRestore()
  }
})
