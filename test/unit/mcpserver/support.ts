// Shared by the tests of this folder: runs in both eras, and a server whose faults are recorded.
import { describe } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../../src/mcpserver/options.ts'
import { connect } from '../../../src/testing/connect.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'

export interface Setting {
  readonly mode: 'modern' | 'legacy'
  readonly isModern: boolean
  connect(server: MCPServer, options?: ClientOptions): Promise<Client>
}

/** Runs the tests once per era. Failures arrive as any client gets them. */
export function inBothEras(name: string, tests: (setting: Setting) => void): void {
  for (const mode of ['modern', 'legacy'] as const) {
    describe(`${name}, ${mode}`, () =>
      tests({
        mode,
        isModern: mode === 'modern',
        connect: (server, options = {}) => connect(server, { mode, raiseExceptions: false, ...options }),
      }))
  }
}

/** A server, and the faults that it reported. */
export function createServer(options: MCPServerOptions = {}): { server: MCPServer; faults: Fault[] } {
  const faults: Fault[] = []
  return { server: new MCPServer('test', { onFault: (fault) => faults.push(fault), ...options }), faults }
}

/** The error that a call fails with. */
export async function refusalOf(call: Promise<unknown>): Promise<MCPError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof MCPError) return error
  throw new Error(`Expected an MCPError, got ${String(error)}`)
}

export function textOf(result: { content: readonly { type: string; text?: unknown }[] }): unknown {
  return result.content.map((block) => block.text).join('|')
}
