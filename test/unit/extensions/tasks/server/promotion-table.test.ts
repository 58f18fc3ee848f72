// What becomes of a call: by the mode of the tool, by what the client takes, and by revision.
import { describe, expect, it } from 'vitest'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import type { TaskOption } from '../../../../../src/mcpserver/extensions/task-options.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../../../../src/types/protocol/versions.ts'
import { callWork, heldWork, rawClient, serverWith, textOf } from './support-promotion.ts'

type Fate = 'inline' | 'promoted' | 'task at once' | number

const MODES: readonly (readonly [TaskOption, modern: Fate])[] = [
  [false, 'inline'],
  [true, 'promoted'],
  [{ mode: 'optional' }, 'promoted'],
  ['always', 'task at once'],
  ['required', 'task at once'],
  ['manual', 'inline'],
]

/** The fate of a call that takes five seconds. */
async function fateOf(task: TaskOption, at: ProtocolVersion, takesTasks: boolean): Promise<Fate> {
  const { run, runs } = heldWork()
  const { server, clock } = serverWith(run, { task })
  await using client = await rawClient(server, { mode: at, extensions: takesTasks ? [tasks()] : [] })
  let isAnswered = false
  const call = callWork(client).finally(() => {
    isAnswered = true
  })
  const settled = call.then(
    (result) => result,
    (error: { code: number }) => error.code,
  )
  await clock.advance(0)
  const isAtOnce = isAnswered
  await clock.advance(5_000)
  for (const { end } of runs) end('done')
  await clock.advance(1_000)
  const answer = await settled
  if (typeof answer === 'number') return answer
  if (answer['resultType'] === 'task') return isAtOnce ? 'task at once' : 'promoted'
  expect(textOf(answer)).toBe('done')
  expect(runs).toHaveLength(1)
  return 'inline'
}

describe.each(MODES)('a tool with task: %j', (task, modern) => {
  it.each(PROTOCOL_VERSIONS)('for a client that takes tasks of the extension, at %s', async (at) => {
    const legacy = task === 'required' ? -32601 : 'inline'
    expect(await fateOf(task, at, true)).toBe(at === '2026-07-28' ? modern : legacy)
  })

  it.each(PROTOCOL_VERSIONS)('for a client that takes no tasks, at %s', async (at) => {
    const refused = at === '2026-07-28' ? -32021 : -32601
    expect(await fateOf(task, at, false)).toBe(task === 'required' ? refused : 'inline')
  })
})
