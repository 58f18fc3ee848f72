// A Redis of our own, on a unix socket: nothing else can meet it there.
import { connect } from 'node:net'
import { join } from 'node:path'
import { EngineProcess, makeFolder } from './engine-process.ts'
import { programOf } from './programs.ts'

export interface RedisOptions {
  /** Every write is on disk within a second: what survives kill -9. */
  readonly appendOnly?: boolean
  /** Further settings, such as `['--maxmemory', '3mb']`. */
  readonly args?: readonly string[]
}

export interface RedisServer {
  readonly socket: string
  readonly url: string
  readonly process: EngineProcess
  close(): Promise<void>
}

export async function startRedis({ appendOnly = false, args = [] }: RedisOptions = {}): Promise<RedisServer> {
  const folder = makeFolder()
  const socket = join(folder, 'redis.sock')
  const process = new EngineProcess(folder, {
    path: programOf('Redis'),
    args: [
      ...['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''],
      ...['--appendonly', appendOnly ? 'yes' : 'no'],
      ...args,
    ],
    isReady: () => ask(() => connect(socket), 'PING').then((answer) => answer.startsWith('+PONG')),
  })
  await process.start()
  return { socket, url: `redis+unix://${socket}`, process, close: () => process.close() }
}

/** One command as text, and the first part of what comes back. For the start of an engine, before any client. */
export function ask(open: () => ReturnType<typeof connect>, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = open()
    connection.setEncoding('utf8')
    connection.once('error', reject)
    connection.once('close', () => reject(new Error('closed without an answer')))
    connection.once('data', (text) => {
      resolve(String(text))
      connection.destroy()
    })
    connection.write(`${command}\r\n`)
  })
}
