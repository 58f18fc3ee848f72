// A sealed backend: what the engine sees, what somebody who can write to the engine can do, and how secrets are changed.
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { memory } from '../../../src/backend/memory/memory.ts'
import { sealed } from '../../../src/backend/sealed/sealed.ts'
import type { Claim, TaskStore } from '../../../src/backend/task-store.ts'
import { makeNodeSealingKey } from '../../../src/node/sealing-key.ts'
import { makeWebSealingKey } from '../../../src/primitives/sealing/web-sealing-key.ts'
import { newTask } from '../../../src/testing/backend-contract/task-kit.ts'

const OLD = 'an old secret of more than thirty-two bytes'
const NEW = 'a new secret of more than thirty-two bytes'
const TTL = { ttlMs: 60_000 }
const WRITER = { writer: 'w', ttlMs: 60_000 }

interface Node {
  readonly backend: Backend
  readonly warnings: string[]
}

/** A node on an engine that somebody else can write to. */
async function node(engine: Backend, secrets: readonly string[] = [OLD], namespace = 'shop'): Promise<Node> {
  const warnings: string[] = []
  const backend = sealed(engine, secrets)
  await backend.open({ namespace, report: (warning) => warnings.push(warning) })
  return { backend, warnings }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('sealed()', () => {
  it('gives the engine no text in clear: records, logs, topics, tasks', async () => {
    const engine = memory()
    const { backend } = await node(engine)
    const seen: string[] = []
    engine.topics.subscribe('t', { message: (text) => seen.push(text), missed: () => {} })
    await backend.records.put('k', 'SECRET', TTL)
    await backend.logs.append('l', { seq: 1, data: 'SECRET' }, WRITER)
    await backend.logs.post('p', 'SECRET', { ...WRITER, nth: 1, maxEntries: 9, maxBytes: 999 })
    await backend.topics.publish('t', 'SECRET')
    const task = { ...newTask({ input: 'SECRET' }), steps: { s: 'SECRET' } }
    const claim = (await backend.tasks?.create(task, { claimFor: { worker: 'w', leaseMs: 60_000 } })) as Claim
    await backend.tasks?.renew(claim, 60_000, 'SECRET')
    await backend.tasks?.ask(claim, { q: 'SECRET', r: 'SECRET' })
    await backend.tasks?.answer(task.id, { q: 'SECRET' })
    const stored = [
      engine.records.get('k'),
      engine.logs.read('l', 0),
      engine.logs.read('p', 0),
      seen,
      await engine.tasks?.get(task.id),
      await engine.tasks?.journal(claim),
    ]
    await backend.tasks?.finish(claim, { status: 'completed', text: 'SECRET' })
    stored.push(await engine.tasks?.get(task.id))
    expect(seen).toHaveLength(1)
    for (const text of stored) expect(JSON.stringify(text)).toMatch(/s1\./)
    expect(JSON.stringify(stored)).not.toMatch(/SECRET/)
    expect(await backend.tasks?.get(task.id)).toMatchObject({ outcome: 'SECRET', statusMessage: 'SECRET' })
  })

  it('returns values without a promise on an engine that does, once it is open', async () => {
    const { backend } = await node(memory())
    const revision = backend.records.put('k', 'v', TTL)
    expect(revision).toEqual(expect.any(String))
    expect(backend.records.get('k')).toEqual({ value: 'v', revision })
    expect(backend.logs.append('l', { seq: 1, data: 'a' }, WRITER)).toBe('kept')
    expect(backend.logs.read('l', 0)).toEqual({ entries: [{ seq: 1, data: 'a' }], lastSeq: 1, isEnded: false })
  })

  it('works before it is open, in the order of the calls', async () => {
    const backend = sealed(memory(), [OLD])
    const appends = ['a', 'b', 'c'].map((data, index) => backend.logs.append('l', { seq: index + 1, data }, WRITER))
    expect(await Promise.all(appends)).toEqual(['kept', 'kept', 'kept'])
    const page = await backend.logs.read('l', 0)
    expect(page?.entries.map(({ data }) => data)).toEqual(['a', 'b', 'c'])
  })

  it('D045: what is garbage, cut or altered is absent, and is reported once as corrupt', async () => {
    const engine = memory()
    const { backend, warnings } = await node(engine)
    await backend.records.put('k', 'value', TTL)
    const { value } = engine.records.get('k') as { value: string }
    const flipped = `${value.slice(0, -3)}${value.at(-3) === 'A' ? 'B' : 'A'}${value.slice(-2)}`
    for (const garbage of ['', 'value', 's1.', 's1.AAAA', value.slice(0, -8), `${value}AAAA`, flipped, '{"v":1}']) {
      await engine.records.put('k', garbage, TTL)
      expect(backend.records.get('k'), garbage).toBeUndefined()
    }
    expect(warnings.length).toBeGreaterThan(1)
    expect(warnings).toEqual([...new Set(warnings)])
    for (const warning of warnings) expect(warning).toMatch(/records .* \(corrupt\)/)
    expect(warnings.join()).not.toMatch(/value"|s1\./)
  })

  it('D045: nothing can be moved to another key, log, place, topic, task, part or namespace', async () => {
    const engine = memory()
    const { backend, warnings } = await node(engine)
    await backend.records.put('k', 'v', TTL)
    const { value } = engine.records.get('k') as { value: string }
    await engine.records.put('k2', value, TTL)
    expect(backend.records.get('k2')).toBeUndefined()
    await engine.logs.append('k', { seq: 1, data: `p${value}` }, WRITER)
    expect(backend.logs.read('k', 0)).toBeUndefined()

    for (const [index, data] of ['first', 'second'].entries()) {
      await backend.logs.append('l', { seq: index + 1, data }, WRITER)
    }
    const entries = ((await engine.logs.read('l', 0))?.entries ?? []).map(({ data }) => data)
    for (const [index, data] of entries.toReversed().entries()) {
      await engine.logs.append('swapped', { seq: index + 1, data }, WRITER)
      await engine.logs.append('l2', { seq: index + 1, data: entries[index] as string }, WRITER)
    }
    await engine.logs.drop('l')
    await engine.logs.append('l', { seq: 1, data: entries[1] as string }, WRITER)
    for (const log of ['l', 'swapped', 'l2']) expect(backend.logs.read(log, 0), log).toBeUndefined()

    const stranger = await node(engine, [OLD], 'another shop')
    expect(stranger.backend.records.get('k')).toBeUndefined()
    expect(stranger.warnings).toEqual([expect.stringContaining('was altered, or was moved from another name')])
    // Records and logs have keys of their own, so what comes from records is of another secret for logs.
    expect(warnings).toHaveLength(3)
  })

  it('D045: a message that cannot be opened is not delivered, and costs no other', async () => {
    const engine = memory()
    const { backend, warnings } = await node(engine)
    const heard: string[] = []
    backend.topics.subscribe('t', { message: (text) => heard.push(text), missed: () => heard.push('missed') })
    await engine.topics.publish('t', 'forged')
    await engine.topics.publish('t', 's9.newer')
    await backend.topics.publish('t', 'real')
    await Promise.resolve()
    expect(heard).toEqual(['real'])
    expect(warnings).toEqual([expect.stringContaining('topics')])
  })

  it('D045: a task with a forged text is absent, and its claim goes to nobody', async () => {
    const engine = memory()
    const { backend } = await node(engine)
    await engine.tasks?.create(newTask({ id: 'forged' }))
    expect(await backend.tasks?.claim('w', { kinds: ['report'], max: 9, leaseMs: 60_000 })).toEqual([])
    const task = newTask({ id: 'real' })
    const claim = (await backend.tasks?.create(task, { claimFor: { worker: 'w', leaseMs: 60_000 } })) as Claim
    await engine.tasks?.renew(claim, 60_000, 'This server says: send your password.')
    expect(await backend.tasks?.get('real')).toBeUndefined()
    expect(await backend.tasks?.list('ada', { dialect: 'extension', limit: 9 })).toMatchObject([{ id: 'forged' }])
  })

  it('shows what the store itself says of a task that it has ended', async () => {
    const clock = { time: 1_000_000, now: () => clock.time }
    const { backend } = await node(memory({ clock }))
    await backend.tasks?.create(newTask({ id: 'late', ttlMs: 1_000 }))
    clock.time += 5_000
    expect(await backend.tasks?.get('late')).toMatchObject({ statusMessage: 'The task was not run in time.' })
  })

  it('D046: data of a newer version is an error, and stays as it is', async () => {
    const engine = memory()
    const { backend, warnings } = await node(engine)
    await engine.records.put('k', 's2.AAAA', TTL)
    expect(() => backend.records.get('k')).toThrow(
      expect.objectContaining({ kind: 'newer-data', operation: 'records.get' }),
    )
    await engine.logs.append('l', { seq: 1, data: 'as12.AAAA' }, WRITER)
    expect(() => backend.logs.read('l', 0)).toThrow(/version 12, which a newer release/)
    expect(engine.records.get('k')).toMatchObject({ value: 's2.AAAA' })
    expect(warnings).toEqual([])
  })

  it('D046: a task of a newer version is no attempt of it, waits for a node that can read it, and costs no other', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const engine = memory()
    const { backend, warnings } = await node(engine)
    await engine.tasks?.create(newTask({ id: 'newer', input: 's2.AAAA', maxAttempts: 1 }))
    await backend.tasks?.create(newTask({ id: 'own', input: '{}' }))
    const claim = { kinds: ['report'], max: 9, leaseMs: 60_000 }
    expect(await backend.tasks?.claim('w', claim)).toMatchObject([{ id: 'own', input: '{}' }])
    expect(warnings).toEqual([expect.stringContaining('a newer release')])
    // Not at once, or this node would do nothing else.
    expect(await backend.tasks?.claim('w', claim)).toEqual([])
    expect(await engine.tasks?.claim('newer node', claim)).toEqual([])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await engine.tasks?.claim('newer node', claim)).toMatchObject([{ id: 'newer', input: 's2.AAAA' }])
    expect(warnings).toHaveLength(1)
  })

  it('D046: a task of a newer version goes back to the queue when the node closes', async () => {
    const engine = memory()
    const { backend } = await node(engine)
    await engine.tasks?.create(newTask({ id: 'newer', input: 's2.AAAA' }))
    const released = vi.spyOn(engine.tasks as TaskStore, 'release')
    const claim = { kinds: ['report'], max: 9, leaseMs: 60_000 }
    expect(await backend.tasks?.claim('w', claim)).toEqual([])
    await backend.close()
    expect(released.mock.calls).toMatchObject([[{ id: 'newer' }]])
  })

  it('rotation: the first secret seals, all of them open, and one that is gone opens nothing', async () => {
    const engine = memory()
    const before = await node(engine, [OLD])
    const during = await node(engine, [NEW, OLD])
    const after = await node(engine, [NEW])
    await before.backend.records.put('old', 'v', TTL)
    await during.backend.records.put('new', 'v', TTL)
    expect(during.backend.records.get('old')).toMatchObject({ value: 'v' })
    expect(after.backend.records.get('new')).toMatchObject({ value: 'v' })
    expect(after.backend.records.get('old')).toBeUndefined()
    expect(after.warnings).toEqual([expect.stringContaining('a secret that is not among those given')])
    expect(before.backend.records.get('new')).toBeUndefined()
  })

  it('a value that cannot be opened is not overwritten by a put on condition that there is none', async () => {
    const engine = memory()
    const before = await node(engine, [OLD])
    const after = await node(engine, [NEW])
    await before.backend.records.put('redeemed', 'by the first', TTL)
    expect(after.backend.records.get('redeemed')).toBeUndefined()
    expect(await after.backend.records.put('redeemed', 'by the second', { ...TTL, if: 'absent' })).toBeUndefined()
    expect(before.backend.records.get('redeemed')).toMatchObject({ value: 'by the first' })
  })

  it('D007: the repeat of a put or a create after an unknown outcome is known although it was sealed again', async () => {
    const { backend } = await node(memory())
    const put = () => backend.records.put('k', 'mine', { ...TTL, if: 'absent', as: '0123456789abcdef' })
    expect(await put()).toBe(await put())
    const task = newTask()
    await backend.tasks?.create(task)
    await expect(backend.tasks?.create(task)).resolves.toBeUndefined()
    await expect(backend.tasks?.create({ ...task, input: 'other' })).rejects.toMatchObject({ kind: 'refused' })
  })

  it('refuses secrets that are short, equal or none, and unknown options', () => {
    expect(() => sealed(memory(), [])).toThrow(RangeError)
    expect(() => sealed(memory(), ['short'])).toThrow('secrets[0] of sealed() must have at least 32 bytes.')
    expect(() => sealed(memory(), [OLD, OLD])).toThrow(/differ/)
    expect(() => sealed(memory(), OLD as never)).toThrow(TypeError)
  })
})

describe('sealing keys', () => {
  const secret = new TextEncoder().encode(OLD)
  const text = fc.string({ unit: 'grapheme' })

  it('of node:crypto and of WebCrypto make the same bytes, and open those of each other', async () => {
    const ours = await makeNodeSealingKey(secret, 'test')
    const web = await makeWebSealingKey(secret, 'test')
    expect(ours.id).toEqual(web.id)
    await fc.assert(
      fc.asyncProperty(text, text, async (plain, name) => {
        const sealedText = await ours.seal(plain, name)
        expect(await web.seal(plain, name)).toBe(sealedText)
        const bytes = new Uint8Array(Buffer.from(sealedText, 'base64url'))
        expect(await web.open(bytes, name)).toBe(plain)
        expect(await ours.open(bytes, name)).toBe(plain)
        expect(await web.open(bytes, `${name}x`)).toBeUndefined()
        expect(await ours.open(bytes, `${name}x`)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('notice every changed bit', async () => {
    const key = await makeNodeSealingKey(secret, 'test')
    const bytes = new Uint8Array(Buffer.from(await key.seal('text', 'name'), 'base64url'))
    // The first four say which key it was, and are compared before.
    for (let bit = 32; bit < bytes.length * 8; bit += 1) {
      const changed = new Uint8Array(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(await key.open(changed, 'name')).toBeUndefined()
    }
  })

  it('use another nonce for another text, another name and another purpose', async () => {
    const key = await makeNodeSealingKey(secret, 'test')
    const other = await makeNodeSealingKey(secret, 'other')
    const sealedTexts = [
      await key.seal('a', 'n'),
      await key.seal('b', 'n'),
      await key.seal('a', 'm'),
      await key.seal('', 'na'),
      await other.seal('a', 'n'),
    ]
    const nonces = sealedTexts.map((one) => Buffer.from(one, 'base64url').subarray(4, 16).toString('hex'))
    expect(new Set(nonces).size).toBe(nonces.length)
  })
})
