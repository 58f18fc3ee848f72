// The size of a view: of many reports in a short time the host hears the last.
import { type Timer, unref } from '../../../primitives/async/timer.ts'
import type { ViewSize } from '../../../types/extensions/apps.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'

/** About one frame of a screen. */
const PAUSE_MS = 16
const MAX_PIXELS = 100_000

export class LatestSize {
  readonly #onSize: (size: ViewSize) => void
  #size: ViewSize | undefined
  #timer: Timer | undefined

  constructor(onSize: (size: ViewSize) => void) {
    this.#onSize = onSize
  }

  /** Sizes that are none are left out. */
  report({ width, height }: JSONObject): void {
    const size: ViewSize = { ...(isPixels(width) && { width }), ...(isPixels(height) && { height }) }
    if (size.width === undefined && size.height === undefined) return
    this.#size = { ...this.#size, ...size }
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#tell(), PAUSE_MS)
    unref(this.#timer)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #tell(): void {
    const size = this.#size
    this.#size = undefined
    this.#timer = undefined
    if (size !== undefined) this.#onSize(size)
  }
}

function isPixels(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_PIXELS
}
