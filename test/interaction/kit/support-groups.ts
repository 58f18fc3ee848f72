// Servers for a group to have, and a group that connects them in the setting of a test.
import { expect, vi } from 'vitest'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import type { ClientSessionGroupOptions } from '../../../src/client/group/options.ts'
import { ClientSessionGroup } from '../../../src/client/group/session-group.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import { memoryTransport } from '../../../src/testing/connect.ts'
import type { Setting } from './requirement.ts'
import { text } from './support-interaction.ts'

/** A server whose lists come two to a page; `tools` may be changed while it runs. */
export function createMember({ version }: Setting, name: string, tools: string[], options: ServerOptions = {}) {
  const page = (cursor: string | undefined) => {
    const from = Number(cursor ?? 0)
    const nextCursor = from + 2 < tools.length ? { nextCursor: `${from + 2}` } : {}
    return { names: tools.slice(from, from + 2), nextCursor }
  }
  return new Server(name, {
    version: '1',
    subscriptions: true,
    supportedVersions: [version],
    ...options,
    handlers: {
      'tools/list': (_ctx, { cursor }) => {
        const { names, nextCursor } = page(cursor)
        return { tools: names.map((each) => ({ name: each, inputSchema: { type: 'object' } })), ...nextCursor }
      },
      'tools/call': (_ctx, params) => text(`${name}: ${params.name} ${JSON.stringify(params.arguments ?? {})}`),
      'resources/list': (_ctx, { cursor }) => {
        const { names, nextCursor } = page(cursor)
        return { resources: names.map((each) => ({ name: `${each}.txt`, uri: `${name}:/${each}` })), ...nextCursor }
      },
      'resources/read': (_ctx, { uri }) => ({ contents: [{ uri, text: `${name} has ${uri}` }] }),
      'prompts/list': (_ctx, { cursor }) => {
        const { names, nextCursor } = page(cursor)
        return { prompts: names.map((each) => ({ name: `about ${each}` })), ...nextCursor }
      },
      'prompts/get': (_ctx, params) => ({ description: `${name}: ${params.name}`, messages: [] }),
      ...options.handlers,
    },
  })
}

/** A group, with what connects it in this setting. */
export function createGroup({ transport, isModern }: Setting, options: ClientSessionGroupOptions = {}) {
  const faults: Fault[] = []
  const group = new ClientSessionGroup({ onFault: (fault) => faults.push(fault), ...options })
  const join = (server: Server, clientOptions: ClientOptions = {}) =>
    group.connectToServer(transport === 'direct' ? server : memoryTransport(server), {
      mode: isModern ? 'auto' : 'legacy',
      ...clientOptions,
    })
  return { group, faults, join }
}

export const namesOf = (map: ReadonlyMap<string, unknown>) => [...map.keys()].sort()

/** Resolves when `isSo`; list changes arrive when they do. */
export async function until(isSo: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isSo()).toBe(true), { interval: 1 })
}
