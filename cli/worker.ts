// mcpwire worker: a process that only runs the tasks of the server in a file. It listens nowhere.
import { serveTasks, type TasksServing } from 'mcpwire/node'
import { checkServerFile, findServer, importProgram, parseServerFile } from './load-server.ts'
import { createServing, setRunner, untilFirstRun } from './run.ts'
import { Failure, usageFailure } from './terminal/failure.ts'
import type { Output } from './terminal/output.ts'
import { createDeferred } from './terminal/primitives.ts'

export interface WorkerCommandOptions {
  workers?: number
}

/** Resolves to the exit code, when the process is asked to end. */
export async function work(target: string, options: WorkerCommandOptions, output: Output): Promise<number> {
  const file = parseServerFile(target)
  if (file === undefined) throw usageFailure(`${target} is not a JavaScript or TypeScript file.`)
  checkServerFile(file)
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
  await untilFirstRun(file, first.promise, async () => {
    const server = findServer(file, await loaded)
    if (server !== undefined && servings.size === 0) await start(server)
  })
  await Promise.all([...servings.values()].map(async (serving) => (await serving).closed))
  return 0
}

async function startWork(server: object, options: WorkerCommandOptions, output: Output): Promise<TasksServing> {
  try {
    const serving = await serveTasks(server as Parameters<typeof serveTasks>[0], { ...options, handleSignals: true })
    output.note('Working on tasks')
    return serving
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Failure(error.message)
  }
}
