// mcpwire inspect on a terminal: opens the inspector in a browser, and keeps it running until the user ends it.
import { readKeys } from '../dev/keys.ts'
import type { ServerEntry } from '../install/server-entry.ts'
import { type ConnectionOptions, readToken } from '../target/connection-options.ts'
import { resolveTarget } from '../target/target.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { usageFailure } from '../terminal/failure.ts'
import { createDeferred } from '../terminal/primitives.ts'
import { startOwnInspector } from './own-inspector.ts'
import type { Invocation } from './shared/invocation.ts'

export interface InspectPageOptions extends ConnectionOptions {
  port?: number
  host?: string
  allowRemote?: boolean
  /** `false` with `--no-open`. */
  open?: boolean
}

const LOOPBACK = '127.0.0.1'

/** Ends with the interruption, or when the user presses q. */
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
  const inspector = await startOwnInspector({ output, host, port, mode, target, typed: word })
  const quit = createDeferred<number>()
  const stopKeys = readKeys(process.stdin, { o: inspector.show, q: () => quit.resolve(EXIT.done) })
  try {
    if (allowRemote) {
      output.note(
        'mcpwire: Other machines can open the inspector. Whoever uses its link first can start programs here.',
      )
    }
    output.print(`Inspector  ${inspector.link}`)
    output.note(stopKeys === undefined ? 'Press Ctrl-C to stop.' : 'Press o to open another page, q to stop.')
    if (options.open !== false) inspector.show()
    return await Promise.race([quit.promise, untilAborted(interruption)])
  } finally {
    stopKeys?.()
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
