// A change is told to those who want it, and to nobody else, however many others there are and whatever the bus is.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListenerIndex } from '../../../../src/server/subscriptions/listener-index.ts'
import {
  createKeyedBus,
  createLocalBus,
  type KeyedBus,
  type SubscriptionBus,
  type SubscriptionEvent,
  type SubscriptionListener,
} from '../../../../src/server/subscriptions/subscriptions.ts'

/** As an author may write one: it knows nothing of keys. */
class AuthorsBus implements SubscriptionBus {
  readonly listeners = new Set<SubscriptionListener>()

  async publish(event: SubscriptionEvent): Promise<void> {
    for (const listener of this.listeners) listener(event)
  }

  subscribe(listener: SubscriptionListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

const updated = (uri: string): SubscriptionEvent => ({ type: 'resourceUpdated', uri })

describe.each<[string, () => KeyedBus]>([
  ['the bus of a server', () => createLocalBus()],
  ['a bus over one of the author’s', () => createKeyedBus(new AuthorsBus(), () => {})],
])('%s', (_name, create) => {
  it('tells a change to those who want its key, and to those who want everything', async () => {
    const bus = create()
    const heard: string[] = []
    bus.subscribe(() => heard.push('everything'))
    bus.subscribe(() => heard.push('one'), ['uri notes://1'])
    bus.subscribe(() => heard.push('one and tools'), ['uri notes://1', 'toolsListChanged'])
    bus.subscribe(() => heard.push('two'), ['uri notes://2'])
    await bus.publish(updated('notes://1'))
    expect(heard.splice(0)).toEqual(['everything', 'one', 'one and tools'])
    await bus.publish({ type: 'toolsListChanged' })
    expect(heard.splice(0)).toEqual(['everything', 'one and tools'])
    await bus.publish({ type: 'extensionChanged', filter: 'taskIds', key: '7' })
    expect(heard).toEqual(['everything'])
  })

  it('asks none of 9,000 listeners about a change that none of them wants', async () => {
    const bus = create()
    let asked = 0
    for (let id = 0; id < 9_000; id++) bus.subscribe(() => void asked++, [`uri item://${id}`])
    await bus.publish(updated('item://nobody'))
    expect(asked).toBe(0)
    await bus.publish(updated('item://7'))
    expect(asked).toBe(1)
  })

  it('goes on where a listener throws, and tells nobody who has left', async () => {
    const bus = create()
    const heard: string[] = []
    bus.subscribe(() => {
      throw new Error('mine')
    }, ['uri a'])
    const leave = bus.subscribe(() => heard.push('left'), ['uri a'])
    bus.subscribe(() => heard.push('stayed'), ['uri a'])
    leave()
    leave()
    await bus.publish(updated('a'))
    expect(heard).toEqual(['stayed'])
  })
})

it('listens to the bus of an author once, and not at all where nobody listens', () => {
  const authors = new AuthorsBus()
  const bus = createKeyedBus(authors, () => {})
  const leaves = Array.from({ length: 100 }, (_, id) => bus.subscribe(() => {}, [`uri ${id}`]))
  expect(authors.listeners.size).toBe(1)
  for (const leave of leaves) leave()
  expect(authors.listeners.size).toBe(0)
  bus.subscribe(() => {})
  expect(authors.listeners.size).toBe(1)
})

it('finds whoever was added and not removed, by any order of steps', () => {
  const keys = fc.option(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }), { nil: undefined })
  const steps = fc.array(fc.oneof(fc.record({ add: keys }), fc.record({ remove: fc.nat(20) })), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (list) => {
      const index = new ListenerIndex<number>()
      const added: { listening: ReturnType<typeof index.add>; isIn: boolean }[] = []
      for (const step of list) {
        if ('add' in step) added.push({ listening: index.add(added.length, step.add), isIn: true })
        else {
          const one = added[step.remove]
          if (one === undefined) continue
          index.remove(one.listening)
          one.isIn = false
        }
      }
      const present = added.filter(({ isIn }) => isIn).map(({ listening }) => listening)
      expect(index.isEmpty).toBe(present.length === 0)
      expect(index.all()).toEqual(present)
      for (const key of ['a', 'b', 'c', 'd', 'e']) {
        const wanted = present.filter(({ keys: own }) => own === undefined || own.includes(key))
        expect([...index.wanting(key)].map(({ hear }) => hear).sort()).toEqual(wanted.map(({ hear }) => hear).sort())
      }
    }),
  )
})
