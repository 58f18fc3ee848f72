// Parts of several backends as one, and `update`.
import { describe, expect, it } from 'vitest'
import type { Backend, BackendUse } from '../../../src/backend/backend.ts'
import { combine } from '../../../src/backend/combine.ts'
import { memory } from '../../../src/backend/memory/memory.ts'
import { registerBackend } from '../../../src/backend/parts.ts'
import { update } from '../../../src/backend/update.ts'

/** An engine of somebody else, which says what is done with it. */
function engine(name: string, done: string[], failure?: Error): Backend {
  const { records, logs, topics, limits, tasks } = memory()
  return registerBackend({
    // Parts of its own, since those of `memory()` belong to it.
    records: Object.create(records) as typeof records,
    logs: Object.create(logs) as typeof logs,
    topics: Object.create(topics) as typeof topics,
    limits: Object.create(limits) as typeof limits,
    tasks: Object.create(tasks as object) as NonNullable<typeof tasks>,
    open: async (use?: BackendUse) => {
      done.push(`open ${name} ${use?.namespace}`)
      if (failure !== undefined) throw failure
    },
    close: async () => void done.push(`close ${name}`),
    health: async () =>
      failure === undefined ? { isReady: true, latencyMs: name.length } : { isReady: false, detail: failure.message },
  })
}

describe('combine()', () => {
  it('opens, closes and asks each backend once, whatever the number of its parts', async () => {
    const done: string[] = []
    const backend = combine({ ...engine('redis', done), tasks: engine('postgres', done).tasks })
    await backend.open({ namespace: 'shop' })
    await backend.close()
    expect(done).toEqual(['open redis shop', 'open postgres shop', 'close redis', 'close postgres'])
    expect(await backend.health()).toEqual({ isReady: true, latencyMs: 8 })
  })

  it('does not open a backend of which no part is used', async () => {
    const done: string[] = []
    const [first, second] = [engine('first', done), engine('second', done)]
    await combine({ ...first, ...second }).open()
    expect(done).toEqual(['open second undefined'])
  })

  it('says which parts are not ready, and why', async () => {
    const broken = engine('postgres', [], new Error('The server refused the connection.'))
    const backend = combine({ ...engine('redis', []), tasks: broken.tasks })
    expect(await backend.health()).toEqual({
      isReady: false,
      latencyMs: 5,
      detail: 'tasks: The server refused the connection.',
    })
  })

  it('closes what has opened where another does not open', async () => {
    const done: string[] = []
    const failure = new Error('The server refused the connection.')
    const backend = combine({ ...engine('redis', done), tasks: engine('postgres', done, failure).tasks })
    await expect(backend.open()).rejects.toBe(failure)
    expect(done.slice(2)).toEqual(['close postgres', 'close redis'])
  })

  it('takes parts of a class, whose methods a spread leaves behind, and of a combination', async () => {
    const [first, second] = [memory(), memory()]
    const inner = combine({ ...first, limits: second.limits })
    const backend = combine({ ...inner, topics: second.topics })
    expect(backend.tasks).toBe(first.tasks)
    await backend.open()
    await backend.close()
    expect([await first.health(), await second.health()]).toMatchObject([{ isReady: false }, { isReady: false }])
  })

  it('refuses parts that belong to no backend, and missing ones', () => {
    const { records, ...others } = memory()
    expect(() => combine({ ...others, records: { ...records } as never })).toThrow(
      'records of combine() is not a part of a backend.',
    )
    expect(() => combine(others as never)).toThrow(TypeError)
    expect(combine({ records, ...others, tasks: undefined }).tasks).toBeUndefined()
  })
})

describe('update()', () => {
  const to = (value: string) => ({ value, ttlMs: 60_000 })

  it('makes, changes and leaves a record', async () => {
    const { records } = memory()
    const made = await update(records, 'k', (value) => to(`${value} first`))
    expect(made).toEqual({ value: 'undefined first', revision: expect.any(String) })
    expect(await update(records, 'k', (value) => to(`${value} second`))).toMatchObject({
      value: 'undefined first second',
    })
    const kept = await records.get('k')
    expect(await update(records, 'k', () => undefined)).toEqual(kept)
    expect(await records.get('k')).toEqual(kept)
    expect(await update(records, 'unknown', () => undefined)).toBeUndefined()
  })

  it('loses nothing of what many change at once', async () => {
    const { records } = memory()
    const slow = {
      get: async (key: string) => records.get(key),
      put: async (...given: Parameters<typeof records.put>) => records.put(...given),
      delete: async (key: string) => records.delete(key),
    }
    // Each wants to put the same value as the others.
    const add = () => update(slow, 'k', (value = '0') => to(String(Number(value) + 1)))
    await Promise.all([add(), add(), add()])
    expect(await records.get('k')).toMatchObject({ value: '3' })
  })

  it('is refused after 8 tries in which others were faster', async () => {
    const { records } = memory()
    let changes = 0
    const busy = update(records, 'k', (value) => {
      changes += 1
      void records.put('k', `other ${changes}`, { ttlMs: 60_000 })
      return to(`${value} mine`)
    })
    await expect(busy).rejects.toMatchObject({ name: 'BackendError', kind: 'refused', operation: 'records.put' })
    expect(changes).toBe(8)
    expect(await records.get('k')).toMatchObject({ value: 'other 8' })
  })
})
