// Verifies tokens that stand in the configuration of the server: for scripts and machines whose tokens you hand out yourself.
import { rangeError, typeError } from '../../primitives/help.ts'
import { checkKeys, describeKind, type KnownKeys } from '../../primitives/options.ts'
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { TokenVerifier, VerifiedToken, VerifyContext } from './verifier.ts'

export const STATIC_TOKEN_KEYS: KnownKeys<AuthInfo> = {
  clientId: 'string',
  scopes: 'array',
  issuer: 'string',
  subject: 'string',
  expiresAt: 'number',
  resource: 'string',
  claims: 'object',
}

/** Shorter ones can be guessed. They are fine for a trial, so there is a warning. */
const SAFE_LENGTH = 16
const MAX_LENGTH = 16_384

interface KnownToken {
  readonly digest: Uint8Array
  readonly caller: AuthInfo
}

/**
 * A verifier for a fixed list of tokens, each with its caller. Tokens are compared in constant time, by their SHA-256. Use
 * `issuer: false` of `requireBearer()` where there is no authorization server. A token should have 16 or more random characters:
 * shorter ones are accepted with a warning.
 *
 * @example
 * const { TOKEN = '' } = process.env
 * const verifier = verifyStaticTokens({ [TOKEN]: { clientId: 'ci', scopes: ['notes:read'] } })
 */
export function verifyStaticTokens(tokens: Readonly<Record<string, AuthInfo>>): TokenVerifier {
  const entries = Object.entries(checkTokens(tokens))
  let known: Promise<readonly KnownToken[]> | undefined
  return {
    verify: async (token, context) => {
      // Later, since a module may not wait for a digest when it is loaded.
      known ??= Promise.all(entries.map(async ([text, caller]) => ({ digest: await digestOf(text), caller })))
      const digest = await digestOf(token)
      let found: AuthInfo | undefined
      // All of them, so that the time says nothing about which one it was.
      for (const one of await known) if (isEqual(one.digest, digest)) found = one.caller
      return found === undefined ? undefined : toVerified(found, context)
    },
  }
}

function checkTokens(tokens: Readonly<Record<string, AuthInfo>>): Readonly<Record<string, AuthInfo>> {
  if (typeof tokens !== 'object' || tokens === null || Array.isArray(tokens)) {
    throw typeError(
      'wrong-argument',
      `verifyStaticTokens() takes an object of callers by token, not ${describeKind(tokens)}.`,
    )
  }
  const entries = Object.entries(tokens)
  if (entries.length === 0) throw typeError('wrong-argument', 'verifyStaticTokens() got no token.')
  for (const [token, caller] of entries) {
    // Messages never show a token.
    if (token.length === 0 || token.length > MAX_LENGTH) {
      throw rangeError(
        'wrong-argument',
        `A token of verifyStaticTokens() has ${token.length} characters. Use ${SAFE_LENGTH} or more random ones.`,
      )
    }
    if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) {
      throw rangeError(
        'wrong-argument',
        'A token of verifyStaticTokens() has characters that no header can carry. Use letters and digits.',
      )
    }
    checkKeys('verifyStaticTokens(): caller', caller, STATIC_TOKEN_KEYS)
    if (typeof caller.clientId !== 'string' || !Array.isArray(caller.scopes)) {
      throw typeError('wrong-argument', 'A caller of verifyStaticTokens() needs clientId and scopes.')
    }
  }
  if (entries.some(([token]) => token.length < SAFE_LENGTH)) {
    console.warn(
      `mcpwire: a token of verifyStaticTokens() has fewer than ${SAFE_LENGTH} characters and can be guessed. Use ${SAFE_LENGTH} or more random ones.`,
    )
  }
  return tokens
}

/** A token that names no resource is for the server that it is configured at. */
function toVerified(caller: AuthInfo, { resource }: VerifyContext): VerifiedToken {
  return { resource, ...caller }
}

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i += 1) difference |= (one[i] ?? 0) ^ (other[i] ?? 0)
  return difference === 0
}
