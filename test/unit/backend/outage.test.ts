import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Outage } from '../../../src/backend/engine/outage.ts'

const TIMEOUT_MS = 1_000
const away = () => new Error('away')

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

it('waits for a connection that comes back in time', async () => {
  const outage = new Outage(TIMEOUT_MS)
  const waiting = [outage.whenOver(away), outage.whenOver(away)]
  vi.advanceTimersByTime(TIMEOUT_MS - 1)
  outage.over()
  await Promise.all(waiting)
  expect(vi.getTimerCount()).toBe(0)
})

it('fails at once in a break that is long already, and waits again in the next one', async () => {
  const outage = new Outage(TIMEOUT_MS)
  const first = outage.whenOver(away).catch((error: Error) => error.message)
  vi.advanceTimersByTime(TIMEOUT_MS)
  expect(await first).toBe('away')
  await expect(outage.whenOver(away)).rejects.toThrow('away')
  expect(vi.getTimerCount()).toBe(0)
  outage.over()
  const later = outage.whenOver(away)
  outage.over()
  await later
})

it('waits no longer than the operation may take', async () => {
  const outage = new Outage(TIMEOUT_MS)
  const waiting = outage.whenOver(away, performance.now() + 10).catch((error: Error) => error.message)
  vi.advanceTimersByTime(10)
  expect(await waiting).toBe('away')
  await expect(outage.whenOver(away, performance.now())).rejects.toThrow('away')
})
