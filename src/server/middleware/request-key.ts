// What limits count by: who calls, and what is called.
import type { AuthInfo } from '../../types/protocol/auth.ts'
import type { ServerRequestContext } from '../context.ts'
import { targetOf } from './target.ts'

/** Requests with the same key share a limit; those without one have none. */
export type RequestKey = (ctx: ServerRequestContext) => string | undefined

// A name that is longer shares its key with others that begin alike: what a client sends must not fill the memory.
const MAX_TARGET_LENGTH = 256

/** By caller, method and target. */
export function createCallerKey(): RequestKey {
  const nameCaller = createCallerNames()
  return (ctx) => JSON.stringify([nameCaller(ctx), ctx.method, targetOf(ctx)?.slice(0, MAX_TARGET_LENGTH)])
}

/** By method and target, whoever calls. */
export function keyByTarget(ctx: ServerRequestContext): string {
  return JSON.stringify([ctx.method, targetOf(ctx)?.slice(0, MAX_TARGET_LENGTH)])
}

/**
 * The verified caller, else the connection. Where neither is known, as for requests over HTTP that each stand for themselves,
 * all callers are one: a limit that cannot tell them apart must not let everyone through.
 */
function createCallerNames(): (ctx: ServerRequestContext) => string {
  const numbers = new WeakMap<object, number>()
  let connections = 0
  const numberOf = (peer: object): number => {
    const known = numbers.get(peer)
    if (known !== undefined) return known
    connections += 1
    numbers.set(peer, connections)
    return connections
  }
  return ({ auth, connection }) => {
    if (auth !== undefined) return namePrincipal(auth)
    const { peer, clientParams } = connection
    const isForOneRequest = peer === connection && clientParams === undefined
    return isForOneRequest ? 'anyone' : `connection ${numberOf(peer)}`
  }
}

function namePrincipal({ issuer, clientId, subject }: AuthInfo): string {
  return JSON.stringify([issuer, clientId, subject])
}
