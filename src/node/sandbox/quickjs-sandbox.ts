// The sandbox of `codeMode` on Node: QuickJS as WebAssembly in a thread of its own, which is ended at the limits. Inside QuickJS a
// loop of allocations does not heed its interrupt; ending the thread ends that, too.

import * as modules from 'node:module'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { withHelp } from '../../primitives/help.ts'
import { PRELUDE, WORKER } from './quickjs-worker.ts'

interface Limits {
  readonly timeMs: number
  readonly memoryMB: number
  readonly calls: number
  readonly callsAtOnce: number
  readonly outputLength: number
}

interface Run {
  readonly call: (name: string, args: Record<string, unknown>) => Promise<unknown>
  readonly signal: AbortSignal
  readonly limits: Limits
}

type Outcome =
  | { readonly ok: true; readonly value: unknown; readonly logs: readonly string[] }
  | {
      readonly ok: false
      readonly limit?: keyof Limits | undefined
      readonly message: string
      readonly line?: number | undefined
      readonly logs: readonly string[]
    }

type Message =
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly args: string }
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'done'; readonly text?: string }
  | { readonly type: 'failed'; readonly limit?: keyof Limits; readonly message?: string; readonly line?: number }

const PEERS = ['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync'] as const
/** The thread is ended so long after the script had to be at its end. */
const GRACE_MS = 250

/** Throws where the packages are missing. */
export function createQuickJSSandbox(): { run(code: string, run: Run): Promise<Outcome> } {
  const [corePath, variantPath] = PEERS.map(findPeer)
  return { run: (code, run) => runInThread({ corePath, variantPath, code: stripTypes(code) }, run) }
}

function findPeer(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch (error) {
    throw withHelp(
      'extension-missing',
      new Error(`codeMode() needs the packages ${PEERS.join(' and ')}. Run: npm install ${PEERS.join(' ')}`, {
        cause: error,
      }),
    )
  }
}

/** Where the runtime can, TypeScript works as well. What is wrong with the script, its run says. */
function stripTypes(code: string): string {
  const { stripTypeScriptTypes } = modules as { stripTypeScriptTypes?: (code: string) => string }
  if (stripTypeScriptTypes === undefined) return code
  try {
    const [head, tail] = ['async () => {\n', '\n}']
    const stripped = stripTypeScriptTypes(`${head}${code}${tail}`)
    return stripped.slice(head.length, stripped.length - tail.length)
  } catch {
    return code
  }
}

function runInThread(
  program: { corePath: string | undefined; variantPath: string | undefined; code: string },
  run: Run,
): Promise<Outcome> {
  const { limits, signal, call } = run
  const logs: string[] = []
  const worker = new Worker(WORKER, {
    eval: true,
    workerData: { ...program, limits, prelude: PRELUDE },
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  })
  return new Promise<Outcome>((resolve) => {
    let isEnded = false
    const end = (outcome: Outcome) => {
      if (isEnded) return
      isEnded = true
      clearTimeout(timer)
      forgetAbort(signal, onAbort)
      void worker.terminate()
      resolve(outcome)
    }
    const over = (limit: keyof Limits) => end({ ok: false, limit, message: explain(limit, limits), logs })
    const onAbort = () => end({ ok: false, message: 'The call was cancelled.', logs })
    const timer = setTimeout(() => over('timeMs'), limits.timeMs + GRACE_MS)
    let [made, atOnce] = [0, 0]
    const queue: (() => void)[] = []
    const start = ({ id, name, args }: Extract<Message, { type: 'call' }>) => {
      atOnce += 1
      const answer = (text: string) => {
        atOnce -= 1
        worker.postMessage({ id, text })
        queue.shift()?.()
      }
      Promise.resolve()
        .then(() => call(name, JSON.parse(args)))
        .then(
          (value) => answer(JSON.stringify({ value })),
          (error) => answer(JSON.stringify({ error: error instanceof Error ? error.message : String(error) })),
        )
    }
    worker.on('message', (message: Message) => {
      if (message.type === 'log') logs.push(message.line)
      else if (message.type === 'done') end(returned(message.text, logs))
      else if (message.type === 'failed') {
        if (message.limit !== undefined) over(message.limit)
        else end({ ok: false, message: message.message ?? 'The script failed.', line: message.line, logs })
      } else if (++made > limits.calls) over('calls')
      else if (atOnce < limits.callsAtOnce) start(message)
      else queue.push(() => start(message))
    })
    worker.on('error', (error) => {
      const isMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      if (isMemory) over('memoryMB')
      else end({ ok: false, message: `The sandbox failed: ${error.message}`, logs })
    })
    worker.on('exit', () => end({ ok: false, message: 'The sandbox ended before the script did.', logs }))
    if (signal.aborted) onAbort()
    else listenForAbort(signal, onAbort)
  })
}

function returned(text: string | undefined, logs: readonly string[]): Outcome {
  try {
    return { ok: true, value: text === undefined ? undefined : JSON.parse(text), logs }
  } catch {
    return { ok: false, message: 'The script returned what is no JSON.', logs }
  }
}

function explain(limit: keyof Limits, limits: Limits): string {
  const texts: Record<keyof Limits, string> = {
    timeMs: `The script took longer than ${limits.timeMs} ms.`,
    memoryMB: `The script used more than ${limits.memoryMB} MB of memory.`,
    calls: `The script made more than ${limits.calls} calls.`,
    callsAtOnce: `The script made more than ${limits.callsAtOnce} calls at once.`,
    outputLength: `The script returned and logged more than ${limits.outputLength} characters.`,
  }
  return texts[limit]
}
