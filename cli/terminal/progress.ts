// A progress bar and a spinner in the status line of the output.
import type { Output } from './output.ts'
import { showLine } from './terminal-text.ts'

export interface Progress {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

const BAR_COLUMNS = 30
const MIN_BAR_COLUMNS = 5
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const FRAME_MS = 100

/** `━━━━━━╸───  2/3  step 2`; without a total, the number alone. In a narrow terminal half of the line is left for the words. */
export function drawProgress({ progress, total, message }: Progress, width = Number.POSITIVE_INFINITY): string {
  const columns = Math.max(MIN_BAR_COLUMNS, Math.min(BAR_COLUMNS, Math.floor(width / 2) - 2))
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

/** The status line while something takes its time. Without a terminal it does nothing. Texts are escaped by the caller. */
export interface Waiting {
  /** Instead of the spinner. */
  show(line: string): void
  stop(): void
}

/** How long it takes is worth a look from here on. */
const MIN_SHOWN_MS = 2_000

export function startWaiting(output: Output, text: string, isPaused: () => boolean = () => false): Waiting {
  if (!output.hasStatus) return { show: () => {}, stop: () => {} }
  const startedAt = performance.now()
  let at = 0
  let shown: string | undefined
  const draw = () => {
    at += 1
    if (isPaused()) return
    const ms = performance.now() - startedAt
    const time = ms < MIN_SHOWN_MS ? '' : `  ${showSeconds(ms)}`
    output.status(`${shown ?? `${FRAMES[at % FRAMES.length]} ${text}`}${time}`)
  }
  draw()
  const timer = setInterval(draw, FRAME_MS).unref()
  return {
    show(line) {
      shown = line
      draw()
    },
    stop() {
      clearInterval(timer)
      output.status(undefined)
    },
  }
}

/** Turns until it is stopped, with the time that it takes. */
export function startSpinner(output: Output, text: string): () => void {
  return startWaiting(output, text).stop
}

/** `8 s`, `1 min 5 s`. */
export function showSeconds(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
