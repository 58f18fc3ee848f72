import { afterEach, describe, expect, it, vi } from 'vitest'
import { type RequestTiming, timeRequests } from '../../../../src/server/middleware/log-requests.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { eras, serverWith, stopTime, text } from './support.ts'

afterEach(() => void vi.useRealTimers())

describe.each(eras)('timeRequests in the %s era', (mode) => {
  it('tells what took how long, by a clock that nobody sets', async () => {
    const timings: RequestTiming[] = []
    const { server } = serverWith([timeRequests((timing) => timings.push(timing))], async () => {
      await new Promise((resolve) => setTimeout(resolve, 250))
      return { ...text('late'), isError: true }
    })
    await using client = await connect(server, { mode })
    timings.length = 0
    stopTime()
    const call = client.callTool('run')
    vi.setSystemTime(0)
    await vi.advanceTimersByTimeAsync(250)
    await call
    await client.session.sendNotification('vendor/told')

    expect(timings.filter(({ method }) => method !== 'tools/list')).toEqual([
      { method: 'tools/call', target: 'run', isNotification: false, durationMs: 250, outcome: { kind: 'tool-error' } },
      { method: 'vendor/told', target: undefined, isNotification: true, durationMs: 0, outcome: { kind: 'ok' } },
    ])
  })
})
