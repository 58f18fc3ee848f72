// Processes for the versions of a server. One is kept ready: to start Node takes longer than to load most programs.
import { type ChildOptions, ServerChild } from './server-child.ts'

export interface ChildSourceOptions extends Omit<ChildOptions, 'env'> {
  /** The variables of `--env-file`, as they are now. */
  readEnv(): Promise<Record<string, string>>
  keepsSpare: boolean
}

/** The version that has just taken over needs the processor more. */
const SPARE_DELAY_MS = 100

export class ChildSource {
  readonly #options: ChildSourceOptions
  #spare: { child: ServerChild; env: string } | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ChildSourceOptions) {
    this.#options = options
  }

  async start(generation: number): Promise<ServerChild> {
    const env = await this.#options.readEnv()
    const child = this.#takeSpare(JSON.stringify(env)) ?? new ServerChild({ ...this.#options, env })
    child.load(generation)
    return child
  }

  /** Starts the process for the next version, unless there is one. */
  prepareNext(): void {
    clearTimeout(this.#timer)
    if (!this.#options.keepsSpare || this.#isClosed) return
    this.#timer = setTimeout(() => {
      void this.#options.readEnv().then(
        (env) => {
          if (this.#spare !== undefined || this.#isClosed) return
          this.#spare = { child: new ServerChild({ ...this.#options, env }), env: JSON.stringify(env) }
        },
        // Whoever starts the next version reports it.
        () => {},
      )
    }, SPARE_DELAY_MS)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#spare?.child.end()
  }

  /** `undefined` where there is none, or it has another environment. */
  #takeSpare(env: string): ServerChild | undefined {
    clearTimeout(this.#timer)
    const spare = this.#spare
    this.#spare = undefined
    if (spare === undefined || spare.child.hasExited) return undefined
    if (spare.env === env) return spare.child
    void spare.child.end()
    return undefined
  }
}
