// A progress bar and a spinner in the status line of the output.
import type { Output } from './output.ts'
import { showLine } from './terminal-text.ts'

export interface Progress {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

const BAR_COLUMNS = 30
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const FRAME_MS = 100

/** `━━━━━━╸───  2/3  step 2`; without a total, the number alone. */
export function drawProgress({ progress, total, message }: Progress, columns = BAR_COLUMNS): string {
  const label = message === undefined || message === '' ? '' : `  ${showLine(message)}`
  if (total === undefined || !(total > 0)) return `  ${formatNumber(progress)}${label}`
  const share = Math.min(1, Math.max(0, progress / total))
  const full = Math.floor(share * columns)
  const bar = share >= 1 ? '━'.repeat(columns) : `${'━'.repeat(full)}╸${'─'.repeat(Math.max(0, columns - full - 1))}`
  return `  ${bar}  ${formatNumber(progress)}/${formatNumber(total)}${label}`
}

/** For stderr that is no terminal: `1 of 2: half way`. */
export function describeProgress({ progress, total, message }: Progress): string {
  const share = total === undefined ? formatNumber(progress) : `${formatNumber(progress)} of ${formatNumber(total)}`
  return showLine(message === undefined ? share : `${share}: ${message}`)
}

function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))
}

/** Turns until it is stopped. Without a terminal it does nothing. The text is escaped by the caller. */
export function startSpinner(output: Output, text: string): () => void {
  if (!output.hasStatus) return () => {}
  let at = 0
  const draw = () => {
    output.status(`${FRAMES[at % FRAMES.length]} ${text}`)
    at += 1
  }
  draw()
  const timer = setInterval(draw, FRAME_MS).unref()
  return () => {
    clearInterval(timer)
    output.status(undefined)
  }
}
