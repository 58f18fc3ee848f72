// The checks of long work: a client of tasks against a server of tasks. The tools are `greet` and `stopped`, which answer at once,
// and `report`, `failing`, `broken`, `approve` and `wait`, which run as tasks.
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'

const FINAL = ['completed', 'failed', 'cancelled']

export const TASK_CHECKS = {
  async 'plain call'(session) {
    strictEqual(await textOf(session, 'greet', { name: 'Ada' }), 'Hello, Ada!')
  },

  async 'result of a task'(session) {
    const { structuredContent, isError } = await session.callTool('report', { pages: 3 })
    deepStrictEqual([structuredContent, isError ?? false], [{ pages: 3 }, false])
  },

  async 'tasks side by side'(session) {
    const calls = Array.from({ length: 8 }, (_, index) => session.callTool('report', { pages: index }))
    const pages = (await Promise.all(calls)).map(({ structuredContent }) => structuredContent.pages)
    deepStrictEqual(pages, [0, 1, 2, 3, 4, 5, 6, 7])
  },

  async 'tool error in a task'(session) {
    const result = await session.callTool('failing', {})
    strictEqual(result.isError, true)
    match(result.content[0].text, /on purpose/)
  },

  async 'protocol error in a task'(session) {
    // Some clients make an error result of a failed task.
    const failure = await session.callTool('broken', {}).then(
      (result) => result.isError === true && result.content[0].text,
      (error) => error.message,
    )
    match(String(failure), /on purpose/)
  },

  async 'question in a task'(session) {
    strictEqual(await textOf(session, 'approve', {}), 'accept Ada')
  },

  async 'state of a task'(session, { until }) {
    const { taskId, status } = await session.startTask('report', { pages: 5 })
    ok(taskId.length > 0 && status === 'working', `a task in ${status}`)
    await until(async () => (await session.taskState(taskId)).status === 'completed', 'the task did not complete')
    strictEqual((await session.taskState(taskId)).status, 'completed')
  },

  async 'cancel a task'(session, { until }) {
    const before = Number(await textOf(session, 'stopped', {}))
    const { taskId } = await session.startTask('wait', {})
    await session.cancelTask(taskId)
    await until(async () => FINAL.includes((await session.taskState(taskId)).status), 'the task did not end')
    strictEqual((await session.taskState(taskId)).status, 'cancelled')
    await until(async () => Number(await textOf(session, 'stopped', {})) > before, 'the work was not stopped')
  },

  async 'unknown task'(session) {
    await rejects(session.taskState('no-such-task'))
  },
}

async function textOf(session, name, args) {
  const { content } = await session.callTool(name, args)
  return content[0].text
}
