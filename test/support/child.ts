// A program in a process of its own, and what it prints.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>
  /** So far. */
  readonly output: { readonly stdout: string; readonly stderr: string }
  /** Resolves once the text is in what the program printed there. Rejects where it ends before. */
  printed(text: string, where?: 'stdout' | 'stderr'): Promise<void>
  /** The code and the signal, once everything that it printed has been read. */
  readonly ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>
}

/** Starts Node with these arguments. */
export function startNode(args: readonly string[], env: Record<string, string> = {}): Child {
  return startProgram(process.execPath, args, env)
}

export function startProgram(program: string, args: readonly string[], env: Record<string, string> = {}): Child {
  return watchChild(spawn(program, args, { stdio: 'pipe', env: { ...process.env, ...env } }))
}

export function watchChild(child: Child['process']): Child {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk
    })
  }
  const ended = endOf(child)
  return {
    process: child,
    output,
    async printed(text, where = 'stdout') {
      while (!output[where].includes(text)) {
        const end = await Promise.race([once(child[where], 'data').then(() => undefined), ended])
        // An end says more than a test that waits for ever.
        if (end === undefined || output[where].includes(text)) continue
        throw new Error(`The program ended with ${end.join(', ')} and printed ${JSON.stringify(output[where])}`)
      }
    },
    ended,
  }
}

async function endOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  const [code, signal] = await once(child, 'close')
  return [code as number | null, signal as NodeJS.Signals | null]
}
