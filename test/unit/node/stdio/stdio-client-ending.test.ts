// Every way in which a connection to a child process can end, and that nothing and nobody is left behind then.
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ConnectionEvent, Receiver } from '../../../../src/dispatcher/channel.ts'
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { ProcessGroup } from '../../../../src/node/process/process-group.ts'
import { stdio } from '../../../../src/node/stdio/stdio-client.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { ErrorCode } from '../../../../src/types/errors/error-codes.ts'
import { LimitError, TransportError } from '../../../../src/types/errors/failures.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { createFolder } from '../files/temporary-folder.ts'
import {
  childTransport,
  expectGone,
  expectNothingLeft,
  HASTY,
  isAlive,
  PATIENT,
  talkOver,
  talkTo,
} from './stdio-client-support.ts'

expectNothingLeft()

const closed = (details: object) => ({ code: ErrorCode.ConnectionClosed, local: true, cause: details })
const request = (id: number, params: JSONObject = {}) => ({ jsonrpc: '2.0' as const, id, method: 'x', params })

/** A server of both eras that answers one prompt and crashes then. */
const LEAVES_AFTER_ONE_PROMPT = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (id === undefined) return
    const about = { capabilities: { prompts: {}, tools: {} }, serverInfo: { name: 'leaving', version: '1' } }
    const result =
      method === 'server/discover' ? { ...about, supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private' } :
      method === 'initialize' ? { ...about, protocolVersion: '2025-11-25' } : { messages: [] }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } }) + '\\n', () => {
      if (method !== 'prompts/get') return
      console.error('the last words')
      process.exit(3)
    })
  })`

/** A receiver that remembers all it is told. */
function listen() {
  const messages: unknown[] = []
  const ended = createDeferred<Error | undefined>()
  const receiver: Receiver = {
    message: (message) => void messages.push(message) as undefined,
    lost: () => {},
    fault: () => {},
    closed: (reason) => ended.resolve(reason),
  }
  return { receiver, messages, ended: ended.promise }
}

describe('a server that exits', () => {
  it('F003 killed in the middle of a call: the call rejects at once, with the signal', async () => {
    await using talk = await talkTo('echo')
    const pid = await talk.pid()
    const call = talk.call('hang')
    process.kill(pid, 'SIGKILL')
    await expect(call).rejects.toMatchObject(closed({ signal: 'SIGKILL', exitCode: undefined }))
    await expect(call).rejects.toThrow(/was killed by SIGKILL$/)
  })

  it('F003 killed between two calls: later calls read why, as one in flight does', async () => {
    await using talk = await talkTo('echo')
    const pid = await talk.pid()
    const call = talk.call('hang')
    process.kill(pid, 'SIGKILL')
    const inFlight: unknown = await call.catch((error: unknown) => error)
    const later: unknown = await talk.call('hang').catch((error: unknown) => error)
    expect(later).toMatchObject(closed({ signal: 'SIGKILL' }))
    expect((later as Error).message).toBe((inFlight as Error).message)
    await talk.dispatcher.close()
    await expect(talk.call('hang')).rejects.toThrow(/was killed by SIGKILL$/)
  })

  it.each(['legacy', 'modern'] as const)(
    'F003 a client of the %s era reads the exit code and the last lines later',
    async (mode) => {
      const ended = createDeferred()
      const transport = stdio({ command: process.execPath, args: ['-e', LEAVES_AFTER_ONE_PROMPT], stderr: 'ignore' })
      const onConnection = ({ type }: ConnectionEvent) => {
        if (type === 'closed') ended.resolve()
      }
      await using client = await Client.connect(transport, { mode, onConnection })
      await client.getPrompt('x')
      await ended.promise
      await expect(client.callTool('x')).rejects.toMatchObject(closed({ exitCode: 3, stderr: ['the last words'] }))
      await expect(client.listTools()).rejects.toThrow(/exited with code 3.*\n {2}the last words$/s)
    },
  )

  it('F004 killed with 1,000 calls in flight: each rejects once, and the end is reported once', async () => {
    const channel = await childTransport('echo').open()
    const start = vi.spyOn(channel, 'start')
    await using talk = talkOver(channel)
    const pid = await talk.pid()
    const toldClosed = vi.spyOn(start.mock.calls[0]![0], 'closed')
    const calls = Array.from({ length: 1_000 }, () => talk.call('hang'))
    process.kill(pid, 'SIGKILL')
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1_000)
    await talk.dispatcher.close()
    expect(toldClosed).toHaveBeenCalledTimes(1)
  })

  it('F022 what it wrote before it exited is delivered before the end is reported', async () => {
    const count = 5_000
    await using talk = await talkTo('answers-then-exits', [String(count)])
    await expect(talk.call('x')).rejects.toMatchObject(closed({ exitCode: 0 }))
    expect(talk.notes).toHaveLength(count)
  })

  it('F022 also when it exits before anybody listens', async () => {
    const channel = await childTransport('answers-then-exits', ['200']).open()
    const { receiver, messages, ended } = listen()
    await vi.waitFor(() => expect(process.listenerCount('exit'), 'the guard leaves with the process').toBe(0))
    await channel.start(receiver)
    expect(await ended).toMatchObject({ exitCode: 0 })
    expect(messages).toHaveLength(200)
  })

  it('F022 also when they are taken slowly', async () => {
    const channel = await childTransport('answers-then-exits', ['1000']).open()
    const { receiver, messages, ended } = listen()
    const slow: Receiver = {
      ...receiver,
      message: (message) => {
        messages.push(message)
        return new Promise((resolve) => setImmediate(resolve))
      },
    }
    await channel.start(slow)
    await ended
    expect(messages).toHaveLength(1_000)
  })
})

describe('a server that crashes again and again', () => {
  it('F027 is not started again unasked: in-flight calls fail and are not repeated, and opening again begins anew', async () => {
    const transport = childTransport('echo')
    await using first = talkOver(await transport.open())
    const pid = await first.pid()
    const call = first.call('hang')
    process.kill(pid, 'SIGKILL')
    await expect(call).rejects.toMatchObject(closed({ signal: 'SIGKILL' }))
    await expect(first.call('x')).rejects.toMatchObject({ code: ErrorCode.ConnectionClosed })

    await using second = talkOver(await transport.open())
    expect(await second.pid()).not.toBe(pid)
    expect(await second.call('x', { only: 'this' })).toEqual({ params: { only: 'this', _meta: {} } })
  })

  it('F027 is started twice at most, by a client that does not know its era', async () => {
    await using folder = await createFolder()
    const starts = await folder.write('starts', '')
    const script = `
      require('fs').appendFileSync(process.argv[1], 'x')
      process.stdin.on('data', () => { require('fs').writeSync(2, 'expected initialize\\n'); process.exit(3) })`
    const transport = stdio({ command: process.execPath, args: ['-e', script, starts], stderr: 'ignore' })
    await expect(Client.connect(transport)).rejects.toThrow(/exited with code 3 before it sent a message/)
    expect(readFileSync(starts, 'utf8')).toBe('xx')
  })
})

describe('a server whose pipes are closed', () => {
  it('F017 it closes its input: pending and later calls reject, and it is ended', async () => {
    await using talk = await talkTo('closes-input', [], { shutdown: HASTY })
    const [pid] = (await talk.noted(1)) as [number]
    const pending = talk.call('x')
    const later = talk.call('y')
    await expect(pending).rejects.toMatchObject(
      closed({ message: expect.stringContaining('closed its standard input') }),
    )
    await expect(later).rejects.toMatchObject({ code: ErrorCode.ConnectionClosed })
    await expect(talk.call('z')).rejects.toMatchObject({ code: ErrorCode.ConnectionClosed })
    await talk.dispatcher.close()
    await expectGone(pid)
  })

  it('F017 the channel itself rejects what is sent then', async () => {
    const channel = await childTransport('closes-input', [], { shutdown: HASTY }).open()
    const { receiver, messages, ended } = listen()
    await channel.start(receiver)
    await vi.waitFor(() => expect(messages).toHaveLength(1))
    void channel.send(request(1))
    const reason = await ended
    expect(reason).toBeInstanceOf(TransportError)
    expect(reason?.cause).toMatchObject({ code: 'EPIPE' })
    await expect(channel.send(request(2))).rejects.toBe(reason)
    await channel.close()
  })

  it('it closes its output but lives: the call rejects, and it is ended', async () => {
    await using talk = await talkTo('closes-output')
    const [pid] = (await talk.noted(1)) as [number]
    await expect(talk.call('x')).rejects.toThrow(/closed its standard output/)
    await talk.dispatcher.close()
    await expectGone(pid)
  })
})

describe('a server that does not read', () => {
  it('F018 send() waits, timeouts and aborts work, what waits is bounded, close() is bounded', async () => {
    await using talk = await talkTo('never-reads', [], { shutdown: HASTY })
    const [pid] = (await talk.noted(1)) as [number]
    const text = 'x'.repeat(1_000_000)
    const first = talk.channel.send(request(1, { text }))
    expect(first).toBeInstanceOf(Promise)

    await expect(talk.call('x', {}, { timeoutMs: 20 })).rejects.toMatchObject({ code: ErrorCode.RequestTimeout })
    const controller = new AbortController()
    const aborted = talk.call('x', {}, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')

    // 128 MiB in all.
    const waiting = Array.from({ length: 133 }, (_, index) => talk.channel.send(request(index, { text })))
    expect(waiting.every((send) => send instanceof Promise)).toBe(true)
    await expect(talk.channel.send(request(99, { text }))).rejects.toBeInstanceOf(LimitError)

    await talk.dispatcher.close()
    await expect(first).rejects.toBeInstanceOf(TransportError)
    await expectGone(pid)
  })

  it('a single message that is longer than what may wait is sent', async () => {
    await using talk = await talkTo('echo')
    const text = 'x'.repeat(17_000_000)
    const { params } = await talk.call('x', { text })
    expect((params as { text: string }).text).toHaveLength(text.length)
  })
})

describe('close()', () => {
  it('a server that ends with its input is not signalled', async () => {
    const talk = await talkTo('echo', [], { shutdown: PATIENT })
    const pid = await talk.pid()
    const kill = vi.spyOn(process, 'kill')
    await talk.dispatcher.close()
    const signals = kill.mock.calls.filter(([target, signal]) => target === -pid && signal === 'SIGTERM')
    kill.mockRestore()
    expect(signals).toEqual([])
    await expectGone(pid)
  })

  it('C-STDIO-06 F019 it ignores the end of its input: it is asked to terminate', async () => {
    const talk = await talkTo('ignores-eof', [], { shutdown: { ...PATIENT, graceMs: 100, terminateMs: 600_000 } })
    const pid = await talk.pid()
    const kill = vi.spyOn(process, 'kill')
    await talk.dispatcher.close()
    const signals = kill.mock.calls.filter(([target, signal]) => target === -pid && signal !== 0)
    kill.mockRestore()
    // It left because of that: what would kill it waits longer than this test. What it may have started is swept up after it.
    expect(signals[0]).toEqual([-pid, 'SIGTERM'])
    await expectGone(pid)
  })

  it('C-STDIO-06 F020 it ignores SIGTERM: it is killed', async () => {
    const talk = await talkTo('ignores-everything', [], { shutdown: HASTY })
    const pid = await talk.pid()
    await talk.dispatcher.close()
    await expectGone(pid)
  })

  it('R42 F021 a grandchild behind a wrapper that ignores everything is ended with it', async () => {
    const talk = await talkTo('wrapper', ['ignores-everything'], { shutdown: HASTY })
    const [{ leader, grandchild }] = (await talk.noted(1)) as [{ leader: number; grandchild: number }]
    expect(await talk.pid()).toBe(grandchild)
    await talk.dispatcher.close()
    await expectGone(leader, grandchild)
  })

  it('F021 a wrapper that leaves its grandchild behind: the end is reported, and the grandchild is ended', async () => {
    await using talk = await talkTo('wrapper', ['ignores-everything', 'leaves'])
    const call = talk.call('hang')
    await expect(call).rejects.toMatchObject(closed({ exitCode: 0 }))
    const [{ grandchild }] = talk.notes as [{ grandchild: number }]
    await expectGone(grandchild)
  })

  it('F021 a grandchild that got away and holds the pipes does not hold us', async () => {
    await using talk = await talkTo('wrapper', ['ignores-everything', 'detached', 'leaves'])
    const call = talk.call('hang')
    await expect(call).rejects.toMatchObject(closed({ exitCode: 0 }))
    await talk.dispatcher.close()
    const [{ grandchild }] = talk.notes as [{ grandchild: number }]
    expect(isAlive(grandchild), 'it left the group, so that nobody may end it but its author').toBe(true)
    process.kill(grandchild, 'SIGKILL')
    await expectGone(grandchild)
  })

  it('F023 an answer that comes after the end of input is dropped silently, and does not hold the server back', async () => {
    const talk = await talkTo('answers-late', [], { shutdown: PATIENT })
    const calls = Array.from({ length: 5 }, () => talk.call('x'))
    const outcomes = Promise.allSettled(calls)
    const kill = vi.spyOn(process, 'kill')
    await talk.dispatcher.close()
    const terminations = kill.mock.calls.filter(([, signal]) => signal === 'SIGTERM')
    kill.mockRestore()
    expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true)
    expect(talk.faults).toEqual([])
    expect(terminations, 'it could write all it had and left by itself').toEqual([])
  })

  it('F023 nor does a receiver that has not taken what came', async () => {
    const channel = await childTransport('burst', ['20000'], { shutdown: PATIENT }).open()
    const { receiver, ended } = listen()
    const first = createDeferred()
    await channel.start({
      ...receiver,
      message: () => {
        first.resolve()
        return new Promise(() => {})
      },
    })
    await first.promise
    const kill = vi.spyOn(process, 'kill')
    await channel.close()
    const terminations = kill.mock.calls.filter(([, signal]) => signal === 'SIGTERM')
    kill.mockRestore()
    expect(terminations).toEqual([])
    expect(await ended).toBeUndefined()
  })

  it('F026 twice, at once and again later: one shutdown, all callers resolve', async () => {
    const channel = await childTransport('echo').open()
    const { receiver, ended } = listen()
    await channel.start(receiver)
    const first = channel.close()
    expect(channel.close()).toBe(first)
    await first
    await channel.close()
    expect(await ended).toBeUndefined()
    await expect(channel.send(request(1))).rejects.toBeInstanceOf(TransportError)
  })

  it('F026 before start: a later start reports the close', async () => {
    const channel = await childTransport('echo').open()
    await channel.close()
    const { receiver, ended } = listen()
    await channel.start(receiver)
    expect(await ended).toBeUndefined()
  })

  it('F026 inside a handler', async () => {
    const channel = await childTransport('burst', ['3']).open()
    const dispatcher = new JSONRPCDispatcher(channel)
    const closings: Promise<void>[] = []
    const running = dispatcher.run(
      () => ({}),
      () => void closings.push(dispatcher.close()),
    )
    await running
    expect(closings.length).toBeGreaterThan(0)
    await Promise.all(closings)
  })

  it('what was sent just before is still written', async () => {
    const lines: string[] = []
    const code = "process.stdin.on('data', (chunk) => console.error(String(chunk).trim()))"
    const transport = stdio({ command: process.execPath, args: ['-e', code], stderr: (line) => lines.push(line) })
    const channel = await transport.open()
    void channel.send({ jsonrpc: '2.0', method: 'bye' })
    await channel.close()
    expect(lines).toEqual(['{"jsonrpc":"2.0","method":"bye"}'])
  })

  it('a channel belongs to one dispatcher', async () => {
    const channel = await childTransport('echo').open()
    await channel.start(listen().receiver)
    expect(() => channel.start(listen().receiver)).toThrow(/in use/)
    await channel.close()
  })
})

describe('F030 the number of a process that has exited', () => {
  it('is signalled once more for the rest of its group, when the leader exits, and never again', () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    const group = new ProcessGroup(4_000_000)
    group.terminate()
    group.leaderHasExited()
    const before = kill.mock.calls.length
    group.terminate()
    group.kill()
    group.killSync()
    group.leaderHasExited()
    const calls = [...kill.mock.calls]
    kill.mockRestore()
    expect(calls.slice(0, before)).toEqual([
      [-4_000_000, 'SIGTERM'],
      [-4_000_000, 'SIGKILL'],
    ])
    expect(calls.slice(before)).toEqual([])
  })
})
