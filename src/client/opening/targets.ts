// What a client can connect to, and how each of these is opened.
import { platform } from '#platform'
import type { Channel, Connectable, Transport } from '../../dispatcher/channel.ts'
import type { OnConnection } from '../../dispatcher/connection-events.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { HttpAuth } from '../../http/bearer.ts'
import { displayUrl } from '../../http/failures.ts'
import type { HeaderFields } from '../../http/header-fields.ts'
import { isLoopbackHost } from '../../http/hosts.ts'
import { encodeBase64Text } from '../../primitives/base64.ts'
import { checkCommand, checkEnvironment } from '../../primitives/command-check.ts'
import { checkKeys, editDistance, type KnownKeys } from '../../primitives/json/known-keys.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { maskCommand } from '../../primitives/masked-words.ts'
import { checkUserHeaders } from '../transports/http-options.ts'

/** A child process to be started and spoken to over its standard streams. */
export interface CommandTarget {
  command: string
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
}

export const COMMAND_KEYS: KnownKeys<CommandTarget> = {
  command: true,
  args: true,
  env: true,
  cwd: true,
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
  /** For a target that has to wait for a person. */
  hold?: () => () => void
  signal: AbortSignal
}

/** A target, understood. */
export interface Opener {
  /** What it is, for messages: nothing in it is a secret. */
  readonly target: string
  /** Whether opening it starts a process. */
  readonly isCommand: boolean
  /** How long it may take to connect, unless the user says. */
  readonly connectTimeoutMs: number
  /** The address that names the server, where the target has one; never with credentials. */
  readonly url?: string
  /** Whether `open` works more than once. */
  readonly canReopen: boolean
  /** The same server, reached as the first revision did: for when it turns out not to know any later way. */
  readonly older?: Opener
  open(options: OpenOptions): Promise<Dispatcher | Channel>
}

/** Somebody else keeps the server running, so that it answers soon or is not there. */
const URL_TIMEOUT_MS = 10_000
/** A program may have to be fetched before it starts. */
const COMMAND_TIMEOUT_MS = 30_000

/** What a user says about the way to a URL. */
export interface UrlOptions {
  readonly headers?: HeaderFields | undefined
  readonly auth?: HttpAuth | undefined
}

/** Throws `TypeError` for what is no target. Opens nothing. */
export function understandTarget(target: ClientTarget, options: UrlOptions = {}): Opener {
  if (typeof target === 'string' || target instanceof URL) return urlOpener(target, options)
  const forUrls = (['headers', 'auth'] as const).find((name) => options[name] !== undefined)
  if (forUrls !== undefined) {
    throw new TypeError(
      `The option ${forUrls} is for a target that is a URL; a transport takes it itself, as streamableHttp() does`,
    )
  }
  if (isConnectable(target)) return inProcessOpener(target)
  if (isTransport(target)) return transportOpener(target)
  if (isChannel(target)) return channelOpener(target)
  if (isCommand(target)) return commandOpener(target)
  throw noTarget(target)
}

function noTarget(given: unknown): TypeError {
  const wrong = 'A client connects to a server, a URL, { command }, a transport or a channel; this is none of them'
  const advice = isPlainObject(given) ? adviceAbout(given) : undefined
  return new TypeError(advice === undefined ? wrong : `${wrong}: ${advice}`)
}

function adviceAbout(given: Record<string, unknown>): string | undefined {
  if (given['url'] !== undefined) return "write the URL itself, as in Client.connect('http://localhost:3000/mcp')"
  if (given['command'] !== undefined) return 'its command is no string'
  const meant = Object.keys(given).find((key) => editDistance(key, 'command') <= 2)
  if (meant !== undefined) return `it has ${JSON.stringify(meant)}; write command`
  // Other SDKs take what the client is called first.
  if (typeof given['name'] !== 'string') return undefined
  return 'write the target first, as in Client.connect(target, { clientInfo: { name, version } })'
}

/** A string is never taken for a command: what may be started is written out. */
const TO_START = "To start a program write { command: 'node', args: ['server.js'] }"

function inProcessOpener(target: Connectable): Opener {
  return {
    target: 'the server in this process',
    isCommand: false,
    connectTimeoutMs: COMMAND_TIMEOUT_MS,
    canReopen: false,
    open: ({ legacy, raiseExceptions, onFault }) =>
      target.connectInProcess({ legacy, raiseExceptions, ...(onFault && { onFault }) }),
  }
}

// A second connection over a channel would take the first one down with it.
const channelsInUse = new WeakSet<Channel>()

function channelOpener(channel: Channel): Opener {
  return {
    target: 'the channel that was given',
    isCommand: false,
    connectTimeoutMs: COMMAND_TIMEOUT_MS,
    canReopen: false,
    async open() {
      if (channelsInUse.has(channel)) throw new Error('This channel is in use; a channel belongs to one client')
      channelsInUse.add(channel)
      return channel
    },
  }
}

function transportOpener(target: Transport): Opener {
  const { kind } = target
  const isCommand = kind === 'stdio'
  const isUrl = kind === 'streamable-http' || kind === 'sse'
  return {
    target: target.target ?? `the transport '${kind}'`,
    isCommand,
    connectTimeoutMs: isUrl ? URL_TIMEOUT_MS : COMMAND_TIMEOUT_MS,
    canReopen: true,
    open: (options) => openTransport(target, options),
  }
}

function openTransport(target: Transport, { signal, onConnection, hold }: OpenOptions): Promise<Channel> {
  return target.open({ signal, ...(onConnection && { onConnection }), ...(hold && { hold }) })
}

function urlOpener(target: string | URL, { headers: given, auth }: UrlOptions): Opener {
  const text = String(target)
  if (!URL.canParse(text)) {
    throw new TypeError(`The target is a string but no URL; write one as in http://localhost/mcp. ${TO_START}`)
  }
  const { url, headers: credentials } = readUrlCredentials(new URL(text))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(
      `A server URL must start with http:// or https://, as in http://localhost:3000/mcp. ${TO_START}`,
    )
  }
  const name = displayUrl(url.href)
  const options = { headers: { ...credentials, ...checkUserHeaders(given) }, ...(auth !== undefined && { auth }) }
  checkAuth(auth)
  return {
    ...lazyOpener(name, async () => (await import('../transports/streamable-http.ts')).streamableHttp(url, options)),
    url: withoutUserinfo(text),
    older: lazyOpener(name, async () => (await import('../transports/sse.ts')).sse(url, options)),
  }
}

function checkAuth(auth: unknown): void {
  const isProvider = typeof auth === 'object' && hasMethods(auth, ['authorize'])
  if (auth === undefined || typeof auth === 'string' || typeof auth === 'function' || isProvider) return
  throw new TypeError('The option auth is a token, a function that returns one, or a provider such as oauth()')
}

/** Loaded when first asked for: a client of a child process, or of a server in its own, needs nothing of HTTP. */
function lazyOpener(target: string, load: () => Promise<Transport>): Opener {
  return {
    target,
    isCommand: false,
    connectTimeoutMs: URL_TIMEOUT_MS,
    canReopen: true,
    open: async (options) => openTransport(await load(), options),
  }
}

/** What a process can be told besides, which `stdio` takes. */
const OF_STDIO = 'Use stdio({ command, … }) of mcpwire/node for it.'
const COMMAND_ADVICE = { stderr: OF_STDIO, encodingErrors: OF_STDIO, maxLineBytes: OF_STDIO, shutdown: OF_STDIO }

function commandOpener(target: CommandTarget): Opener {
  checkKeys('the target { command }', target, COMMAND_KEYS, COMMAND_ADVICE)
  const { command, args = [], cwd, env = {} } = target
  checkCommand({ command, args, cwd })
  checkEnvironment(env)
  return {
    target: maskCommand(command, args),
    isCommand: true,
    connectTimeoutMs: COMMAND_TIMEOUT_MS,
    canReopen: true,
    open: ({ signal }) => platform.openCommand(target, { signal }) as Promise<Channel>,
  }
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

interface PlainAddress {
  /** Without credentials. */
  readonly url: URL
  /** The credentials as a header, where there are any. */
  readonly headers: Record<string, string>
}

/** Throws `TypeError` where the password would travel in the clear to another machine. */
function readUrlCredentials(given: URL): PlainAddress {
  const { username, password } = given
  if (username === '' && password === '') return { url: given, headers: {} }
  const url = new URL(given)
  url.username = ''
  url.password = ''
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new TypeError(`Refused to send the password in the URL to ${url.origin} over plain http; use https`)
  }
  const credentials = `${decode(username)}:${decode(password)}`
  return { url, headers: { authorization: `Basic ${encodeBase64Text(credentials)}` } }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Removes user and password. Everything else stays byte for byte: further changes could make one server of two. */
export function withoutUserinfo(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}
