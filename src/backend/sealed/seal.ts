// Seals and opens the texts of one part of a backend: with the first secret, and with any of them.

import { platform } from '#platform'
import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { decodeBase64Url, encodeBase64Url } from '../../primitives/base64.ts'
import type { OwnBytes } from '../../primitives/byte-tools.ts'
import { Once } from '../../primitives/once.ts'
import { KEY_ID_BYTES, NONCE_BYTES, type SealingKey, TAG_BYTES } from '../../primitives/sealing/sealing-key.ts'
import { isSame } from '../../primitives/sealing/secrets.ts'
import { makeWebSealingKey } from '../../primitives/sealing/web-sealing-key.ts'
import { BackendError } from '../backend-error.ts'

/** The version of the data comes first, for releases that have another one. */
const PREFIX = 's1.'
const ANY_VERSION = /^s(\d{1,9})\./
const LEAST_BYTES = KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES

/** What all parts of a sealed backend share: the name under which they seal, and where they report. */
export interface SealUse {
  namespace: string
  report(warning: string): void
}

export class Seal {
  readonly #secrets: readonly OwnBytes[]
  readonly #part: string
  readonly #use: SealUse
  readonly #once = new Once()
  #keys: readonly [SealingKey, ...SealingKey[]] | undefined
  #loading: Promise<void> | undefined
  /** Where a seal takes a turn of the event loop, what was asked first is done first. */
  #lastSeal: Promise<unknown> = Promise.resolve()
  #lastOpen: Promise<unknown> = Promise.resolve()

  constructor(secrets: readonly OwnBytes[], part: string, use: SealUse) {
    this.#secrets = secrets
    this.#part = part
    this.#use = use
  }

  /** Derives the keys. What is sealed or opened before waits for it. */
  load(): Promise<void> {
    this.#loading ??= this.#derive()
    return this.#loading
  }

  get namespace(): string {
    return this.#use.namespace
  }

  /** As sealed texts begin with them, in the order of the secrets. */
  async keyIds(): Promise<readonly string[]> {
    await this.load()
    return (this.#keys as readonly SealingKey[]).map(({ id }) => encodeBase64Url(id))
  }

  seal(name: string, text: string): MaybePromise<string> {
    const sealed = this.#keys === undefined ? this.load().then(() => this.#seal(name, text)) : this.#seal(name, text)
    if (!isThenable(sealed)) return sealed
    this.#lastSeal = inOrder(this.#lastSeal, sealed)
    return this.#lastSeal as Promise<string>
  }

  /**
   * `undefined` where the text is not one that was sealed for this name with one of the secrets, which is reported once per kind of
   * fault. Throws `BackendError` of kind `newer-data` for what another release has sealed.
   */
  open(operation: string, name: string, sealed: string): MaybePromise<string | undefined> {
    const loading = this.#keys === undefined ? this.load() : undefined
    const text =
      loading === undefined
        ? this.#open(operation, name, sealed)
        : loading.then(() => this.#open(operation, name, sealed))
    if (!isThenable(text)) return text
    this.#lastOpen = inOrder(this.#lastOpen, text)
    return this.#lastOpen as Promise<string | undefined>
  }

  async #derive(): Promise<void> {
    const make = (await platform.loadSealing()) ?? makeWebSealingKey
    const keys = await Promise.all(this.#secrets.map((secret) => make(secret, `backend ${this.#part}`)))
    this.#keys = keys as [SealingKey, ...SealingKey[]]
  }

  #seal(name: string, text: string): MaybePromise<string> {
    const [key] = this.#keys as readonly [SealingKey]
    return whenDone(key.seal(text, this.#fullName(name)), (sealed) => PREFIX + sealed)
  }

  #open(operation: string, name: string, sealed: string): MaybePromise<string | undefined> {
    const version = ANY_VERSION.exec(sealed)?.[1]
    if (version !== undefined && Number(version) > 1) throw newerData(operation, version)
    const bytes = sealed.startsWith(PREFIX) ? decodeBase64Url(sealed.slice(PREFIX.length)) : undefined
    if (bytes === undefined || bytes.length < LEAST_BYTES) return this.#corrupt('is not encrypted, or is cut off')
    const id = bytes.subarray(0, KEY_ID_BYTES)
    const candidates = (this.#keys as readonly SealingKey[]).filter((key) => isSame(key.id, id))
    if (candidates.length === 0) return this.#corrupt('was encrypted with a secret that is not among those given')
    return this.#tryOpen(candidates, bytes, this.#fullName(name))
  }

  #tryOpen(candidates: readonly SealingKey[], bytes: Uint8Array, name: string): MaybePromise<string | undefined> {
    const [key, ...others] = candidates
    if (key === undefined) return this.#corrupt('was altered, or was moved from another name')
    return whenDone(key.open(bytes, name), (text) => text ?? this.#tryOpen(others, bytes, name))
  }

  /** Names have no line breaks. */
  #fullName(name: string): string {
    return `${JSON.stringify([this.#use.namespace, this.#part])}\n${name}`
  }

  /** Reports each text once. */
  warn(text: string): void {
    if (this.#once.isNew(text)) this.#use.report(text)
  }

  #corrupt(fault: string): undefined {
    this.warn(
      `A value in ${this.#part} ${fault} (corrupt), so this node can't read it. Check that all nodes have the same secrets.`,
    )
  }
}

function inOrder<T>(previous: Promise<unknown>, next: Promise<T> | PromiseLike<T>): Promise<T> {
  const settled = previous.then(
    () => {},
    () => {},
  )
  const result = Promise.all([next, settled]).then(([value]) => value)
  // Whoever asked has the same promise. The next in line only waits for it.
  result.catch(() => {})
  return result
}

function newerData(operation: string, version: string): BackendError {
  const message = `${operation} found data of version ${version}, which a newer release has written. Update this node.`
  return new BackendError(message, { kind: 'newer-data', operation })
}
