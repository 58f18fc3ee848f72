// One DPoP proof on several nodes.
import { expect, test } from 'vitest'
import { requireBearer } from '../../src/auth/server/bearer.ts'
import { jwtVerifier } from '../../src/auth/server/verify-jwt.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { ISSUER, keySet, makeKey, RESOURCE, signProof, signToken } from '../support/token-maker.ts'
import { type NodeParts, startCluster } from './cluster.ts'

async function startProtected() {
  const [issuerKey, callerKey] = [await makeKey(), await makeKey()]
  const token = await signToken(issuerKey, { cnf: { jkt: callerKey.thumbprint } })
  const create = ({ backend, onFault }: NodeParts) => new MCPServer('notes', { backend, onFault })
  const verifier = jwtVerifier({ issuer: ISSUER, jwks: keySet(issuerKey) })
  const cluster = await startCluster(create, {
    handler: {
      auth: (handler) => requireBearer(handler, { resource: RESOURCE, issuer: ISSUER, verifier, dpop: true }),
    },
  })
  const send = async (node: number, proof: string): Promise<number> => {
    const headers = { authorization: `DPoP ${token}`, dpop: proof, 'content-type': 'application/json' }
    const request = new Request(RESOURCE, { method: 'POST', headers, body: '{}' })
    return (await cluster.nodes[node]!.fetch(request)).status
  }
  return { cluster, send, signOne: () => signProof(callerKey, { token }) }
}

test('D044: one DPoP proof sent to all nodes at once is accepted once', async () => {
  const { cluster, send, signOne } = await startProtected()
  const proof = await signOne()
  const statuses = await Promise.all([0, 1, 2, 0, 1, 2].map((node) => send(node, proof)))
  // Past the check of the token, the empty message is 400.
  expect(statuses.toSorted()).toEqual([400, 401, 401, 401, 401, 401])
  expect(await send(1, await signOne())).toBe(400)
  // What names the caller is a digest there.
  expect(cluster.backend.keys().filter((key) => key.startsWith('u.')).length).toBe(2)
})

test('D044: while the engine is away no proof is accepted: 503', async () => {
  const { cluster, send, signOne } = await startProtected()
  const proof = await signOne()
  cluster.backend.failing = 'records.put'
  expect(await send(0, proof)).toBe(503)
  cluster.backend.failing = undefined
  expect(await send(2, proof)).toBe(400)
})
