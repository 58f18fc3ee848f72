// Runs the server of a program as the command line says, whatever the program itself would have done.
import { type HttpServing, serveHttp, serveStdio } from 'mcpwire/node'
import type { RunOptions } from 'mcpwire/server'
import { findServer, importProgram, type LoadedServer, type ServerFile } from './load-server.ts'
import { Failure } from './terminal/failure.ts'
import { createDeferred } from './terminal/primitives.ts'

/** `run()` of every server in this process goes through it, whichever copy of the package the program has loaded. */
type Runner = (server: object, asked: RunOptions, run: (options: RunOptions) => Promise<unknown>) => Promise<unknown>

const RUNNER = Symbol.for('mcpwire.runner')
const place = globalThis as { [RUNNER]?: Runner }

export interface ServeOptions {
  wanted: RunOptions
  onListening?: (serving: HttpServing) => void
}

/** Resolves when the program and its servers are over. Where one of them fails, none of the others goes on. */
export async function serveProgram(file: ServerFile, options: ServeOptions): Promise<void> {
  const runs = new Map<object, Run>()
  const first = createDeferred<void>()
  const start = (server: object, asked: RunOptions, run: (options: RunOptions) => Promise<unknown>) => {
    const running = runs.get(server) ?? startRun(asked, options, run)
    runs.set(server, running)
    first.resolve()
    return running
  }
  place[RUNNER] = (server, asked, run) => start(server, asked, run).forProgram
  const loaded = importProgram(file)
  loaded.catch(() => {})
  try {
    await untilFirstRun(file, first.promise, async () => {
      const server = findServer(file, await loaded)
      if (server === undefined || runs.size > 0) return
      const running = server.run?.(options.wanted)
      running?.catch(() => {})
      // A low-level `Server`, or an `MCPServer` of a copy of the package that does not ask how to run.
      if (runs.size === 0) start(server, options.wanted, (decided) => running ?? runLowLevel(server, decided))
    })
    await Promise.all([loaded, ...[...runs.values()].map(({ over }) => over)])
  } catch (error) {
    await Promise.all([...runs.values()].map(({ stop }) => stop()))
    throw error
  }
}

interface Run {
  /** What `run()` resolves to, as the program understands it. */
  readonly forProgram: Promise<unknown>
  readonly over: Promise<unknown>
  /** Lets go of what listens. A server on stdio ends with the process. */
  stop(): Promise<void>
}

function startRun(asked: RunOptions, options: ServeOptions, run: (options: RunOptions) => Promise<unknown>): Run {
  const { wanted, onListening } = options
  if (wanted.transport !== 'http') {
    const over = run(decide(asked, wanted))
    over.catch(() => {})
    // A program that meant to listen goes on once it does.
    const forProgram = asked.transport === 'http' ? Promise.resolve(standIn(over)) : over
    return { forProgram, over, stop: async () => {} }
  }
  const listening = run(decide(asked, wanted)) as Promise<HttpServing>
  const over = listening.then((serving) => {
    onListening?.(serving)
    return serving.closed
  })
  over.catch(() => {})
  return {
    // One that meant to speak over stdio goes on when that is over, and may clean up then.
    forProgram: asked.transport === 'http' ? listening : over,
    over,
    stop: () => listening.then((serving) => serving.close()).catch(() => {}),
  }
}

/** What a program that listens would have got. */
function standIn(over: Promise<unknown>): HttpServing {
  const closed = over.then(
    () => {},
    () => {},
  )
  const close = () => closed
  return { url: 'stdio:', port: 0, closed, close, [Symbol.asyncDispose]: close }
}

/** What was said on the command line counts; what the program says about the same transport fills the rest. */
function decide(asked: RunOptions, wanted: RunOptions): RunOptions {
  return (asked.transport ?? 'stdio') === wanted.transport ? ({ ...asked, ...wanted } as RunOptions) : wanted
}

function runLowLevel(server: LoadedServer, decided: RunOptions): Promise<unknown> {
  const target = server as unknown as Parameters<typeof serveHttp>[0] & Parameters<typeof serveStdio>[0]
  if (decided.transport !== 'http') return serveStdio(target)
  const { transport: _transport, ...options } = decided
  return serveHttp(target, { handleSignals: true, ...options })
}

/** A program may have things to do before it runs its server; once nothing is left to do, it will not. */
async function untilFirstRun({ path }: ServerFile, running: Promise<void>, load: () => Promise<void>): Promise<void> {
  const idle = createDeferred<never>()
  const giveUp = () => {
    idle.reject(
      new Failure(`${path} neither runs nor exports a server`, {
        hint: "Export it: export const server = new MCPServer('…')",
      }),
    )
  }
  process.once('beforeExit', giveUp)
  try {
    await Promise.race([running, idle.promise, load().then(() => running)])
  } finally {
    process.off('beforeExit', giveUp)
  }
}
