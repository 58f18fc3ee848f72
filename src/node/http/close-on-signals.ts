// SIGTERM and SIGINT at a server on a port: who waits for what until it has closed.
import type { Server as HttpServer } from 'node:http'
import { MAX_TIMER_MS, settlesWithin } from '../../primitives/async/timer.ts'
import { type ServerHandler, type ServerTarget, serverOf } from '../../server/http/handler.ts'
import { ShutdownSignals } from '../process/signals.ts'
import { loadNet } from '../runtime/builtins.ts'

/** Balancers ask every few seconds whether a server is ready. */
const DRAIN_DELAY_MS = 5_000

/** How long a server that takes no new connections serves requests on those that it has. */
const LAST_REQUESTS_MS = 100

/** How long what a server stands in front of may take to close. */
const SOURCE_MS = 10_000

interface Closable {
  close(options?: { drainMs?: number }): Promise<void>
  readonly closed: Promise<void>
}

export interface SignalledServer {
  readonly server: ServerTarget
  readonly handler: ServerHandler
  readonly http: HttpServer
  readonly serving: Closable
  readonly drainMs: number
  readonly drainDelayMs: number | undefined
}

/** Shuts down at the first signal, and without waiting for running calls at the second. The process ends after it. */
export function closeOnSignals({ server, handler, http, serving, drainMs, drainDelayMs }: SignalledServer): void {
  const core = serverOf(server)
  let delay: NodeJS.Timeout | undefined
  let isEnding = false
  const close = (options?: { drainMs: number }) => {
    clearTimeout(delay)
    isEnding = true
    core.background.endWithProcess()
    void serving.close(options)
  }
  const signals = new ShutdownSignals(
    (signal) => {
      handler.drain()
      // Ctrl+C comes from a person, who waits; SIGTERM from whoever also has a balancer.
      const delayMs = signal === 'SIGTERM' ? (drainDelayMs ?? (core.backend === undefined ? 0 : DRAIN_DELAY_MS)) : 0
      if (delayMs === 0) {
        close()
        return
      }
      delay = setTimeout(
        () => {
          delay = finishRequests(http, Math.min(LAST_REQUESTS_MS, drainMs), close)
        },
        Math.min(delayMs, MAX_TIMER_MS),
      )
    },
    () => close({ drainMs: 0 }),
  )
  void serving.closed.then(async () => {
    clearTimeout(delay)
    // What the server stands in front of, such as child processes, ends before this process does.
    if (isEnding)
      await settlesWithin(
        Promise.resolve(core.source?.close?.()).catch(() => {}),
        SOURCE_MS,
      )
    signals.finish()
  })
}

/**
 * A balancer sends a request to the next node where this one refuses the connection, and not where it answers 503. So the port
 * closes first, and requests on connections that were made before are served.
 */
function finishRequests(http: HttpServer, withinMs: number, onDone: () => void): NodeJS.Timeout {
  // That of `http` would end idle connections, on which a request may be on its way.
  loadNet().Server.prototype.close.call(http)
  // What has arrived by the end of that time is read before the immediate.
  return setTimeout(() => setImmediate(onDone), withinMs)
}
