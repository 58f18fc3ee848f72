import { expect, it } from 'vitest'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { Deadlines } from '../../../src/primitives/async/deadlines.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../src/testing/with-tasks.ts'

it('stands still until it is moved, and starts where the test wants', async () => {
  const clock = fakeClock(new Date('2030-01-01T00:00:00Z'))
  expect(new Date(clock.now()).toISOString()).toBe('2030-01-01T00:00:00.000Z')
  await clock.advance(86_400_000)
  expect(new Date(clock.now()).toISOString()).toBe('2030-01-02T00:00:00.000Z')
  expect(clock.monotonic()).toBe(86_400_000)
})

it('what is due happens in its order, each at its own moment, with what follows from it', async () => {
  const clock = fakeClock()
  const seen: [string, number][] = []
  const note = (name: string) => seen.push([name, clock.monotonic()])
  clock.setTimer(() => note('late'), 300)
  clock.setTimer(() => note('first'), 100)
  clock.setTimer(() => {
    note('second')
    // After a turn of the event loop, and still before what is later.
    setTimeout(() => clock.setTimer(() => note('follows'), 50), 0)
  }, 100)
  const dropped = clock.setTimer(() => note('dropped'), 150)
  clock.clearTimer(dropped)
  await clock.advance(299)
  expect(seen).toEqual([
    ['first', 100],
    ['second', 100],
    ['follows', 150],
  ])
  await clock.advance(1)
  expect(seen.at(-1)).toEqual(['late', 300])
})

it('many deadlines on one timer go by it', async () => {
  const clock = fakeClock()
  const deadlines = new Deadlines(clock)
  const seen: number[] = []
  for (const dueAt of [30, 10, 20]) deadlines.add({ dueAt, onDue: () => seen.push(clock.monotonic()) })
  await clock.advance(25)
  expect(seen).toEqual([10, 20])
  deadlines.clear()
  await clock.advance(25)
  expect(seen).toEqual([10, 20])
})

it.each([-1, 0.5, Number.NaN])('can not be moved by %s ms', async (ms) => {
  await expect(fakeClock().advance(ms)).rejects.toThrow(RangeError)
})

it('withTasks takes a server and a clock, and says what to write instead of anything else', () => {
  const server = new MCPServer('s')
  expect(withTasks(server, { clock: fakeClock() })).toBe(server)
  expect(withTasks(server.server, { clock: fakeClock() })).toBe(server.server)
  expect(() => withTasks(server, { clock: Date as never })).toThrow('Write clock: fakeClock().')
  expect(() => withTasks({}, { clock: fakeClock() })).toThrow('withTasks() takes a Server or an MCPServer')
  expect(() => withTasks(server, { time: fakeClock() } as never)).toThrow(TypeError)
})
