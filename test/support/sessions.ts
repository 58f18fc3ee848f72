// Client sessions in either era, connected to a scripted server.
import { ClientSession } from '../../src/client/session/session.ts'
import type { ClientSessionOptions } from '../../src/client/session/session-options.ts'
import type { Fault } from '../../src/dispatcher/fault.ts'
import type { ServerCapabilities } from '../../src/types/protocol/capabilities.ts'
import type { LegacyVersion } from '../../src/types/protocol/versions.ts'
import { ScriptedServer } from './scripted-server.ts'

export interface OpenSession extends AsyncDisposable {
  session: ClientSession
  server: ScriptedServer
  faults: Fault[]
}

const CAPABILITIES: ServerCapabilities = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} }

/** Started, and nothing agreed on yet. */
export async function openSession(options: ClientSessionOptions = {}): Promise<OpenSession> {
  const server = new ScriptedServer()
  const faults: Fault[] = []
  const session = new ClientSession(server.channel, { onFault: (fault) => faults.push(fault), ...options })
  await session.start()
  return { session, server, faults, [Symbol.asyncDispose]: () => session.close() }
}

export function initializeResult(protocolVersion: string = '2025-11-25', capabilities = CAPABILITIES) {
  return { protocolVersion, capabilities, serverInfo: { name: 'scripted', version: '1' } }
}

export function discoverResult(supportedVersions = ['2026-07-28'], capabilities = CAPABILITIES) {
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1' } }
  return {
    resultType: 'complete' as const,
    supportedVersions,
    capabilities,
    ttlMs: 0,
    cacheScope: 'private' as const,
    _meta,
  }
}

/** A session that speaks a legacy revision. */
export async function openHandshake(
  options: ClientSessionOptions = {},
  version: LegacyVersion = '2025-11-25',
): Promise<OpenSession> {
  const open = await openSession(options)
  open.server.on('initialize', initializeResult(version))
  await open.session.initialize()
  return open
}

/** A session that speaks the modern revision. */
export async function openModern(options: ClientSessionOptions = {}): Promise<OpenSession> {
  const open = await openSession(options)
  open.session.adopt(discoverResult())
  return open
}

export const eras = [
  { era: 'legacy', open: openHandshake as (options?: ClientSessionOptions) => Promise<OpenSession> },
  { era: 'modern', open: openModern },
]
