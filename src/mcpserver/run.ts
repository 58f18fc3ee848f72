// Where a server meets the world by itself.
import { platform } from '#platform'
import type { Server } from '../server/server.ts'

export interface RunOptions {
  /** `stdio` unless given. */
  transport?: 'stdio' | 'http'
  /** How long calls under way may take to finish when the client has gone; 5 s unless given. */
  drainMs?: number
}

/** Serves until the client has gone. */
export async function runServer(server: Server, { transport = 'stdio', drainMs = 5_000 }: RunOptions): Promise<void> {
  if (transport === 'stdio') return platform.serveStdio(server, { drainMs })
  throw new Error('run() cannot serve over http: this version has no such transport yet; use connect(transport)')
}
