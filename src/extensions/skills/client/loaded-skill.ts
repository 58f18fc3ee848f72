// A skill in use: its verified SKILL.md, and the files of the entry that it was loaded from.
import type { Client } from '../../../client/client.ts'
import { eachItem } from '../../../client/session/pages.ts'
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { InvalidResultError, LimitError } from '../../../types/errors/failures.ts'
import type {
  FoundSkill,
  LoadedSkill,
  SkillFile,
  SkillFileInfo,
  SkillRequestOptions,
  SkillResource,
} from '../../../types/extensions/skills.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { textOf } from '../format/contents.ts'
import { differingField, filesByPath, MAX_BYTES, MAX_FILES } from '../format/entry.ts'
import { FrontMatterError, readSkillText, type SkillText } from '../format/front-matter.ts'
import { decodeReference, ENTRY_FILE, folderOf, pathIn, readingsOf, uriOf } from '../format/skill-uri.ts'
import type { FileCache, VerifiedFile } from './file-cache.ts'
import { SkillMismatchError } from './mismatch-error.ts'
import { fileMismatch, readFile } from './read-file.ts'

export interface SkillLoading {
  readonly client: Client
  readonly cache: FileCache
  /** The entry of the skill, checked and found valid. */
  readonly entry: FoundSkill
  /** One page of a folder of a `dynamic` skill. */
  listFolder(uri: string, cursor: string | undefined, options: SkillRequestOptions): Promise<JSONObject>
  /** The error with what the server has now. */
  refresh(error: SkillMismatchError, options: SkillRequestOptions): Promise<Error>
}

/** Reads and verifies `SKILL.md`, and nothing else. */
export async function loadSkill(loading: SkillLoading, options: SkillRequestOptions): Promise<LoadedSkill> {
  const files = new HeldFiles(loading)
  const { text } = await files.read(ENTRY_FILE, options)
  const { frontmatter, body } = checkFrontMatter(loading.entry, text)
  const { entry } = loading
  return {
    uri: entry.uri,
    name: frontmatter.name,
    body,
    frontmatter,
    files: files.all,
    origin: entry.origin,
    fingerprint: entry.fingerprint,
    entry,
    read: async (path, request = {}) => {
      try {
        return await files.read(path, request)
      } catch (error) {
        if (error instanceof SkillMismatchError) throw await loading.refresh(error, request)
        throw error
      }
    },
    list: (path = '', request = {}) => files.list(path, request),
  }
}

/** Spec, Frontmatter Verification: what a user approves from the entry is what the model gets. */
function checkFrontMatter({ uri, frontmatter }: FoundSkill, text: string | undefined): SkillText {
  const refuse = (why: string, cause?: unknown) => fileMismatch(uri, ENTRY_FILE, 'frontmatter', why, cause)
  if (text === undefined) throw refuse('it is not UTF-8')
  try {
    const skill = readSkillText(text)
    const field = differingField(skill.frontmatter, frontmatter)
    if (field === undefined) return skill
    throw refuse(`the field ${JSON.stringify(field)} of its front matter is not that of its entry`)
  } catch (error) {
    if (error instanceof FrontMatterError) throw refuse(`line ${error.line}: ${error.message}`, error)
    throw error
  }
}

/** The files that may be read while the skill is in use. */
class HeldFiles {
  readonly #loading: SkillLoading
  readonly #folder: string
  /** The files that the entry lists, by path. A `dynamic` skill lists none. */
  readonly #listed: ReadonlyMap<string, SkillResource> | undefined
  /** What was read of a `dynamic` skill, in bytes. */
  #readBytes = 0

  constructor(loading: SkillLoading) {
    const { uri, resources } = loading.entry
    this.#loading = loading
    this.#folder = folderOf(uri) ?? uri
    this.#listed = resources === 'dynamic' ? undefined : filesByPath(this.#folder, resources)
  }

  get all(): readonly SkillFileInfo[] | 'dynamic' {
    if (this.#listed === undefined) return 'dynamic'
    return [...this.#listed].map(([path, { uri, size }]) => ({ path, uri, isFolder: false, size }))
  }

  async read(reference: string, options: SkillRequestOptions): Promise<SkillFile> {
    const { client, cache, entry } = this.#loading
    const { path, uri, listed } = this.#resolve(reference)
    const file = await readFile(client, cache, { skill: entry.uri, path, uri, listed }, options)
    if (listed === undefined) this.#count(file)
    const { bytes, mimeType } = file
    // A copy: what the caller does to it must not change what the next one gets.
    return { path, uri, ...(mimeType !== undefined && { mimeType }), bytes: bytes.slice(), text: textOf(bytes) }
  }

  async list(reference: string, options: SkillRequestOptions): Promise<SkillFileInfo[]> {
    if (this.#listed === undefined) {
      const folder = decodeReference(reference)
      if (folder === undefined) throw this.#unlisted(reference)
      return this.#listOnServer(folder, options)
    }
    for (const folder of readingsOf(reference)) {
      const children = this.#childrenOf(this.#listed, folder)
      if (children.length > 0) return children
    }
    throw this.#unlisted(reference)
  }

  #resolve(reference: string): { path: string; uri: string; listed?: SkillResource | undefined } {
    const inside = pathIn(this.#folder, reference)
    if (this.#listed === undefined) {
      const path = inside ?? decodeReference(reference)
      if (path !== undefined && path !== '') return { path, uri: uriOf(this.#folder, path) }
    } else {
      for (const path of inside === undefined ? readingsOf(reference) : [inside]) {
        const listed = this.#listed.get(path)
        if (listed !== undefined) return { path, uri: listed.uri, listed }
      }
    }
    throw this.#unlisted(reference)
  }

  #childrenOf(files: ReadonlyMap<string, SkillResource>, folder: string): SkillFileInfo[] {
    const prefix = folder === '' ? '' : `${folder}/`
    const children = new Map<string, SkillFileInfo>()
    for (const [path, { uri, size }] of files) {
      if (!path.startsWith(prefix)) continue
      const rest = path.slice(prefix.length)
      const end = rest.indexOf('/')
      const child = end === -1 ? path : prefix + rest.slice(0, end)
      children.set(
        child,
        end === -1
          ? { path, uri, isFolder: false, size }
          : { path: child, uri: uriOf(this.#folder, child), isFolder: true },
      )
    }
    return [...children.values()]
  }

  async #listOnServer(folder: string, options: SkillRequestOptions): Promise<SkillFileInfo[]> {
    const uri = uriOf(this.#folder, folder)
    const fetchPage = async (cursor: string | undefined) => {
      const { resources, nextCursor } = await this.#loading.listFolder(uri, cursor, options)
      if (!Array.isArray(resources)) {
        throw new InvalidResultError('The result of resources/directory/read has no list of resources', 'resources')
      }
      return { resources, ...(typeof nextCursor === 'string' && { nextCursor }) }
    }
    const children: SkillFileInfo[] = []
    for await (const resource of eachItem(fetchPage, ({ resources }) => resources)) {
      const child = this.#toChild(uri, resource)
      if (child !== undefined) children.push(child)
      if (children.length > MAX_FILES) throw new LimitError('files of a skill', MAX_FILES)
    }
    return children
  }

  /** What is not directly in the folder does not belong to the answer. */
  #toChild(folder: string, resource: unknown): SkillFileInfo | undefined {
    const { uri, mimeType, size } = isPlainObject(resource) ? resource : {}
    const path = typeof uri === 'string' ? pathIn(this.#folder, uri) : undefined
    if (typeof uri !== 'string' || path === undefined || pathIn(folder, uri)?.includes('/') !== false) return undefined
    return {
      path,
      uri,
      isFolder: mimeType === 'inode/directory',
      ...(Number.isSafeInteger(size) && { size: size as number }),
      ...(typeof mimeType === 'string' && { mimeType }),
    }
  }

  #count({ bytes }: VerifiedFile): void {
    this.#readBytes += bytes.byteLength
    if (this.#readBytes > MAX_BYTES) throw new LimitError('bytes of a dynamic skill', MAX_BYTES)
  }

  #unlisted(reference: string): SkillMismatchError {
    return fileMismatch(this.#loading.entry.uri, reference, 'unlisted', 'its entry does not have it')
  }
}
