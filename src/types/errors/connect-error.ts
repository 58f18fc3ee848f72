// The one failure of opening a connection, whatever the target was and whatever kept it from opening.
import { brand } from './brand.ts'
import { TransportError, type TransportErrorOptions } from './failures.ts'

/**
 * How far a connection came. `spawn`: the command could not be started. `connect`: the server could not be reached, or its
 * address is none of an MCP server. `negotiate`: it is there, but no protocol revision was agreed on. `authorize`: it wants to
 * know who is calling.
 */
export type ConnectPhase = 'spawn' | 'connect' | 'negotiate' | 'authorize'

export interface ConnectErrorOptions extends TransportErrorOptions {
  target: string
  phase: ConnectPhase
}

/** No connection came about. For a command the message ends with the last lines of its standard error. */
export class ConnectError extends TransportError {
  /** What was to be connected to, without anything that may be a secret. */
  readonly target: string
  readonly phase: ConnectPhase

  static {
    brand(this, 'ConnectError')
  }

  constructor(message: string, options: ConnectErrorOptions) {
    super(message, options)
    this.target = options.target
    this.phase = options.phase
  }
}
