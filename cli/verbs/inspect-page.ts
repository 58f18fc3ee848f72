// mcpwire inspect on a terminal: opens the inspector in a browser, and keeps it running until the user ends it.
import type { ServerEntry } from '../install/server-entry.ts'
import { type ConnectionOptions, readToken } from '../target/connection-options.ts'
import { resolveTarget } from '../target/target.ts'
import { usageFailure } from '../terminal/failure.ts'
import type { Invocation } from './invocation.ts'
import { showInspector, startOwnInspector } from './own-inspector.ts'

export interface InspectPageOptions extends ConnectionOptions {
  port?: number
  host?: string
  allowRemote?: boolean
  /** `false` with `--no-open`. */
  open?: boolean
}

const LOOPBACK = '127.0.0.1'

/** Ends with the interruption. */
export async function inspectPage(invocation: Invocation<InspectPageOptions>): Promise<number> {
  const { words, afterDashes: command, options, output, interruption } = invocation
  const { port, mode, allowRemote = false } = options
  const host = options.host === 'localhost' ? LOOPBACK : (options.host ?? (allowRemote ? '0.0.0.0' : LOOPBACK))
  if (host !== LOOPBACK && !allowRemote) {
    throw usageFailure(`--host ${host} lets other machines open the inspector.`, 'Add --allow-remote if you want that.')
  }
  const [word] = words
  const hasTarget = word !== undefined || command !== undefined || options.config !== undefined
  const target = hasTarget
    ? withToken((await resolveTarget({ word, command }, options, output)).entry, options)
    : undefined
  const inspector = await startOwnInspector({ output, host, port, mode, target })
  try {
    if (allowRemote) {
      output.note('mcpwire: Other machines can open the inspector. Whoever has its URL can start programs here.')
    }
    output.print(`Inspector  ${inspector.url}`)
    output.note('Press Ctrl-C to stop.')
    if (options.open !== false) showInspector(inspector)
    return await untilAborted(interruption)
  } finally {
    await inspector.close()
  }
}

function withToken(entry: ServerEntry, { token }: ConnectionOptions): ServerEntry {
  const value = readToken(token)
  if (value === undefined || !('url' in entry)) return entry
  return { ...entry, headers: { ...entry.headers, authorization: `Bearer ${value}` } }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
