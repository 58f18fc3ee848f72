// Who is calling, once someone has checked.

/** The claims of a verified access token. */
export interface AuthInfo {
  /** The client that the token was issued to. */
  clientId: string
  /** The scopes that the token grants. Compare them with `scopes` of a tool. */
  scopes: readonly string[]
  /** The issuer of the token, where it is known. */
  issuer?: string
  /** The user on whose behalf the client calls, where there is one. */
  subject?: string
  /** Seconds since 1970. */
  expiresAt?: number
  /** The resource that the token is for. */
  resource?: string
  /** Further claims, as the verifier found them. */
  claims?: Readonly<Record<string, unknown>>
}
