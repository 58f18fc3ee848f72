// V2, V5, V6: random calls while the server is reloaded at random times. `npm run soak:dev` runs it with 1,000 reloads.
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAIN } from '../../../test/support/command-line.ts'
import { COMBINATIONS, hasProc, processesWith, StartedDev, serverText } from './started-dev.ts'

/** In all; `npm test` has 25 of them. */
const RELOADS = Number(process.env['DEV_RELOADS'] ?? 25)
const WORKERS = 4
/** A call that waits longer is lost. */
const LOST_MS = 60_000

const TOOLS = `server.tool('slow', { input: z.object({ id: z.number(), ms: z.number() }), annotations: { idempotentHint: true } },
  async ({ id, ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return { id, version }
  })
`

interface Outcome {
  answered: number
  reloaded: number
  wrong: unknown[]
  lost: number
}

/** One call after the other, until `isOver`. */
async function callOn(dev: StartedDev, random: () => number, isOver: () => boolean, outcome: Outcome): Promise<void> {
  while (!isOver()) {
    const id = Math.floor(random() * 1e9)
    const tool = ['echo', 'order', 'slow'][Math.floor(random() * 3)] as string
    const args = tool === 'slow' ? { id, ms: Math.floor(random() * 100) } : { id }
    try {
      const answer = (await dev.client.callTool(tool, args, { timeoutMs: LOST_MS })).structuredContent as {
        id?: number
      }
      if (answer?.id === id) outcome.answered += 1
      else outcome.wrong.push(answer)
    } catch (error) {
      const { data } = error as { data?: { reason?: string } }
      if (tool === 'order' && data?.reason === 'reloaded') outcome.reloaded += 1
      else if ((error as Error).name === 'TimeoutError') outcome.lost += 1
      else outcome.wrong.push(error)
    }
    await wait(Math.floor(random() * 10))
  }
}

function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

function parentOf(dev: StartedDev): number {
  const commands = new Set(processesWith(MAIN))
  return dev.processes().find((pid) => commands.has(pid)) ?? 0
}

const shares = COMBINATIONS.map((combination, index) => {
  const share = Math.floor(RELOADS / COMBINATIONS.length) + Number(index < RELOADS % COMBINATIONS.length)
  return [...combination, share] as const
})

describe('V2 calls across reloads at random times', () => {
  it.each(shares)(
    'over %s with a %s client: none is lost, none is answered twice, no reconnect',
    async (transport, mode, reloads) => {
      const [seed = 1] = fc.sample(fc.integer(), 1)
      const random = fc.sample(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })), {
        numRuns: 1,
        seed,
      })[0]
      const next = () => random?.next().value ?? 0.5
      const faults: string[] = []
      await using dev = await StartedDev.start({
        transport,
        mode,
        text: serverText(1, TOOLS),
        client: { onFault: ({ message }) => void faults.push(message) },
      })
      const outcome: Outcome = { answered: 0, reloaded: 0, wrong: [], lost: 0 }
      const times: number[] = []
      const memory: number[] = []
      let isOver = false
      const workers = Array.from({ length: WORKERS }, () => callOn(dev, next, () => isOver, outcome))
      for (let version = 2; version <= reloads + 1; version += 1) {
        await wait(next() * 150)
        const [from, saved] = [dev.lines.length, performance.now()]
        await dev.write(serverText(version, TOOLS))
        while ((await dev.call('version')) !== version) await wait(2)
        times.push(performance.now() - saved)
        // Now and then the next save comes before this one is reported.
        if (next() < 0.7) await dev.printed(/ reloaded /, from)
        if (hasProc && version % 25 === 0) memory.push(memoryOf(parentOf(dev)))
      }
      isOver = true
      await Promise.all(workers)
      const sorted = times.toSorted((a, b) => a - b)
      const at = (share: number) =>
        Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
      if (RELOADS > 25) {
        console.log(
          `${transport} ${mode} (seed ${seed}): ${reloads} reloads, ${outcome.answered} calls answered, ${outcome.reloaded} told of a reload, ` +
            `lost ${outcome.lost}, doubled ${faults.length}, reconnects ${dev.connection.length - 1}; ` +
            `save to new code: median ${at(0.5)} ms, p95 ${at(0.95)} ms; memory of the parent in MB: ${memory.map(Math.round).join(' ')}`,
        )
      }
      expect(outcome, `seed ${seed}`).toMatchObject({ wrong: [], lost: 0 })
      expect(faults).toEqual([])
      expect(dev.connection.map(({ type }) => type)).toEqual(['open'])
      expect(outcome.answered).toBeGreaterThan(reloads)
      // V6: what versions leave behind would be seen here.
      if (hasProc) expect(dev.processes().length).toBeLessThanOrEqual(5)
    },
    Math.max(180_000, RELOADS * 5_000),
  )
})
