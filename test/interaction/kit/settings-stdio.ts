// A server of this process behind real pipes, with the whole stdio stack on both sides; only the process is missing.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, connect as openSocket, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Transport } from '../../../src/dispatcher/channel.ts'
import { CLIENT_LIMITS } from '../../../src/dispatcher/decode.ts'
import type { Child, Exit } from '../../../src/node/process/child-process.ts'
import { ChildChannel } from '../../../src/node/stdio/child-channel.ts'
import { serveStdio } from '../../../src/node/stdio/stdio-server.ts'
import type { ChannelServer } from '../../../src/testing/connect.ts'

type ServedOverStdio = ChannelServer & Parameters<typeof serveStdio>[0]

/** A handler that never ends holds up a client that leaves for this long, and no longer. */
const DRAIN_MS = 20

const OPTIONS = {
  command: 'in-process',
  limits: CLIENT_LIMITS,
  encodingErrors: 'strict',
  stderr: 'ignore',
  shutdown: { flushMs: 500, graceMs: 2_000, terminateMs: 500, killMs: 500 },
} as const

/** Each `open()` is a new connection to the server, of either era. */
export function pipedTransport(server: ChannelServer): Transport {
  return {
    kind: 'stdio',
    open: async () => {
      const [ours, theirs] = await openSocketPair()
      const serving = serveStdio(server as ServedOverStdio, { input: theirs, output: theirs, drainMs: DRAIN_MS })
      return new ChildChannel(impersonateChild(ours, theirs, serving), OPTIONS)
    },
  }
}

/** What Node connects to a child is a pair of local sockets, too. */
async function openSocketPair(): Promise<[Socket, Socket]> {
  const listener = createServer({ allowHalfOpen: true })
  const path = process.platform === 'win32' ? String.raw`\\.\pipe\${randomUUID()}` : join(tmpdir(), randomUUID())
  listener.listen(path)
  await once(listener, 'listening')
  const ours = openSocket({ path, allowHalfOpen: true })
  const [[theirs]] = (await Promise.all([once(listener, 'connection'), once(ours, 'connect')])) as [[Socket], unknown]
  listener.close()
  return [ours, theirs]
}

/** What the client's channel sees of a process: it exits when serving ends, and dies when its pipes are cut. */
function impersonateChild(ours: Socket, theirs: Socket, serving: Promise<void>): Child {
  let exit: Exit | undefined
  const exited = serving.then(
    () => ({ code: 0, signal: undefined }),
    () => ({ code: 1, signal: undefined }),
  )
  void exited.then((outcome) => {
    exit = outcome
    theirs.destroy()
  })
  const cut = () => theirs.destroy()
  const child = {
    process: { stdin: ours, stdout: ours, stderr: new PassThrough().end() },
    group: { pid: 0, terminate: cut, kill: cut },
    exited,
    closed: exited,
    get exit() {
      return exit
    },
    release: () => ours.destroy(),
  }
  return child as unknown as Child
}
