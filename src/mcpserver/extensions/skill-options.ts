// What authors write about skills: folders of instructions that models load when they need them.
import type { Context } from '../handlers/context.ts'
import type { Access } from '../lists/access.ts'
import type { Handle } from '../lists/registry.ts'

/** The files of a skill, by path. `SKILL.md` is one of them. */
export type SkillFiles = Readonly<Record<string, string | Uint8Array>>

/** A skill whose files are known: those of a folder, or given by hand. */
export interface SkillFolder {
  /** For messages. */
  readonly folder: string
  read(): SkillFiles
}

/** Where the files of a skill come from. */
export type SkillSource = SkillFiles | SkillFolder

export interface SkillOptions<Life = unknown> extends Access<Life> {
  /** The path of the skill on this server; its last segment is the name (default: the name). */
  path?: string
  /** Shows it in `skills/list` (default: `true`). Clients that know its uri can load it anyway. */
  listed?: boolean
  /** Reads the folder again when something in it changes (default: `false`). */
  watch?: boolean
}

/** A skill whose text is made for each reader. */
export interface DynamicSkillOptions<Life = unknown> extends SkillOptions<Life> {
  description: string
  /** The text of `SKILL.md` after its front matter. */
  body: (ctx: Context<Life>) => string | Promise<string>
}

export interface SkillHandle<Life = unknown> extends Handle<Partial<SkillOptions<Life>>> {
  /** Of its `SKILL.md`. */
  readonly uri: string
}
