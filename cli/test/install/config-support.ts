// What the tests of configuration files share: an output that remembers, failures as values, and programs to run in processes.
import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { build } from 'esbuild'
import { Failure } from '../../terminal/failure.ts'
import type { Output } from '../../terminal/output.ts'

export const POSIX = process.platform !== 'win32'

export interface RecordedOutput extends Output {
  readonly printed: string[]
  readonly notes: string[]
  /** Everything that was said, anywhere. */
  readonly text: string
}

export function recordOutput(): RecordedOutput {
  const [printed, notes]: string[][] = [[], []]
  const same = (text: string) => text
  const plain = { bold: same, dim: same, red: same, green: same, yellow: same }
  return {
    printed: printed!,
    notes: notes!,
    get text() {
      return [...printed!, ...notes!].join('\n')
    },
    print: (text) => printed!.push(text),
    printBytes: (bytes) => printed!.push(Buffer.from(bytes).toString('base64')),
    note: (text) => notes!.push(text),
    detail: () => {},
    problem: (text) => notes!.push(text),
    status: () => {},
    paint: plain,
    notePaint: plain,
    isTerminal: false,
    hasStatus: false,
    width: 80,
    noteWidth: 80,
    isJSON: false,
    isVerbose: false,
    readerGone: new Promise(() => {}),
    flush: async () => {},
    lostOutput: undefined,
  }
}

/** The failure that a call ends with, and all of its words. */
export async function failureOf(call: () => unknown): Promise<Failure & { words: string }> {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return Object.assign(error, { words: `${error.message}\n${error.hint ?? ''}` })
  }
  throw new Error('It did not fail')
}

export async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

/** A program in one file, from a text that imports our source. */
export async function bundle(contents: string): Promise<string> {
  const result = await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    alias: { '#platform': './src/node/platform.ts' },
    // Some of what is bundled asks for Node's modules in the old way.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  })
  return result.outputFiles[0]!.text
}

export interface Ended {
  code: number | null
  signal: string | null
  stderr: string
}

export function runProcess(command: string, args: string[], options: { uid?: number } = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stderr }))
  })
}
