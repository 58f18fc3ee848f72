// The level of log messages that a legacy server was asked for. In the modern era every request says it.

import type { LoggingLevel } from '../../types/features/logging.ts'
import type { EmptyResult } from '../../types/protocol/base.ts'
import type { RequestOptions } from './request-options.ts'
import type { ClientSession } from './session.ts'

/** A client that is being opened does not wait longer for something that it can do without. */
const OPENING_MS = 5_000

export class LogLevel {
  readonly #session: ClientSession
  #level: LoggingLevel | undefined

  constructor(session: ClientSession, level: LoggingLevel | undefined) {
    this.#session = session
    this.#level = level
  }

  /** Asks for what was wanted from the start, or last; also of a server that has forgotten us. Never rejects. */
  async ask(): Promise<void> {
    const { initializeResult } = this.#session
    if (this.#level === undefined || initializeResult?.capabilities.logging === undefined) return
    try {
      await this.#session.setLoggingLevel(this.#level, { timeoutMs: OPENING_MS })
    } catch (error) {
      if (this.#session.endSignal.aborted) return
      const message = `The server was asked for log messages of level '${this.#level}' and refused`
      this.#session.faults.report({ kind: 'peer-error', message, method: 'logging/setLevel', error })
    }
  }

  async set(level: LoggingLevel, options?: RequestOptions): Promise<EmptyResult> {
    const result = await this.#session.setLoggingLevel(level, options)
    this.#level = level
    return result
  }
}
