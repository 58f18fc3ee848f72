// The `ctx` of handlers: who calls, how to talk back while the call runs, and the way to the rest of the server.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ServerSession } from '../../server/session.ts'
import type { ElicitAction } from '../../types/features/elicitation.ts'
import type { InputResponses } from '../../types/features/input-required.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../types/features/logging.ts'
import type { ReadResourceResult } from '../../types/features/resources.ts'
import type { ListRootsResult } from '../../types/features/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../../types/features/sampling.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { RequestMetaObject } from '../../types/protocol/meta.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import type { ElicitOutcome, FormContent } from '../asking/form.ts'
import type { Interaction } from '../asking/interaction.ts'
import type { Host } from './host.ts'
import type { Deadline } from './run-handler.ts'

/** What is known of the HTTP request that brought the message. */
export interface HttpDetails {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * Ends the connection that waits for this answer, so that none has to be kept open during long work; the client comes
   * back for the rest. Does nothing where it could not: at any revision but 2025-11-25, or without an event store.
   */
  closeStream(): void
}

/** What a handler that is called by another one shares with it: its questions and answers, and its time. */
export interface Caller {
  readonly interaction: Interaction
  readonly deadline?: Deadline | undefined
}

export interface ContextOptions extends Partial<Caller> {
  /** Absent where nothing may be asked, as while a list is made. */
  readonly interaction?: Interaction
  /** The rounds of the call belong to the handler that was called, not to those that it calls. */
  readonly isNested?: boolean
}

const NO_OPTIONS: ContextOptions = Object.freeze({})

/** One call. `Life` is what the server's `lifespan` makes. */
export class Context<Life = unknown> {
  /** The message as the kernel knows it. */
  readonly request: ServerRequestContext
  readonly #host: Host
  readonly #options: ContextOptions
  #log: Log | undefined

  constructor(host: Host, request: ServerRequestContext, options: ContextOptions = NO_OPTIONS) {
    this.request = request
    this.#host = host
    this.#options = options
  }

  /** Aborted when the client cancels or goes away, when the tool runs out of time, and when the run waits for answers. */
  get signal(): AbortSignal {
    const { deadline, interaction } = this.#options
    return deadline?.signal ?? interaction?.signal ?? this.request.signal
  }

  get requestId(): RequestId | undefined {
    return this.request.requestId
  }

  get meta(): RequestMetaObject {
    return this.request.meta
  }

  get protocolVersion(): ProtocolVersion {
    return this.request.protocolVersion
  }

  /** Self-reported: for display and logs, never to decide anything. */
  get clientInfo(): Implementation | undefined {
    return this.request.clientInfo
  }

  get clientCapabilities(): ClientCapabilities {
    return this.request.clientCapabilities
  }

  /** Who is calling, where something has verified that. */
  get auth(): AuthInfo | undefined {
    return this.request.auth
  }

  /** `undefined` unless the message came over HTTP. */
  get http(): HttpDetails | undefined {
    const { transport } = this.request.dispatch
    const { headers } = transport
    return headers === undefined ? undefined : { headers, closeStream: () => transport.closeStream?.() }
  }

  /** What the server's `lifespan` returned. */
  get lifespan(): Life {
    return this.request.lifespan as Life
  }

  /** The typed view of the client, with all verbs of the protocol. */
  get session(): ServerSession {
    return this.request.session
  }

  get log(): Log {
    this.#log ??= createLog(this.session, this.#host.logs)
    return this.#log
  }

  /** The answers to an `InputRequiredResult` that this handler returned itself. */
  get inputResponses(): InputResponses | undefined {
    return this.#options.isNested === true ? undefined : this.request.inputResponses
  }

  /** The state of an `InputRequiredResult` that this handler returned itself. */
  get requestState(): string | undefined {
    return this.#options.isNested === true ? undefined : this.request.requestState
  }

  /** Tells the caller how far the work is; nothing happens unless it asked for that. */
  reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    return this.request.reportProgress(progress, total, message)
  }

  /** Reads a resource of this server as the caller would. */
  async readResource(uri: string): Promise<ReadResourceResult> {
    const { deadline } = this.#options
    return this.#host.readResource(this.request, { interaction: this.#interaction(), deadline }, uri)
  }

  /** Tells everyone who watches it that a resource has changed. */
  notifyResourceUpdated(uri: string): Promise<void> {
    return this.#host.server.announce({ type: 'resourceUpdated', uri })
  }

  /**
   * Asks the user to fill in a form. Straight-line code in both eras: where the client takes no requests, this run is given
   * up and the handler runs again with the answer. Put side effects that come before a question into `step`. Nothing behind
   * the question happens in a run that was given up, no `catch`, `finally` or `await using` either: ask before you open
   * something, open and close it within a step, or close it when `signal` aborts, for the reason `InteractionSuspended`.
   */
  elicit<S extends object>(message: string, schema: S): Promise<ElicitOutcome<FormContent<S>>> {
    return this.#ask((interaction) => interaction.elicit(message, schema))
  }

  /** Asks the user to visit a URL. `accept` means that they agreed to, not that they are done. */
  elicitUrl(message: string, url: string): Promise<{ readonly action: ElicitAction }> {
    return this.#ask((interaction) => interaction.elicitUrl(message, url))
  }

  /**
   * Asks the client's model for a message.
   * @deprecated Sampling is deprecated since 2026-07-28.
   */
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult> {
    return this.#ask((interaction) => interaction.sample(params))
  }

  /** @deprecated Roots are deprecated since 2026-07-28. */
  listRoots(): Promise<ListRootsResult> {
    return this.#ask((interaction) => interaction.listRoots())
  }

  /** Runs a side effect once, however many rounds the call takes. Its value must be JSON. */
  step<V>(name: string, run: () => MaybePromise<V>): Promise<V> {
    return this.#interaction().step(name, run)
  }

  #ask<Answer>(question: (interaction: Interaction) => Promise<Answer>): Promise<Answer> {
    const asked = question(this.#interaction())
    return this.#options.deadline?.pausedWhile(asked) ?? asked
  }

  #interaction(): Interaction {
    const { interaction } = this.#options
    if (interaction !== undefined) return interaction
    throw new Error(`Nothing can be asked or read while '${this.request.method}' is answered`)
  }
}

/** Sends one message. `data` is any JSON; `logger` names the part of the server that speaks. */
export type LogAtLevel = (data: unknown, logger?: string) => Promise<void>

/**
 * `log.info('…')`, or `log(level, '…')` where the level is chosen at run time. A client that does not want to see a level is
 * not bothered; since 2026-07-28 it has to ask with each request.
 */
export type Log = { readonly [Level in LoggingLevel]: LogAtLevel } & ((
  level: LoggingLevel,
  data: unknown,
  logger?: string,
) => Promise<void>)

/** Spec, Logging: a server that sends log messages declares it, so one that does not declare it sends none. */
export function createLog(session: ServerSession, isDeclared: boolean): Log {
  const log = async (level: LoggingLevel, data: unknown, logger?: string) => {
    if (isDeclared) await session.sendLogMessage(level, data, logger)
  }
  const levels = {} as Record<LoggingLevel, LogAtLevel>
  for (const level of LOGGING_LEVELS) levels[level] = (data, logger) => log(level, data, logger)
  return Object.assign(log, levels)
}
