// Single keys at the terminal.
import type { ReadStream } from 'node:tty'

const [CTRL_C, CTRL_D] = ['\u0003', '\u0004']

/** Calls what belongs to a key, until the returned function is called. Nothing where `input` is no terminal. */
export function readKeys(input: ReadStream, actions: Readonly<Record<string, () => void>>): (() => void) | undefined {
  if (!input.isTTY) return undefined
  const onData = (data: Buffer) => {
    for (const key of data.toString()) {
      if (key === CTRL_C) process.kill(process.pid, 'SIGINT')
      else actions[key === CTRL_D ? 'q' : key.toLowerCase()]?.()
    }
  }
  input.setRawMode(true)
  input.on('data', onData)
  input.resume()
  return () => {
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
  }
}
