// A protected server and its authorization server, each on a port of its own, that know each other.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requireBearer } from '../../src/auth/server/bearer.ts'
import type { BearerOptions } from '../../src/auth/server/bearer-options.ts'
import { jwtVerifier } from '../../src/auth/server/verify-jwt.ts'
import type { HttpHandler } from '../../src/http/exchange.ts'
import { toNodeHandler } from '../../src/node/http/to-node-handler.ts'
import { createHandler, type ServerTarget } from '../../src/server/http/handler.ts'
import {
  type AuthorizationServerOptions,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from './authorization-server.ts'

export interface ProtectedServerOptions {
  server: ServerTarget
  /** All that tokens can be asked for. */
  scopes: readonly string[]
  bearer?: Partial<BearerOptions>
  authorization?: AuthorizationServerOptions
  /** Chooses between the server as it is and the same behind its guard. */
  around?: (handler: HttpHandler, guarded: HttpHandler) => HttpHandler
}

export interface ProtectedServer extends AsyncDisposable {
  /** The endpoint, which is also the resource that tokens are for. */
  readonly url: string
  readonly authorization: TestAuthorizationServer
}

export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  // The authorization server must know the resource, and the resource its issuer: so the port comes first.
  let answer: RequestListener = (_request, response) => response.writeHead(503).end()
  const http = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const authorization = await startAuthorizationServer({
    resources: { [url]: { scopes: options.scopes } },
    ...options.authorization,
  })
  const { issuer } = authorization
  const verifier = jwtVerifier({ issuer })
  const plain = createHandler(options.server)
  const handler = requireBearer(plain, { resource: url, issuer, verifier, ...options.bearer })
  answer = toNodeHandler(options.around?.(plain, handler) ?? handler)

  return {
    url,
    authorization,
    async [Symbol.asyncDispose]() {
      await handler.close?.({ drainMs: 0 })
      await authorization.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
