// The `ctx` of handlers: the caller, questions, progress and log messages during the call, and access to the rest of the server.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { orderError } from '../../primitives/help.ts'
import { findExtras, type ServerRequestContext } from '../../server/context.ts'
import type { ServerSession } from '../../server/session.ts'
import type { TaskContext } from '../../server/task-run.ts'
import { type AppsClientSettings, clientUi } from '../../types/extensions/apps.ts'
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
import type { StepValue } from '../asking/step-value.ts'
import type { Host } from './host.ts'
import { reportNoBackground } from './no-background.ts'
import type { Patience } from './patience.ts'
import type { Deadline } from './run-handler.ts'

/** The HTTP request that carried the message. */
export interface HttpDetails {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * Closes the stream of this request, so that it does not stay open during long work. The client reconnects for the rest. Does
   * nothing where the client could not: in revisions other than 2025-11-25, or without an event store.
   */
  closeStream(): void
}

/** What a nested handler shares with the one that called it: questions, answers, and how long it may take. */
export interface Caller {
  readonly interaction: Interaction
  readonly deadline?: Deadline | undefined
  readonly patience?: Patience | undefined
}

export interface ContextOptions extends Partial<Caller> {
  /** Absent where a handler can't ask, for example while a list is made. */
  readonly interaction?: Interaction
  /** Nested handlers don't see the `inputResponses` and `requestState` of the call. */
  readonly isNested?: boolean
}

const NO_OPTIONS: ContextOptions = Object.freeze({})

/**
 * The context of one call. `Life` is the type of the server's `lifespan`.
 *
 * @example
 * ```ts
 * import type { Context } from 'mcpwire'
 * async function copyFiles(_args: object, ctx: Context) {
 *   await ctx.reportProgress(1, 10, 'Copying')
 *   ctx.log.info('Copied one file')
 * }
 * ```
 */
export class Context<Life = unknown> {
  /** The low-level context of the request. */
  readonly request: ServerRequestContext
  readonly #host: Host
  readonly #options: ContextOptions
  #log: Log | undefined

  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: `createHandlerContext` uses it.
  private static readonly create = (host: Host, request: ServerRequestContext, options: ContextOptions) =>
    new this(host, request, options)

  private constructor(host: Host, request: ServerRequestContext, options: ContextOptions) {
    this.request = request
    this.#host = host
    this.#options = options
  }

  /** Aborts when the client cancels or disconnects, when `timeoutMs` is over, and when the handler stops to wait for answers. */
  get signal(): AbortSignal {
    const { deadline, interaction } = this.#options
    return deadline?.signal ?? interaction?.signal ?? this.request.signal
  }

  /**
   * Milliseconds that are left for this call: of the time that the client waits, where it is known, or of `timeoutMs`, whichever is
   * less. In a task, what is left of `maxRuntimeMs` counts in place of the client's time. `undefined` where nothing is known.
   * Stands still while the user answers a question.
   */
  get remainingMs(): number | undefined {
    const { deadline, patience } = this.#options
    const run = findExtras(this.request)?.run
    const waits = run === undefined ? patience?.leftMs : run.remainingMs
    if (deadline === undefined || waits === undefined) return deadline?.leftMs ?? waits
    return Math.min(deadline.leftMs, waits)
  }

  /**
   * Turns this call into a task now, for a client that takes tasks and a tool with the option `task`: the client gets the task at
   * once, and the handler goes on. `message` is the first status that the client shows. Resolves when the call is a task. Does
   * nothing in a task, and nothing for a client that takes no tasks: there the handler goes on inside the call. In a tool without
   * the option `task` it does nothing either, which is reported once as a `configuration-warning`.
   */
  async background(message?: string): Promise<void> {
    const { request } = this
    const detachable = findExtras(request)?.detachable
    if (detachable !== undefined) await detachable.background(message)
    else if (request.task === undefined) reportNoBackground(this.#host, request)
  }

  /** The JSON-RPC id of the request. `undefined` if the handler runs without a client. */
  get requestId(): RequestId | undefined {
    return this.request.requestId
  }

  /** The `_meta` of the request, such as `progressToken` and trace context. Empty if the client sent none. */
  get meta(): RequestMetaObject {
    return this.request.meta
  }

  /** The revision that the client speaks, such as `2025-11-25`. */
  get protocolVersion(): ProtocolVersion {
    return this.request.protocolVersion
  }

  /** Self-reported: use it for display and logs, not for decisions. */
  get clientInfo(): Implementation | undefined {
    return this.request.clientInfo
  }

  /** What the client declares, such as `elicitation` and `sampling`. Check it before you ask the user. */
  get clientCapabilities(): ClientCapabilities {
    return this.request.clientCapabilities
  }

  /**
   * The MIME types of views that the client renders; `undefined` for a client that shows no views. A tool that has nothing to say
   * without its view can answer otherwise then.
   */
  get ui(): AppsClientSettings | undefined {
    return clientUi(this.request.clientCapabilities)
  }

  /** The verified caller, if the server checks tokens. */
  get auth(): AuthInfo | undefined {
    return this.request.auth
  }

  /** The HTTP request; `undefined` on other transports. */
  get http(): HttpDetails | undefined {
    const { transport } = this.request.dispatch
    const { headers } = transport
    return headers === undefined ? undefined : { headers, closeStream: () => transport.closeStream?.() }
  }

  /** What the server's `lifespan` returned. */
  get lifespan(): Life {
    return this.request.lifespan as Life
  }

  /** The session with the client, with all requests and notifications of the protocol. */
  get session(): ServerSession {
    return this.request.session
  }

  /** The task that this call runs as; `undefined` while it is answered as an ordinary call. */
  get task(): TaskContext | undefined {
    return this.request.task
  }

  /** Sends log messages to the client: `ctx.log('info', 'Ready')` or `ctx.log.info('Ready')`. */
  get log(): Log {
    this.#log ??= createLog(this.session, this.#host.logs)
    return this.#log
  }

  /** The answers to an `InputRequiredResult` that this handler returned. */
  get inputResponses(): InputResponses | undefined {
    return this.#options.isNested === true ? undefined : this.request.inputResponses
  }

  /** The state of an `InputRequiredResult` that this handler returned. */
  get requestState(): string | undefined {
    return this.#options.isNested === true ? undefined : this.request.requestState
  }

  /** Reports progress, if the caller asked for it. */
  reportProgress(progress: number, total?: number, message?: string): Promise<void> {
    return this.request.reportProgress(progress, total, message)
  }

  /** Reads a resource of this server with the rights of the caller. */
  async readResource(uri: string): Promise<ReadResourceResult> {
    const { deadline, patience } = this.#options
    return this.#host.readResource(this.request, { interaction: this.#interaction(), deadline, patience }, uri)
  }

  /** Notifies all subscribers of a resource that it has changed. */
  notifyResourceUpdated(uri: string): Promise<void> {
    return this.#host.server.announce({ type: 'resourceUpdated', uri })
  }

  /**
   * Asks the user to fill in a form. On a modern connection the server can't wait for an answer: the call returns the question and
   * the handler stops. The client sends the answer in a second call, and the handler runs again from the start. Put side effects
   * before a question into `step`. In the stopped run nothing after the question happens, not even `catch`, `finally` or
   * `await using`: ask before you open something, open and close it in one step, or close it when `signal` aborts with
   * `InteractionSuspended`.
   */
  elicit<const S extends object>(message: string, schema: S): Promise<ElicitOutcome<FormContent<S>>> {
    return this.#ask((interaction) => interaction.elicit(message, schema))
  }

  /** Asks the user to visit a URL. `accept` means that the user agreed to, not that they have finished. */
  elicitUrl(message: string, url: string): Promise<{ readonly action: ElicitAction }> {
    return this.#ask((interaction) => interaction.elicitUrl(message, url))
  }

  /**
   * Asks the client's model for a message.
   * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
   */
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult> {
    return this.#ask((interaction) => interaction.sample(params))
  }

  /**
   * Asks the client for the folders that the server may work in. Works in both eras; see `elicit`.
   * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
   */
  listRoots(): Promise<ListRootsResult> {
    return this.#ask((interaction) => interaction.listRoots())
  }

  /**
   * Runs a side effect once per call, however many rounds it takes. Its value must be JSON: a `Date`, a `Map`, a function or a `bigint`
   * does not compile, and what the compiler can't see throws a `TypeError` when the step has run.
   */
  step<V>(name: string, run: () => MaybePromise<V & StepValue<V>>): Promise<V> {
    return this.#interaction().step(name, run)
  }

  #ask<Answer>(question: (interaction: Interaction) => Promise<Answer>): Promise<Answer> {
    const { deadline, patience } = this.#options
    let asked = question(this.#interaction())
    if (patience !== undefined) asked = patience.pausedWhile(asked)
    return deadline?.pausedWhile(asked) ?? asked
  }

  #interaction(): Interaction {
    const { interaction } = this.#options
    if (interaction !== undefined) return interaction
    throw orderError(
      `A handler asked or read a resource during '${this.request.method}', where only tools, resources and prompts can.`,
    )
  }
}

/** Only this module makes contexts; the class is exported for its type and for `instanceof`. */
export function createHandlerContext(
  host: Host,
  request: ServerRequestContext,
  options: ContextOptions = NO_OPTIONS,
): Context {
  return Context['create'](host, request, options)
}

/** Sends one log message. `data` is any JSON; `logger` names the part of the server that logs. */
export type LogAtLevel = (data: unknown, logger?: string) => Promise<void>

/**
 * `log.info('…')`, or `log(level, '…')` for a level chosen at run time. Only levels that the client asked for are sent; since
 * 2026-07-28 a client asks with each request.
 */
export type Log = { readonly [Level in LoggingLevel]: LogAtLevel } & ((
  level: LoggingLevel,
  data: unknown,
  logger?: string,
) => Promise<void>)

/** Spec, Logging: only a server that declares logging sends log messages. */
export function createLog(session: ServerSession, isDeclared: boolean): Log {
  const log = async (level: LoggingLevel, data: unknown, logger?: string) => {
    if (isDeclared) await session.sendLogMessage(level, data, logger)
  }
  const levels = {} as Record<LoggingLevel, LogAtLevel>
  for (const level of LOGGING_LEVELS) levels[level] = (data, logger) => log(level, data, logger)
  return Object.assign(log, levels)
}
