// The `ctx` of handlers: who calls, how to talk back while the call runs, and the way to the rest of the server.

import type { ServerRequestContext } from '../server/context.ts'
import type { MaybePromise } from '../server/handlers.ts'
import type { ServerSession } from '../server/session.ts'
import type { AuthInfo } from '../types/auth.ts'
import type { ClientCapabilities } from '../types/capabilities.ts'
import type { ElicitAction } from '../types/elicitation.ts'
import type { Implementation } from '../types/implementation.ts'
import type { InputResponses } from '../types/input-required.ts'
import type { RequestId } from '../types/jsonrpc.ts'
import type { RequestMetaObject } from '../types/meta.ts'
import type { ReadResourceResult } from '../types/resources.ts'
import type { ListRootsResult } from '../types/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../types/sampling.ts'
import type { ProtocolVersion } from '../types/versions.ts'
import type { Deadline } from './deadline.ts'
import type { Host } from './host.ts'
import type { Interaction } from './interaction.ts'
import type { ElicitOutcome, FormContent } from './interaction-form.ts'
import { createLog, type Log } from './log.ts'

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
