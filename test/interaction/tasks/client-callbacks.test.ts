// Callbacks of a call that becomes a task, where they fail.
import { expect, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import { requirement } from '../kit/requirement.ts'
import { textOf } from '../kit/support-interaction.ts'
import { serverWithTasks } from './support-core.ts'

// A rejection that nobody handles fails the run of the tests by itself.
requirement('client-tasks:callbacks:failing', async ({ connect }) => {
  const { server } = serverWithTasks()
  server.tool('report', { task: { mode: 'always', pollIntervalMs: 100 } }, async (_args, ctx) => {
    await ctx.reportProgress(1, 2)
    return 'done'
  })
  const faults: Fault[] = []
  await using client = await connect(server, { extensions: [tasks()], onFault: (fault) => faults.push(fault) })
  const wrong = [
    () => {
      throw new Error('sync')
    },
    () => Promise.reject(new Error('async')),
  ]
  for (const fail of wrong) {
    const options = { task: true, onStatus: fail, onProgress: fail }
    expect(textOf(await client.callTool('report', {}, options))).toBe('done')
  }
  const job = await client.tasks.start('report')
  await job.result({ onStatus: () => Promise.reject(new Error('async of a job')) })
  await vi.waitFor(() => {
    const seen = faults.filter(({ message }) => message === 'onStatus of a call threw an error.')
    expect(seen.every(({ kind }) => kind === 'callback-failed')).toBe(true)
    expect(new Set(seen.map(({ error }) => (error as Error).message))).toEqual(
      new Set(['sync', 'async', 'async of a job']),
    )
  })
})
