// What a program prints under `mcpwire dev`, on a terminal: with its colors, and without anything else that a terminal acts on.
// A server logs what its clients send.
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { showText } from '../terminal/terminal-text.ts'

const ESCAPE = '\u001b'
/** Select Graphic Rendition of ECMA-48: colors, bold, underline. */
const COLORS = new RegExp(`(${ESCAPE}\\[[0-9;:]*m)`)
/** The beginning of such a sequence, or of a line end, at the end of a piece. */
const BEGUN = new RegExp(`(?:\\r|${ESCAPE}(?:\\[[0-9;:]{0,40})?)$`)

const RESET = `${ESCAPE}[0m`

/** Colors stay, everything else is escaped. */
export function showProgramText(text: string): string {
  return text
    .split(COLORS)
    .map((part, index) => (index % 2 === 1 ? part : showText(part.replace(/\r(?!\n)/g, '\n'))))
    .join('')
}

/** Passes on what the program writes, as it comes. */
export function passOn(stream: Readable, write: (text: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let held = ''
  let hasColors = false
  const take = (text: string, isLast: boolean) => {
    const all = held + text
    const [begun = ''] = isLast ? [] : (BEGUN.exec(all) ?? [])
    held = begun
    const whole = all.slice(0, all.length - begun.length)
    hasColors ||= COLORS.test(whole)
    if (whole !== '') write(showProgramText(whole))
  }
  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk), false))
  stream.on('end', () => {
    take(decoder.end(), true)
    if (hasColors) write(RESET)
  })
  stream.on('error', () => {})
}

/** A program that writes into a pipe would print without colors. */
export function colorVariables(
  env: Readonly<Record<string, string | undefined>>,
  terminal: { getColorDepth?(): number },
): Record<string, string> {
  if (env['NO_COLOR'] || env['FORCE_COLOR'] !== undefined) return {}
  const level = { 4: '1', 8: '2', 24: '3' }[terminal.getColorDepth?.() ?? 1]
  return level === undefined ? {} : { FORCE_COLOR: level }
}
