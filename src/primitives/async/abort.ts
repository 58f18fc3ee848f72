// The one way to listen to abort signals: many listeners cost a signal one, because runtimes warn of a leak at the eleventh.

import { typeError } from '../help.ts'
import { describeKind } from '../options.ts'
import { createDeferred } from './promises.ts'
import { MAX_TIMER_MS, unref } from './timer.ts'

const listenersOf = new WeakMap<AbortSignal, Set<() => void>>()

/** Throws `TypeError` for what is no signal. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined || typeof signal?.addEventListener === 'function') return
  throw typeError('wrong-argument', `signal must be an AbortSignal, not ${describeKind(signal)}.`)
}

/** Calls `listener` once when the signal aborts. The signal must not be aborted yet. */
export function listenForAbort(signal: AbortSignal, listener: () => void): void {
  const listeners = listenersOf.get(signal)
  if (listeners !== undefined) {
    listeners.add(listener)
    return
  }
  checkSignal(signal)
  listenersOf.set(signal, new Set([listener]))
  signal.addEventListener('abort', tellListeners)
}

/** Takes a listener away; with the last one nothing is left on the signal. */
export function forgetAbort(signal: AbortSignal, listener: () => void): void {
  const listeners = listenersOf.get(signal)
  if (listeners === undefined || !listeners.delete(listener) || listeners.size > 0) return
  listenersOf.delete(signal)
  signal.removeEventListener('abort', tellListeners)
}

interface FollowedSignals {
  readonly signal: AbortSignal
  /** Must be called when the wait is over, so that no listener is left on the signals. */
  stop(): void
}

/** A signal that aborts with the first of these. */
export function followAny(signals: readonly AbortSignal[]): FollowedSignals {
  const controller = new AbortController()
  const followers = signals.map((signal) => {
    const follow = () => controller.abort(signal.reason)
    if (signal.aborted) follow()
    else listenForAbort(signal, follow)
    return () => forgetAbort(signal, follow)
  })
  const stop = () => {
    for (const forget of followers) forget()
  }
  return { signal: controller.signal, stop }
}

interface TotalTime {
  /** Aborts with the caller's signal, or when the time is up. */
  readonly signal: AbortSignal | undefined
  /** Must be called when nothing waits any more. */
  clear(): void
}

/** `overdue` makes the reason that the signal aborts with. Without a limit, the caller's own signal does. */
export function limitTotalTime(
  ms: number | undefined,
  caller: AbortSignal | undefined,
  overdue: () => Error,
): TotalTime {
  if (ms === undefined || ms > MAX_TIMER_MS || caller?.aborted) return { signal: caller, clear: () => {} }
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(overdue()), Math.max(0, ms))
  const follow = () => controller.abort(caller?.reason)
  if (caller !== undefined) listenForAbort(caller, follow)
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer)
      if (caller !== undefined) forgetAbort(caller, follow)
    },
  }
}

/** Waits for `work`, but not beyond the signal, whose reason it then rejects with. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {})
    throw signal.reason
  }
  const left = createDeferred<never>()
  const leave = () => left.reject(signal.reason)
  listenForAbort(signal, leave)
  try {
    return await Promise.race([work, left.promise])
  } finally {
    forgetAbort(signal, leave)
  }
}

interface PauseOptions {
  signal?: AbortSignal | undefined
  /** Nobody waits for what comes after, so that the process may end meanwhile. */
  isBackground?: boolean
}

/** Rejects with the signal's reason when that aborts. */
export async function pause(ms: number, { signal, isBackground = false }: PauseOptions = {}): Promise<void> {
  if (signal?.aborted) throw signal.reason
  const over = createDeferred()
  const stop = () => over.reject(signal?.reason)
  const timer = setTimeout(over.resolve, ms)
  if (isBackground) unref(timer)
  if (signal !== undefined) listenForAbort(signal, stop)
  try {
    await over.promise
  } finally {
    clearTimeout(timer)
    if (signal !== undefined) forgetAbort(signal, stop)
  }
}

function tellListeners(event: Event): void {
  const signal = event.target as AbortSignal
  for (const listener of listenersOf.get(signal) ?? []) {
    // One at a time: a listener may remove another one that was not called yet.
    forgetAbort(signal, listener)
    listener()
  }
}
