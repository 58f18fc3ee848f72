// The handlers that every server has, by their names: they are loaded when it runs.
import type { RequestHandler } from '../handlers.ts'
import { running } from './running.ts'

type OwnHandlers = Pick<typeof running.loaded, 'discover' | 'initialize' | 'ping' | 'setLevel'>

export function ownHandler(name: keyof OwnHandlers): RequestHandler {
  return (ctx, params) => (running.loaded[name] as RequestHandler)(ctx, params)
}
