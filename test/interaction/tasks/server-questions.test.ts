// Questions of a run: asked by the same code as inline, answered in any order, each once.
import { expect } from 'vitest'
import type { InputRequiredResult } from '../../../src/types/features/input-required.ts'
import { requirement } from '../kit/requirement.ts'
import { accept, NAME_FORM, textsOf } from '../kit/support-mcpserver.ts'
import { BareTasks, nextTurn, onlyKey, taskServer, WITH_TASKS } from '../kit/support-tasks.ts'

requirement('tasks questions', async ({ connect }) => {
  const { server } = taskServer()
  const steps: string[] = []
  server.tool('interview', { task: 'required' }, async (_args, ctx) => {
    const read = await ctx.step('read', () => {
      steps.push('read')
      return { rows: 3 }
    })
    const [first, second] = await Promise.all([ctx.elicit('First?', NAME_FORM), ctx.elicit('Second?', NAME_FORM)])
    await ctx.step('write', () => void steps.push('write'))
    const third = await ctx.elicit('Third?', NAME_FORM)
    const names = [first, second, third].map((answer) => (answer.action === 'accept' ? answer.content.name : '-'))
    return [...names, read.rows, ctx.task?.isResumed].join()
  })
  server.tool('model', { task: 'required' }, async (_args, ctx) => {
    await ctx.sample({ messages: [], maxTokens: 1 })
    return 'never'
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const { taskId } = await tasks.start('interview')
  const both = await tasks.until(taskId, 'input_required')
  const keys = Object.keys(both.inputRequests ?? {})
  expect(Object.values(both.inputRequests ?? {}).map(({ params }) => (params as { message: string }).message)).toEqual([
    'First?',
    'Second?',
  ])
  await tasks.update(taskId, { [keys[1] as string]: { action: 'decline' } })
  const rest = await tasks.until(taskId, 'input_required')
  expect(Object.keys(rest.inputRequests ?? {})).toEqual([keys[0]])
  await tasks.update(taskId, { [keys[0] as string]: accept('Ada') })
  let third = await tasks.until(taskId, 'input_required')
  while (onlyKey(third) === keys[0]) third = await tasks.until(taskId, 'input_required')
  await tasks.update(taskId, { [onlyKey(third)]: accept('Grace') })
  const { result } = await tasks.ended(taskId)
  expect(textsOf(result as never)).toEqual(['Ada,-,Grace,3,true'])
  expect(steps).toEqual(['read', 'write'])

  // As inline: the capabilities of the request that created the task count.
  expect(await tasks.finish('model')).toMatchObject({
    status: 'failed',
    error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
  })
})

requirement('tasks T-21: keys of questions', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('again', { task: 'required' }, async (_args, ctx) => {
    const answers: unknown[] = []
    for (let round = 0; round < 3; round += 1) {
      const answer = await ctx.elicit('Name?', NAME_FORM)
      answers.push(answer.action === 'accept' ? answer.content.name : '-')
    }
    return answers.join()
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const { taskId } = await tasks.start('again')
  const keys = new Set<string>()
  for (const name of ['one', 'two', 'three']) {
    let state = await tasks.until(taskId, 'input_required')
    while (keys.has(onlyKey(state))) state = await tasks.until(taskId, 'input_required')
    keys.add(onlyKey(state))
    await tasks.update(taskId, { [onlyKey(state)]: accept(name) })
  }
  expect(textsOf((await tasks.ended(taskId)).result as never)).toEqual(['one,two,three'])
  expect(keys.size).toBe(3)
})

requirement('tasks T-22: answers', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('two', { task: 'required' }, async (_args, ctx) => {
    const both = await Promise.all([ctx.elicit('A?', NAME_FORM), ctx.elicit('B?', NAME_FORM)])
    return both.map((answer) => (answer.action === 'accept' ? answer.content.name : answer.action)).join()
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const { taskId } = await tasks.start('two')
  // Nothing is asked yet, or not under these names: acknowledged and ignored.
  await tasks.update(taskId, { q1: accept('early'), __proto__: accept('no') })
  const state = await tasks.until(taskId, 'input_required')
  const [a, b] = Object.keys(state.inputRequests ?? {}) as [string, string]
  await tasks.update(taskId, { [a]: accept('first'), other: accept('unknown') })
  await tasks.update(taskId, { [a]: accept('second') })
  expect(Object.keys((await tasks.until(taskId, 'input_required')).inputRequests ?? {})).toEqual([b])
  await tasks.update(taskId, { [b]: { action: 'cancel' } })
  const ended = await tasks.ended(taskId)
  // A user who cancels a question does not cancel the task.
  expect(ended.status).toBe('completed')
  expect(textsOf(ended.result as never)).toEqual(['first,cancel'])
})

requirement('tasks T-22: answers that do not fit', async ({ connect }) => {
  const { server } = taskServer()
  server.tool('strict', { task: 'required' }, async (_args, ctx) => (await ctx.elicit('Name?', NAME_FORM)).action)
  server.tool('careful', { task: 'required' }, async (_args, ctx) => {
    return ctx.elicit('Name?', NAME_FORM).then(
      ({ action }) => action,
      (error: { code: number }) => `caught ${error.code}`,
    )
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)
  const misfit = { action: 'accept' as const, content: { name: 5 } }

  const strict = await tasks.start('strict')
  await tasks.update(strict.taskId, { [onlyKey(await tasks.until(strict.taskId, 'input_required'))]: misfit })
  expect(await tasks.ended(strict.taskId)).toMatchObject({ status: 'failed', error: { code: -32602 } })

  const careful = await tasks.start('careful')
  await tasks.update(careful.taskId, { [onlyKey(await tasks.until(careful.taskId, 'input_required'))]: misfit })
  expect(textsOf((await tasks.ended(careful.taskId)).result as never)).toEqual(['caught -32602'])
})

requirement('tasks questions: returned by the handler', async ({ connect, wire }) => {
  const { server } = taskServer()
  server.tool('rounds', { task: 'required' }, (_args, ctx) => {
    const names = JSON.parse(ctx.requestState ?? '[]') as string[]
    const answer = ctx.inputResponses?.['name'] as { content?: { name: string } } | undefined
    if (answer?.content !== undefined) names.push(answer.content.name)
    if (names.length === 2) return names.join()
    const requestedSchema = { type: 'object' as const, properties: NAME_FORM.properties }
    const params = { mode: 'form' as const, message: `Name ${names.length + 1}?`, requestedSchema }
    const result: InputRequiredResult = {
      resultType: 'input_required',
      inputRequests: { name: { method: 'elicitation/create', params } },
      requestState: JSON.stringify(names),
    }
    return result
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const { taskId } = await tasks.start('rounds')
  const keys: string[] = []
  for (const name of ['Ada', 'Grace']) {
    let state = await tasks.until(taskId, 'input_required')
    while (keys.includes(onlyKey(state))) state = await tasks.until(taskId, 'input_required')
    keys.push(onlyKey(state))
    await tasks.update(taskId, { [onlyKey(state)]: accept(name) })
  }
  expect(textsOf((await tasks.ended(taskId)).result as never)).toEqual(['Ada,Grace'])
  expect(keys[0]).toBe('name')
  expect(keys[1]).not.toBe('name')
  expect(JSON.stringify(wire.received)).not.toContain('requestState')
})

requirement('tasks questions: held', async ({ connect }) => {
  const { server } = taskServer()
  let runs = 0
  server.tool('held', { task: { mode: 'required', holds: true } }, async (_args, ctx) => {
    runs += 1
    const both = await Promise.all([ctx.elicit('A?', NAME_FORM), ctx.elicit('B?', NAME_FORM)])
    const third = await ctx.elicit('C?', NAME_FORM)
    return [...both, third].map((answer) => (answer.action === 'accept' ? answer.content.name : '-')).join()
  })
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const { taskId } = await tasks.start('held')
  const state = await tasks.until(taskId, 'input_required')
  const [a, b] = Object.keys(state.inputRequests ?? {}) as [string, string]
  await tasks.update(taskId, { [b]: accept('B') })
  await tasks.update(taskId, { [a]: accept('A') })
  let last = await tasks.until(taskId, 'input_required')
  while ([a, b].includes(Object.keys(last.inputRequests ?? {})[0] as string)) last = await tasks.get(taskId)
  await tasks.update(taskId, { [onlyKey(await tasks.until(taskId, 'input_required'))]: accept('C') })
  expect(textsOf((await tasks.ended(taskId)).result as never)).toEqual(['A,B,C'])
  expect(runs).toBe(1)
})

requirement('tasks holds: no worker', async ({ connect }) => {
  const { server } = taskServer({ workers: 1 })
  let atWork = 0
  let most = 0
  server.tool('held', { task: { mode: 'always', holds: true } }, async (_args, ctx) => {
    await ctx.elicit('Name?', NAME_FORM)
    atWork += 1
    most = Math.max(most, atWork)
    await nextTurn()
    atWork -= 1
    return 'held'
  })
  server.tool('quick', { task: 'always' }, () => 'quick')
  await using client = await connect(server, WITH_TASKS)
  const tasks = new BareTasks(client)

  const held: string[] = []
  for (let count = 0; count < 3; count++) {
    const { taskId } = await tasks.start('held')
    await tasks.until(taskId, 'input_required')
    held.push(taskId)
  }
  expect((await tasks.finish('quick')).status).toBe('completed')
  await Promise.all(held.map(async (id) => tasks.update(id, { [onlyKey(await tasks.get(id))]: accept('Ada') })))
  for (const id of held) expect((await tasks.ended(id)).status).toBe('completed')
  expect(most).toBe(1)
})
