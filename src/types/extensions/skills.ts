// The types of the skills extension: its messages, and what a client makes of them.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { Resource } from '../features/resources.ts'
import type { CacheScope } from '../protocol/base.ts'
import type { JSONObject, JSONValue } from '../protocol/json.ts'

export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/** The front matter of a `SKILL.md`, every field of it. Fields such as `allowed-tools` are data: they grant nothing. */
export interface SkillFrontMatter {
  /** The name of the skill: lower case letters, digits and hyphens. */
  name: string
  /** When to use the skill. The model reads it before it loads the rest. */
  description: string
  [field: string]: JSONValue
}

/** A file of a skill, as its entry describes it. */
export interface SkillResource {
  /** The address of the file. */
  uri: string
  /** `sha256:` and 64 lower-case hexadecimal digits, over the raw bytes. */
  digest: string
  /** In bytes. */
  size: number
}

/** The entry of a skill, as `skills/list` and `skills/get` return it. */
export interface SkillEntry {
  /** The URI of its `SKILL.md`. */
  uri: string
  /** The head of `SKILL.md`, such as `name` and `description`. */
  frontmatter: SkillFrontMatter
  /** All files of the skill, or `dynamic` where they are made on demand and have no digests. */
  resources: SkillResource[] | 'dynamic'
}

export interface ListSkillsResult extends JSONObject {
  skills: (SkillEntry & JSONObject)[]
  nextCursor?: string
  ttlMs?: number
  cacheScope?: CacheScope
}

export interface GetSkillResult extends JSONObject {
  skill: SkillEntry & JSONObject
  ttlMs?: number
  cacheScope?: CacheScope
}

/** The result of `resources/directory/read`: what is directly in a folder. */
export interface ReadDirectoryResult extends JSONObject {
  resources: (Resource & JSONObject)[]
  nextCursor?: string
}

/** The files of a skill by their path, with `/` as the separator: `SKILL.md` and whatever else it has. Text is sent as UTF-8. */
export type SkillFiles = Readonly<Record<string, string | Uint8Array>>

/** A folder with the files of a skill, as `skillFolder()` of `mcpwire/node` makes it. */
export interface SkillFolder {
  /** The place of the files in messages, such as the path of a folder. */
  readonly label?: string
  /** The path of the skill, as in `acme/billing/refunds` (default: its name). */
  readonly path?: string
  /** All files as they are now. */
  read(): SkillFiles
  /** Calls `onChange` after each change, until the returned function is called. Both may be async; a failure is reported. */
  watch?(onChange: () => void): MaybePromise<() => MaybePromise<void>>
}

/** Where a server takes the files of a skill from. */
export type SkillSource = SkillFiles | SkillFolder

/** Where a skill is from. A skill is identified by both members: other servers may have the same URI. */
export interface SkillOrigin {
  /** The option `label` of `skills()`, or else the target of the client without secrets. Never what the server calls itself. */
  readonly server: string
  /** The address that the skill was found at. */
  readonly uri: string
}

/** A skill that a client has found, without any of its files. */
export interface FoundSkill extends SkillEntry {
  /** Where the skill comes from. Show it to the user before you load the skill. */
  readonly origin: SkillOrigin
  /** A hash of the files' URIs and digests, to bind an approval to. `undefined` for a skill whose files are `dynamic`. */
  readonly fingerprint: string | undefined
  /** Why it can't be loaded; `undefined` if it can. */
  readonly problem: string | undefined
}

/** A file in the folder of a skill. */
export interface SkillFileInfo {
  /** From the folder of the skill, decoded, with `/` as the separator. */
  readonly path: string
  /** The address of the file or folder. */
  readonly uri: string
  /** True for a folder, which has no contents of its own. */
  readonly isFolder: boolean
  /** In bytes; of a file in the entry. */
  readonly size?: number
  /** The format of the file. Left out if it is not known. */
  readonly mimeType?: string
}

/** A file that was read and verified. */
export interface SkillFile {
  /** Where the file is, from the folder of the skill. */
  readonly path: string
  /** The address of the file. */
  readonly uri: string
  /** The format of the file. Left out if it is not known. */
  readonly mimeType?: string
  /** The contents of the file. */
  readonly bytes: Uint8Array
  /** `undefined` if the bytes are not UTF-8. */
  readonly text: string | undefined
}

/** A skill whose `SKILL.md` was read and verified. Its other files are read when you ask for them. */
export interface LoadedSkill {
  /** The address of `SKILL.md`. */
  readonly uri: string
  /** The name of the skill. */
  readonly name: string
  /** The text of `SKILL.md` after the front matter. Untrusted: it was written by the author of the server. */
  readonly body: string
  /** The head of `SKILL.md`. */
  readonly frontmatter: SkillFrontMatter
  /** The files of the entry, `SKILL.md` among them, or `dynamic`. */
  readonly files: readonly SkillFileInfo[] | 'dynamic'
  /** Where the skill comes from. */
  readonly origin: SkillOrigin
  /** A digest of the content, to notice changes. `undefined` if the server gives none. */
  readonly fingerprint: string | undefined
  /** The entry that the skill was loaded from. While you use the skill, only its files can be read. */
  readonly entry: FoundSkill
  /**
   * Reads a file by its path from the folder of the skill, and verifies it. Throws `SkillMismatchError` for a file that the entry
   * does not have, or that is not as the entry describes it.
   */
  read(path: string, options?: SkillRequestOptions): Promise<SkillFile>
  /** What is directly in a folder of the skill: from the entry or, for a `dynamic` skill, from the server. */
  list(path?: string, options?: SkillRequestOptions): Promise<SkillFileInfo[]>
}

/** Options of the requests that a call sends. */
export interface SkillRequestOptions {
  /** Cancels the request. */
  signal?: AbortSignal | undefined
  /** Maximum time of each request without a sign of life, in milliseconds (default: 60,000). */
  timeoutMs?: number | undefined
}

/** The skills of the server: `client.skills`. */
export interface ClientSkills {
  /** All skills that the server lists. It may have others, which `get` and `load` find by their URI. */
  all(options?: SkillRequestOptions): AsyncGenerator<FoundSkill, void>
  /** The current entry of a skill, by the URI of its `SKILL.md`. Reads no file. */
  get(uri: string, options?: SkillRequestOptions): Promise<FoundSkill>
  /**
   * Reads and verifies the `SKILL.md` of a skill. By URI, the current entry counts. By entry, that entry counts: use it for a skill
   * that the user has approved. Throws `SkillMismatchError` for a skill that is not as its entry describes it.
   */
  load(skill: string | FoundSkill, options?: SkillRequestOptions): Promise<LoadedSkill>
}
