// Everything that the inspector knows: connections, calls, questions, views, and the log of what happened.
import { memoryTokenStore, type TokenStore } from 'mcpwire/auth'
import type { ConfiguredServer, InspectorState } from '../protocol/state.ts'
import { Connection } from './connection/connection.ts'
import type { Target } from './connection/open-target.ts'
import type { Sessions } from './http/sessions.ts'
import { BadRequest } from './log/bad-request.ts'
import { EventLog } from './log/event-log.ts'
import { Changes } from './log/snapshot.ts'
import { Calls } from './work/calls.ts'
import { Confirmations } from './work/confirmation.ts'
import { Kept, type KeptStore } from './work/kept.ts'
import { KeptAnswers } from './work/kept-answers.ts'
import { Questions } from './work/questions.ts'
import { Views } from './work/views.ts'

const MAX_CONNECTIONS = 8

export interface InspectorOptions {
  /** Understands what was typed. Throws an `Error` whose message says what is wrong with it. */
  readonly parseTarget: (typed: string, headers: Readonly<Record<string, string>>) => Promise<Target>
  /** Servers of config files on this machine. */
  readonly configured?: readonly ConfiguredServer[]
  /** Where tokens are kept (default: in memory). */
  readonly tokens?: TokenStore
  /** Where recent targets, saved calls and answers are kept (default: in memory). */
  readonly kept?: KeptStore
  /** Called with the words of a program that the page starts, after its user agreed. */
  readonly onProgram?: (words: readonly string[]) => void
  /** Of the program. */
  readonly version: string
}

export class Inspector {
  readonly log = new EventLog()
  readonly changes = new Changes()
  readonly calls = new Calls(this.changes.mark, (call) => this.questions.isWaiting(call))
  readonly questions: Questions
  readonly confirmations: Confirmations
  readonly views: Views
  readonly options: InspectorOptions
  readonly #connections = new Map<string, Connection>()
  readonly #tokens: TokenStore
  readonly #kept: Kept
  readonly #answers: KeptAnswers
  #count = 0

  constructor(options: InspectorOptions, sessions: Sessions, sandboxOrigin: () => string) {
    this.options = options
    this.confirmations = new Confirmations(sessions)
    this.#kept = new Kept(options.kept)
    this.#answers = new KeptAnswers(this.#kept)
    this.questions = new Questions(this.#answers, this.changes.mark)
    this.#tokens = options.tokens ?? memoryTokenStore()
    this.views = new Views({
      log: this.log,
      onChange: this.changes.mark,
      sandboxOrigin,
      resultOf: (call) => {
        const state = this.calls.states.find(({ id }) => id === call)
        return state && { args: { ...state.args }, result: this.calls.resultOf(call) }
      },
    })
  }

  get state(): InspectorState {
    return {
      connections: [...this.#connections.values()].map(({ state }) => state),
      calls: this.calls.states,
      questions: this.questions.states,
      views: this.views.states,
      saved: this.#kept.saved,
      answers: this.#answers.states,
      recent: this.#kept.recent,
      configured: this.options.configured ?? [],
      version: this.options.version,
    }
  }

  find(id: string): Connection {
    const connection = this.#connections.get(id)
    if (connection === undefined) throw new BadRequest('There is no such connection.', { status: 404 })
    return connection
  }

  /** Returns at once; how connecting goes is in the state. Closed connections make place. */
  connect(target: Target, mode: string, typed: string | undefined, isKept = true): Connection {
    this.#makePlace()
    this.#count += 1
    const connection = new Connection({
      id: `c${this.#count}`,
      target,
      typed,
      mode,
      log: this.log,
      questions: this.questions,
      tokens: this.#tokens,
      clientVersion: this.options.version,
      onChange: this.changes.mark,
      onlyCall: (id) => this.calls.onlyOf(id),
    })
    this.#connections.set(connection.id, connection)
    if (typed !== undefined && isKept) this.#kept.connected(typed)
    void connection.open()
    return connection
  }

  /** Of a server in development: for each connection, since each of them is to that server. */
  reloaded(text: string, level: string): void {
    for (const connection of this.#connections.keys()) {
      this.log.add({ type: 'log', connection, source: 'reload', level, text })
    }
  }

  async disconnect(id: string): Promise<void> {
    const connection = this.find(id)
    this.calls.cancelAllOf(id)
    await this.views.closeAll(id)
    await connection.close()
    this.#connections.delete(id)
    this.changes.mark()
  }

  /** For the target of a connection, whatever connection it is next time. */
  save(connection: Connection, tool: string, args: Readonly<Record<string, unknown>>): void {
    this.#kept.save({ target: connection.state.target, tool, args })
    this.changes.mark()
  }

  forget(saved: string): void {
    this.#kept.forget(saved)
    this.changes.mark()
  }

  async close(): Promise<void> {
    this.changes.close()
    await this.views.closeAll()
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()))
  }

  #makePlace(): void {
    for (const [id, { state }] of this.#connections) {
      if (this.#connections.size < MAX_CONNECTIONS) return
      if (state.status === 'closed' || state.status === 'failed') this.#connections.delete(id)
    }
    if (this.#connections.size < MAX_CONNECTIONS) return
    throw new BadRequest(`At most ${MAX_CONNECTIONS} connections can be open.`, {
      status: 409,
      fix: 'Disconnect from a server first.',
    })
  }
}
