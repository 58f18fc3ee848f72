// Opens the target of a client within the time for connecting. Apart from `open-client.ts`, which loads while the target opens.
import type { Channel, ConnectionEvent } from '../../dispatcher/channel.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import { forgetAbort, listenForAbort, unlessAborted } from '../../primitives/async/abort.ts'
import { Countdown } from '../../primitives/async/countdown.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { type ClientMode, isLegacyMode } from './client-mode.ts'
import type { ClientPlan } from './open-client.ts'
import type { OpenOptions } from './targets.ts'

/** Does not wait for a target that ignores the signal. If that target opens later, it is closed again. */
export async function openPeer(mode: ClientMode, plan: ClientPlan, clock: ConnectClock): Promise<Dispatcher | Channel> {
  const { signal } = clock
  signal.throwIfAborted()
  const opening = plan.opener.open(openOptions(mode, plan, clock))
  try {
    return await unlessAborted(opening, signal)
  } catch (error) {
    opening.then((peer) => peer.close()).catch(() => {})
    throw error
  }
}

function openOptions(mode: ClientMode, { options, connection }: ClientPlan, clock: ConnectClock): OpenOptions {
  const { raiseExceptions = false, onFault } = options
  const onConnection = (event: ConnectionEvent) => connection.forward(event)
  return {
    legacy: isLegacyMode(mode),
    raiseExceptions,
    signal: clock.signal,
    hold: clock.onHold,
    onConnection,
    ...(onFault && { onFault }),
  }
}

/** The time for connecting, over all attempts. Runs from its construction; call `stop()` once the connection is open or has failed. */
export class ConnectClock {
  readonly limitMs: number
  readonly #controller = new AbortController()
  readonly #countdown: Countdown | undefined
  readonly #caller: AbortSignal
  readonly #follow = () => this.#controller.abort(this.#caller.reason)
  /** Emptied when the clock stops: a session keeps what holds it as long as it lives. */
  readonly #running: { clock: ConnectClock | undefined } = { clock: this }
  #isOver = false

  /** `caller` aborts when the connection is no longer wanted. */
  constructor(limitMs: number, caller: AbortSignal) {
    this.limitMs = limitMs
    this.#caller = caller
    if (caller.aborted) this.#follow()
    else listenForAbort(caller, this.#follow)
    if (limitMs > MAX_TIMER_MS) return
    this.#countdown = new Countdown(limitMs, () => {
      this.#isOver = true
      this.#controller.abort(new Error(`The connection was not open within ${limitMs} ms.`))
    })
  }

  /** Aborts when the time is over, or when the caller's signal aborts. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Stops the clock while a user has to act, such as for a login. The returned function lets it run again. */
  hold(): () => void {
    return this.#countdown?.hold() ?? (() => {})
  }

  /** As `hold()`, for those who live longer than the clock. */
  get onHold(): () => () => void {
    const running = this.#running
    return () => running.clock?.hold() ?? (() => {})
  }

  /** What is left of the time; `Infinity` where it is not limited. */
  get leftMs(): number {
    return this.#countdown?.leftMs ?? Infinity
  }

  stop(): void {
    this.#running.clock = undefined
    this.#countdown?.stop()
    if (!this.#caller.aborted) forgetAbort(this.#caller, this.#follow)
  }
}

const timeLeftOf = new WeakMap<object, number>()

/** Remembers what opening this session has left of `connectTimeoutMs`. */
export function setConnectTimeLeft(session: object, leftMs: number): void {
  timeLeftOf.set(session, leftMs)
}

/** The time for work that still belongs to connecting, such as the first lists; `Infinity` for a session opened elsewhere. */
export function connectTimeLeft(session: object): number {
  return timeLeftOf.get(session) ?? Infinity
}
