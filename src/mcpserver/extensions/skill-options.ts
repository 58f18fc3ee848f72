// What authors write to serve a skill.
import type { SkillSource } from '../../types/extensions/skills.ts'
import type { JSONValue } from '../../types/protocol/json.ts'
import type { Context } from '../handlers/context.ts'
import type { Access } from '../lists/access.ts'
import type { Handle } from '../lists/registry.ts'

/** Options of `server.skill()` for a folder or a list of files. */
export interface SkillOptions<Life = unknown> extends Access<Life> {
  /** Where the skill is found, as in `acme/billing/refunds`. Ends with the name of the skill (default: that name). */
  path?: string | undefined
  /** Whether `skills/list` and `resources/list` show it (default: `true`). If not, clients need its URI. */
  listed?: boolean | undefined
}

/** A skill that is written when it is read. It has no digests, so that some hosts don't load it. */
export interface DynamicSkillOptions<Life = unknown> extends SkillOptions<Life> {
  /** When to use the skill. The model reads it before it loads the rest. */
  description: string
  /** Other fields of the front matter. */
  frontmatter?: Readonly<Record<string, JSONValue>> | undefined
  /** Returns the text of `SKILL.md` after the front matter. */
  body: (ctx: Context<Life>) => string | Promise<string>
  /** Other files, by their path. */
  files?: Readonly<Record<string, (ctx: Context<Life>) => SkillFileValue | Promise<SkillFileValue>>> | undefined
}

type SkillFileValue = string | Uint8Array

/** What an update of a skill can change. The path can't: it is part of the skill's URI. */
export type SkillChanges<Life = unknown> = Partial<Omit<SkillOptions<Life>, 'path'>> & {
  /** New files. The name must stay the same. */
  source?: SkillSource | undefined
}

/** A registered skill. */
export interface SkillHandle<Life = unknown> extends Handle<SkillChanges<Life>> {
  /** Of its `SKILL.md`. */
  readonly uri: string
}
