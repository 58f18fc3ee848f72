// A server that is not there any more, over HTTP: how long a call of a task waits, and what it leaves.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import type { ClientExtension } from '../../../../../src/client/extensions/extension.ts'
import { streamableHttp } from '../../../../../src/client/transports/streamable-http.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../../src/node/http/serve-http.ts'
import { type Clock, WITH_CLOCK } from '../../../../../src/primitives/async/clock.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { FakeClock } from '../../../../../src/testing/fake-clock.ts'
import { TransportError } from '../../../../../src/types/errors/failures.ts'
import { TaskPendingError } from '../../../../../src/types/extensions/task-errors.ts'

const REVISIONS = ['2025-11-25', '2026-07-28'] as const

function tasksAt(clock: Clock): ClientExtension {
  const extension: ClientExtension & { [WITH_CLOCK]?: (clock: Clock) => ClientExtension } = tasks({ watch: false })
  return extension[WITH_CLOCK]?.(clock) ?? extension
}

/** A server whose only run goes on until `finish` is called, also while nothing serves it. */
async function createServer() {
  const server = new MCPServer('works', { extensions: [tasks()] })
  const go = createDeferred()
  const polled = createDeferred()
  server.tool('work', { task: { mode: 'always', pollIntervalMs: 100 } }, async () => {
    await go.promise
    return 'done'
  })
  server.use((ctx, next) => {
    if (ctx.method === 'tasks/get') polled.resolve()
    return next()
  })
  // Keeps the runs going.
  const inProcess = await Client.connect(server)
  return { server, finish: go.resolve, polled: polled.promise, [Symbol.asyncDispose]: () => inProcess.close() }
}

/** Polls that fail are repeated by the driver of tasks alone, on its own clock. */
async function connect(url: string, mode: (typeof REVISIONS)[number], clock: Clock) {
  const transport = streamableHttp(url, { reconnect: { deadlineMs: 0 } })
  return Client.connect(transport, { mode, extensions: [tasksAt(clock)] })
}

/** Lets time pass until the promise settles, and returns how much of it. */
async function passUntilSettled(clock: FakeClock, promise: Promise<unknown>): Promise<number> {
  const startedAt = clock.monotonic()
  let isSettled = false
  const settled = () => {
    isSettled = true
  }
  promise.then(settled, settled)
  while (!isSettled) await clock.advance(500)
  return clock.monotonic() - startedAt
}

describe.each(REVISIONS)('a server that is gone (%s)', (mode) => {
  it('ends the call after about a minute with what finds the task again, and cancels nothing', async () => {
    await using created = await createServer()
    const clock = new FakeClock(Date.now())
    const serving = await serveHttp(created.server, { port: 0 })
    const port = Number(new URL(serving.url).port)
    await using client = await connect(serving.url, mode, clock)
    const call = client.callTool('work', {}, { task: true }).catch((reason: unknown) => reason)
    await passUntilSettled(clock, created.polled)
    await serving.close({ drainMs: 0 })
    const waitedMs = await passUntilSettled(clock, call)
    const error = (await call) as TaskPendingError
    expect(error).toBeInstanceOf(TaskPendingError)
    expect(error.message).toMatch(/could not be reached. Wait again with error.job.result\(\)/)
    expect(error.cause).toBeInstanceOf(TransportError)
    expect(waitedMs).toBeGreaterThanOrEqual(60_000)
    expect(await client.tasks.pending()).toEqual([error.job.reference])

    // The job waits again, and hears of the end from the server that is back.
    const back = await serveHttp(created.server, { port })
    const result = error.job.result()
    created.finish()
    await passUntilSettled(clock, result)
    expect((await result).content).toMatchObject([{ text: 'done' }])
    expect(await client.tasks.pending()).toEqual([])
    await client.close()
    await back.close({ drainMs: 0 })
  }, 60_000)

  it('is waited for where it comes back within that time', async () => {
    await using created = await createServer()
    const clock = new FakeClock(Date.now())
    const serving = await serveHttp(created.server, { port: 0 })
    const port = Number(new URL(serving.url).port)
    await using client = await connect(serving.url, mode, clock)
    const call = client.callTool('work', {}, { task: true })
    call.catch(() => {})
    await passUntilSettled(clock, created.polled)
    await serving.close({ drainMs: 0 })
    for (let seconds = 0; seconds < 20; seconds += 1) await clock.advance(1_000)
    const back = await serveHttp(created.server, { port })
    created.finish()
    await passUntilSettled(clock, call)
    expect((await call).content).toMatchObject([{ text: 'done' }])
    await client.close()
    await back.close({ drainMs: 0 })
  }, 60_000)
})
