// Questions of a server at 2025-11-25 that belong to a task, or ask for one. The client runs no tasks of its own.
import { expect, vi } from 'vitest'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement } from '../kit/requirement.ts'
import { connectScripted, NAME_FORM, SAMPLING, text, toolServer } from '../kit/support-interaction.ts'

const TAG = { 'io.modelcontextprotocol/related-task': { taskId: 'T1' } }

requirement('tasks L-09: answers to questions of a task', async (setting) => {
  const isTagged = setting.version === '2025-11-25'
  await using peer = await connectScripted(setting, {
    onElicitation: () => ({ action: 'accept', content: { name: 'Ada' }, _meta: { mine: 1 } }),
  })
  const metaOfAnswer = async (_meta: object) => {
    const { result } = await peer.server.request('elicitation/create', { ...NAME_FORM.params, _meta })
    return (result as JSONObject)['_meta']
  }

  expect(await metaOfAnswer(TAG)).toEqual({ mine: 1, ...(isTagged && TAG) })
  expect(await metaOfAnswer({})).toEqual({ mine: 1 })
  expect(await metaOfAnswer({ 'io.modelcontextprotocol/related-task': { taskId: 1 } })).toEqual({ mine: 1 })
})

requirement('tasks L-01: no tasks of the client', async ({ connect }) => {
  const onSampling = vi.fn(() => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }) as const)
  const seen: unknown[] = []
  const server = toolServer(async ({ session, clientCapabilities }) => {
    seen.push(clientCapabilities.tasks)
    seen.push(
      await session.sendRequest('sampling/createMessage', { ...SAMPLING.params, task: { ttl: 1_000 } } as never),
    )
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'] as const) {
      seen.push(await session.sendRequest(method, { taskId: 'T1' }).catch((error: unknown) => error))
    }
    return text('done')
  })
  await using client = await connect(server, { onSampling })
  await client.callTool('tool')

  expect(seen[0]).toBeUndefined()
  expect(seen[1]).toMatchObject({ model: 'm' })
  expect(onSampling).toHaveBeenCalledOnce()
  for (const [index, method] of ['tasks/get', 'tasks/result', 'tasks/cancel'].entries()) {
    expect(seen[index + 2]).toMatchObject({ code: -32601, message: `This client does not support ${method}.` })
  }
})
