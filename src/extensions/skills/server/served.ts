// What a registered skill serves at one moment: its files and its entry, with those of the skills inside its folder.
import type { Context } from '../../../mcpserver/handlers/context.ts'
import type { MaybePromise } from '../../../primitives/async/promises.ts'
import type { SkillEntry, SkillFrontMatter } from '../../../types/extensions/skills.ts'
import type { Resource } from '../../../types/features/resources.ts'

/** A file, with what `resources/read` returns for it. */
export interface ServedFile {
  readonly uri: string
  /** The path of the file, from the folder of the registered skill. */
  readonly path: string
  /** The resource as `resources/list` and `resources/directory/read` show it. */
  readonly listed: Resource
  /** Fixed contents, to compare with those of another moment. */
  readonly bytes?: Uint8Array
  /** Whether it is the `SKILL.md` of a skill. */
  readonly isEntryFile: boolean
  read(ctx: Context): MaybePromise<unknown>
}

/** A skill with an entry: the registered one, or one in a folder of it. */
export interface ServedSkill {
  /** The URI of its `SKILL.md`. */
  readonly uri: string
  readonly frontmatter: SkillFrontMatter
  /** Made on first use, since digests take time. */
  entry(): Promise<SkillEntry>
}

export interface Served {
  /** The URI of the folder. */
  readonly folder: string
  /** The registered one first. */
  readonly skills: readonly [ServedSkill, ...ServedSkill[]]
  /** The files, by path. */
  readonly files: ReadonlyMap<string, ServedFile>
  /** What the author should know, although the skill can be served. */
  readonly warnings: readonly string[]
}
