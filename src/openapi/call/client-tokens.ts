// Tokens of the OAuth flow `clientCredentials`, from the address that the document names: kept until shortly before they expire.
import type { Poster } from '../../http/poster.ts'
import { encodeBase64Text } from '../../primitives/base64.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { ToolError } from '../../types/errors/failures.ts'
import { encodeStrict } from '../request/encode.ts'
import type { Applied } from './credentials.ts'

const MAX_ANSWER = 256 * 1024
const SPARE_MS = 30_000
const DEFAULT_LIFE_S = 300
const MAX_KEPT = 1_000

interface KeptToken {
  readonly token: Promise<string>
  expiresAt: number
}

/** Checks an address that a document names, as those of servers are. Throws where it may not be called. */
export type CheckAddress = (url: string) => {
  readonly url: string
  readonly allowsAddress?: ((address: string) => boolean) | undefined
}

export class ClientTokens {
  readonly #check: CheckAddress
  readonly #kept = new Map<string, KeptToken>()

  constructor(check: CheckAddress) {
    this.#check = check
  }

  /** One request at a time for the same client and scopes. */
  get(client: NonNullable<Applied['client']>, poster: Poster): Promise<string> {
    const tokenUrl = client.use.scheme.tokenUrl as string
    const key = JSON.stringify([tokenUrl, client.id, client.secret, client.scopes])
    const known = this.#kept.get(key)
    if (known !== undefined && known.expiresAt > Date.now()) return known.token
    const kept: KeptToken = {
      token: this.#request(client, tokenUrl, poster, (at) => (kept.expiresAt = at)),
      expiresAt: Infinity,
    }
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(key, kept)
    kept.token.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    })
    return kept.token
  }

  async #request(
    client: NonNullable<Applied['client']>,
    tokenUrl: string,
    poster: Poster,
    onExpiry: (at: number) => void,
  ): Promise<string> {
    const { url, allowsAddress } = this.#check(tokenUrl)
    const scope = client.scopes.length === 0 ? '' : `&scope=${encodeStrict(client.scopes.join(' '))}`
    const response = await poster({
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        // RFC 6749, 2.3.1: each part is form-encoded first.
        authorization: `Basic ${encodeBase64Text(`${encodeStrict(client.id)}:${encodeStrict(client.secret)}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `grant_type=client_credentials${scope}`,
      signal: AbortSignal.timeout(SPARE_MS),
      ...(allowsAddress !== undefined && { allowsAddress }),
    })
    const answer = parse(await response.text(MAX_ANSWER))
    const token = ownMember(answer, 'access_token')
    if (response.status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,65536}$/.test(token)) {
      throw new ToolError(`The authorization server gave no token (HTTP ${response.status}).`)
    }
    const seconds = ownMember(answer, 'expires_in')
    const life = typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_LIFE_S
    onExpiry(Date.now() + life * 1_000 - SPARE_MS)
    return token
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
