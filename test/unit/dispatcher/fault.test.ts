// How often faults are reported while an engine is away.
import { afterEach, expect, it, vi } from 'vitest'
import { BackendError } from '../../../src/backend/backend-error.ts'
import { type Fault, FaultReporter } from '../../../src/dispatcher/fault.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('while an engine is away, each message is reported once a minute, with the count of those that were not', () => {
  vi.useFakeTimers()
  const seen: Fault[] = []
  const faults = new FaultReporter((fault) => void seen.push(fault))
  const away = new BackendError('Redis is away', { kind: 'unavailable', operation: 'tasks.claim' })
  const report = (message: string) => faults.report({ kind: 'transport', message, error: away })
  for (let count = 0; count < 20; count += 1) report('A session was not stored.')
  report('A message was not passed on.')
  expect(seen.map(({ message }) => message)).toEqual(['A session was not stored.', 'A message was not passed on.'])
  vi.advanceTimersByTime(60_001)
  report('A session was not stored.')
  expect(seen.slice(2)).toEqual([
    { kind: 'transport', message: 'A session was not stored.', error: away, suppressed: 19 },
  ])
})

it('an engine that answers with a refusal is reported each time', () => {
  const seen: Fault[] = []
  const faults = new FaultReporter((fault) => void seen.push(fault))
  const refused = new BackendError('Redis is full', { kind: 'refused', operation: 'records.put' })
  for (let count = 0; count < 3; count += 1) faults.report({ kind: 'transport', message: 'Full.', error: refused })
  expect(seen).toHaveLength(3)
})
