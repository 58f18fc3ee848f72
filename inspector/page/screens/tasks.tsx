// Tasks: calls that go on after their request was answered.
import { useEffect, useState } from 'preact/hooks'
import type { TaskRow } from '../../protocol/state.ts'
import { CallResult } from '../parts/call-result.tsx'
import { cleanLine, showMs } from '../parts/text.ts'
import { Badge, Empty } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { calls, connection } from '../state/store.ts'

const FINAL = ['completed', 'failed', 'cancelled', 'gone']
const TONES: Readonly<Record<string, string>> = { completed: 'good', failed: 'bad', gone: 'bad', cancelled: 'warn' }

export function Tasks() {
  const { tasks = [], id } = connection.value ?? {}
  const [shown, setShown] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const now = useNow()
  const call = calls.value.find((one) => one.id === shown)
  const act = async (row: TaskRow, action: 'get' | 'cancel' | 'result') => {
    if (id === undefined) return
    setProblem(undefined)
    try {
      const answer = await request('task', { connection: id, id: row.id, action })
      if (answer.call !== undefined) setShown(answer.call)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const isOver = tasks.every(({ status }) => FINAL.includes(status))
  const state =
    tasks.length === 0 ? 'none' : isOver ? 'final' : tasks.some((row) => row.isWatched) ? 'watching' : 'polling'
  return (
    <div class="page wide-page" data-state={state}>
      <h1>Tasks</h1>
      {tasks.length === 0 ? (
        <Empty title="No tasks yet.">
          <p class="hint">A call that takes long becomes a task where the server supports tasks. It is listed here.</p>
        </Empty>
      ) : (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Tasks">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Tool</th>
                <th scope="col">Task</th>
                <th scope="col">State</th>
                <th scope="col">Age</th>
                <th scope="col">Last status</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              {tasks.map((row) => (
                <tr key={row.id} data-state={row.status}>
                  <th scope="row">{cleanLine(row.tool)}</th>
                  <td class="mono break">{cleanLine(row.id)}</td>
                  <td>
                    <Badge tone={TONES[row.status] ?? 'plain'}>{cleanLine(row.status)}</Badge>
                  </td>
                  <td>{showAge(row.createdAt, now)}</td>
                  <td>{cleanLine(row.statusMessage ?? '')}</td>
                  <td>
                    <span class="actions">
                      <button type="button" class="button small" onClick={() => void act(row, 'get')}>
                        Refresh
                      </button>
                      <button type="button" class="button small" onClick={() => void act(row, 'result')}>
                        Result
                      </button>
                      {FINAL.includes(row.status) ? null : (
                        <button type="button" class="button small" onClick={() => void act(row, 'cancel')}>
                          Cancel
                        </button>
                      )}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {problem === undefined ? null : (
        <p class="issue" role="alert">
          {cleanLine(problem)}
        </p>
      )}
      {call === undefined ? null : <CallResult key={call.id} call={call} />}
    </div>
  )
}

function showAge(createdAt: string, now: number): string {
  const age = now - Date.parse(createdAt)
  return Number.isNaN(age) ? '' : age < 1_000 ? 'now' : showMs(Math.floor(age / 1_000) * 1_000)
}

function useNow(): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
