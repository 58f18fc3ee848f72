// What counts for the backend as a whole.
import { equal, isTrue, rejects } from './check.ts'
import type { ContractCases } from './contract.ts'
import { newTask } from './task-kit.ts'

export const generalCases: ContractCases = {
  'open: any number of times': async ({ backend, longMs }) => {
    await Promise.all([backend.open(), backend.open()])
    await backend.open({ namespace: 'another', report: () => {} })
    isTrue('put', (await backend.records.put('k', 'v', { ttlMs: longMs })) !== undefined)
  },

  'close: any number of times, and without open': async ({ backend, other }) => {
    await Promise.all([backend.close(), backend.close()])
    await backend.close()
    await other.close()
  },

  'close: what comes after is rejected as unavailable': async ({ backend, longMs }) => {
    await backend.close()
    const { records, logs, topics, limits, tasks } = backend
    await rejects('unavailable', 'records.get', () => records.get('k'))
    await rejects('unavailable', 'records.put', () => records.put('k', 'v', { ttlMs: longMs }))
    await rejects('unavailable', 'logs.read', () => logs.read('l', 0))
    await rejects('unavailable', 'topics.publish', () => topics.publish('t', 'm'))
    await rejects('unavailable', 'limits.take', () => limits.take('k', { perSecond: 1, burst: 1 }))
    if (tasks === undefined) return
    await rejects('unavailable', 'tasks.create', () => tasks.create(newTask()))
    await rejects('unavailable', 'tasks.get', () => tasks.get('t'))
    await rejects('unavailable', 'tasks.claim', () => tasks.claim('w', { kinds: ['k'], max: 1, leaseMs: longMs }))
  },

  'close: what is on its way settles': async (of) => {
    const { backend, longMs } = of
    const { records, logs, topics, limits, tasks } = backend
    const append = (seq: number) => logs.append('l', { seq, data: 'e' }, { writer: 'w', ttlMs: longMs })
    const publish = () => topics.publish('t', 'm')
    // Engines that gather messages keep the next ones for a while.
    await publish()
    const works: (() => unknown)[] = [publish, publish, () => append(1), () => append(2), () => records.get('k')]
    works.push(() => topics.subscribe('t', { message: () => {}, missed: () => {} }).ready)
    works.push(
      () => limits.take('b', { perSecond: 1, burst: 1 }),
      () => limits.hold('p', 'h', { max: 1, ttlMs: longMs }),
    )
    if (tasks !== undefined) {
      works.push(
        () => tasks.create(newTask()),
        () => tasks.claim('w', { kinds: ['k'], max: 1, leaseMs: longMs }),
      )
    }
    let left = works.length
    const settled = () => {
      left -= 1
    }
    for (const work of works) void (async () => work())().then(settled, settled)
    await backend.close()
    await of.until('all of it to settle', () => left === 0)
  },

  'open after close: works again, with what was stored': async ({ backend, longMs }) => {
    await backend.records.put('k', 'v', { ttlMs: longMs })
    await backend.close()
    await backend.open()
    equal('value', (await backend.records.get('k'))?.value, 'v')
  },

  'open while it closes: open in the end': async ({ backend, longMs }) => {
    for (let turn = 0; turn < 3; turn += 1) {
      await Promise.allSettled([backend.open(), backend.close(), backend.close(), backend.open()])
      isTrue('put', (await backend.records.put('k', 'v', { ttlMs: longMs })) !== undefined)
      await Promise.allSettled([backend.close(), backend.open()])
      isTrue('put again', (await backend.records.put('k', 'v', { ttlMs: longMs })) !== undefined)
      await backend.close()
    }
  },

  'health: ready when open, not ready when closed, never rejects': async ({ backend }) => {
    equal('isReady', (await backend.health()).isReady, true)
    await backend.close()
    equal('isReady after close', (await backend.health()).isReady, false)
  },

  'two clients: each sees what the other has stored, whatever is closed': async ({ backend, other, longMs }) => {
    await other.records.put('k', 'v', { ttlMs: longMs })
    equal('value', (await backend.records.get('k'))?.value, 'v')
    if (other === backend) return
    await other.close()
    equal('value after the other has closed', (await backend.records.get('k'))?.value, 'v')
  },
}
