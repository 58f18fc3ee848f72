// Reading the lists of a server belongs to connecting: it is bounded by what is left of the connect time.
import { expect, it, onTestFinished, vi } from 'vitest'
import { ClientSessionGroup } from '../../../../src/client/group/session-group.ts'
import type { ConnectOptions } from '../../../../src/dispatcher/channel.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { Countdown } from '../../../../src/primitives/async/countdown.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { cacheable, listOf, ScriptedServer } from '../session/scripted-server.ts'

const MODES = ['auto', 'legacy'] as const
const MINUTE = 60_000

function createGroup() {
  const faults: Fault[] = []
  const group = new ClientSessionGroup({ onFault: (fault) => faults.push(fault) })
  onTestFinished(() => group.close())
  return { group, faults }
}

/** Lists its prompts, and its tools when the promise resolves. `asked` resolves when the client asks for the tools. */
function slowServer(tools: Promise<JSONObject>) {
  const asked = createDeferred()
  const listTools = () => {
    asked.resolve()
    return tools
  }
  const script = { 'tools/list': listTools, 'prompts/list': () => cacheable({ prompts: [{ name: 'p' }] }) }
  const server = new ScriptedServer(script, { capabilities: { tools: {}, prompts: {} } })
  return { server, asked: asked.promise }
}

function useFakeTimers() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

it.each(MODES)('connectToServer returns within connectTimeoutMs although a list never comes, mode %s', async (mode) => {
  useFakeTimers()
  const { group, faults } = createGroup()
  const { server, asked } = slowServer(new Promise(() => {}))
  const joining = group.connectToServer(server, { mode, connectTimeoutMs: 1_000 })
  await asked
  await vi.advanceTimersByTimeAsync(999)
  expect(group.sessions).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  await joining
  expect([...group.prompts.keys()]).toEqual(['p'])
  expect(faults.map(({ message }) => message)).toEqual([
    "The server 'scripted' did not list its tools within the connect time. The group lists them again in the background.",
  ])
})

it.each(MODES)('a list that takes longer than the connect time is added later, mode %s', async (mode) => {
  useFakeTimers()
  const { group, faults } = createGroup()
  const tools = createDeferred<JSONObject>()
  const { server, asked } = slowServer(tools.promise)
  const joining = group.connectToServer(server, { mode, connectTimeoutMs: 1_000 })
  await asked
  await vi.advanceTimersByTimeAsync(1_000)
  await joining
  expect(group.tools.size).toBe(0)
  tools.resolve(listOf('a'))
  await vi.advanceTimersByTimeAsync(1)
  expect([...group.tools.keys()]).toEqual(['a'])
  expect(faults).toHaveLength(1)
})

it('only what connecting has left of connectTimeoutMs remains for the lists', async () => {
  useFakeTimers()
  const { group } = createGroup()
  const { server, asked } = slowServer(new Promise(() => {}))
  const opening = createDeferred()
  const slowToOpen = {
    connectInProcess: async (options: ConnectOptions) => {
      opening.resolve()
      await new Promise((resolve) => setTimeout(resolve, 700))
      return server.connectInProcess(options)
    },
  }
  let isDone = false
  const joining = group.connectToServer(slowToOpen, { connectTimeoutMs: 1_000 }).then(() => {
    isDone = true
  })
  await opening.promise
  await vi.advanceTimersByTimeAsync(700)
  await asked
  await vi.advanceTimersByTimeAsync(299)
  expect(isDone).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await joining
})

it('connectTimeoutMs: Infinity leaves the lists the time that a request has', async () => {
  useFakeTimers()
  const { group, faults } = createGroup()
  const { server, asked } = slowServer(new Promise(() => {}))
  const joining = group.connectToServer(server, { connectTimeoutMs: Infinity })
  await asked
  await vi.advanceTimersByTimeAsync(MINUTE)
  await joining
  expect(faults.map(({ message }) => message)).toEqual(["The tools of the server 'scripted' could not be listed"])
})

it('a countdown knows what is left of it, without the time that it stood still', async () => {
  useFakeTimers()
  const countdown = new Countdown(1_000, () => {})
  await vi.advanceTimersByTimeAsync(300)
  expect(countdown.leftMs).toBe(700)
  const release = countdown.hold()
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(countdown.leftMs).toBe(700)
  release()
  await vi.advanceTimersByTimeAsync(200)
  countdown.stop()
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(countdown.leftMs).toBe(500)
  countdown.stop()
  expect(countdown.leftMs).toBe(500)
})
