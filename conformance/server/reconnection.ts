// A tool whose stream ends before its result is there, so that the client has to come back for it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { MCPServer } from 'mcpwire'

/** How long the result takes after the stream was closed. */
const WORK_MS = 100

export function addReconnection(server: MCPServer): void {
  server.tool('test_reconnection', { description: 'Lets the client fetch the result later.' }, async (_args, ctx) => {
    ctx.http?.closeStream()
    await sleep(WORK_MS)
    return 'The result was fetched after a reconnection.'
  })
}
