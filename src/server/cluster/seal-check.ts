// Nodes that cannot read what this one stores would answer its sessions with 404, and this one theirs. Every node therefore says in a
// record that all can read by which secrets it seals, and keeps another record alive as long as it runs: a node that does not fit those
// that run does not start.
import { BackendError } from '../../backend/backend-error.ts'
import type { Records } from '../../backend/records.ts'
import { update } from '../../backend/update.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { CANNOT_READ, decodeListed, encodeListed, type ListedNode, problemBetween, sealListOf } from './seal-list.ts'

/** The nodes in the order in which they started, with their secrets. Those that were killed stay until somebody finds them gone. */
const NODES_KEY = 'c.seals'

/** The record of a node is gone soon after it was killed: then the next ones may have any secrets. */
const TTL_MS = 15_000
const RENEW_MS = 5_000

/** So many nodes at most are looked for at a time. */
const MAX_LOOKUPS = 64

const AFTER_THEM = `If those nodes have ended, start again after ${TTL_MS / 1_000} seconds.`

type Own = Awaited<ReturnType<typeof sealListOf>>

export class SealCheck {
  readonly #records: Records
  readonly #faults: FaultReporter
  readonly #node: string
  #own: Promise<Own> | undefined
  #timer: Timer | undefined
  #isClosed = false
  #isReported = false

  constructor(records: Records, faults: FaultReporter, node: string) {
    this.#records = records
    this.#faults = faults
    this.#node = node
  }

  /** Rejects where this node and the others cannot read each other. An engine that does not answer is asked again later. */
  async start(): Promise<void> {
    const problem = await this.#enter().catch(() => undefined)
    if (problem !== undefined) {
      await this.close()
      throw new BackendError(`${problem} ${AFTER_THEM}`, { kind: 'refused', operation: 'open' })
    }
    this.#schedule()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#withdraw()
  }

  async #withdraw(): Promise<void> {
    try {
      const { beneath } = await this.#getOwn()
      if (!(await beneath.delete(keyOf(this.#node)))) return
      await update(beneath, NODES_KEY, (text) => {
        const nodes = text === undefined ? undefined : decodeListed(text)
        const others = nodes?.filter(({ node }) => node !== this.#node)
        return others === undefined ? undefined : { value: encodeListed(others), ttlMs: TTL_MS }
      })
    } catch {
      // They go by themselves when their time is over.
    }
  }

  #getOwn(): Promise<Own> {
    this.#own ??= sealListOf(this.#records)
    return this.#own
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      void this.#renew().then(() => this.#schedule())
    }, RENEW_MS)
    unref(this.#timer)
  }

  async #renew(): Promise<void> {
    const problem = await this.#look().catch(() => undefined)
    // A renewal that an engine answers late must not outlive the node, and closing does not wait for it.
    if (this.#isClosed) await this.#withdraw()
    if (problem === undefined || this.#isReported || this.#isClosed) return
    this.#isReported = true
    this.#faults.report({ kind: 'configuration-warning', message: problem })
  }

  /** What is wrong with a start. A node that does not fit leaves no trace, unless others start in the same moment. */
  async #enter(): Promise<string | undefined> {
    const own = await this.#getOwn()
    const before = await begin(own.beneath)
    if (before === undefined) return CANNOT_READ
    // Where the list is long some others are looked for too, so that it does not grow for ever.
    const some = before.length > 2 * MAX_LOOKUPS ? sample(before, MAX_LOOKUPS) : []
    const { problem, gone } = await this.#compare(own, before, some)
    if (problem !== undefined) return problem
    await own.beneath.put(keyOf(this.#node), '1', { ttlMs: TTL_MS })
    const nodes = await this.#add(own, gone)
    // Of those that start in the same moment the first in the list stays.
    const earlier = nodes.slice(
      0,
      nodes.findIndex(({ node }) => node === this.#node),
    )
    return (await this.#compare(own, earlier)).problem
  }

  async #look(): Promise<string | undefined> {
    const own = await this.#getOwn()
    await own.beneath.put(keyOf(this.#node), '1', { ttlMs: TTL_MS })
    const kept = await own.beneath.get(NODES_KEY, { touchMs: TTL_MS })
    const nodes = kept === undefined ? [] : decodeListed(kept.value)
    if (nodes === undefined) return CANNOT_READ
    const isListed = nodes.some(({ node }) => node === this.#node)
    return (await this.#compare(own, isListed ? nodes : await this.#add(own, new Set()))).problem
  }

  /** The list with this node at its end, and without those that are gone. */
  async #add({ list, beneath }: Own, gone: ReadonlySet<string>): Promise<readonly ListedNode[]> {
    const kept = await update(beneath, NODES_KEY, (text) => {
      const nodes = (text === undefined ? undefined : decodeListed(text)) ?? []
      const others = nodes.filter(({ node }) => node !== this.#node && !gone.has(node))
      return { value: encodeListed([...others, { node: this.#node, list }]), ttlMs: TTL_MS }
    })
    return kept === undefined ? [] : (decodeListed(kept.value) ?? [])
  }

  /** Looks for those that do not fit, and for `some` others. */
  async #compare({ list, beneath }: Own, nodes: readonly ListedNode[], some: readonly ListedNode[] = []) {
    const others = nodes.filter(({ node }) => node !== this.#node)
    const unfit = others.filter((other) => problemBetween(list, other.list) !== undefined).slice(-MAX_LOOKUPS)
    const gone = new Set<string>()
    const find = async ({ node }: ListedNode) => {
      if ((await beneath.get(keyOf(node))) === undefined) gone.add(node)
    }
    await Promise.all([...new Set([...unfit, ...some])].map(find))
    const running = unfit.find(({ node }) => !gone.has(node))
    return { problem: running === undefined ? undefined : problemBetween(list, running.list), gone }
  }
}

/** The nodes that are listed. `undefined` where there is a list that this node cannot read, as beneath a `sealed()` that is wrapped. */
async function begin(records: Records): Promise<readonly ListedNode[] | undefined> {
  let kept = await records.get(NODES_KEY)
  if (kept === undefined) {
    const begun = await records.put(NODES_KEY, encodeListed([]), { ttlMs: TTL_MS, if: 'absent' })
    if (begun !== undefined) return []
    kept = await records.get(NODES_KEY)
  }
  return kept === undefined ? undefined : decodeListed(kept.value)
}

function keyOf(node: string): string {
  return `${NODES_KEY}.${node}`
}

/** So many neighbours, from a random place on. */
function sample<T>(values: readonly T[], count: number): readonly T[] {
  const from = Math.floor(Math.random() * values.length)
  return [...values.slice(from), ...values.slice(0, from)].slice(0, count)
}
