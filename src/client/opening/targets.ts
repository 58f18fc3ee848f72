// What a client can connect to, and how each kind of target is opened.

import { platform } from '#platform'
import type { Channel, Connectable, OnConnection, Transport } from '../../dispatcher/channel.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { HttpAuth } from '../../http/bearer.ts'
import { displayUrl } from '../../http/display-url.ts'
import type { HeaderFields } from '../../http/header-fields.ts'
import { isLoopbackHost } from '../../http/hosts.ts'
import { encodeBase64Text } from '../../primitives/base64.ts'
import { checkCommand, checkEnvironment, maskCommand } from '../../primitives/command-line.ts'
import { orderError, typeError, withHelp } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { loading } from '../../primitives/loading.ts'
import { checkKeys, editDistance, type KnownKeys } from '../../primitives/options.ts'
import { checkUserHeaders } from '../transports/http-options.ts'
import type { ReconnectOptions } from '../transports/retry.ts'

/** A program to start as a child process and to talk to over stdio. */
export interface CommandTarget {
  /** The program to start, by name or path. No shell is used. */
  command: string
  /** The arguments of the program (default: none). */
  args?: readonly string[] | undefined
  /** Environment variables for the program, beside a small safe set of the current ones. `undefined` removes one of these. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** The working directory of the program (default: that of this process). */
  cwd?: string | undefined
}

export const COMMAND_KEYS: KnownKeys<CommandTarget> = {
  command: true,
  args: true,
  env: true,
  cwd: true,
}

/** A server in this process, a URL, a command, a transport or an open channel. */
export type ClientTarget = Connectable | string | URL | CommandTarget | Transport | Channel

/**
 * A `ClientTarget` of which the compiler infers the type of a server in this process. One signature for all targets, because the
 * compiler explains a mistake in the only signature, and not in the last of several.
 */
export type TypedTarget<Server> = Server | Exclude<ClientTarget, Connectable> | UrlInObject

/** What other libraries take. The compiler shows the type of `url` to whoever writes it here. */
interface UrlInObject {
  /** Pass the URL itself, as in `Client.connect(url)`. */
  readonly url: 'pass the URL itself, as in Client.connect(url)'
}

export interface OpenOptions {
  /** The connection is certain to be a legacy one, so an in-process server can use JSON-RPC from the start. */
  legacy: boolean
  raiseExceptions: boolean
  /** For a target that brings its own dispatcher. */
  onFault?: OnFault
  /** For a target that can recover a lost connection. */
  onConnection?: OnConnection
  /** For a target that has to wait for the user. */
  hold?: () => () => void
  signal: AbortSignal
}

/** A target that has been parsed and checked. */
export interface Opener {
  /** The target as messages show it, without secrets. */
  readonly target: string
  /** Whether opening it starts a process. */
  readonly isCommand: boolean
  /** The default of `connectTimeoutMs`. */
  readonly connectTimeoutMs: number
  /** The URL without credentials, where the target is one. */
  readonly url?: string
  /** Whether the target is a transport over HTTP. */
  readonly isHttpTransport?: boolean
  /** Whether `open` works more than once. */
  readonly canReopen: boolean
  /** The same server over HTTP+SSE, the transport of the first revision. */
  readonly fallback?: Opener
  open(options: OpenOptions): Promise<Dispatcher | Channel>
}

/** A server at a URL is running already. */
const URL_TIMEOUT_MS = 10_000
/** A command may have to download the program before it starts. */
const COMMAND_TIMEOUT_MS = 30_000

/** Options for a target that is a URL. */
interface UrlOptions {
  readonly headers?: HeaderFields | undefined
  readonly auth?: HttpAuth | undefined
  readonly reconnect?: ReconnectOptions | false | undefined
}

/** Throws `TypeError` for anything that is not a target. Opens nothing. */
export function parseTarget(target: ClientTarget, options: UrlOptions = {}): Opener {
  if (typeof target === 'string' || target instanceof URL) return urlOpener(target, options)
  const forUrls = (['headers', 'auth'] as const).find((name) => options[name] !== undefined)
  if (forUrls !== undefined) {
    throw typeError(
      'wrong-option',
      `The option ${forUrls} works for a target that is a URL. Pass it to the transport instead, as in streamableHttp(url, { ${forUrls} }).`,
    )
  }
  if (isConnectable(target)) return inProcessOpener(target)
  if (isTransport(target)) return transportOpener(target)
  if (isChannel(target)) return channelOpener(target)
  if (isCommand(target)) return commandOpener(target)
  throw invalidTarget(target)
}

function invalidTarget(given: unknown): TypeError {
  const kind = given === null ? 'null' : typeof given
  const advice = isPlainObject(given) ? targetAdvice(given) : ''
  return badTarget(
    `The target is ${kind === 'object' ? 'an object of no known kind' : kind}. Pass a server, a URL, { command }, a transport or a channel.${advice}`,
  )
}

function badTarget(message: string): TypeError {
  return withHelp('bad-target', new TypeError(message))
}

function targetAdvice(given: Record<string, unknown>): string {
  if (given['url'] !== undefined) return " Pass the URL itself: Client.connect('http://localhost:3000/mcp')."
  if (given['command'] !== undefined) return ` Its command is not a string but ${typeof given['command']}.`
  const meant = Object.keys(given).find((key) => editDistance(key, 'command') <= 2)
  if (meant !== undefined) return ` It has ${JSON.stringify(meant)}. Write command.`
  // Other SDKs take the name of the client first.
  if (typeof given['name'] !== 'string') return ''
  return ' Pass the target first: Client.connect(target, { clientInfo: { name, version } }).'
}

/** A string is never taken for a command, so that no text can start a program by accident. */
const START_ADVICE = "To start a program, pass { command: 'node', args: ['server.js'] }."

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

// A second connection over a channel would break the first one.
const channelsInUse = new WeakSet<Channel>()

function channelOpener(channel: Channel): Opener {
  return {
    target: 'the given channel',
    isCommand: false,
    connectTimeoutMs: COMMAND_TIMEOUT_MS,
    canReopen: false,
    async open() {
      if (channelsInUse.has(channel))
        throw orderError('The channel is in use by another client. Create a channel for each client.')
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
    isHttpTransport: isUrl,
    canReopen: true,
    open: (options) => openTransport(target, options),
  }
}

function openTransport(target: Transport, { signal, onConnection, hold }: OpenOptions): Promise<Channel> {
  return target.open({ signal, ...(onConnection && { onConnection }), ...(hold && { hold }) })
}

function urlOpener(target: string | URL, { headers: given, auth, reconnect }: UrlOptions): Opener {
  const text = String(target)
  if (!URL.canParse(text)) {
    throw badTarget(`The target is a string but not a URL. Pass one such as http://localhost:3000/mcp. ${START_ADVICE}`)
  }
  const { url, headers: credentials } = readUrlCredentials(new URL(text))
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw badTarget(
      `A server URL must start with http:// or https://, as in http://localhost:3000/mcp. ${START_ADVICE}`,
    )
  }
  const name = displayUrl(url.href)
  const options = { headers: { ...credentials, ...checkUserHeaders(given) }, ...(auth !== undefined && { auth }) }
  const forStreams = { ...options, ...(reconnect !== undefined && { reconnect }) }
  checkAuth(auth)
  return {
    ...lazyOpener(name, async () =>
      (await loading(import('../transports/streamable-http.ts'))).streamableHttp(url, forStreams),
    ),
    url: withoutUserinfo(text),
    fallback: lazyOpener(name, async () => (await loading(import('../transports/sse.ts'))).sse(url, options)),
  }
}

function checkAuth(auth: unknown): void {
  const isProvider = typeof auth === 'object' && hasMethods(auth, ['authorize'])
  if (auth === undefined || typeof auth === 'string' || typeof auth === 'function' || isProvider) return
  throw typeError(
    'wrong-option',
    `The option auth is ${typeof auth}. Pass a token, a function that returns one, or a provider such as oauth().`,
  )
}

/** Loads the transport when it opens: a client of a child process or of an in-process server needs no HTTP. */
function lazyOpener(target: string, load: () => Promise<Transport>): Opener {
  return {
    target,
    isCommand: false,
    connectTimeoutMs: URL_TIMEOUT_MS,
    canReopen: true,
    open: async (options) => openTransport(await load(), options),
  }
}

/** Options of a child process that only `stdio()` takes. */
const USE_STDIO = 'Use stdio({ command, … }) from mcpwire/node for it.'
const COMMAND_ADVICE = { stderr: USE_STDIO, encodingErrors: USE_STDIO, maxLineBytes: USE_STDIO, shutdown: USE_STDIO }

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

interface UrlCredentials {
  /** The URL without credentials. */
  readonly url: URL
  /** The credentials as a header, if there are any. */
  readonly headers: Record<string, string>
}

/** Throws `TypeError` where the password would travel unencrypted to another machine. */
function readUrlCredentials(given: URL): UrlCredentials {
  const { username, password } = given
  if (username === '' && password === '') return { url: given, headers: {} }
  const url = new URL(given)
  url.username = ''
  url.password = ''
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw typeError('bad-target', `The URL holds a password, which would go to ${url.origin} unencrypted. Use https.`)
  }
  const credentials = `${decodeUserinfo(username)}:${decodeUserinfo(password)}`
  return { url, headers: { authorization: `Basic ${encodeBase64Text(credentials)}` } }
}

function decodeUserinfo(text: string): string {
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
