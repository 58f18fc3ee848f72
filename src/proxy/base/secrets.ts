// The secrets that a proxy was given for a source, and their removal from what authors log: faults, events, health.

import type { Fault } from '../../dispatcher/fault.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'

/** Shorter texts would take words out of messages that are no secrets. */
const MIN_LENGTH = 8
const MAX_SECRETS = 10_000
/** Tokens that are got anew: those of long ago are in no message any more. */
const MAX_TOKENS = 1_000
const MAX_DEPTH = 8
const HIDDEN = '[hidden]'

export class Secrets {
  readonly #known = new Set<string>()
  readonly #tokens = new Set<string>()

  /** Values of headers and environment variables. Of `Bearer x` the token alone is one, too. */
  addAll(values: Readonly<Record<string, unknown>> | undefined): void {
    for (const value of Object.values(values ?? {})) this.add(value)
  }

  add(value: unknown): void {
    for (const part of partsOf(value)) keep(this.#known, part, MAX_SECRETS)
  }

  /** One that is used now, and may be another one later. */
  addToken(value: unknown): void {
    for (const part of partsOf(value)) keep(this.#tokens, part, MAX_TOKENS)
  }

  /** What a target itself holds: the password and the query of a URL, the environment of a command. */
  addTarget(target: unknown): void {
    if (typeof target === 'string' || target instanceof URL) {
      if (!URL.canParse(String(target))) return
      const url = new URL(target)
      this.add(url.password)
      this.add(safelyDecoded(url.password))
      for (const value of url.searchParams.values()) {
        this.add(value)
        this.add(encodeURIComponent(value))
      }
    } else if (isPlainObject(target)) this.addAll(target['env'] as Record<string, unknown> | undefined)
  }

  text(text: string): string {
    let hidden = text
    for (const secrets of [this.#known, this.#tokens]) {
      for (const secret of secrets) if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, HIDDEN)
    }
    return hidden
  }

  /** The same object where nothing had to be hidden. */
  fault(fault: Fault): Fault {
    if (this.#isEmpty) return fault
    try {
      return this.#hide(fault, 0) as Fault
    } catch {
      // Something of it can't be read, and so can't be shown either.
      return { ...fault, error: new Error("The error can't be shown: it may hold secrets that could not be hidden.") }
    }
  }

  /** An error with its causes and details; the same one where nothing had to be hidden. */
  error(error: unknown): unknown {
    if (this.#isEmpty) return error
    try {
      return this.#hide(error, 0)
    } catch {
      return undefined
    }
  }

  get #isEmpty(): boolean {
    return this.#known.size + this.#tokens.size === 0
  }

  #stackOf({ stack }: Error): PropertyDescriptor {
    const value = stack === undefined ? undefined : this.text(stack)
    return { value, writable: true, configurable: true, enumerable: false }
  }

  #hide(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value)
    if (depth > MAX_DEPTH) return typeof value === 'object' && value !== null ? HIDDEN : value
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#hide(item, depth + 1))
      return items.every((item, index) => item === value[index]) ? value : items
    }
    if (!(value instanceof Error) && !isPlainObject(value)) return value
    const descriptors = Object.getOwnPropertyDescriptors(value)
    let isSame = true
    for (const [key, descriptor] of Object.entries(descriptors)) {
      if (!('value' in descriptor)) {
        // Newer engines read the stack when it is asked for, and not of a copy.
        if (key === 'stack') descriptors[key] = this.#stackOf(value as Error)
        continue
      }
      const hidden = this.#hide(descriptor.value, depth + 1)
      isSame &&= hidden === descriptor.value
      descriptor.value = hidden
    }
    return isSame ? value : Object.create(Object.getPrototypeOf(value), descriptors)
  }
}

function partsOf(value: unknown): string[] {
  if (typeof value !== 'string') return []
  return [value, ...value.split(' ')].filter(({ length }) => length >= MIN_LENGTH)
}

/** Those that were in use last stay. */
function keep(secrets: Set<string>, secret: string, max: number): void {
  secrets.delete(secret)
  const [oldest] = secrets
  if (secrets.size >= max && oldest !== undefined) secrets.delete(oldest)
  secrets.add(secret)
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
