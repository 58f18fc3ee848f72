// The signatures we believe: all asymmetric, because a public key must never serve as a shared secret.

const ASYMMETRIC_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
] as const

export type JwtAlgorithm = (typeof ASYMMETRIC_ALGORITHMS)[number]

/** Throws `RangeError` for an empty list and for anything that is not on ours. */
export function checkAlgorithms(algorithms: readonly JwtAlgorithm[] = ASYMMETRIC_ALGORITHMS): JwtAlgorithm[] {
  if (algorithms.length === 0) throw new RangeError('algorithms must not be empty')
  const unknown = algorithms.find((name) => !ASYMMETRIC_ALGORITHMS.includes(name))
  if (unknown === undefined) return [...algorithms]
  throw new RangeError(`algorithms must not contain ${unknown}, only some of ${ASYMMETRIC_ALGORITHMS.join(', ')}`)
}
