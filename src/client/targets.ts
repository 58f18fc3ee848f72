// What a client can connect to, and how each of these is opened.
import { platform } from '#platform'
import type { Channel, Connectable, Transport } from '../dispatcher/channel.ts'
import type { OnConnection } from '../dispatcher/connection-events.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import type { OnFault } from '../dispatcher/fault.ts'
import { isPlainObject } from '../primitives/objects.ts'
import { withoutUserinfo } from './response-keys.ts'
import { readUrlCredentials } from './url-credentials.ts'

/** A child process to be started and spoken to over its standard streams. */
export interface CommandTarget {
  command: string
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
}

/** A server in this process, a URL, a command, or a transport or open channel of one's own. */
export type ClientTarget = Connectable | string | URL | CommandTarget | Transport | Channel

export interface OpenOptions {
  /** The handshake is certain, so that an in-process server can be spoken to as that era does. */
  legacy: boolean
  raiseExceptions: boolean
  /** For a target that brings its own dispatcher. */
  onFault?: OnFault
  /** For a target that can heal. */
  onConnection?: OnConnection
  signal: AbortSignal
}

/** A target, understood. */
export interface Opener {
  /** The address that names the server, where the target has one; never with credentials. */
  readonly url?: string
  /** Whether `open` works more than once. */
  readonly canReopen: boolean
  /** The same server, reached as the first revision did: for when it turns out not to know any later way. */
  readonly older?: Opener
  open(options: OpenOptions): Promise<Dispatcher | Channel>
}

/** Throws `TypeError` for what is no target. Opens nothing. */
export function understandTarget(target: ClientTarget): Opener {
  if (typeof target === 'string' || target instanceof URL) return urlOpener(target)
  if (isConnectable(target)) return inProcessOpener(target)
  if (isTransport(target)) return transportOpener(target)
  if (isChannel(target)) return channelOpener(target)
  if (isCommand(target)) return commandOpener(target)
  throw new TypeError(
    'A client connects to a server, a URL, { command }, a transport or a channel; this is none of them',
  )
}

function inProcessOpener(target: Connectable): Opener {
  return {
    canReopen: false,
    open: ({ signal: _signal, onConnection: _onConnection, ...options }) => target.connectInProcess(options),
  }
}

// A second connection over a channel would take the first one down with it.
const channelsInUse = new WeakSet<Channel>()

function channelOpener(channel: Channel): Opener {
  return {
    canReopen: false,
    async open() {
      if (channelsInUse.has(channel)) throw new Error('This channel is in use; a channel belongs to one client')
      channelsInUse.add(channel)
      return channel
    },
  }
}

function transportOpener(target: Transport): Opener {
  return {
    canReopen: true,
    open: ({ signal, onConnection }) => target.open({ signal, ...(onConnection && { onConnection }) }),
  }
}

function urlOpener(target: string | URL): Opener {
  const text = String(target)
  if (!URL.canParse(text))
    throw new TypeError('The target is a string but no URL; write one as in http://localhost/mcp')
  const { url, headers } = readUrlCredentials(new URL(text))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('The address of a server is a URL with http or https, as in http://localhost:3000/mcp')
  }
  return {
    ...lazyOpener(async () => (await import('./transports/streamable-http.ts')).streamableHttp(url, { headers })),
    url: withoutUserinfo(text),
    older: lazyOpener(async () => (await import('./transports/sse.ts')).sse(url, { headers })),
  }
}

/** Loaded when first asked for: a client of a child process, or of a server in its own, needs nothing of HTTP. */
function lazyOpener(load: () => Promise<Transport>): Opener {
  return { canReopen: true, open: async (options) => transportOpener(await load()).open(options) }
}

function commandOpener(target: CommandTarget): Opener {
  return { canReopen: true, open: ({ signal }) => platform.openCommand(target, { signal }) as Promise<Channel> }
}

function isConnectable(target: object): target is Connectable {
  return hasMethods(target, ['connectInProcess'])
}

function isTransport(target: object): target is Transport {
  return hasMethods(target, ['open'])
}

function isChannel(target: object): target is Channel {
  return hasMethods(target, ['start', 'send', 'close'])
}

function isCommand(target: object): target is CommandTarget {
  return isPlainObject(target) && typeof target['command'] === 'string'
}

function hasMethods(target: unknown, names: readonly string[]): boolean {
  return isPlainObject(target) && names.every((name) => typeof target[name] === 'function')
}
