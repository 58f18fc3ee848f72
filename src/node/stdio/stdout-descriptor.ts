// Reserves stdout for the protocol: opens the same pipe or file under another descriptor, which no child inherits, and makes
// descriptor 1 a second descriptor of stderr.
import { closeSync, constants, createWriteStream, fstatSync, openSync, readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { LinePipe } from './line-writer.ts'

export interface TakenStdout {
  /** Writes to the original stdout. */
  readonly stream: LinePipe
  /** Makes descriptor 1 the original stdout again, if that still has a reader. Drops what the stream has not written yet. */
  restore(): void
}

const STDOUT = 1
const STDERR = 2
/** Appends, so that each write goes after those of others, as with a shared descriptor. */
const FOR_WRITING = constants.O_WRONLY | constants.O_APPEND
/** Opening a named pipe without a reader would wait for one; with this flag it fails. */
const WITHOUT_WAITING = FOR_WRITING | (constants.O_NONBLOCK ?? 0)

/**
 * `undefined`, with nothing changed, if that is not possible: for a socket, as Node gives its children, for a terminal, for a file
 * that others write from where we stop, on Windows, in a worker, on Bun and Deno, and on systems where a descriptor can't be opened
 * again.
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
  if (status.isFIFO()) return 'pipe'
  return status.isFile() && !hasOffset(descriptor) ? 'file' : 'other'
}

/**
 * Whether the next writer of this file, such as the shell that started us, begins where the last write to this descriptor ended.
 * What is written to a descriptor opened again would not count, and be overwritten. A file opened for appending has no such place,
 * and where a descriptor is duplicated, the place is shared.
 */
function hasOffset(descriptor: number): boolean {
  if (process.platform !== 'linux') return false
  const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? []
  return (Number.parseInt(flags, 8) & constants.O_APPEND) === 0
}

/** Whether descriptor 1 is this thread's stdout. A worker's stdout is a message to the main thread. */
function ownsDescriptors(): boolean {
  const isNode = process.versions['bun'] === undefined && !('Deno' in globalThis)
  return isNode && process.platform !== 'win32' && (process.stdout as { fd?: number }).fd === STDOUT
}

/** Linux opens the file or pipe again; other systems duplicate the descriptor. */
function pathOf(descriptor: number): string {
  return process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : `/dev/fd/${descriptor}`
}

/** A stderr that is a socket, or a file at an offset, can't be opened again: then writes to descriptor 1 are dropped. */
function openSubstitute(open: (path: string, flags: number) => number): number {
  try {
    if (!fstatSync(STDERR).isFile() || !hasOffset(STDERR)) return open(pathOf(STDERR), WITHOUT_WAITING)
  } catch {
    // Nobody reads it, or it is a socket.
  }
  return open('/dev/null', WITHOUT_WAITING)
}

function pipeOn(fd: number): Writable & LinePipe {
  // Loaded on demand: a program without such a pipe may never need it.
  const { Socket } = process.getBuiltinModule('node:net')
  const socket = new Socket({ fd, readable: false, writable: true })
  return Object.assign(socket, { isLast: true })
}

function restoreFrom(kept: number): void {
  try {
    replace(STDOUT, kept)
  } catch {
    // The original stdout has no reader any more.
  }
  closeSync(kept)
}

/**
 * Makes the descriptor `number` refer to the file of `source`. Throws, with nothing changed, if that can't be opened. The system
 * gives the lowest free number. If another thread opens a file in between, that file gets the number.
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
