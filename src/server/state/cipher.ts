// Encrypts text with AES-256-GCM, with keys derived from the author's secrets.

import { isThenable, type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { joinBytes, type OwnBytes } from '../../primitives/byte-tools.ts'
import { checkSecrets, isSame, MIN_SECRET_BYTES } from '../../primitives/sealing/secrets.ts'
import {
  STATE_KEY_ID_BYTES as KEY_ID_BYTES,
  STATE_NONCE_BYTES as NONCE_BYTES,
  type StateCrypto,
  type StateKey,
  STATE_TAG_BYTES as TAG_BYTES,
} from '../../primitives/sealing/state-crypto.ts'
import { RenewedKeys } from './renewed-keys.ts'
import type { RequestStateKeys } from './secrets.ts'
import { loadStateCrypto } from './state-crypto.ts'

/** Why a token could not be opened. */
export type TokenFault = 'malformed' | 'unknown-key' | 'altered'

export type OpenedToken =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: TokenFault }

/** It answers at once where the cryptography of the runtime does. */
export interface Cipher {
  encrypt(text: string): MaybePromise<string>
  decrypt(token: string): Promise<OpenedToken>
}

const PREFIX = 'v1.'
const PREFIX_BYTES = new TextEncoder().encode(PREFIX)
const STATE_SECRET = Symbol.for('mcpwire.state-secret')

/**
 * The first secret encrypts, all of them decrypt. A function is asked for them again every `refreshMs`. Without secrets a random one
 * is used, which is lost with this object.
 * `TypeError` or `RangeError` for secrets that cannot be used.
 */
export function createCipher(secrets: RequestStateKeys | undefined, refreshMs = Infinity): Cipher {
  const keys = keysOf(secrets, refreshMs)
  const nonces = new Nonces()

  return {
    encrypt: (text) =>
      whenDone(keys.current(), ([{ key, additional }]) =>
        whenDone(key.seal(text, nonces.next(), additional), (sealed) => PREFIX + sealed),
      ),
    async decrypt(token) {
      const crypto = loadStateCrypto()
      const { decode } = isThenable(crypto) ? await crypto : crypto
      const bytes = token.startsWith(PREFIX) ? decode(token.slice(PREFIX.length)) : undefined
      if (bytes === undefined || bytes.length < KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES) return failed('malformed')
      const id = bytes.subarray(0, KEY_ID_BYTES)
      const withId = ({ key }: Keyed) => isSame(key.id, id)
      const known = keys.current()
      let candidates = (isThenable(known) ? await known : known).filter(withId)
      // Another node may have a newer key.
      if (candidates.length === 0) candidates = (await keys.newest()).filter(withId)
      if (candidates.length === 0) return failed('unknown-key')
      for (const { key, additional } of candidates) {
        const opened = key.open(bytes, additional)
        const text = isThenable(opened) ? await opened : opened
        if (text !== undefined) return { ok: true, text }
      }
      return failed('altered')
    },
  }
}

/** Random bytes of several nonces are taken at once: each time costs more than the bytes. None is used twice. */
class Nonces {
  #bytes = new Uint8Array(0)
  #used = 0

  next(): OwnBytes {
    if (this.#used + NONCE_BYTES > this.#bytes.length) {
      this.#bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES * 64))
      this.#used = 0
    }
    this.#used += NONCE_BYTES
    return this.#bytes.slice(this.#used - NONCE_BYTES, this.#used)
  }
}

interface Keyed {
  readonly key: StateKey
  /** Version and key id are authenticated, so that neither can be replaced. */
  readonly additional: OwnBytes
}

type Keys = readonly [Keyed, ...Keyed[]]

function keysOf(
  secrets: RequestStateKeys | undefined,
  refreshMs: number,
): { current(): MaybePromise<Keys>; newest(): MaybePromise<Keys> } {
  if (typeof secrets === 'function') {
    return new RenewedKeys(async () => deriveKeys(checkSecrets('requestState keys', await secrets())), refreshMs)
  }
  const checked = secrets === undefined ? undefined : checkSecrets('requestState keys', secrets)
  let keys: MaybePromise<Keys> | undefined
  const derive = async () => {
    keys = await deriveKeys(checked ?? [findStateSecret() ?? crypto.getRandomValues(new Uint8Array(MIN_SECRET_BYTES))])
    return keys
  }
  // On first use: some runtimes have no random values while modules load.
  const current = () => {
    keys ??= derive()
    return keys
  }
  return { current, newest: current }
}

/** Set by the command line, which replaces the process of a server while its clients go on. */
function findStateSecret(): OwnBytes | undefined {
  const secret = (globalThis as { [STATE_SECRET]?: Uint8Array })[STATE_SECRET]
  return secret === undefined ? undefined : checkSecrets('requestState keys', [secret])[0]
}

async function deriveKeys(secrets: readonly OwnBytes[]): Promise<Keys> {
  const { deriveKey }: StateCrypto = await loadStateCrypto()
  const keys = secrets.map(async (secret) => {
    const key = await deriveKey(secret)
    return { key, additional: joinBytes([PREFIX_BYTES, key.id], PREFIX_BYTES.length + KEY_ID_BYTES) }
  })
  return (await Promise.all(keys)) as unknown as Keys
}

function failed(fault: TokenFault): OpenedToken {
  return { ok: false, fault }
}
