// A skill with fixed files: checked and copied once, so that bytes, digests and lists are always of the same moment.
import { typeError } from '../../../primitives/help.ts'
import { describeKind } from '../../../primitives/options.ts'
import type { SkillFiles, SkillFrontMatter, SkillResource } from '../../../types/extensions/skills.ts'
import { textOf, toContents } from '../format/contents.ts'
import { digestOf } from '../format/digest.ts'
import { MAX_BYTES, MAX_FILES } from '../format/entry.ts'
import { FrontMatterError, readSkillText } from '../format/front-matter.ts'
import { ENTRY_FILE, findFilePathFlaw, findSkillPathFlaw, folderAt, uriOf } from '../format/skill-uri.ts'
import { listFile } from './listed-file.ts'
import type { Served, ServedFile, ServedSkill } from './served.ts'

export interface SnapshotPlace {
  /** Where the files are from, for messages. */
  readonly label?: string | undefined
  /** The path of the skill (default: its name). */
  readonly path?: string | undefined
}

type SnapshotFile = ServedFile & {
  /** The file as entries describe it. */
  describe(): Promise<SkillResource>
}

/** Throws `TypeError`, with file and line where there is one, for files that make no skill. */
export function takeSnapshot(given: SkillFiles, { label, path }: SnapshotPlace): Served {
  const shown = (file: string) => (label === undefined ? file : `${label}/${file}`)
  const contents = copyFiles(given, label, shown)
  const entryBytes = contents.get(ENTRY_FILE)
  if (entryBytes === undefined) throw missingEntryFile(label, contents)
  const frontmatter = readFrontMatter(shown(ENTRY_FILE), entryBytes)
  const folder = folderAt(checkSkillPath(path ?? frontmatter.name, frontmatter.name))
  const { skills: nested, warnings } = findNested(contents, shown)
  const files = new Map<string, SnapshotFile>()
  for (const [file, bytes] of contents) {
    files.set(file, createFile(folder, file, bytes, file === ENTRY_FILE ? frontmatter : nested.get(file)))
  }
  return {
    folder,
    skills: [
      createSkill(ENTRY_FILE, frontmatter, files),
      ...[...nested].map(([file, fields]) => createSkill(file, fields, files)),
    ],
    files,
    warnings,
  }
}

function createFile(
  folder: string,
  path: string,
  bytes: Uint8Array,
  skill: SkillFrontMatter | undefined,
): SnapshotFile {
  const uri = uriOf(folder, path)
  const size = bytes.byteLength
  return {
    uri,
    path,
    bytes,
    listed: listFile(uri, path, size, skill),
    isEntryFile: skill !== undefined,
    read: () => toContents(uri, path, bytes),
    describe: once(async () => ({ uri, digest: await digestOf(bytes), size })),
  }
}

/** A skill has all files of its folder, those of skills inside it too. */
function createSkill(
  entryFile: string,
  frontmatter: SkillFrontMatter,
  files: ReadonlyMap<string, SnapshotFile>,
): ServedSkill {
  const prefix = entryFile.slice(0, -ENTRY_FILE.length)
  const { uri } = files.get(entryFile) as SnapshotFile
  const own = [...files.values()].filter(({ path }) => path.startsWith(prefix))
  const describe = () => Promise.all(own.map((file) => file.describe()))
  return { uri, frontmatter, entry: once(async () => ({ uri, frontmatter, resources: await describe() })) }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** A copy that nobody else can change, in the order of the paths. */
function copyFiles(given: SkillFiles, label = 'The skill', shown: (file: string) => string): Map<string, Uint8Array> {
  const entries = Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length > MAX_FILES) {
    throw typeError('bad-skill', `${label} has ${entries.length} files. A skill has ${MAX_FILES} files at most.`)
  }
  const files = new Map<string, Uint8Array>()
  let bytes = 0
  for (const [path, content] of entries) {
    const flaw = findFilePathFlaw(path) ?? findFolderFlaw(path, given)
    if (flaw !== undefined)
      throw typeError('bad-skill', `The path ${JSON.stringify(shown(path))} can't be served: ${flaw}.`)
    const copy = copyContent(shown(path), content)
    files.set(path, copy)
    bytes += copy.byteLength
  }
  if (bytes > MAX_BYTES)
    throw typeError('bad-skill', `${label} has ${bytes} bytes. A skill has ${MAX_BYTES} bytes at most.`)
  return files
}

function copyContent(file: string, content: unknown): Uint8Array {
  if (typeof content === 'string') return new TextEncoder().encode(content)
  // A plain Uint8Array also of a Buffer, whose memory others may share.
  if (content instanceof Uint8Array) return new Uint8Array(content)
  throw typeError('bad-skill', `The content of ${file} must be a string or a Uint8Array, not ${describeKind(content)}.`)
}

function findFolderFlaw(path: string, given: SkillFiles): string | undefined {
  const segments = path.split('/')
  const folders = segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))
  const file = folders.find((folder) => Object.hasOwn(given, folder))
  return file === undefined ? undefined : `${file} is a file`
}

function missingEntryFile(label = 'The skill', files: ReadonlyMap<string, unknown>): TypeError {
  const similar = [...files.keys()].find((path) => path.toLowerCase() === ENTRY_FILE.toLowerCase())
  const advice = similar === undefined ? `Add ${ENTRY_FILE}.` : `Rename ${similar} to ${ENTRY_FILE}.`
  return typeError('bad-skill', `${label} has no ${ENTRY_FILE}. ${advice}`)
}

function readFrontMatter(file: string, bytes: Uint8Array): SkillFrontMatter {
  const text = textOf(bytes)
  if (text === undefined) throw typeError('bad-skill', `${file} is not UTF-8. Save it as UTF-8.`)
  try {
    return readSkillText(text).frontmatter
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error
    throw typeError(
      'bad-skill',
      `${file}:${error.line}: The front matter can't be used: ${error.message}. Correct the file.`,
      {
        cause: error,
      },
    )
  }
}

/** Spec, Resource Mapping: the last part of the path is the name. */
export function checkSkillPath(path: string, name: string): string {
  const flaw = findSkillPathFlaw(path)
  if (flaw !== undefined)
    throw typeError('bad-skill', `The path ${JSON.stringify(path)} of a skill can't be used: ${flaw}.`)
  if (path.slice(path.lastIndexOf('/') + 1) === name) return path
  const wanted = JSON.stringify(name)
  throw typeError(
    'bad-skill',
    `The path ${JSON.stringify(path)} must end with the name of the skill, which is ${wanted}. ` +
      'Rename the folder, change the name, or set the option path.',
  )
}

interface Nested {
  /** The front matter of each skill, by the path of its `SKILL.md`. */
  readonly skills: ReadonlyMap<string, SkillFrontMatter>
  readonly warnings: readonly string[]
}

/** Skills in folders of the skill. A `SKILL.md` that makes none, such as a template, is a file like any other. */
function findNested(files: ReadonlyMap<string, Uint8Array>, shown: (file: string) => string): Nested {
  const skills = new Map<string, SkillFrontMatter>()
  const warnings: string[] = []
  for (const [path, bytes] of files) {
    if (!path.endsWith(`/${ENTRY_FILE}`)) continue
    try {
      const frontmatter = readFrontMatter(shown(path), bytes)
      checkSkillPath(path.slice(0, -ENTRY_FILE.length - 1), frontmatter.name)
      skills.set(path, frontmatter)
    } catch (error) {
      const reason = error instanceof Error ? error.message : ''
      warnings.push(`${shown(path)} is served as a file and not as a skill. ${reason}`)
    }
  }
  return { skills, warnings }
}
