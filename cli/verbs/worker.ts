// mcpwire worker: a process that only runs the tasks of the server in a file. It listens nowhere.
import { constants } from 'node:os'
import { serveTasks, type TasksServing } from 'mcpwire/node'
import { readEnvFile } from '../install/env-file.ts'
import { findServer, importProgram } from '../serving/load-server.ts'
import { programFailure } from '../serving/program-failure.ts'
import { createServing, setRunner, untilFirstRun } from '../serving/serve-program.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { createDeferred } from '../terminal/primitives.ts'
import { listenForSignals } from '../terminal/signals.ts'
import { enterProgram, findFile } from './run.ts'
import type { Invocation } from './shared/invocation.ts'

interface WorkerOptions {
  concurrency?: number
  /** The old name of `concurrency`. */
  workers?: number
  only?: readonly string[]
  /** Seconds. */
  drain?: number
  envFile?: string
}

/** Resolves when a signal has come and the tasks have ended. */
export async function workerVerb({
  words,
  afterDashes = [],
  options,
  output,
}: Invocation<WorkerOptions>): Promise<number> {
  const file = findFile(words[0] ?? '')
  enterProgram(file, options.envFile === undefined ? {} : await readEnvFile(options.envFile), afterDashes)
  const servings = new Map<object, Promise<TasksServing>>()
  const first = createDeferred<void>()
  const start = (server: object): Promise<TasksServing> => {
    const serving = servings.get(server) ?? startWork(server, options, output)
    servings.set(server, serving)
    serving.then(() => first.resolve(), first.reject)
    return serving
  }
  // A program that runs its server itself works on its tasks instead.
  setRunner(async (server, asked) => {
    const over = start(server).then(({ closed }) => closed)
    return asked.transport === 'http' ? createServing('worker:', over) : over
  })
  const loaded = importProgram(file)
  loaded.catch(() => {})
  const stopListening = closeAtSignals(servings)
  try {
    await untilFirstRun(file, first.promise, async () => {
      const server = findServer(file, await loaded)
      if (server !== undefined && servings.size === 0) await start(server)
    })
    await Promise.all([...servings.values()].map(async (serving) => (await serving).closed))
  } catch (error) {
    throw await programFailure(file.path, error)
  } finally {
    stopListening()
  }
  return EXIT.done
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The first signal drains; the second one ends the process. */
function closeAtSignals(servings: ReadonlyMap<object, Promise<TasksServing>>): () => void {
  let isClosing = false
  return listenForSignals(SIGNALS, (signal) => {
    // Before there is work there is nothing to drain.
    if (isClosing || servings.size === 0) process.exit(128 + constants.signals[signal])
    isClosing = true
    for (const serving of servings.values()) void serving.then(({ close }) => close()).catch(() => {})
  })
}

async function startWork(server: object, options: WorkerOptions, output: Output): Promise<TasksServing> {
  const workers = options.concurrency ?? options.workers
  try {
    const serving = await serveTasks(server as Parameters<typeof serveTasks>[0], {
      ...(workers !== undefined && { workers }),
      ...(options.only !== undefined && { only: options.only }),
      ...(options.drain !== undefined && { drainMs: options.drain * 1000 }),
    })
    output.note('Working on tasks')
    return serving
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    if (error.message.startsWith('The server has no tool '))
      throw usageFailure(error.message, 'Check the names of --only.')
    throw new Failure(error.message, { slug: 'no-backend', exitCode: EXIT.noConnection })
  }
}
