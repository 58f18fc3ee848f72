// Folders with skills: all files of a folder, read at once. Nothing outside the folder is read.

import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  watch as watchFolder,
} from 'node:fs'
import { basename, join } from 'node:path'
import { typeError } from '../../primitives/help.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { SkillFiles, SkillFolder } from '../../types/extensions/skills.ts'
import { toAbsolute } from './file-resource.ts'

/** Options of `skillFolder()` and `skillFolders()`. */
export interface SkillFolderOptions {
  /** Reads the folder again after each change and announces it (default: `false`). The skill stays as it was if it can't be read. */
  watch?: boolean | undefined
  /** Serves files and folders whose names start with a dot or end with `~` (default: `false`). */
  hidden?: boolean | undefined
  /** Whether a file is part of the skill, by its path from the folder, with `/` as the separator (default: all files). */
  include?: ((path: string) => boolean) | undefined
}

export const SKILL_FOLDER_KEYS: KnownKeys<SkillFolderOptions> = {
  watch: 'boolean',
  hidden: 'boolean',
  include: 'function',
}

/** More than a skill may have, so that the error about its limits names the right limit. */
const MAX_FILES = 1024
const MAX_BYTES = 32 * 1024 * 1024
const MAX_DEPTH = 32
/** An editor writes a file in several steps. */
const SETTLE_MS = 50
const ENTRY_FILE = 'SKILL.md'
const REPLACEMENT = '\uFFFD'

/**
 * A folder with a `SKILL.md`, for `server.skill()`. Its name is that of the skill, unless the option `path` of `server.skill()` is
 * given. Symbolic links and anything else that is no file or folder are errors.
 */
export function skillFolder(folder: string | URL, options: SkillFolderOptions = {}): SkillFolder {
  checkKeys('skillFolder()', options, SKILL_FOLDER_KEYS)
  const root = toAbsolute(folder)
  return { ...createSource(root, labelOf(folder), options), path: basename(root) }
}

/**
 * The skills below a folder, in the order of their paths. A folder with a `SKILL.md` is a skill, whose path starts here; what is
 * inside it belongs to it.
 */
export function skillFolders(folder: string | URL, options: SkillFolderOptions = {}): SkillFolder[] {
  checkKeys('skillFolders()', options, SKILL_FOLDER_KEYS)
  const root = toAbsolute(folder)
  rootOf(root, labelOf(folder))
  return findSkills(root, '', 0).map((path) => ({
    ...createSource(join(root, path), `${labelOf(folder)}/${path}`, options),
    path,
  }))
}

/** The folder as its author wrote it, for messages. */
function labelOf(folder: string | URL): string {
  return (typeof folder === 'string' ? folder : toAbsolute(folder)).replace(/[/\\]+$/, '')
}

function createSource(folder: string, label: string, options: SkillFolderOptions): SkillFolder {
  const read = () => readFolder(folder, label, options)
  return options.watch === true ? { label, read, watch: (onChange) => watchChanges(folder, onChange) } : { label, read }
}

function findSkills(root: string, path: string, depth: number): string[] {
  if (path !== '' && existsSync(join(root, path, ENTRY_FILE))) return [path]
  if (depth > MAX_DEPTH) return []
  return entriesOf(join(root, path)).flatMap((entry) => {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (isHidden(entry.name)) return []
    if (entry.isSymbolicLink()) throw linkError(join(root, inner))
    return entry.isDirectory() ? findSkills(root, inner, depth + 1) : []
  })
}

function entriesOf(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~')
}

/** What has been read so far, and where from. */
interface Reading {
  readonly root: string
  readonly label: string
  readonly options: SkillFolderOptions
  readonly files: Map<string, Uint8Array>
  bytes: number
}

function readFolder(folder: string, label: string, options: SkillFolderOptions): SkillFiles {
  const reading: Reading = { root: rootOf(folder, label), label, options, files: new Map(), bytes: 0 }
  readLevel(reading, '', 0)
  return Object.fromEntries(reading.files)
}

/** The author chose this folder: that it may be a link itself is no concern. */
function rootOf(folder: string, label: string): string {
  try {
    const root = realpathSync(folder)
    if (statSync(root).isDirectory()) return root
  } catch (error) {
    if (!isMissing(error)) throw error
    throw noFolder(folder, label, 'does not exist', error)
  }
  throw noFolder(folder, label, 'is not a folder')
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function noFolder(folder: string, label: string, flaw: string, cause?: unknown): TypeError {
  const where = label === folder ? '' : ` (${folder})`
  const advice = `Give the folder that contains ${ENTRY_FILE}; a relative path starts at the folder where the program was started.`
  return typeError('bad-skill', `The skill folder ${JSON.stringify(label)} ${flaw}${where}. ${advice}`, { cause })
}

function readLevel(reading: Reading, prefix: string, depth: number): void {
  const { root, label, options, files } = reading
  if (depth > MAX_DEPTH) throw typeError('bad-skill', `${label}/${prefix} is more than ${MAX_DEPTH} folders deep.`)
  for (const entry of entriesOf(join(root, prefix))) {
    const path = prefix + entry.name
    if (options.hidden !== true && isHidden(entry.name)) continue
    // Node puts it in place of bytes that are no text, and then can't open the file.
    if (entry.name.includes(REPLACEMENT))
      throw typeError('bad-skill', `${label}/${path} has a name that is not UTF-8. Rename it.`)
    if (entry.isDirectory()) readLevel(reading, `${path}/`, depth + 1)
    else if (options.include === undefined || options.include(path)) {
      if (entry.isSymbolicLink()) throw linkError(`${label}/${path}`)
      if (files.size >= MAX_FILES)
        throw typeError('bad-skill', `${label} has more than ${MAX_FILES} files. A skill has 512 at most.`)
      files.set(path, readFile(reading, path))
    }
  }
}

/** Without O_NONBLOCK, opening a named pipe waits for a writer. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

function readFile(reading: Reading, path: string): Uint8Array {
  const { root, label } = reading
  const descriptor = openSync(join(root, path), FLAGS)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile())
      throw typeError('bad-skill', `${label}/${path} is not a regular file. Remove it from the skill.`)
    // Another process may have replaced a folder on the way by a link.
    if (!isSameFile(join(root, path), stats)) throw linkError(`${label}/${path}`)
    return readAll(reading, path, descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function isSameFile(path: string, stats: Stats): boolean {
  const found = statSync(path)
  return realpathSync(path) === path && found.ino === stats.ino && found.dev === stats.dev
}

const CHUNK_BYTES = 64 * 1024

/** Up to the limit, whatever size the file claims to have. */
function readAll(reading: Reading, path: string, descriptor: number): Uint8Array {
  const chunks: Uint8Array[] = []
  for (;;) {
    const chunk = new Uint8Array(CHUNK_BYTES)
    const count = readSync(descriptor, chunk)
    if (count === 0) return Buffer.concat(chunks)
    reading.bytes += count
    if (reading.bytes > MAX_BYTES) {
      throw typeError(
        'bad-skill',
        `${reading.label} has more than ${MAX_BYTES} bytes, up to ${path}. A skill has 16 MiB at most.`,
      )
    }
    chunks.push(chunk.subarray(0, count))
  }
}

function linkError(path: string): TypeError {
  return typeError(
    'bad-skill',
    `${path} is a symbolic link, which could lead out of the folder. Copy the file instead.`,
  )
}

/** Calls back once for changes that come together. Keeps no process alive. */
function watchChanges(folder: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const watcher = watchFolder(folder, { recursive: true, persistent: false }, () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, SETTLE_MS)
    timer.unref()
  })
  // A folder that is gone has no more changes to report.
  watcher.on('error', () => watcher.close())
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
