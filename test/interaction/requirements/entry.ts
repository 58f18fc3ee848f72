// What an entry of the manifest says.
import type { ProtocolVersion } from '../../../src/types/protocol/versions.ts'

export interface Requirement {
  /** Where it is written down: a page of the specification, a row of its checklist, a row or pitfall of the inventory. */
  readonly source: string
  /** The behaviour in one sentence. */
  readonly text: string
  /** Both unless given. */
  readonly eras?: readonly ('legacy' | 'modern')[]
  /** The first revision that has it. */
  readonly since?: ProtocolVersion
  /** All unless given. */
  readonly transports?: readonly ('direct' | 'memory' | 'stdio' | 'http' | 'fetch' | 'sse')[]
  /** The room that does not exist yet, for behaviour that cannot be shown before. */
  readonly waitsFor?: 'tasks'
}

export type RequirementTable = Readonly<Record<string, Requirement>>
