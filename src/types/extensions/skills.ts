// Skills as clients see them: instructions with files, which are loaded when they are needed.
import type { JSONObject } from '../protocol/json.ts'

/** A file of a skill. */
export interface SkillResource {
  uri: string
  /** `sha256:` and 64 hex digits, of the bytes of the file. */
  digest: string
  /** In bytes. */
  size: number
}

/** A skill as a server lists it. */
export interface SkillEntry {
  /** Of its `SKILL.md`. */
  uri: string
  frontmatter: JSONObject & { name: string; description: string }
  resources: SkillResource[] | 'dynamic'
}

/** What `client.skills` is. */
export interface ClientSkills {
  all(): AsyncIterable<SkillEntry>
  get(uri: string): Promise<SkillEntry>
}
