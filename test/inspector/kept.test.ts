// What the inspector keeps beyond its own life: recent targets and saved calls, without secrets.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Kept, type KeptStore } from '../../inspector/backend/work/kept.ts'
import { KeptAnswers } from '../../inspector/backend/work/kept-answers.ts'
import { createWorld, eventsOf } from './support.ts'

/** A file, as the command line has one. */
function createStore(value?: unknown): KeptStore & { text(): string } {
  let text = value === undefined ? undefined : JSON.stringify(value)
  return {
    read: () => (text === undefined ? undefined : (JSON.parse(text) as unknown)),
    write: (next) => {
      text = JSON.stringify(next)
    },
    text: () => text ?? '',
  }
}

it('recent targets and saved calls are there after a restart, and calls belong to their target', async () => {
  const kept = createStore()
  let target = ''
  {
    await using world = await createWorld({ kept, isConnected: false })
    target = world.serverUrl
    await world.api('connect', { target, mode: 'auto' })
    const { connections } = await eventsOf(world).until((state) => state.connections[0]?.status === 'ready')
    const save = (args: object) => world.api('save', { connection: connections[0]?.id, tool: 'order', args })
    expect((await save({ item: 'book', apiKey: 'k-123', address: { city: 'Bern', token: 't-456' } })).status).toBe(200)
    await save({ item: 'pen' })
    const { saved } = await eventsOf(world).until((state) => state.saved.length === 2)
    // In this process the whole call is there.
    expect(saved[0]?.args).toMatchObject({ apiKey: 'k-123' })
    await world.api('forget', { saved: saved[1]?.id })
  }
  expect(kept.text()).not.toMatch(/k-123|t-456/)
  await using world = await createWorld({ kept, isConnected: false })
  const { recent, saved } = await eventsOf(world).state()
  expect(recent).toEqual([target])
  expect(saved).toEqual([{ id: 'saved1', target, tool: 'order', args: { item: 'book', address: { city: 'Bern' } } }])
})

it('targets that may hold a secret are not kept', () => {
  const store = createStore()
  const kept = new Kept(store)
  for (const typed of ['https://a.example/mcp?key=1', 'https://me:pw@a.example', 'server --token x'])
    kept.connected(typed)
  expect(kept.recent).toEqual([])
  kept.connected('https://a.example/mcp')
  expect(store.read()).toEqual({ recent: ['https://a.example/mcp'], saved: [], answers: [] })
})

it('two inspectors at once lose nothing of each other', () => {
  const store = createStore()
  const [one, other] = [new Kept(store), new Kept(store)]
  one.connected('one.ts')
  other.connected('other.ts')
  one.save({ target: 'one.ts', tool: 'a', args: {} })
  other.save({ target: 'other.ts', tool: 'b', args: {} })
  one.forget(one.saved[0]?.id ?? '')
  const { recent, saved } = new Kept(store)
  expect(recent).toEqual(['other.ts', 'one.ts'])
  expect(saved.map(({ tool }) => tool)).toEqual(['b'])
})

it('holds to its limits, and takes nothing from a file that is not what it has written', () => {
  const store = createStore()
  const kept = new Kept(store)
  for (let index = 0; index < 150; index += 1) {
    kept.connected(`server${index}.ts`)
    kept.save({ target: 'a', tool: 'b', args: { index } })
  }
  kept.save({ target: 'a', tool: 'b', args: { long: 'x'.repeat(100_000) } })
  expect([kept.recent.length, kept.saved.length]).toEqual([10, 100])
  expect([new Kept(store).recent.length, new Kept(store).saved.length]).toEqual([10, 100])
  expect(store.text().length).toBeLessThan(100_000)
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (recent, saved) => {
      const read = new Kept(createStore({ recent, saved }))
      expect(read.recent.every((one) => typeof one === 'string')).toBe(true)
      for (const { target, tool, args } of read.saved) {
        expect([typeof target, typeof tool, typeof args]).toEqual(['string', 'string', 'object'])
      }
    }),
  )
})

it('answers to give again are there after a restart, for the same question of the same target, until they are forgotten', async () => {
  const kept = createStore()
  const asked = { target: 'shop.ts', kind: 'url', params: { message: 'Pay?', url: 'https://pay.example/1' } } as const
  new KeptAnswers(new Kept(kept)).keep(asked, { action: 'accept' })
  const later = new KeptAnswers(new Kept(kept))
  expect(later.find(asked)).toEqual({ action: 'accept' })
  expect(later.states).toMatchObject([{ target: 'shop.ts', question: 'Pay?', answer: 'accepted' }])
  for (const other of [
    { ...asked, target: 'other.ts' },
    { ...asked, kind: 'form' as const },
    { ...asked, params: { ...asked.params, url: 'https://evil.example/1' } },
    { ...asked, params: { ...asked.params, requestedSchema: {} } },
  ]) {
    expect(later.find(other)).toBeUndefined()
  }
  later.forget(later.states[0]?.id ?? '')
  expect(later.find(asked)).toBeUndefined()
  expect(new KeptAnswers(new Kept(kept)).states).toEqual([])
})

it('an answer with a secret in it is given again in this process alone', () => {
  const store = createStore()
  const asked = { target: 'shop.ts', kind: 'form', params: { message: 'Log in' } } as const
  const answers = new KeptAnswers(new Kept(store))
  answers.keep(asked, { action: 'accept', content: { user: 'ada', password: 'p-789' } })
  expect(answers.find(asked)).toMatchObject({ content: { password: 'p-789' } })
  expect(store.text()).not.toContain('p-789')
  expect(new KeptAnswers(new Kept(store)).find(asked)).toBeUndefined()
})
