// Runs that stay in memory while they wait for answers: they take no worker meanwhile, and lose no answer for it.
import { describe, expect, it } from 'vitest'
import type { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { accept, NAME_FORM, textsOf } from '../../../../interaction/kit/support-mcpserver.ts'
import { TaskNodes } from '../../../../support/shared-tasks.ts'

const HELD = { task: { mode: 'always', holds: true } } as const

/** A process with one worker, and a tool that takes it until the test lets it go. */
async function openNode(nodes: TaskNodes, define: (server: MCPServer) => void) {
  const end = createDeferred()
  const { tasks } = await nodes.add(
    (server) => {
      server.tool('busy', { task: 'always' }, () => end.promise.then(() => 'busy'))
      server.tool('quick', { task: 'always' }, () => 'quick')
      define(server)
    },
    { workers: 1 },
  )
  const advance = (ms = 1) => nodes.clock.advance(ms)
  /** Answers the open question with this message. */
  const answer = async (taskId: string, message: string) => {
    const { inputRequests = {} } = await tasks.until(taskId, 'input_required')
    const isIt = ({ params }: { params?: object }) => (params as { message?: string }).message === message
    const key = Object.keys(inputRequests).find((name) => isIt(inputRequests[name] ?? {})) ?? ''
    await tasks.update(taskId, { [key]: accept(message) })
    await advance()
  }
  return { tasks, answer, advance, endBusy: end.resolve }
}

describe('a run that holds', () => {
  it('takes no worker while one of its questions is open', async () => {
    await using nodes = new TaskNodes()
    const { tasks, answer, advance } = await openNode(nodes, (server) => {
      server.tool('held', HELD, async (_args, ctx) => {
        const answers = await Promise.all(['A', 'B'].map((message) => ctx.elicit(message, NAME_FORM)))
        return answers.map(({ action }) => action).join()
      })
    })
    const { taskId } = await tasks.start('held')
    await advance()
    await answer(taskId, 'A')
    const quick = await tasks.start('quick')
    await advance()
    expect((await tasks.get(quick.taskId)).status).toBe('completed')
    await answer(taskId, 'B')
    expect(textsOf((await tasks.ended(taskId)).result as never)).toEqual(['accept,accept'])
  })

  it('asks another question while it waits for a worker, and gets both answers', async () => {
    await using nodes = new TaskNodes()
    const later = createDeferred()
    const { tasks, answer, advance, endBusy } = await openNode(nodes, (server) => {
      server.tool('held', HELD, async (_args, ctx) => {
        const ask = async (message: string) => (await ctx.elicit(message, NAME_FORM)).action
        return (await Promise.all([ask('A'), later.promise.then(() => ask('B'))])).join()
      })
    })
    const { taskId } = await tasks.start('held')
    await advance()
    const busy = await tasks.start('busy')
    await advance()
    await answer(taskId, 'A')
    later.resolve()
    await advance()
    await answer(taskId, 'B')
    expect((await tasks.get(taskId)).status).toBe('working')
    endBusy()
    await tasks.ended(busy.taskId)
    expect(textsOf((await tasks.ended(taskId)).result as never)).toEqual(['accept,accept'])
  })
})
