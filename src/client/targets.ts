// What a client can connect to, and how each of these is opened.
import { platform } from '#platform'
import type { Channel, Connectable, Transport } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import type { OnFault } from '../dispatcher/fault.ts'
import { isPlainObject } from '../primitives/objects.ts'
import { withoutUserinfo } from './response-keys.ts'

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
  signal: AbortSignal
}

/** A target, understood. */
export interface Opener {
  /** The address that names the server, where the target has one; never with credentials. */
  readonly url?: string
  /** Whether `open` works more than once. */
  readonly canReopen: boolean
  open(options: OpenOptions): Promise<Dispatcher | Channel>
}

/** Throws `TypeError` for what is no target. Opens nothing. */
export function understandTarget(target: ClientTarget): Opener {
  if (typeof target === 'string' || target instanceof URL) return urlOpener(target)
  if (isConnectable(target)) return inProcessOpener(target)
  if (isTransport(target)) return { canReopen: true, open: ({ signal }) => target.open({ signal }) }
  if (isChannel(target)) return channelOpener(target)
  if (isCommand(target)) return commandOpener(target)
  throw new TypeError(
    'A client connects to a server, a URL, { command }, a transport or a channel; this is none of them',
  )
}

function inProcessOpener(target: Connectable): Opener {
  return {
    canReopen: false,
    open: ({ signal: _signal, ...options }) => target.connectInProcess(options),
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

function urlOpener(target: string | URL): Opener {
  const text = String(target)
  if (!URL.canParse(text))
    throw new TypeError('The target is a string but no URL; write one as in http://localhost/mcp')
  return { url: withoutUserinfo(text), canReopen: true, open: () => notYet('a URL') }
}

function commandOpener(target: CommandTarget): Opener {
  return { canReopen: true, open: ({ signal }) => platform.openCommand(target, { signal }) as Promise<Channel> }
}

/** The one place where the transport for URLs plugs in. */
async function notYet(what: string): Promise<never> {
  throw new Error(`Connecting to ${what} is not supported by this version; pass a Transport that reaches the server`)
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
