// What is over for one node is over for all of them, although each knows the clock of the engine only about.
import { expect, it } from 'vitest'
import type { Link } from '../../../src/nats/connection/link.ts'
import type { Trip } from '../../../src/nats/connection/trip.ts'
import { Clock } from '../../../src/nats/engine/clock.ts'
import { Stream } from '../../../src/nats/engine/stream.ts'

/** The engine is 1,000 ms ahead of the clock of the machine, and every sample took 60 ms. */
function nodes() {
  let here = 0
  const trip = {
    leftMs: 5_000,
    pause: async (ms: number) => {
      here += ms
    },
  } as unknown as Trip
  const node = (storedAt: number) => {
    const clock = new Clock(() => here)
    clock.add({ sentAt: 0, heardAt: 60, serverTime: 1_000 + storedAt })
    const stream = new Stream({} as Link, clock, () => 'S')
    return { clock, isLive: (stored: { time: number; ttlMs: number }) => stream.isLive(trip, stored), stream }
  }
  const at = (engineTime: number) => {
    here = engineTime - 1_000
  }
  return { slow: node(0), fast: node(60), at, now: () => here + 1_000 }
}

const STORED = { time: 2_000, ttlMs: 100 }

it('a node whose clock is ahead does not find over what lives on', async () => {
  const { fast, at, now } = nodes()
  at(2_080)
  expect(fast.clock.now()).toBeGreaterThan(2_100)
  expect(await fast.isLive(STORED)).toBe(false)
  expect(now()).toBeGreaterThanOrEqual(2_100)
})

it('a node whose clock is behind finds over what another has found over', async () => {
  const { fast, slow, at } = nodes()
  at(2_090)
  expect(await fast.isLive(STORED)).toBe(false)
  expect(slow.clock.now()).toBeLessThan(2_100)
  expect(slow.stream.isSurelyLive(STORED)).toBe(false)
  expect(await slow.isLive(STORED)).toBe(false)
})

it('nobody waits where the time is far from its end, and nobody removes what may live on', async () => {
  const { fast, slow, at, now } = nodes()
  for (const node of [fast, slow]) {
    at(2_020)
    expect(await node.isLive(STORED)).toBe(true)
    at(2_200)
    expect(await node.isLive(STORED)).toBe(false)
    expect(node.stream.isSurelyOver(STORED)).toBe(true)
    expect(now()).toBe(2_200)
  }
  at(2_090)
  expect(fast.stream.isSurelyOver(STORED)).toBe(false)
})
