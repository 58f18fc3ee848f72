// The pipe between `mcpwire dev` and the process that runs the server: one JSON message per line, on a descriptor of its own.
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { LineSplitter } from '../relay/lines.ts'

/** What the child reports. */
export type Report =
  | { type: 'files'; paths: string[] }
  /** It runs a server. `asked` is what the program wanted to listen on. */
  | { type: 'running'; asked: { port?: number; host?: string } }
  | { type: 'listening'; url: string }
  | { type: 'failed'; lines: string[] }
  | { type: 'inspector'; isOpen: boolean }

/** What the parent wants. */
export type Command = { type: 'load' } | { type: 'inspector'; isOpen: boolean }

/** Standard streams, the protocol, control. */
export const CONTROL_DESCRIPTOR = 4
const MAX_LINE_BYTES = 4 * 1024 * 1024

export interface Control<Out> {
  send(message: Out): void
  /** The other side has closed, or has written what it should not. */
  readonly closed: Promise<void>
}

export function openControl<Out, In>(pipe: Duplex, receive: (message: In) => void): Control<Out> {
  const read = (line: Buffer) => {
    try {
      receive(JSON.parse(line.toString()) as In)
    } catch {
      pipe.destroy()
    }
  }
  const splitter = new LineSplitter({ line: read, part: () => pipe.destroy() }, MAX_LINE_BYTES)
  pipe.on('data', (chunk: Buffer) => splitter.push(chunk))
  pipe.on('error', () => pipe.destroy())
  pipe.on('end', () => pipe.destroy())
  return {
    send: (message) => void (pipe.writable && pipe.write(`${JSON.stringify(message)}\n`)),
    closed: new Promise((resolve) => pipe.once('close', () => resolve())),
  }
}

/** The child's end. It keeps the process alive until it is released. */
export function openChildControl(receive: (message: Command) => void): Control<Report> & { release(): void } {
  const pipe = new Socket({ fd: CONTROL_DESCRIPTOR, readable: true, writable: true })
  return { ...openControl<Report, Command>(pipe, receive), release: () => void pipe.unref() }
}
