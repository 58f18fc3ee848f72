// Descriptor 1 for the protocol alone: the same pipe or file under another number, which no child inherits, while whoever
// writes to number 1 writes to stderr.
import { closeSync, constants, createWriteStream, fstatSync, openSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { LinePipe } from './line-writer.ts'

export interface TakenStdout {
  /** What descriptor 1 was. */
  readonly stream: LinePipe
  /** Gives number 1 back what it was, if that still has a reader. What the stream has not written yet is given up. */
  restore(): void
}

const STDOUT = 1
const STDERR = 2
/** Each write goes after all that others have written, as it would with a descriptor that is shared. */
const FOR_WRITING = constants.O_WRONLY | constants.O_APPEND
/** To open a named pipe that nobody reads would wait for a reader; this way it fails. */
const WITHOUT_WAITING = FOR_WRITING | (constants.O_NONBLOCK ?? 0)

/**
 * `undefined` where that cannot be done: for a socket, as Node gives its children, for a terminal, on Windows, in a worker, on
 * runtimes that imitate Node, and where the system lets nobody open a descriptor again. Then nothing has changed.
 */
export function takeStdout(): TakenStdout | undefined {
  const kind = kindOf(STDOUT)
  if (kind === 'other' || !ownsDescriptors()) return undefined
  const opened: number[] = []
  const open = (path: string, flags: number) => {
    const descriptor = openSync(path, flags)
    opened.push(descriptor)
    return descriptor
  }
  try {
    const wire = open(pathOf(STDOUT), WITHOUT_WAITING)
    const kept = open(pathOf(STDOUT), WITHOUT_WAITING)
    const substitute = openSubstitute(open)
    const stream = kind === 'pipe' ? pipeOn(wire) : createWriteStream('', { fd: wire })
    replace(STDOUT, substitute)
    // Two that write to one file: only where both write at its end does none write over the other.
    if (kindOf(STDERR) === 'file') replace(STDERR, substitute)
    closeSync(substitute)
    return {
      stream,
      restore: () => {
        stream.destroy()
        restoreFrom(kept)
      },
    }
  } catch {
    for (const descriptor of opened) closeSync(descriptor)
    return undefined
  }
}

function kindOf(descriptor: number): 'pipe' | 'file' | 'other' {
  const status = fstatSync(descriptor)
  return status.isFIFO() ? 'pipe' : status.isFile() ? 'file' : 'other'
}

/** Not so in a worker, whose stdout is a message to the main thread. */
function ownsDescriptors(): boolean {
  const isNode = process.versions['bun'] === undefined && !('Deno' in globalThis)
  return isNode && process.platform !== 'win32' && (process.stdout as { fd?: number }).fd === STDOUT
}

/** Linux opens what lies behind it anew; other systems make it a second name for the same. */
function pathOf(descriptor: number): string {
  return process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : `/dev/fd/${descriptor}`
}

/** A stderr that is a socket cannot be opened again: there, what is written past `process.stdout` leads nowhere. */
function openSubstitute(open: (path: string, flags: number) => number): number {
  try {
    return open(pathOf(STDERR), WITHOUT_WAITING)
  } catch {
    return open('/dev/null', WITHOUT_WAITING)
  }
}

function pipeOn(fd: number): Writable & LinePipe {
  // Loaded only here: a program without such a pipe may never need it.
  const { Socket } = process.getBuiltinModule('node:net')
  const socket = new Socket({ fd, readable: false, writable: true })
  return Object.assign(socket, { isLast: true })
}

function restoreFrom(kept: number): void {
  try {
    replace(STDOUT, kept)
  } catch {
    // Nobody reads it any more.
  }
  closeSync(kept)
}

/**
 * Makes `number` another descriptor of what `source` is; throws, and has changed nothing, where that cannot be opened. The
 * system gives the lowest number that is free. Where another thread opens something in between, the number is its from then on,
 * and still not ours.
 */
function replace(number: number, source: number): void {
  closeSync(openSync(pathOf(source), WITHOUT_WAITING))
  closeSync(number)
  const others: number[] = []
  let got = openSync(pathOf(source), FOR_WRITING)
  while (got < number) {
    others.push(got)
    got = openSync(pathOf(source), FOR_WRITING)
  }
  if (got > number) others.push(got)
  for (const descriptor of others) closeSync(descriptor)
}
