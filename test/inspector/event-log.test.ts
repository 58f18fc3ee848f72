// What the inspector keeps of everything that happened, whatever a server puts where.
import { describe, expect, it } from 'vitest'
import { EventLog, MAX_BYTES, MAX_ENTRIES } from '../../inspector/backend/log/event-log.ts'
import type { NewEntry } from '../../inspector/protocol/entries.ts'

const message = (more: object) =>
  ({
    type: 'message',
    connection: 'c1',
    direction: 'received',
    body: '{}',
    bytes: 2,
    kind: 'request',
    role: 'other',
    ...more,
  }) as NewEntry
const log = (more: object) =>
  ({ type: 'log', connection: 'c1', source: 'server', level: 'info', text: '', ...more }) as NewEntry

describe('the event log', () => {
  it.each<[string, NewEntry]>([
    ['method', message({ method: 'm'.repeat(1_000_000) })],
    ['id', message({ id: 'i'.repeat(1_000_000) })],
    ['logger', log({ logger: 'l'.repeat(1_000_000) })],
  ])('shows the beginning of a %s that is too long', (name, entry) => {
    const events = new EventLog()
    events.add(entry)
    expect(String((events.after(0)[0] as never)[name])).toHaveLength(1_025)
  })

  it('counts the text of log messages', () => {
    const events = new EventLog()
    for (let one = 0; one < MAX_ENTRIES; one++) events.add(log({ text: 'x'.repeat(16_384) }))
    expect(events.after(0).length).toBeLessThanOrEqual(MAX_BYTES / 16_384)
  })
})
