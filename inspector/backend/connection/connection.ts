// One connection to a server: its client, and everything that the page shows of it.
import { Client, ConnectError, OAuthError } from 'mcpwire'
import type { TokenStore } from 'mcpwire/auth'
import type { ClientMode, ConnectionEvent } from 'mcpwire/client'
import type { Transport } from 'mcpwire/dispatcher'
import { apps } from 'mcpwire/extensions/apps'
import { tasks } from 'mcpwire/extensions/tasks'
import type { LogEntry } from '../../protocol/entries.ts'
import type { ConnectionState, ConnectionStatus, ListKind, Problem, StepName } from '../../protocol/state.ts'
import { BadRequest } from '../log/bad-request.ts'
import type { EventLog } from '../log/event-log.ts'
import { toProblem } from '../log/problem.ts'
import type { Questions } from '../work/questions.ts'
import { answerWith } from './answers.ts'
import { AuthRecord } from './auth-state.ts'
import { ConnectSteps } from './connect-steps.ts'
import { describeServer } from './describe-server.ts'
import { countLists, LIST_CHANGES } from './listings.ts'
import { MessageTap } from './message-tap.ts'
import { type Taps, type Target, transportsFor } from './open-target.ts'
import { TaskTable } from './task-table.ts'
import { Watches } from './watches.ts'

export interface ConnectionOptions {
  readonly id: string
  readonly target: Target
  /** As the user named it. */
  readonly typed: string | undefined
  readonly mode: string
  readonly log: EventLog
  readonly questions: Questions
  readonly tokens: TokenStore
  readonly clientVersion: string
  readonly onChange: () => void
  /** The only call under way on this connection, where there is exactly one. */
  readonly onlyCall: (connection: string) => string | undefined
}

/** Waits before each attempt to connect again, after a connection broke off. */
const RETRY_SECONDS = [1, 2, 4, 8, 15]

export class Connection {
  readonly id: string
  readonly target: Target
  readonly mode: string
  readonly tasks: TaskTable
  readonly auth: AuthRecord
  readonly watches: Watches
  readonly #options: ConnectionOptions
  #status: ConnectionStatus = 'connecting'
  #steps: ConnectSteps
  #problem: Problem | undefined
  #client: Client | undefined
  #opening: Client | undefined
  #tap: MessageTap
  #shown = ''
  #counts: ConnectionState['counts'] = {}
  #versions: Record<ListKind, number> = { tools: 0, resources: 0, resourceTemplates: 0, prompts: 0 }
  #clientCapabilities: Record<string, unknown> | undefined
  #latencyMs: number | undefined
  #faults = 0
  #retries = 0
  #retryAt: number | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ConnectionOptions) {
    const { id, target, mode, onChange } = options
    this.id = id
    this.target = target
    this.mode = mode
    this.#options = options
    this.#steps = new ConnectSteps(onChange)
    this.auth = new AuthRecord(onChange)
    this.tasks = new TaskTable(onChange)
    this.watches = new Watches(onChange, (message) => this.#log('client', 'warning', message))
    this.#tap = this.#createTap()
  }

  /** The open client. Throws where there is none. */
  get client(): Client {
    if (this.#client !== undefined) return this.#client
    throw new BadRequest(`The connection is ${this.#status}.`, { status: 409, fix: 'Connect again.' })
  }

  /** The call to which a request of the server belongs. */
  callOf(requestId: unknown): string | undefined {
    return this.#tap.callOf(requestId)
  }

  get state(): ConnectionState {
    const client = this.#client
    return {
      id: this.id,
      target: this.#shown,
      kind: 'command' in this.target ? 'command' : 'url',
      ...wordOf(this.#options),
      mode: this.mode,
      status: this.#status,
      steps: this.#steps.all,
      counts: this.#counts,
      versions: { ...this.#versions },
      auth: this.auth.state,
      tasks: this.tasks.rows,
      subscriptions: this.watches.states,
      faults: this.#faults,
      ...(this.#problem !== undefined && { problem: this.#problem }),
      ...(this.#retryAt !== undefined && { retryAt: this.#retryAt }),
      ...(this.#latencyMs !== undefined && { latencyMs: this.#latencyMs }),
      ...(this.#clientCapabilities !== undefined && { clientCapabilities: this.#clientCapabilities }),
      ...(client !== undefined && describeServer(client)),
    }
  }

  /** Never rejects: how it went is in the state. */
  async open(): Promise<void> {
    this.#steps = new ConnectSteps(this.#options.onChange)
    this.#steps.begin('resolve')
    this.#problem = undefined
    this.#retryAt = undefined
    this.#setStatus('connecting')
    try {
      const client = await this.#openFirst(transportsFor(this.target, this.#taps()))
      if (this.#isClosed) return await client.close()
      this.#client = client
      this.#retries = 0
      this.#steps.begin('list')
      this.#setStatus('ready')
      await this.#list(client)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Ends it, also while it opens. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#retryAt = undefined
    await this.#drop()
    if (this.#status !== 'failed') this.#setStatus('closed')
  }

  async reopen(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#drop()
    this.#isClosed = false
    this.#retries = 0
    await this.open()
  }

  async #drop(): Promise<void> {
    this.watches.clear()
    const clients = [this.#client, this.#opening]
    this.#client = undefined
    this.#opening = undefined
    await Promise.all(clients.map((client) => client?.close().catch(() => {})))
  }

  /** HTTP+SSE only where the server does not know Streamable HTTP, and the mode admits a legacy server. */
  async #openFirst(transports: readonly Transport[]): Promise<Client> {
    const [first, second] = transports as [Transport, Transport?]
    this.#shown = first.target ?? ''
    this.#begin('reach')
    try {
      return await this.#openOne(first, this.mode)
    } catch (error) {
      const isUnknown = error instanceof ConnectError && [400, 404, 405].includes(error.status ?? 0)
      const mayBeLegacy = this.mode === 'auto' || this.mode === 'legacy' || this.mode === '2024-11-05'
      if (second === undefined || !isUnknown || !mayBeLegacy || this.#isClosed) throw error
      this.#steps.note('negotiate', 'Not Streamable HTTP. HTTP+SSE is tried.')
      return this.#openOne(second, this.mode === 'auto' ? 'legacy' : this.mode).catch(() => {
        throw error
      })
    }
  }

  async #openOne(transport: Transport, mode: string): Promise<Client> {
    const { questions, clientVersion } = this.#options
    const client: Client = new Client(transport, {
      clientInfo: { name: 'mcpwire-inspector', title: 'mcpwire inspector', version: clientVersion },
      mode: mode as ClientMode,
      // The user looks at the server as it is now.
      cache: false,
      logLevel: 'debug',
      extensions: [tasks(), apps()],
      samplingCapabilities: { tools: {}, context: {} },
      ...answerWith(this, questions),
      onLog: ({ level, logger, data }) =>
        this.#log('server', level, typeof data === 'string' ? data : JSON.stringify(data), logger),
      onFault: ({ kind, message }) => {
        this.#faults += 1
        this.#log('client', 'warning', `${kind}: ${message}`)
      },
      onConnection: (event) => this.#follow(client, event),
    })
    this.#opening = client
    try {
      await client.open()
      return client
    } finally {
      if (this.#opening === client) this.#opening = undefined
    }
  }

  async #list(client: Client): Promise<void> {
    this.#counts = await countLists(client, (kind, error) =>
      this.#log('client', 'error', `The list of ${kind} failed: ${toProblem(error).message}`),
    )
    this.#steps.finish()
    this.watches.followLists(client, (change) => {
      for (const kind of LIST_CHANGES[change] ?? []) this.#versions[kind] += 1
      this.#options.onChange()
      void countLists(client, () => {}).then((counts) => {
        this.#counts = counts
        this.#options.onChange()
      })
    })
  }

  #follow(client: Client, event: ConnectionEvent): void {
    if (client !== this.#client) return
    if (event.type === 'degraded') {
      this.#problem = toProblem(event.reason)
      this.#setStatus('lost')
    } else if (event.type === 'recovered') {
      this.#problem = undefined
      this.#setStatus('ready')
    } else if (event.type === 'notifications-lost') {
      this.#log('client', 'warning', `The server can no longer send notifications: ${event.reason.message}`)
    } else if (event.type === 'closed' && event.reason !== undefined) this.#lose(event.reason)
  }

  #lose(reason: Error): void {
    void this.#drop()
    this.#problem = toProblem(reason)
    this.#retryLater()
  }

  #retryLater(): void {
    const seconds = RETRY_SECONDS[this.#retries]
    this.#retries += 1
    if (seconds === undefined || this.#isClosed) {
      this.#setStatus('closed')
      return
    }
    this.#retryAt = Date.now() + seconds * 1000
    this.#setStatus('lost')
    this.#timer = setTimeout(() => void this.open(), seconds * 1000)
  }

  /** A login that did not succeed: for the connection, or for a call that needs more rights. */
  noteLogin(error: unknown): void {
    const cause = error instanceof Error ? error.cause : undefined
    const isAuth = error instanceof OAuthError || cause instanceof OAuthError
    if (isAuth || (error instanceof ConnectError && error.phase === 'authorize')) this.auth.failed(toProblem(error))
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return
    this.#steps.fail()
    this.#problem = toProblem(error)
    this.noteLogin(error)
    if (this.#retries > 0) this.#retryLater()
    else this.#setStatus('failed')
  }

  #taps(): Taps {
    const { log, tokens } = this.#options
    this.#tap = this.#createTap()
    return {
      connection: this.id,
      add: (entry) => void log.add(entry),
      onMessage: this.#tap.take,
      onStderr: (line) => this.#log('stderr', 'info', line),
      onStarted: () => this.#begin('probe'),
      onStatus: (status) => {
        if (status !== 401) {
          this.#begin('probe')
          this.auth.accepted()
          if (this.#status === 'needs-login') this.#setStatus('connecting')
        }
      },
      tokens: this.auth.watch(tokens),
      onLogin: (url) => {
        const shown = this.auth.askToLogIn(url)
        log.add({
          type: 'auth',
          connection: this.id,
          step: 'Authorization',
          url: shown,
          note: 'The user has to log in.',
        })
        this.#setStatus(this.#client === undefined ? 'needs-login' : this.#status)
      },
    }
  }

  #createTap(): MessageTap {
    const { id, log, onlyCall } = this.#options
    return new MessageTap({
      connection: id,
      add: (entry) => log.add(entry),
      onlyCall: () => onlyCall(id),
      onSent: (method, params) => {
        const capabilities = capabilitiesIn(params)
        if (capabilities !== undefined) this.#clientCapabilities = capabilities
        if (method === 'initialize') this.#begin('negotiate')
      },
      onAnswered: (method, ms) => {
        if (method === 'server/discover') this.#begin('negotiate')
        if (!WORK_METHODS.has(method)) this.#latencyMs = Math.round(ms * 10) / 10
      },
    })
  }

  #begin(step: StepName): void {
    if (this.#client === undefined) this.#steps.begin(step)
  }

  #setStatus(status: ConnectionStatus): void {
    this.#status = status
    this.#options.onChange()
  }

  #log(source: LogEntry['source'], level: string, text: string, logger?: string): void {
    const MAX_TEXT = 16_384
    this.#options.log.add({
      type: 'log',
      connection: this.id,
      source,
      level,
      text: text.slice(0, MAX_TEXT),
      ...(logger !== undefined && { logger }),
    })
  }
}

/** A line of several words is the command itself. */
function wordOf({ target, typed }: ConnectionOptions): { word?: string } {
  const isWord = 'command' in target && typed !== undefined && !/^--|\s/.test(typed)
  return isWord ? { word: typed } : {}
}

/** How long these take says nothing about the connection. */
const WORK_METHODS: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'subscriptions/listen',
  'tasks/result',
])

function capabilitiesIn(params: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const meta = (params['_meta'] ?? {}) as Record<string, unknown>
  const given = params['capabilities'] ?? meta['io.modelcontextprotocol/clientCapabilities']
  return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : undefined
}
