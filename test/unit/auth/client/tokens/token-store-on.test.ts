import { expect, test } from 'vitest'
import { tokenStoreOn } from '../../../../../src/auth/client/tokens/token-store-on.ts'
import { memory } from '../../../../../src/backend/memory/memory.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { faultyBackend } from '../../../../cluster/faulty-backend.ts'

const KEY = 'tokens https://issuer.example https://notes.example/mcp'

test('what one process stores, another one of the same user finds, and no other user', async () => {
  const backend = memory()
  await tokenStoreOn(backend, { user: 'anna' }).set(KEY, { accessToken: 'a' })
  expect(await tokenStoreOn(backend, { user: 'anna' }).get(KEY)).toEqual({ accessToken: 'a' })
  expect(await tokenStoreOn(backend, { user: 'berta' }).get(KEY)).toBeUndefined()
  expect(await tokenStoreOn(backend).get(KEY)).toBeUndefined()
  await tokenStoreOn(backend, { user: 'anna' }).delete(KEY)
  expect(await tokenStoreOn(backend, { user: 'anna' }).get(KEY)).toBeUndefined()
})

test('names in the engine are digests, and what is no object counts as absent', async () => {
  const backend = faultyBackend()
  const store = tokenStoreOn(backend, { user: 'anna' })
  await store.set(KEY, { accessToken: 'a' })
  expect(backend.trips.join()).not.toMatch(/anna|issuer/)
  const [name = ''] = backend.keys()
  for (const garbage of ['', '[1', '7', 'null']) {
    backend.plant(name, garbage)
    expect(await store.get(KEY)).toBeUndefined()
  }
})

test('the lock lets one process work at a time, also after work that failed', async () => {
  const backend = memory()
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await Promise.resolve()
    inside -= 1
    throw new Error('failed')
  }
  const stores = Array.from({ length: 4 }, () => tokenStoreOn(backend))
  const results = await Promise.allSettled(stores.map((store) => store.lock?.(KEY, work)))
  expect(most).toBe(1)
  for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { message: 'failed' } })
})

test('a process that has lost its lock cannot overwrite the tokens of the next one', async () => {
  let now = 0
  const backend = memory({ clock: { now: () => now } })
  const [first, second] = [tokenStoreOn(backend), tokenStoreOn(backend)]
  await first.set(KEY, { refreshToken: 'one' })
  const [entered, goOn] = [createDeferred(), createDeferred()]
  const late = first.lock?.(KEY, async () => {
    entered.resolve()
    await goOn.promise
    await first.set(KEY, { refreshToken: 'from the one that was away' })
  })
  await entered.promise
  // As a process that was stopped for a while: its place is gone.
  now += 60_000
  await second.lock?.(KEY, async () => {
    await second.set(KEY, { refreshToken: 'two' })
    await second.set(KEY, { refreshToken: 'three' })
  })
  goOn.resolve()
  await expect(late).rejects.toThrow('newer tokens')
  expect(await second.get(KEY)).toEqual({ refreshToken: 'three' })
})
