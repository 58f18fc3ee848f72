import { type HttpHandler, jwtVerifier, requireBearer } from 'mcpwire/auth'

export interface Authorization {
  /** The URL of this server that its clients use. */
  readonly resource: string
  /** The authorization server whose tokens are accepted. */
  readonly issuer: string
}

/** Accepts requests with a token that the issuer made for this server. Others get a 401 response that names the issuer. */
export function protect({ resource, issuer }: Authorization): (handler: HttpHandler) => HttpHandler {
  const verifier = jwtVerifier({ issuer })
  const metadata = { scopes: ['notes:read', 'notes:write'] }
  return (handler) => requireBearer(handler, { resource, issuer, verifier, scopes: ['notes:read'], metadata })
}
