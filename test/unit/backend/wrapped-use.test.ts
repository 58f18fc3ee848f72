// Backends that stand on the same one: it closes after the last of them.
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { combine } from '../../../src/backend/combine.ts'
import { memory } from '../../../src/backend/memory/memory.ts'
import { observed } from '../../../src/backend/observed.ts'
import { sealed } from '../../../src/backend/sealed/sealed.ts'

const WRAPPERS: readonly [name: string, wrap: (inner: Backend) => Backend][] = [
  ['sealed', (inner) => sealed(inner, ['a secret of at least thirty-two bytes'])],
  ['observed', (inner) => observed(inner, () => {})],
  ['combine', (inner) => combine({ ...inner, records: inner.records, tasks: inner.tasks })],
]

describe.each(WRAPPERS)('two backends of %s() on one', (_name, wrap) => {
  test('one that is closed leaves it open for the other', async () => {
    const inner = memory()
    const [one, other] = [wrap(inner), wrap(inner)]
    await Promise.all([one.open(), one.open(), other.open()])
    await other.records.put('k', 'v', { ttlMs: 1_000 })
    await one.close()
    await one.close()
    expect((await other.records.get('k'))?.value).toBe('v')
    expect(await other.tasks?.get('t')).toBeUndefined()
    await other.close()
    expect((await inner.health()).isReady).toBe(false)
    await one.open()
    expect((await inner.health()).isReady).toBe(true)
    await one.close()
  })

  test('close also ends what an operation opened', async () => {
    const inner = memory()
    const one = wrap(inner)
    await one.records.put('k', 'v', { ttlMs: 1_000 })
    await one.close()
    expect((await inner.health()).isReady).toBe(false)
  })
})
