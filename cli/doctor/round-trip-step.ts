// Step 10: the smallest request of the era, five times.
import type { Client } from 'mcpwire'
import { MODERN_VERSIONS, type ModernVersion } from 'mcpwire/types'
import { type Finding, faultOf, ok } from './findings/step.ts'
import { within } from './findings/within.ts'

const TIMES = 5
/** Longer than this is felt at every call. */
const SLOW_MS = 1_000

export async function checkRoundTrip(client: Client, ms: number, signal: AbortSignal): Promise<Finding> {
  const isModern = (MODERN_VERSIONS as readonly string[]).includes(client.protocolVersion)
  const method = isModern ? 'server/discover' : 'ping'
  const times: number[] = []
  try {
    for (let round = 0; round < TIMES; round += 1) {
      const startedAt = performance.now()
      await within(ms, signal, async () =>
        isModern ? client.session.sendDiscover(client.protocolVersion as ModernVersion) : client.sendPing(),
      )
      times.push(performance.now() - startedAt)
    }
  } catch (error) {
    signal.throwIfAborted()
    const { text, ...rest } = faultOf(error)
    return { ...rest, text: `${method} ${times.length + 1} of ${TIMES} failed: ${text}` }
  }
  const sorted = times.sort((a, b) => a - b)
  const median = sorted[Math.floor(TIMES / 2)] ?? 0
  const text = `${TIMES} times ${method}: median ${show(median)}, slowest ${show(sorted.at(-1) ?? 0)}`
  return median > SLOW_MS ? { state: 'warning', text } : ok(text)
}

function show(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}
