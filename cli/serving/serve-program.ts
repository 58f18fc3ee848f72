// Serves the server of a program, over stdio or HTTP. The options of the command override those of the program.
import { type HttpServing, serveHttp, serveStdio } from 'mcpwire/node'
import type { RunOptions } from 'mcpwire/server'
import { createDeferred } from '../terminal/primitives.ts'
import { findServer, importProgram, type LoadedServer, noServerFailure } from './load-server.ts'
import type { ServerFile } from './server-file.ts'

/** `run()` of every server in this process goes through it, whichever copy of the package the program has loaded. */
export type Runner = (
  server: object,
  asked: RunOptions,
  run: (options: RunOptions) => Promise<unknown>,
) => Promise<unknown>

const RUNNER = Symbol.for('mcpwire.runner')
const place = globalThis as { [RUNNER]?: Runner }

/** From here on `run()` of any server goes through it. */
export function setRunner(runner: Runner): void {
  place[RUNNER] = runner
}

export interface ServeOptions {
  wanted: RunOptions
  /** A server begins to run. `asked` are the options of the program. */
  onRun?: (asked: RunOptions) => void
  onListening?: (serving: HttpServing) => void
}

/** Resolves when the program and its servers have ended. If one of them fails, the others are stopped. */
export async function serveProgram(file: ServerFile, options: ServeOptions): Promise<void> {
  const runs = new Map<object, Run>()
  const first = createDeferred<void>()
  const start = (server: object, asked: RunOptions, run: (options: RunOptions) => Promise<unknown>) => {
    const running = runs.get(server) ?? startRun(asked, options, run)
    if (!runs.has(server)) options.onRun?.(asked)
    runs.set(server, running)
    first.resolve()
    return running
  }
  setRunner((server, asked, run) => start(server, asked, run).forProgram)
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
  /** Closes the HTTP server. A server on stdio ends with the process. */
  stop(): Promise<void>
}

function startRun(asked: RunOptions, options: ServeOptions, run: (options: RunOptions) => Promise<unknown>): Run {
  const { wanted, onListening } = options
  if (wanted.transport !== 'http') {
    const over = run(mergeRunOptions(asked, wanted))
    over.catch(() => {})
    // A program written for HTTP continues as soon as its server runs.
    const forProgram = asked.transport === 'http' ? Promise.resolve(createServing('stdio:', over)) : over
    return { forProgram, over, stop: async () => {} }
  }
  const listening = run(mergeRunOptions(asked, wanted)) as Promise<HttpServing>
  const over = listening.then((serving) => {
    onListening?.(serving)
    return serving.closed
  })
  over.catch(() => {})
  return {
    // A program written for stdio continues when its server has ended, and may clean up then.
    forProgram: asked.transport === 'http' ? listening : over,
    over,
    stop: () => listening.then((serving) => serving.close()).catch(() => {}),
  }
}

/** Stands in for the HTTP server that the program would have got. */
export function createServing(url: string, over: Promise<unknown>): HttpServing {
  const closed = over.then(
    () => {},
    () => {},
  )
  const close = () => closed
  return { url, port: 0, closed, close, [Symbol.asyncDispose]: close }
}

/** The command line wins; options of the program for the same transport fill the rest. */
function mergeRunOptions(asked: RunOptions, wanted: RunOptions): RunOptions {
  return (asked.transport ?? 'stdio') === wanted.transport ? ({ ...asked, ...wanted } as RunOptions) : wanted
}

function runLowLevel(server: LoadedServer, decided: RunOptions): Promise<unknown> {
  const target = server as unknown as Parameters<typeof serveHttp>[0] & Parameters<typeof serveStdio>[0]
  if (decided.transport !== 'http') return serveStdio(target)
  const { transport: _transport, ...options } = decided
  return serveHttp(target, { handleSignals: true, ...options })
}

/** After this long without a server, the program probably has an HTTP server of its own. */
const HINT_MS = 3_000

/**
 * A program may work before it runs its server. If the event loop is empty and no server runs, none will. If something else
 * keeps the program alive, whoever waits for the server learns why nothing answers.
 */
export async function untilFirstRun(
  { path }: ServerFile,
  running: Promise<void>,
  load: () => Promise<void>,
): Promise<void> {
  const idle = createDeferred<never>()
  const giveUp = () => idle.reject(noServerFailure(path))
  process.once('beforeExit', giveUp)
  let hint: NodeJS.Timeout | undefined
  const waitForRun = () => {
    const text = `mcpwire: ${path} runs no server yet. If it listens on a port by itself, start it with node, and give its URL.`
    hint = setTimeout(() => process.stderr.write(`${text}\n`), HINT_MS).unref()
    return running
  }
  try {
    await Promise.race([running, idle.promise, load().then(waitForRun)])
  } finally {
    process.off('beforeExit', giveUp)
    clearTimeout(hint)
  }
}
