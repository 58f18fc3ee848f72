// Limits that count over all nodes: where they count, under which key, and what holds while the engine does not answer.

import type { Limits } from '../../backend/limits.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { rangeError } from '../../primitives/help.ts'
import { digestOf } from '../cluster/digest.ts'
import { type ServerRequestContext, serverOfRequest } from '../context.ts'
import type { LeasedTokens } from './leased-tokens.ts'

/** The limits of a backend; `false` counts in this process. */
export type LimitStore = Limits | false

/** What holds while the engine does not answer. */
export type OnUnavailable = 'local' | 'refuse' | 'allow'

/** Throws `RangeError` for anything else. */
export function checkOnUnavailable(value: OnUnavailable): void {
  if (Object.hasOwn(MEANWHILE, value)) return
  throw rangeError(
    'wrong-option',
    `The option onUnavailable must be 'local', 'refuse' or 'allow', not ${JSON.stringify(value)}.`,
  )
}

/** One limit of a server, the same on every node. */
export interface SharedLimit {
  /** Two limits with other settings count apart. */
  readonly name: readonly (string | number)[]
  readonly onUnavailable: OnUnavailable
}

/** An engine that stays away is reported this often. */
const REPORT_MS = 60_000

/** The answer to a refused client where the time until its turn is not known. */
export const UNKNOWN_WAIT_MS = 1_000

const reportedAt = new WeakMap<object, number>()

/** `undefined`: the limit counts in this process. What was given wins over the backend of the server. */
export function limitsFor(ctx: ServerRequestContext, store: LimitStore | undefined): Limits | undefined {
  if (store === false) return undefined
  return store ?? serverOfRequest(ctx).backend?.limits
}

/** Keys hold what clients sent: in the engine they are digests. */
export async function keyInStore({ name }: SharedLimit, key: string): Promise<string> {
  return `limit.${await digestOf(...name.map(String), key)}`
}

/** Milliseconds to wait, 0 where the request may pass. Never rejects. */
export async function takeShared(
  ctx: ServerRequestContext,
  limits: Limits,
  limit: SharedLimit,
  key: string,
  leased: LeasedTokens,
  takeHere: () => number,
): Promise<number> {
  try {
    return await leased.take(limits, key, () => keyInStore(limit, key))
  } catch (error) {
    reportUnavailable(ctx, limits, limit, error)
    if (limit.onUnavailable === 'allow') return 0
    return limit.onUnavailable === 'refuse' ? UNKNOWN_WAIT_MS : takeHere()
  }
}

const MEANWHILE: Readonly<Record<OnUnavailable, string>> = {
  local: 'Until it answers, each node counts for itself.',
  refuse: 'Until it answers, requests that it limits are refused.',
  allow: 'Until it answers, requests that it limits pass uncounted.',
}

export function reportUnavailable(
  ctx: ServerRequestContext,
  limits: Limits,
  { onUnavailable }: SharedLimit,
  error: unknown,
): void {
  const now = monotonicNow()
  if (now - (reportedAt.get(limits) ?? Number.NEGATIVE_INFINITY) < REPORT_MS) return
  reportedAt.set(limits, now)
  const message = `A limit could not be counted in the backend. ${MEANWHILE[onUnavailable]}`
  serverOfRequest(ctx).faults.report({ kind: 'transport', message, error })
}
