// The skills extension as a value, for servers and for clients.

import type { Client } from '../../client/client.ts'
import type { ClientExtension } from '../../client/extensions/extension.ts'
import type { MCPServerExtension, MCPServerExtensionParts } from '../../mcpserver/extensions/extension-parts.ts'
import type { RegistrySource } from '../../mcpserver/registry-source.ts'
import { typeError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { coreOf } from '../../server/internals.ts'
import { type CacheHint, checkCacheHint } from '../../server/results/caching.ts'
import type { Server } from '../../server/server.ts'
import { SKILLS_EXTENSION } from '../../types/extensions/skills.ts'
import { skillRequests } from './server/methods.ts'
import { SkillRegistry } from './server/registry.ts'

/** Options of `skills()`. */
export interface SkillsOptions {
  /** Servers: answers `resources/directory/read`, so that clients can list the folders of skills (default: `false`). */
  directoryRead?: boolean | undefined
  /** Servers: how long, and for whom, clients can cache entries (default: not at all). */
  cache?: CacheHint | undefined
  /** Clients: your name for the server, which is the `origin` of its skills (default: the target, without secrets). */
  label?: string | undefined
}

export const SKILLS_KEYS: KnownKeys<SkillsOptions> = {
  directoryRead: 'boolean',
  cache: 'object',
  label: 'string',
}

/** Skills: instructions with files that a model loads when it needs them. One value serves servers and clients. */
export function skills(options: SkillsOptions = {}): MCPServerExtension & ClientExtension {
  checkKeys('skills()', options, SKILLS_KEYS)
  const { directoryRead = false, label } = options
  const cache = checkCacheHint('skills(): cache', options.cache ?? { ttlMs: 0 })
  return {
    identifier: SKILLS_EXTENSION,
    forServer: (server) => serverParts(server, directoryRead, cache),
    forClient: (client) => ({ open: () => openSkills(client, label) }),
  }
}

function serverParts(server: Server, directoryRead: boolean, cache: CacheHint): MCPServerExtensionParts {
  let registry: SkillRegistry | undefined
  const sourceOf = () => {
    const { ownSource } = coreOf(server)
    if (ownSource === undefined)
      throw typeError('extension-missing', 'skills() works with an MCPServer, not with a Server.')
    return ownSource as RegistrySource
  }
  // Made on first use: the server is not complete yet.
  const skillsOf = () => {
    registry ??= new SkillRegistry(sourceOf().host)
    return registry
  }
  return {
    settings: directoryRead ? { directoryRead } : {},
    requests: skillRequests(skillsOf, { directoryRead, cache }),
    skill: (mcpServer, source, options) => skillsOf().add(mcpServer, source, options),
    start: () => {
      // Spec, Capability Negotiation: the files of skills are resources, also while there are none yet.
      sourceOf().serveDeclared({ resources: {} })
      return skillsOf().start()
    },
  }
}

/** Loaded when a client opens: servers need none of it. */
async function openSkills(client: Client, label: string | undefined): Promise<object> {
  const { ServerSkills } = await loading(import('./client/server-skills.ts'))
  return new ServerSkills(client, label)
}
