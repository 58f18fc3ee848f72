// Clients of legacy sessions behind a balancer without stickiness, and what each of them must see whatever happens to the nodes.
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../../src/client/client.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import type { CallToolResult } from '../../src/types/features/tools.ts'
import { EVENTS } from './node.ts'

export interface SessionCounts {
  readonly calls: number
  /** That ended with an error: their node was killed, or the engine was away. */
  readonly failed: number
  readonly answers: number
}

const SESSIONS = 6
/** Calls of one session that change the same value at once. */
const TOGETHER = 4
/** Far above the 25 s within which a call of a lost node ends, once the engine is there again. */
const HANG_MS = 45_000
/** Ends the call of a test that would wait for ever. */
const CALL_LIMIT_MS = 300_000

export interface SessionLoadOptions {
  readonly url: string
  random(max: number): number
  /** When the engine was last away, for all nodes or for one, by `performance.now()`. */
  troubledAt(): number
}

export class SessionLoad {
  readonly #options: SessionLoadOptions
  readonly #sessions: OneSession[] = []
  #isStopping = false

  constructor(options: SessionLoadOptions) {
    this.#options = options
  }

  get counts(): SessionCounts {
    const sum = (count: (session: OneSession) => number) =>
      this.#sessions.reduce((total, session) => total + count(session), 0)
    return {
      calls: sum(({ calls }) => calls),
      failed: sum(({ failed }) => failed),
      answers: sum(({ answers }) => answers),
    }
  }

  problems(): string[] {
    return this.#sessions.flatMap((session) => session.findProblems())
  }

  /** Resolves after `stop`, once each session has had its last call. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: SESSIONS }, (_, index) => this.#runOne(index)))
  }

  stop(): void {
    this.#isStopping = true
  }

  async close(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#sessions.map((session) => session.close()))
  }

  async #runOne(index: number): Promise<void> {
    const session = await OneSession.open(`session ${index}`, this.#options)
    this.#sessions.push(session)
    while (!this.#isStopping) {
      await session.callNext()
      await delay(this.#options.random(40))
    }
    await session.callLast()
  }
}

class OneSession {
  calls = 0
  failed = 0
  answers = 0
  readonly #name: string
  readonly #client: Client
  readonly #options: SessionLoadOptions
  readonly #problems: string[] = []
  readonly #heard: Map<string, number[]>
  #lastCount = 0

  constructor(name: string, client: Client, options: SessionLoadOptions, heard: Map<string, number[]>) {
    this.#name = name
    this.#client = client
    this.#options = options
    this.#heard = heard
  }

  /** Tries until a session is opened: the engine may be away. */
  static async open(name: string, options: SessionLoadOptions): Promise<OneSession> {
    const heard = new Map<string, number[]>()
    const onLog = ({ data }: { data?: unknown }) => {
      const { call, event } = data as { call: string; event: number }
      heard.set(call, [...(heard.get(call) ?? []), event])
    }
    const onElicitation = ({ message }: { message: string }) => {
      return { action: 'accept' as const, content: { name: `${name}: ${message}` } }
    }
    for (;;) {
      try {
        const client = await Client.connect(streamableHttp(options.url), {
          mode: 'legacy',
          onLog,
          onElicitation,
          timeoutMs: CALL_LIMIT_MS,
          onFault: () => {},
        })
        return new OneSession(name, client, options, heard)
      } catch {
        await delay(100)
      }
    }
  }

  async callNext(): Promise<void> {
    const kind = this.#options.random(100)
    if (kind < 30) await this.#count()
    else if (kind < 40) await this.#countTogether()
    else if (kind < 80) await this.#events()
    else await this.#question()
  }

  /** When everything is well again, the session is too. */
  async callLast(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const failed = this.failed
      await this.#count()
      if (this.failed === failed) return
      if (tries === 50) {
        this.#problems.push(`3: ${this.#name} cannot be used any more`)
        return
      }
      await delay(200)
    }
  }

  findProblems(): string[] {
    return [...this.#problems]
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  /** Calls are one after another, so that each count is higher than the one before. */
  async #count(): Promise<void> {
    const text = await this.#call('count', {})
    if (text === undefined) return
    const count = Number(text)
    if (!(count > this.#lastCount)) {
      this.#problems.push(`1: ${this.#name} counted ${this.#lastCount}, and then ${text}`)
    }
    this.#lastCount = count
  }

  /** On several nodes at once, which overtake each other: each of them counts on from what the others have stored. */
  async #countTogether(): Promise<void> {
    const texts = await Promise.all(Array.from({ length: TOGETHER }, () => this.#call('count', {})))
    const counts = texts.flatMap((text) => (text === undefined ? [] : [Number(text)]))
    const isDistinct = new Set(counts).size === counts.length
    if (!isDistinct || !counts.every((count) => count > this.#lastCount)) {
      this.#problems.push(`1: ${this.#name} counted ${this.#lastCount}, and then at once ${counts.join(', ')}`)
    }
    this.#lastCount = Math.max(this.#lastCount, ...counts)
  }

  /** What is heard is a prefix of what was sent, each message once, and all of it where the call has ended well. */
  async #events(): Promise<void> {
    const call = `${this.#name} ${this.calls + 1}`
    const node = await this.#call('events', { call, ms: this.#options.random(40) })
    const heard = this.#heard.get(call) ?? []
    const isPrefix = heard.every((event, index) => event === index + 1)
    if (!isPrefix || (node !== undefined && heard.length < EVENTS)) {
      this.#problems.push(`2: ${call} heard ${heard.join(', ')} (${node ?? 'failed'})`)
    }
  }

  async #question(): Promise<void> {
    const text = await this.#call('question', {})
    if (text === undefined) return
    this.answers += 1
    if (text !== `${this.#name}: Name?`) this.#problems.push(`4: ${this.#name} was given the answer ${text}`)
  }

  /** The text of the result; `undefined` where the call has failed. */
  async #call(tool: string, args: { call?: string; ms?: number }): Promise<string | undefined> {
    this.calls += 1
    const startedAt = performance.now()
    let reason = 'an error as its result'
    try {
      const { content, isError } = (await this.#client.callTool(tool, args)) as CallToolResult
      const [first] = content
      if (isError !== true && first?.type === 'text') return first.text
    } catch (error) {
      // The node was lost, or the engine away.
      reason = String(error)
    }
    this.failed += 1
    // While the engine comes and goes, a node can't tell which others are lost, and begins to count anew.
    const tookMs = performance.now() - Math.max(startedAt, this.#options.troubledAt())
    if (tookMs < HANG_MS) return undefined
    this.#problems.push(`5: ${tool} of ${this.#name} got no answer in ${Math.round(tookMs)} ms (${reason})`)
    return undefined
  }
}
