// The keys that the nodes of a server share, in one record of the backend. Loaded with the first state.
import type { Backend } from '../../backend/backend.ts'
import { BackendError } from '../../backend/backend-error.ts'
import type { Kept } from '../../backend/records.ts'
import { decodeBase64Url } from '../../primitives/base64.ts'
import type { OwnBytes } from '../../primitives/byte-tools.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { SealingKey } from '../../primitives/sealing/sealing-key.ts'
import { isSame, MIN_SECRET_BYTES } from '../../primitives/sealing/secrets.ts'
import { makeWebSealingKey } from '../../primitives/sealing/web-sealing-key.ts'
import { digestOf, randomName } from '../cluster/digest.ts'

/** All keys, in the record that the nodes share. */
export interface Ring {
  readonly v: 1
  readonly sealing: string
  /** Known to all nodes before any uses it. */
  readonly next?: string
  readonly opening: readonly string[]
}

const VERSION = 1
const RING = 'request-state-keys'
const PURPOSE = 'requestState keys'
/** The record lives as long as some server runs; it is touched with each look. */
const RING_TTL_MS = 90 * 24 * 60 * 60_000
const MAX_TRIES = 8

export interface Times {
  readonly rotateMs: number
  readonly nextMs: number
  readonly openingMs: number
}

/**
 * The engine's clock decides: each step has a record that ends by itself, and is due once that is gone. The record is put before the
 * ring is changed, so that a node that is lost in between only makes the step later.
 */
export class KeyRing {
  readonly #backend: Backend
  readonly #wraps: readonly SealingKey[]
  readonly #times: Times

  constructor(backend: Backend, wraps: readonly SealingKey[], times: Times) {
    this.#backend = backend
    this.#wraps = wraps
    this.#times = times
  }

  /** The ring, after the step that is due. Of several nodes at a time, one takes it. */
  async look(): Promise<Ring> {
    const { records } = this.#backend
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const kept = await records.get(RING, { touchMs: RING_TTL_MS })
      const ring = kept && (await this.#open(kept))
      const changed = ring === undefined ? await this.#create() : await this.#step(ring)
      if (changed === undefined) return ring as Ring
      const condition = kept === undefined ? 'absent' : { revision: kept.revision }
      const value = await this.#wrap(changed)
      if ((await records.put(RING, value, { ttlMs: RING_TTL_MS, if: condition })) !== undefined) return changed
    }
    const message = `The keys of requestState were changed by other nodes in each of ${MAX_TRIES} tries.`
    throw new BackendError(message, { kind: 'refused', operation: 'records.put' })
  }

  async #create(): Promise<Ring> {
    const { rotateMs } = this.#times
    const sealing = randomName(MIN_SECRET_BYTES)
    await this.#startTime('rotate', sealing, rotateMs)
    return { v: VERSION, sealing, opening: [] }
  }

  /** `undefined`: nothing is due. */
  async #step(ring: Ring): Promise<Ring | undefined> {
    const { rotateMs, nextMs, openingMs } = this.#times
    const { sealing, next, opening } = ring
    if (next !== undefined && !(await this.#isTime('next', next))) {
      await this.#startTime('opening', sealing, openingMs)
      await this.#startTime('rotate', next, rotateMs)
      return { v: VERSION, sealing: next, opening: [sealing, ...opening] }
    }
    if (next === undefined && !(await this.#isTime('rotate', sealing))) {
      const made = randomName(MIN_SECRET_BYTES)
      await this.#startTime('next', made, nextMs)
      return { ...ring, next: made }
    }
    const still = await Promise.all(opening.map((key) => this.#isTime('opening', key)))
    return still.every(Boolean) ? undefined : { ...ring, opening: opening.filter((_key, place) => still[place]) }
  }

  async #startTime(step: string, key: string, ttlMs: number): Promise<void> {
    await this.#backend.records.put(await timeName(step, key), '1', { ttlMs })
  }

  async #isTime(step: string, key: string): Promise<boolean> {
    return (await this.#backend.records.get(await timeName(step, key))) !== undefined
  }

  async #wrap(ring: Ring): Promise<string> {
    const [wrap] = this.#wraps
    return (wrap as SealingKey).seal(JSON.stringify(ring), RING)
  }

  /** What cannot be opened is left as it is: another master may have made it. */
  async #open({ value }: Kept): Promise<Ring> {
    const bytes = decodeBase64Url(value) ?? new Uint8Array(0)
    for (const wrap of this.#wraps) {
      if (!isSame(wrap.id, bytes.subarray(0, wrap.id.length))) continue
      const ring = readRing(await wrap.open(bytes, RING))
      if (ring !== undefined) return ring
    }
    const message =
      'The keys of requestState in the backend cannot be read. Give sharedKeys() the master that made them.'
    throw new BackendError(message, { kind: 'corrupt', operation: 'records.get' })
  }
}

function readRing(text: string | undefined): Ring | undefined {
  const ring: unknown = text === undefined ? undefined : JSON.parse(text)
  return isPlainObject(ring) && ring['v'] === VERSION ? (ring as unknown as Ring) : undefined
}

/** Says nothing about the key. */
async function timeName(step: string, key: string): Promise<string> {
  return `${RING}.${step}.${await digestOf(PURPOSE, key)}`
}

export async function openKeyRing(backend: Backend, masters: readonly OwnBytes[], times: Times): Promise<KeyRing> {
  const wraps = await Promise.all(masters.map((secret) => makeWebSealingKey(secret, PURPOSE)))
  return new KeyRing(backend, wraps, times)
}
