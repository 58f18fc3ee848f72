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

  'open after close: works again, with what was stored': async ({ backend, longMs }) => {
    await backend.records.put('k', 'v', { ttlMs: longMs })
    await backend.close()
    await backend.open()
    equal('value', (await backend.records.get('k'))?.value, 'v')
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
