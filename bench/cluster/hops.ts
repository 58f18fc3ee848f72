// How long a message takes from one node to another: what everything between nodes is measured by.
import { setTimeout as delay } from 'node:timers/promises'
import type { Backend } from '../../src/backend/backend.ts'

const ASK = 'bench.ask'
const BACK = 'bench.back'
const ROUNDS = 100
/** Between two questions of a client the nodes sleep too, and what wakes them takes its time. */
const PAUSE_MS = 2

/** From here on this node sends back whatever comes. */
export async function echoHops({ topics }: Backend): Promise<void> {
  const message = (text: string) => void topics.publish(BACK, text)
  await topics.subscribe(ASK, { message, missed: () => {} }).ready
}

/** The median of one way, in milliseconds: half of there and back. */
export async function measureHop({ topics }: Backend): Promise<number> {
  let onBack = () => {}
  const subscription = topics.subscribe(BACK, { message: () => onBack(), missed: () => {} })
  await subscription.ready
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const back = new Promise<void>((resolve) => {
      onBack = resolve
    })
    await delay(PAUSE_MS)
    const startedAt = performance.now()
    await topics.publish(ASK, String(round))
    await back
    times.push((performance.now() - startedAt) / 2)
  }
  subscription.close()
  return times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN
}
