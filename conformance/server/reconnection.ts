// A tool whose stream ends before its result, so that the client must reconnect.
import { setTimeout as sleep } from 'node:timers/promises'
import type { MCPServer } from 'mcpwire'

/** The delay of the result after the stream was closed. */
const WORK_MS = 100

export function addReconnection(server: MCPServer): void {
  server.tool('test_reconnection', { description: 'Lets the client fetch the result later.' }, async (_args, ctx) => {
    ctx.http?.closeStream()
    await sleep(WORK_MS)
    return 'The result was fetched after a reconnection.'
  })
}
