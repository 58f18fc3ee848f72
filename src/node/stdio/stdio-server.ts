// Serves one client on the standard streams, or on streams like them. The channel is loaded on demand: a program that imports the
// package may serve nothing over stdio.
import { loading } from '../../primitives/loading.ts'
import { type CreateChannel, type ServeStdioOptions, type StdioServer, serveStdioBy } from './stdio-serving.ts'

export { SERVE_STDIO_KEYS, type ServeStdioOptions, type StdioIsolation, type StdioServer } from './stdio-serving.ts'

const createChannel: CreateChannel = async (input, output, maxLineBytes) => {
  const { createServerChannel } = await loading(import('./stream-channel.ts'))
  return createServerChannel(input, output, maxLineBytes)
}

/**
 * Serves one client of either era until the client closes our input or disconnects, or SIGINT or SIGTERM arrives. Running calls
 * may finish within `drainMs`. Rejects if the client does not write one message per line. Meanwhile the protocol owns stdout,
 * and everything else that is written to stdout goes to stderr.
 */
export function serveStdio(server: StdioServer, options: ServeStdioOptions = {}): Promise<void> {
  return serveStdioBy(createChannel, server, options)
}
