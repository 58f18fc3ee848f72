// The sandbox of `codeMode` on Node: QuickJS as WebAssembly in a thread of its own, which is ended at the limits. Inside QuickJS a
// loop of allocations does not heed its interrupt; ending the thread ends that, too.

import * as modules from 'node:module'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { estimateBytes } from '../../dispatcher/backpressure.ts'
import { SERVER_LIMITS } from '../../dispatcher/decode.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { withHelp } from '../../primitives/help.ts'
import { findBreach } from '../../primitives/json/json-scan.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
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

/** A script may use a thread and 64 MB. */
const SCRIPTS_AT_ONCE = 8
const MAX_WAITING = 1_000
/** The texts of all scripts that wait. */
const MAX_WAITING_LENGTH = 8 * 1024 * 1024
/** What a script gets of one call. */
const MAX_ANSWER = 4 * 1024 * 1024
const MAX_ERROR = 100_000

/** Throws where the packages are missing. */
export function createQuickJSSandbox(): { run(code: string, run: Run): Promise<Outcome> } {
  const [corePath, variantPath] = PEERS.map(findPeer)
  const turns = new Turns()
  const program = (code: string) => ({ corePath, variantPath, code: stripTypes(code) })
  return { run: (code, run) => turns.take(code, run, () => runInThread(program(code), run)) }
}

/** Of all scripts of a sandbox, some run and the others wait. Their time counts from their start. */
class Turns {
  readonly #waiting = new Set<() => void>()
  #running = 0
  #waitingLength = 0

  async take(code: string, { signal }: Run, start: () => Promise<Outcome>): Promise<Outcome> {
    if (this.#running < SCRIPTS_AT_ONCE) this.#running += 1
    else if (this.#waiting.size >= MAX_WAITING || this.#waitingLength + code.length > MAX_WAITING_LENGTH)
      return notRun('Too many scripts wait at present. Try again later.')
    else if (!(await this.#wait(code, signal))) return notRun('The call was cancelled.')
    try {
      return await start()
    } finally {
      const [next] = this.#waiting
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  /** Whether it is the turn of this one; `false` where its signal has aborted. */
  #wait({ length }: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isTurn: boolean) => {
        this.#waiting.delete(take)
        this.#waitingLength -= length
        forgetAbort(signal, leave)
        resolve(isTurn)
      }
      const take = () => end(true)
      const leave = () => end(false)
      if (signal.aborted) return resolve(false)
      this.#waiting.add(take)
      this.#waitingLength += length
      listenForAbort(signal, leave)
    })
  }
}

function notRun(message: string): Outcome {
  return { ok: false, message, logs: [] }
}

function findPeer(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch (error) {
    throw withHelp(
      'package-missing',
      new Error(
        `codeMode() needs the packages ${PEERS.join(' and ')}. Run: npm install ${PEERS.map((name) => `${name}@0.32`).join(' ')}`,
        {
          cause: error,
        },
      ),
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
    // The thread sends no more calls than may be under way: what a script asks for beyond that waits in its own memory.
    const start = async ({ id, name, args }: Extract<Message, { type: 'call' }>) => {
      const text = await answerTo(call, name, args)
      if (!isEnded) worker.postMessage({ id, text })
    }
    worker.on('message', (message: Message) => {
      if (message.type === 'log') logs.push(message.line)
      else if (message.type === 'done') end(returned(message.text, logs))
      else if (message.type === 'failed') {
        if (message.limit !== undefined) over(message.limit)
        else end({ ok: false, message: message.message ?? 'The script failed.', line: message.line, logs })
      } else void start(message)
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

/** What the script gets of a call, as JSON. Never rejects. */
async function answerTo(call: Run['call'], name: string, text: string): Promise<string> {
  try {
    const args = parseWithin(text)
    if (!isPlainObject(args)) {
      const { maxDepth, maxElements } = SERVER_LIMITS
      return failure(`The arguments of a call are an object of at most ${maxDepth} levels and ${maxElements} members.`)
    }
    const value = await call(name, args)
    // What is far too large is not written out at all.
    const isHuge = estimateBytes(value, 4 * MAX_ANSWER) > 4 * MAX_ANSWER
    const answer = isHuge ? undefined : JSON.stringify({ value })
    if (answer !== undefined && answer.length <= MAX_ANSWER) return answer
    return failure(`The result of ${name} has more than ${MAX_ANSWER} characters.`)
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error))
  }
}

function failure(error: string): string {
  return JSON.stringify({ error: error.length > MAX_ERROR ? `${error.slice(0, MAX_ERROR)}…` : error })
}

/** Within the limits of a message of a client: a script is no more trusted. `undefined` beyond them. */
function parseWithin(text: string): unknown {
  return findBreach(new TextEncoder().encode(text), SERVER_LIMITS) === undefined ? JSON.parse(text) : undefined
}

function returned(text: string | undefined, logs: readonly string[]): Outcome {
  try {
    if (text === undefined) return { ok: true, value: undefined, logs }
    const value = parseWithin(text)
    return value === undefined
      ? { ok: false, message: 'The script returned a value that is too deep, or has too many members.', logs }
      : { ok: true, value, logs }
  } catch {
    return { ok: false, message: 'The script returned a value that is not JSON.', logs }
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
